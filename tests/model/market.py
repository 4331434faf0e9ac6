"""The model of a watched town, in which creators also choose workers and think again: they cancel,
raise, extend and add, and authors offer bounties later and withdraw them and their texts."""

from tests.model.town import DAY, ENDED, HOUR, Job, Thread
from tests.model.watched import Watched

APPLICATION = 72 * HOUR
JOB_TTL = 7 * DAY
ADDITIONS = 5


class Market(Watched):
    """A watched town with all that may happen before anybody else has a stake."""

    # --- Choosing a worker.

    def _is_closed(self, job: Job) -> str | None:
        if job.status in ENDED:
            return self._ended(job)
        return None if job.status == "OPEN" and job.is_chosen else "applications_closed"

    def _ended(self, job: Job) -> str:
        return "job_expired" if job.status == "REFUNDED_EXPIRED" else "job_already_terminal"

    def apply(self, agent: int, job: Job) -> str | None:
        """Apply for a job."""
        refused = self._kept(agent, job)
        if not refused and agent == job.creator:
            refused = "cannot_claim_own_job"
        refused = refused or self._is_closed(job)
        if not refused and agent in job.losers:
            refused = "claim_released"
        if not refused:
            job.applications[agent] = self.now + APPLICATION
        return refused or None

    def _applies(self, agent: int, job: Job) -> bool:
        return job.applications.get(agent, 0) > self.now

    def withdraw_application(self, agent: int, job: Job) -> str | None:
        """Take an application back."""
        refused = self._kept(agent, job)
        if not refused and not self._applies(agent, job):
            refused = "no_application"
        if not refused:
            del job.applications[agent]
        return refused or None

    def assign(self, agent: int, job: Job, worker: int) -> str | None:
        """Choose a worker."""
        refused = self._not_own(agent, job) or self._is_closed(job)
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        if not refused and not self._applies(worker, job):
            refused = "no_application"
        if not refused and self._is_unavailable(worker, job):
            refused = "applicant_unavailable"
        if not refused:
            del job.applications[worker]
            self._give(job, worker)
        return refused or None

    def _is_unavailable(self, worker: int, job: Job) -> bool:
        """Whether a worker who applied cannot be chosen now."""
        return self._has_enough(worker)

    def suspend(self, agent: int, until: float) -> str | None:
        refused = super().suspend(agent, until)
        if refused is None:
            for job in self.jobs:
                job.applications.pop(agent, None)
        return refused

    # --- Second thoughts about a job.

    def _not_own(self, agent: int, job: Job) -> str:
        return self._kept(agent, job) or ("" if agent == job.creator else "not_job_creator")

    def _unlike_open(self, agent: int, job: Job) -> str:
        """Why a job cannot be cancelled, or nothing."""
        refused = self._not_own(agent, job)
        if refused or job.status == "OPEN":
            return refused
        return self._ended(job) if job.status in ENDED else "job_claimed"

    def cancel_own(self, agent: int, job: Job) -> str | None:
        """The creator cancels a job."""
        refused = self._unlike_open(agent, job)
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        if not refused:
            job.cancelled = True
            self.agents[agent].counts["cancelled"] += 1
            self.cancel(job)
        return refused or None

    def cancel(self, job: Job) -> str | None:
        refused = super().cancel(job)
        if refused is None:
            job.applications.clear()
        return refused

    def _unchangeable(self, agent: int, job: Job) -> str:
        refused = self._not_own(agent, job)
        if not refused and job.status in ENDED:
            refused = self._ended(job)
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        return refused

    def raise_reward(self, agent: int, job: Job, amount: int) -> str | None:
        """The creator pays more."""
        refused = self._unchangeable(agent, job) or self._add(agent, job.reward, amount)
        if not refused:
            job.reward = amount
        return refused or None

    def _add(self, agent: int, before: int, amount: int) -> str:
        if amount <= before:
            return "invalid_request"
        if self.agents[agent].available < amount - before:
            return "insufficient_credits"
        self.agents[agent].book("hold", before - amount)
        return ""

    def extend(self, agent: int, job: Job, life: int) -> str | None:
        """The creator gives more time."""
        refused, deadline = self._unchangeable(agent, job), job.created_at + life
        later = max(job.deadline, self.now) < deadline <= job.created_at + JOB_TTL
        if not refused and not later:
            refused = "invalid_request"
        if not refused:
            job.deadline = deadline
        return refused or None

    def append(self, agent: int, job: Job) -> str | None:
        """The creator adds to the text."""
        refused = self._unlike_open(agent, job)
        if not refused and job.additions == ADDITIONS:
            refused = "additions_full"
        if not refused:
            job.additions += 1
        return refused or None

    # --- Bounties later, and withdrawals.

    def _not_author(self, agent: int, thread: Thread) -> str:
        return self._kept(agent, thread) or ("" if agent == thread.author else "not_thread_author")

    def offer_bounty(self, agent: int, thread: Thread, amount: int) -> str | None:
        """The author offers a bounty, or raises the open one."""
        refused = self._not_author(agent, thread)
        if not refused and thread.withdrawn:
            refused = "withdrawn"
        if not refused and thread.accepted is not None:
            refused = "already_accepted"
        if not refused and id(thread) in self.locked:
            refused = "thread_locked"
        if refused:
            return refused
        if thread.held:
            recovers = "recovery_running" if self.is_recovering(agent) else ""
            refused = recovers or self._add(agent, thread.amount, amount)
        else:
            refused = self._reserve(agent, amount)
        if refused:
            return refused
        if not thread.held:
            self.agents[agent].counts["bounties"] += 1
            thread.refunded_before += thread.bounty == "REFUNDED"
            thread.bounty, thread.offered_at, thread.waits_ms = "OPEN", self.now, 0
            self.waited.discard(id(thread))
        thread.amount = amount
        return None

    def _answers(self, thread: Thread) -> int:
        shown = set(range(len(thread.replies))) - thread.withdrawn_replies
        return sum(thread.replies[number] != thread.author for number in shown)

    def withdraw_bounty(self, agent: int, thread: Thread) -> str | None:
        """The author takes the bounty back."""
        refused = self._not_author(agent, thread)
        if not refused and not thread.held:
            refused = "withdraw_not_allowed"
        if not refused and self._answers(thread):
            refused = "bounty_has_answers"
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        if not refused:
            self.hide_thread(thread)
        return refused or None

    def withdraw_thread(self, agent: int, thread: Thread) -> str | None:
        """The author empties a thread."""
        refused = self._not_author(agent, thread)
        relied_on = thread.accepted is not None or thread.held or self._answers(thread)
        if not refused and thread.withdrawn:
            refused = "withdrawn"
        if not refused and relied_on:
            refused = "withdraw_not_allowed"
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        if not refused:
            thread.withdrawn = True
        return refused or None

    def withdraw_reply(self, agent: int, thread: Thread, number: int) -> str | None:
        """An author empties a reply."""
        refused = self._kept(agent, thread)
        if not refused and agent != thread.replies[number]:
            refused = "not_reply_author"
        if not refused and number in thread.withdrawn_replies:
            refused = "withdrawn"
        if not refused and thread.accepted == number:
            refused = "withdraw_not_allowed"
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        if not refused:
            thread.withdrawn_replies.add(number)
        return refused or None

    def reply(self, agent: int, thread: Thread) -> str | None:
        withdrawn = "withdrawn" if thread.withdrawn else ""
        return self._kept(agent, thread) or withdrawn or super().reply(agent, thread)

    def accept_reply(self, agent: int, thread: Thread, number: int) -> str | None:
        might = agent == thread.author != thread.replies[number] and thread.accepted is None
        if might and number in thread.withdrawn_replies:
            return self._kept(agent, thread, decides=thread.held) or "withdrawn"
        return super().accept_reply(agent, thread, number)
