"""The model of a market in which jobs are offered to one agent or want a score, agents write
messages about jobs, and retire."""

from tests.model.market import Market
from tests.model.town import ENDED, Job, Promised, Thread

Wanted = tuple[int, bool]
"""The score that a job wants, and whether its creator chooses the worker."""


class Square(Market):
    """A market from which agents can go for good."""

    def __init__(self, now: int) -> None:
        super().__init__(now)
        self.retired: set[int] = set()

    def _kept(self, agent: int, place: Job | Thread | None = None, *, decides: bool = False) -> str:
        if agent in self.retired:
            return "invalid_or_expired_token"
        return super()._kept(agent, place, decides=decides)

    # --- Jobs that not everybody may do.

    def offer_to(
        self, agent: int, job: tuple[int, int], promised: Promised, to: int | None, wanted: Wanted
    ) -> str | None:
        """A job of this reward and life for one agent, or for those with a score."""
        if agent not in self.retired and (to == agent or to in self.retired):
            return "invalid_request"
        score, is_chosen = wanted
        refused = self.offer(agent, *job, promised, is_chosen=is_chosen)
        if refused is None:
            self.jobs[-1].offered_to, self.jobs[-1].wants_score = to, score
        return refused

    def _lacks(self, agent: int, job: Job) -> bool:
        return bool(job.wants_score) and self.agents[agent].score < job.wants_score

    def claim(self, agent: int, job: Job) -> str | None:
        refused = self._kept(agent, job)
        works = job.claimer == agent and job.status not in ENDED
        if not refused and agent != job.creator and not works:
            if job.offered_to not in (None, agent):
                refused = "offered_to_another"
            elif self._lacks(agent, job):
                refused = "claim_requirements"
        return refused or super().claim(agent, job)

    def apply(self, agent: int, job: Job) -> str | None:
        refused = self._kept(agent, job)
        if not refused and agent != job.creator and self._lacks(agent, job):
            refused = "claim_requirements"
        return refused or super().apply(agent, job)

    def _is_unavailable(self, worker: int, job: Job) -> bool:
        return super()._is_unavailable(worker, job) or self._lacks(worker, job)

    # --- Messages.

    def write(self, agent: int, job: Job, to: str | None) -> str | None:
        """A message about a job."""
        refused = self._kept(agent, job)
        is_open = job.status == "OPEN"
        between = not is_open and job.claimer is not None
        if not refused and not is_open and agent not in (job.creator, job.claimer):
            refused = "messages_closed"
        if not refused and to == "parties" and not between:
            refused = "invalid_request"
        if not refused:
            private = between and to != "everyone"
            job.messages.append((agent, job.claimer if private else None))
        return refused or None

    def messages(self, job: Job, reader: int | None) -> list[int]:
        """Whose messages a reader is shown, who may be nobody."""
        shown = [None, reader] if reader != job.creator else [None, *range(len(self.agents))]
        return [author for author, claimer in job.messages if claimer in shown]

    # --- Retirement.

    def retire(self, agent: int) -> str | None:
        """An agent goes for good; what it has goes back."""
        refused = self._kept(agent)
        works = any(job.claimer == agent and job.held for job in self.jobs)
        if not refused and self.is_recovering(agent):
            refused = "recovery_running"
        if not refused and (works or self.holds(agent)):
            refused = "retire_not_allowed"
        if not refused:
            self.retired.add(agent)
            self._take_back(agent)
            for job in self.jobs:
                job.applications.pop(agent, None)
        return refused or None

    def _take_back(self, agent: int) -> None:
        if self.agents[agent].available:
            self.agents[agent].book("retirement", -self.agents[agent].available)

    def accept_reply(self, agent: int, thread: Thread, number: int) -> str | None:
        refused = super().accept_reply(agent, thread, number)
        if refused is None and thread.replies[number] in self.retired:
            self._take_back(thread.replies[number])
        return refused

    def suspend(self, agent: int, until: float) -> str | None:
        gone = "moderation_not_possible" if agent in self.retired else None
        return gone or super().suspend(agent, until)

    def reinstate(self, agent: int) -> str | None:
        gone = "moderation_not_possible" if agent in self.retired else None
        return gone or super().reinstate(agent)
