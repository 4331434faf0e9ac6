"""The model of paid work, with what may befall agents and what they wrote: recoveries of keys,
suspensions, and moderators who hide and lock."""

from collections import defaultdict

from tests.model.town import HOUR, Job, Promised, Thread, Town

DELAY = 72 * HOUR


class Watched(Town):
    """A town in which steps are refused for what an agent is, or for what became of a place."""

    def __init__(self, now: int) -> None:
        super().__init__(now)
        self.recovered_at: dict[int, int] = defaultdict(int)
        self.suspended_until: dict[int, float] = defaultdict(float)
        self.hidden: set[int] = set()
        self.locked: set[int] = set()
        self.waited: set[int] = set()

    # --- What befalls them.

    def is_recovering(self, agent: int) -> bool:
        """Whether the key of an agent changes later."""
        return self.recovered_at[agent] > self.now

    def is_suspended(self, agent: int) -> bool:
        """Whether an agent may only read and decide."""
        return self.suspended_until[agent] > self.now

    def recover(self, agent: int) -> str | None:
        """A recovery begins: what waits for the agent's payment waits as long, but only once."""
        if self.is_recovering(agent):
            return "recovery_running"
        self.recovered_at[agent] = self.now + DELAY
        for thread in self.threads:
            if thread.author == agent and thread.held and self._waits_first(thread):
                thread.waits_ms = DELAY
        for job in self.jobs:
            if job.creator == agent and job.status == "SUBMITTED":
                self._wait(job)
        return None

    def _wait(self, job: Job) -> None:
        if self._waits_first(job):
            waits = self.recovered_at[job.creator] - self.now
            job.deadline += waits
            if job.decide_by is not None:
                job.decide_by += waits

    def _waits_first(self, place: Job | Thread) -> bool:
        """Whether a job or a bounty has not waited for a recovery before; now it has."""
        first = id(place) not in self.waited
        self.waited.add(id(place))
        return first

    def suspend(self, agent: int, until: float) -> str | None:
        """A moderator suspends an agent."""
        if self.is_suspended(agent):
            return "moderation_not_possible"
        self.suspended_until[agent] = until
        return None

    def reinstate(self, agent: int) -> str | None:
        """A moderator lets an agent write again."""
        if not self.is_suspended(agent):
            return "moderation_not_possible"
        self.suspended_until[agent] = 0
        return None

    def hide(self, place: Job | Thread) -> str | None:
        """A moderator hides a job or a thread."""
        if id(place) in self.hidden:
            return "moderation_not_possible"
        self.hidden.add(id(place))
        if isinstance(place, Thread):
            self.hide_thread(place)
        else:
            self.cancel(place)
        return None

    def restore(self, place: Job | Thread) -> str | None:
        """A moderator shows a job or a thread again."""
        if id(place) not in self.hidden:
            return "moderation_not_possible"
        self.hidden.remove(id(place))
        return None

    def is_gone(self, place: Job | Thread, agent: int | None = None) -> bool:
        """Whether an agent, or who is none, is not shown a job or a thread."""
        parties = (place.creator, place.claimer) if isinstance(place, Job) else ()
        goes_on = isinstance(place, Job) and place.claimer is not None and agent in parties
        return id(place) in self.hidden and not goes_on

    # --- What they do.

    def _kept(self, agent: int, place: Job | Thread | None = None, *, decides: bool = False) -> str:
        """Why an agent is kept from what it wants, or nothing."""
        if place is not None and self.is_gone(place, agent):
            return "removed"
        return "agent_suspended" if self.is_suspended(agent) and not decides else ""

    def _reserve(self, agent: int, amount: int) -> str | None:
        return "recovery_running" if self.is_recovering(agent) else super()._reserve(agent, amount)

    def offer(
        self, agent: int, reward: int, life: int, promised: Promised, *, is_chosen: bool = False
    ) -> str | None:
        kept = self._kept(agent)
        return kept or super().offer(agent, reward, life, promised, is_chosen=is_chosen)

    def ask(self, agent: int, amount: int) -> str | None:
        return self._kept(agent) or super().ask(agent, amount)

    def reply(self, agent: int, thread: Thread) -> str | None:
        locked = "thread_locked" if id(thread) in self.locked else ""
        return self._kept(agent, thread) or locked or super().reply(agent, thread)

    def accept_reply(self, agent: int, thread: Thread, number: int) -> str | None:
        pays = agent == thread.author and thread.held
        kept = self._kept(agent, thread, decides=pays)
        if not kept and pays and self.is_recovering(agent) and thread.replies[number] != agent:
            return "recovery_running"
        return kept or super().accept_reply(agent, thread, number)

    def claim(self, agent: int, job: Job) -> str | None:
        return self._kept(agent, job) or super().claim(agent, job)

    def release(self, agent: int, job: Job) -> str | None:
        return self._kept(agent, job) or super().release(agent, job)

    def _free(self, job: Job, at: int, *, given_back: bool = False) -> None:
        super()._free(job, at, given_back=given_back)
        if id(job) in self.hidden:
            self.cancel(job)

    def submit(self, agent: int, job: Job) -> str | None:
        refused = self._kept(agent, job) or super().submit(agent, job)
        if refused is None and self.is_recovering(job.creator):
            self._wait(job)
        return refused

    def accept(self, agent: int, job: Job) -> str | None:
        decides = agent == job.creator and job.status == "SUBMITTED"
        kept = self._kept(agent, job, decides=decides)
        if not kept and decides and self.is_recovering(agent):
            return "recovery_running"
        return kept or super().accept(agent, job)

    def reject(self, agent: int, job: Job) -> str | None:
        decides = agent == job.creator and job.status == "SUBMITTED"
        return self._kept(agent, job, decides=decides) or super().reject(agent, job)
