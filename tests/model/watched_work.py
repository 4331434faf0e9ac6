"""Takes the steps of paid work while keys are recovered and moderators act."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

import hypothesis.strategies as st
from hypothesis.stateful import precondition, rule

from tests.model.test_paid_model import PaidWork, Sent, spans, which
from tests.model.town import DAY, HOUR, Job
from tests.model.watched import Watched
from tests.support import jobs
from tests.support.clock import START
from tests.support.key_changes import name_recovery, recover
from tests.support.keys import Key
from tests.support.moderation import moderate

ACTIONS = st.sampled_from(["hide", "restore", "lock", "unlock"])
ENDS = st.sampled_from([None, 1, HOUR // 2, HOUR, 6 * HOUR, 70 * HOUR])


class WatchedWork(PaidWork):
    """Takes the steps of paid work in a town where more can happen."""

    longest = 60 * DAY
    town: Watched

    def __init__(self) -> None:
        super().__init__()
        self.town = Watched(START)
        self.guarded: set[int] = set()
        self.coming: dict[int, Key] = {}
        self.new_keys = count()

    @rule(span=spans)
    def wait(self, span: int) -> None:
        """Time passes; who has another key signs in with it."""
        self.clock.advance(span)
        self.town.tick(span)
        due = [index for index in self.coming if not self.town.is_recovering(index)]
        for index in due:
            self.agents[index].key = self.coming.pop(index)
            self.agents[index].sign_in()
        super().wait(0)

    @rule(number=which)
    def recover(self, number: int) -> None:
        """The recovery key is used of an agent that has promised something, if there is one. What
        happens in the same millisecond has no order."""
        promised = [index for index in range(len(self.agents)) if self.town.holds(index)]
        _, index = self.pick(promised or range(len(self.agents)), number)
        agent = self.agents[index]
        if index not in self.guarded:
            if self.town.is_suspended(index):
                return
            name_recovery(agent, Key(f"offline {index}")).ok()
            self.guarded.add(index)
        self.wait(1)
        new = Key(f"new {next(self.new_keys)}")
        answer = recover(self.app, agent.id, Key(f"offline {index}"), new)
        self.agree(answer, self.town.recover(index))
        if answer.status == 200:
            self.coming[index] = new
        self.wait(1)
        self.check_agent(index)

    @precondition(lambda self: not any(map(self.town.is_suspended, range(len(self.agents)))))
    @rule(number=which, span=ENDS)
    def suspend(self, number: int, span: int | None) -> None:
        """A moderator suspends an agent, for a time or for ever."""
        index, agent = self.pick(self.agents, number)
        ends = None if span is None else self.clock.now + span
        more = {} if ends is None else {"until": _iso(ends)}
        until = float("inf") if ends is None else ends
        answer = moderate(self.mod, agent.id, "suspend", **more)
        self.agree(answer, self.town.suspend(index, until))

    @rule(number=which)
    def reinstate(self, number: int) -> None:
        """A moderator ends a suspension."""
        index, agent = self.pick(self.agents, number)
        self.agree(moderate(self.mod, agent.id, "reinstate"), self.town.reinstate(index))

    @precondition(lambda self: self.threads)
    @rule(thread=which, action=ACTIONS)
    def hide_thread(self, thread: int, action: str) -> None:
        """A moderator hides a thread, locks it, or takes that back."""
        place, (thread_id, _) = self.pick(self.threads, thread)
        known = self.town.threads[place]
        answer = moderate(self.mod, thread_id, action)
        if action in ("hide", "restore"):
            did = self.town.hide(known) if action == "hide" else self.town.restore(known)
            self.agree(answer, did)
        else:
            so_already = (id(known) in self.town.locked) is (action == "lock")
            self.agree(answer, "moderation_not_possible" if so_already else None)
            self.town.locked ^= set() if so_already else {id(known)}
        self.check_thread(place)

    @precondition(lambda self: self.jobs)
    @rule(job=which, action=st.sampled_from(["hide", "restore"]))
    def hide_job(self, job: int, action: str) -> None:
        """A moderator hides a job, or shows it again."""
        place, job_id = self.pick(self.jobs, job)
        known = self.town.jobs[place]
        did = self.town.hide(known) if action == "hide" else self.town.restore(known)
        self.agree(moderate(self.mod, job_id, action), did)
        self.check_job(place)

    def lately(self) -> list[Sent]:
        """The writes whose answers are given again."""
        return [sent for sent in super().lately() if not self._is_kept_back(sent)]

    def _is_kept_back(self, sent: Sent) -> bool:
        index = self.agents.index(sent.agent)
        if self.town.is_suspended(index) or self.is_away(index):
            return True
        answer: Any = sent.answer.json
        job_id = sent.arguments.get("jobId") or answer.get("job", {}).get("id")
        if job_id:
            known = self.town.jobs[self.jobs.index(job_id)]
            return self.town.is_gone(known, known.creator)
        named = sent.arguments.get("threadId") or answer.get("reply", {}).get("threadId")
        thread_id = named or answer["thread"]["id"]
        places = [one for one, _ in self.threads]
        return self.town.is_gone(self.town.threads[places.index(thread_id)])

    def check_job(self, place: int) -> None:
        """A job must be shown to its parties alone while it is hidden, with its deadline."""
        known: Job = self.town.jobs[place]
        if not self.town.is_gone(known):
            super().check_job(place)
            shown = self.app.get(f"jobs/{self.jobs[place]}").ok()["job"]
            assert shown["deadline"] == _iso(known.deadline)
            return
        self.app.get(f"jobs/{self.jobs[place]}").refused(410, "removed")
        if known.claimer is not None:
            parties = [known.creator, known.claimer]
            for party in (party for party in parties if not self.is_away(party)):
                job = jobs.read({"id": self.jobs[place]}, self.agents[party])
                assert (job["status"], job["deadline"]) == (known.status, _iso(known.deadline))

    def check_thread(self, place: int) -> None:
        """A thread must be gone while it is hidden, and say until when its bounty waits."""
        known = self.town.threads[place]
        if self.town.is_gone(known):
            self.app.get(f"threads/{self.threads[place][0]}").refused(410, "removed")
            return
        super().check_thread(place)
        if known.held:
            shown = self.app.get(f"threads/{self.threads[place][0]}").ok()["thread"]
            assert shown["bounty"]["expiresAt"] == _iso(known.ends_at)

    def check_lists(self) -> None:
        """Only with all shown."""

    def _open_bounties(self) -> list[tuple[int, int, str, int]]:
        locked = {
            thread_id
            for (thread_id, _), known in zip(self.threads, self.town.threads, strict=True)
            if id(known) in self.town.locked
        }
        return [row for row in super()._open_bounties() if row[2] not in locked]

    def teardown(self) -> None:
        """What is hidden is shown again before all is compared."""
        for places, known in ((self.threads, self.town.threads), (self.jobs, self.town.jobs)):
            for place, one in zip(places, known, strict=True):
                if id(one) in self.town.hidden:
                    place_id = place if isinstance(place, str) else place[0]
                    self.agree(moderate(self.mod, place_id, "restore"), self.town.restore(one))
        super().teardown()


def _iso(ms: float) -> str:
    told = datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
    return told.replace("+00:00", "Z")
