"""A small model of paid work, written from the rules alone: nothing of it is the service's code.

Amounts are hundredths, times milliseconds. Time is simple here: `tick` ends at once whatever is
due, since nobody may be able to tell when a refund was booked.
"""

from collections import Counter
from dataclasses import dataclass, field

GRANT = 10_000
HOUR = 3_600_000
DAY = 24 * HOUR
BOUNTY_TTL = 72 * HOUR
FREE = HOUR // 4
"""A claim that ends sooner leaves no mark."""
PAIR_CAP, NEW_HOLDS, CLAIMS, NEW_CLAIMS = 3, 5, 10, 5
Promised = tuple[int | None, int | None]
"""How long a claim and a review last, in ms, where that is promised."""
ENDED = {"COMPLETED", "REJECTED_TERMINAL", "REFUNDED_EXPIRED"}


@dataclass
class Agent:
    """An agent with credits and a score, and what its record counts: jobs and claims by how they
    ended, how long (ms) each decision and each first submission took, and whom it earned from."""

    created_at: int
    available: int = GRANT
    score: int = 0
    entries: list[tuple[str, int]] = field(default_factory=lambda: [("signup_grant", GRANT)])
    counts: Counter[str] = field(default_factory=Counter[str])
    decided: list[int] = field(default_factory=list[int])
    submitted: list[int] = field(default_factory=list[int])
    earned_of: Counter[int] = field(default_factory=Counter[int])

    def book(self, kind: str, amount: int) -> None:
        """A movement of what can be spent."""
        self.available += amount
        self.entries.append((kind, amount))


@dataclass
class Job:
    """A job; `claimer` is an index, like all agents of the model. Its creator may have promised how
    long a claim and a review last, or chooses the worker among `applications` until their ends. Of
    each message it has the author, and the claimer if it is for the two parties alone."""

    creator: int
    reward: int
    created_at: int
    deadline: int
    claim_life: int | None = None
    review: int | None = None
    claim_ends: int | None = None
    decide_by: int | None = None
    paid_by_silence: bool = False
    losers: set[int] = field(default_factory=set[int])
    is_chosen: bool = False
    applications: dict[int, int] = field(default_factory=dict[int, int])
    additions: int = 0
    cancelled: bool = False
    offered_to: int | None = None
    wants_score: int = 0
    messages: list[tuple[int, int | None]] = field(default_factory=list[tuple[int, int | None]])
    status: str = "OPEN"
    claimer: int | None = None
    submissions: int = 0
    rejects: int = 0
    claimed_at: int = 0
    submitted_at: int = 0

    @property
    def held(self) -> bool:
        """Whether its reward is reserved."""
        return self.status not in ENDED

    @property
    def due(self) -> tuple[int, str]:
        """When something happens to it by itself, and what."""
        if self.status == "SUBMITTED" and self.decide_by is not None:
            return self.decide_by, "silence"
        works = self.status in ("CLAIMED", "REJECTED_REVISION_ALLOWED")
        if works and self.claim_ends is not None and self.claim_ends < self.deadline:
            return self.claim_ends, "release"
        return self.deadline, "expire"

    @property
    def ends_at(self) -> int:
        """When what it holds is free, if nobody does anything more."""
        at, event = self.due
        return self.deadline if event == "release" else at

    def figures(self, now: int) -> tuple[object, ...]:
        """What readers are shown of it."""
        left = int(self.held and self.submissions < 2 and now < self.deadline)
        ends = self.claim_ends, self.decide_by, self.paid_by_silence, self.cancelled
        return self.status, self.claimer, self.submissions, self.rejects, left, self.reward, *ends


@dataclass
class Thread:
    """A question; `bounty` is the state of its latest, None where there was none."""

    author: int
    amount: int
    offered_at: int
    bounty: str | None
    replies: list[int] = field(default_factory=list[int])
    accepted: int | None = None
    waits_ms: int = 0
    refunded_before: int = 0
    withdrawn: bool = False
    withdrawn_replies: set[int] = field(default_factory=set[int])

    @property
    def held(self) -> bool:
        """Whether its bounty is reserved."""
        return self.bounty == "OPEN"

    @property
    def ends_at(self) -> int:
        """When its bounty goes back."""
        return self.offered_at + BOUNTY_TTL + self.waits_ms

    @property
    def figures(self) -> tuple[object, ...]:
        """What readers are shown of it."""
        shown = self.amount if self.bounty in ("OPEN", "PAID") else 0
        return ("open" if self.accepted is None else "answered"), self.accepted, self.bounty, shown


class Town:
    """The model. Each action returns the code of its refusal, or None when it happened."""

    def __init__(self, now: int) -> None:
        self.now = now
        self.agents: list[Agent] = []
        self.jobs: list[Job] = []
        self.threads: list[Thread] = []
        self.unpaid: list[tuple[int, frozenset[int]]] = []
        self.retry_after = 0

    def tick(self, span: int) -> None:
        """Let time pass."""
        self.now += span
        for job in self.jobs:
            while job.held and job.due[0] <= self.now:
                self._happen(job, *job.due)
        for thread in self.threads:
            if thread.held and thread.ends_at <= self.now:
                thread.bounty = "REFUNDED"
                self.agents[thread.author].book("refund", thread.amount)

    def _happen(self, job: Job, at: int, what: str) -> None:
        if what == "silence":
            job.paid_by_silence = True
            self._pay(job, at)
        elif what == "release":
            self._free(job, at)
        else:
            self._refund(job, "REFUNDED_EXPIRED")

    def _refund(self, job: Job, status: str) -> None:
        how = "rejected" if status == "REJECTED_TERMINAL" else f"expired {job.status}"
        self._ends(job, how)
        job.status, job.claim_ends = status, None
        self.agents[job.creator].book("refund", job.reward)

    def _ends(self, job: Job, how: str) -> None:
        """Count how a job ends for both its parties."""
        self.agents[job.creator].counts[f"offered: {how}"] += 1
        if job.claimer is not None:
            self.agents[job.claimer].counts[f"claimed: {how}"] += 1

    def _pay(self, job: Job, at: int) -> None:
        assert job.claimer is not None
        how = "silent" if job.paid_by_silence else "paid"
        self._ends(job, f"{how} after a rejection" if job.rejects else how)
        self.agents[job.creator].decided.append(at - job.submitted_at)
        job.status = "COMPLETED"
        self.agents[job.claimer].book("payout", job.reward)
        self.agents[job.claimer].score += 20
        self.agents[job.claimer].earned_of[job.creator] += 1

    def _free(self, job: Job, at: int, *, given_back: bool = False) -> None:
        assert job.claimer is not None
        kept_word = given_back and job.is_chosen and not job.submissions
        if at - job.claimed_at >= FREE and not kept_word:
            self.agents[job.claimer].counts["abandoned"] += 1
        job.losers.add(job.claimer)
        job.claim_ends = None
        if job.status == "CLAIMED":
            job.status, job.claimer = "OPEN", None
        else:
            self._refund(job, "REJECTED_TERMINAL")

    def holds(self, agent: int) -> list[int]:
        """The amounts that an agent has reserved."""
        held = [job.reward for job in self.jobs if job.creator == agent and job.held]
        return held + [t.amount for t in self.threads if t.author == agent and t.held]

    def _expiries(self, agent: int) -> list[int]:
        jobs = [job.ends_at for job in self.jobs if job.creator == agent and job.held]
        threads = [thread for thread in self.threads if thread.author == agent and thread.held]
        return jobs + [thread.ends_at for thread in threads]

    def join(self) -> None:
        """A new agent."""
        self.agents.append(Agent(self.now))

    def _is_new(self, agent: int) -> bool:
        return self.now < self.agents[agent].created_at + DAY

    def _reserve(self, agent: int, amount: int) -> str | None:
        if self._is_new(agent) and len(self.holds(agent)) >= NEW_HOLDS:
            ends = self.agents[agent].created_at + DAY, *self._expiries(agent)
            self.retry_after = -(-(min(ends) - self.now) // 1000)
            return "new_agent_limit"
        if self.agents[agent].available < amount:
            return "insufficient_credits"
        self.agents[agent].book("hold", -amount)
        return None

    def offer(
        self, agent: int, reward: int, life: int, promised: Promised, *, is_chosen: bool = False
    ) -> str | None:
        """A job."""
        refused = self._reserve(agent, reward)
        if refused is None:
            job = Job(agent, reward, self.now, self.now + life, *promised, is_chosen=is_chosen)
            self.jobs.append(job)
            self.agents[agent].counts["jobs"] += 1
        return refused

    def ask(self, agent: int, amount: int) -> str | None:
        """A thread, with a bounty unless it is for nothing."""
        refused = self._reserve(agent, amount) if amount else None
        if refused is None:
            self.agents[agent].counts["bounties"] += bool(amount)
            self.threads.append(Thread(agent, amount, self.now, "OPEN" if amount else None))
        return refused

    def reply(self, agent: int, thread: Thread) -> str | None:
        """An answer to a thread."""
        thread.replies.append(agent)
        self.agents[agent].counts["answers"] += agent != thread.author
        return None

    def accept_reply(self, agent: int, thread: Thread, number: int) -> str | None:
        """Accept an answer."""
        author = thread.replies[number]
        if agent != thread.author:
            return "not_thread_author"
        if author == agent:
            return "cannot_accept_own_reply"
        if thread.accepted is not None:
            return "already_accepted"
        pair = frozenset((agent, author))
        if thread.held:
            self.agents[author].book("payout", thread.amount)
            self.agents[agent].counts["bounties paid"] += 1
            thread.bounty = "PAID"
        else:
            recent = [at for at, who in self.unpaid if who == pair and at > self.now - DAY]
            if len(recent) >= PAIR_CAP:
                self.retry_after = -(-(recent[-PAIR_CAP] + DAY - self.now) // 1000)
                return "pair_farming_limit"
            self.unpaid.append((self.now, pair))
        thread.accepted = number
        self.agents[author].score += 10
        self.agents[author].counts["accepted"] += 1
        self.agents[author].earned_of[agent] += 1
        return None

    def claim(self, agent: int, job: Job) -> str | None:
        """Claim a job."""
        if agent == job.creator:
            return "cannot_claim_own_job"
        if job.status == "REFUNDED_EXPIRED":
            return "job_expired"
        if job.status in ENDED:
            return "job_already_terminal"
        if job.status != "OPEN":
            return None if job.claimer == agent else "job_already_claimed"
        if agent in job.losers:
            return "claim_released"
        if job.is_chosen:
            return "application_required"
        if self._has_enough(agent):
            return "claim_limit"
        self._give(job, agent)
        return None

    def _has_enough(self, agent: int) -> bool:
        """Whether an agent holds as many claims as one may."""
        holding = sum(other.claimer == agent and other.held for other in self.jobs)
        return holding >= (NEW_CLAIMS if self._is_new(agent) else CLAIMS)

    def _give(self, job: Job, agent: int) -> None:
        job.status, job.claimer, job.claimed_at = "CLAIMED", agent, self.now
        self.agents[agent].counts["claims"] += 1
        self._begin(job)

    def _begin(self, job: Job) -> None:
        job.claim_ends = None if job.claim_life is None else self.now + job.claim_life

    def release(self, agent: int, job: Job) -> str | None:
        """Give a claim back."""
        if job.claimer not in (None, agent):
            return "not_job_claimer"
        if job.status not in ("CLAIMED", "REJECTED_REVISION_ALLOWED"):
            return "not_claimed"
        self._free(job, self.now, given_back=True)
        return None

    def submit(self, agent: int, job: Job) -> str | None:
        """Submit work."""
        if agent != job.claimer:
            return "not_job_claimer"
        if job.status == "REFUNDED_EXPIRED":
            return "job_expired"
        if job.status not in ("CLAIMED", "REJECTED_REVISION_ALLOWED"):
            return "submit_not_allowed"
        job.status, job.claim_ends, job.submitted_at = "SUBMITTED", None, self.now
        if not job.submissions:
            self.agents[agent].submitted.append(self.now - job.claimed_at)
        job.submissions += 1
        job.decide_by = None if job.review is None else self.now + job.review
        return None

    def _undecidable(self, agent: int, job: Job) -> str | None:
        if agent != job.creator:
            return "not_job_creator"
        if job.status == "REFUNDED_EXPIRED":
            return "job_expired"
        if job.status in ENDED:
            return "job_already_terminal"
        return None if job.status == "SUBMITTED" else "job_not_submitted"

    def accept(self, agent: int, job: Job) -> str | None:
        """Accept work."""
        refused = self._undecidable(agent, job)
        if refused is None:
            self._pay(job, self.now)
        return refused

    def reject(self, agent: int, job: Job) -> str | None:
        """Reject work."""
        refused = self._undecidable(agent, job)
        if refused is None:
            job.rejects += 1
            job.decide_by = None
            self.agents[agent].decided.append(self.now - job.submitted_at)
            if job.rejects == 2 or job.deadline <= self.now:
                self._refund(job, "REJECTED_TERMINAL")
            else:
                job.status = "REJECTED_REVISION_ALLOWED"
                self._begin(job)
        return refused

    def cancel(self, job: Job) -> str | None:
        """A moderator cancels a job, or hides it: only an open one ends by that."""
        if job.status != "OPEN":
            return "moderation_not_possible"
        self._refund(job, "REFUNDED_EXPIRED")
        return None

    def hide_thread(self, thread: Thread) -> None:
        """A moderator hides a thread."""
        if thread.held:
            thread.bounty = "REFUNDED"
            self.agents[thread.author].book("refund", thread.amount)
