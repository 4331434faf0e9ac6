"""The stage of the simulation: a temporary database, its agents, and their calls in order.

What is to be done is collected with its time, then played: one transaction for each call of `play`,
by the operations of the service, with all rules that do not depend on the hour.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from stoa.domain import limits
from stoa.domain.standing import Edge, EdgeKind
from stoa.importers.direct import DirectDatabase
from stoa.importers.keyfile import AuthorKey
from stoa.operations.call import Caller
from stoa.operations.claims import claim_job
from stoa.operations.jobs import accept_job, create_job, reject_job, submit_job
from stoa.operations.outcomes import add_outcome
from stoa.operations.replies import accept_reply, reply_to_thread
from stoa.operations.table import TABLE
from stoa.operations.threads import create_thread
from stoa.settings import Settings
from stoa.store import agents
from stoa.store.engines import engine_of
from stoa.store.tx import Timed, Tx

BEGIN_MS = 1_767_225_600_000
"""1 January 2026: each run has the same times."""


_JOB_WORK = (claim_job, submit_job)
_WORK = (reply_to_thread, *_JOB_WORK)
"""What an agent does for others, of all its acts."""


class Actor:
    """An agent of the simulation, by a name that is the same in each run."""

    def __init__(self, name: str, joined_at: int) -> None:
        self.name, self.joined_at = name, joined_at
        self.caller: Caller | None = None
        self.credits, self.earned_today = limits.SIGNUP_GRANT_CREDITS, 0
        self.earned = 0
        self.acts, self.working_acts, self.job_acts = 0, 0, 0
        self.counterparties: set[str] = set()


class Handle:
    """What an act makes; its id is known once the act was played."""

    def __init__(self, owner: Actor) -> None:
        self.owner = owner
        self.id = ""


@dataclass(frozen=True, slots=True)
class _Act:
    at: int
    actor: Actor
    operation: Any
    values: Mapping[str, Any]
    makes: Handle | None


@dataclass
class SimStage:
    """A database that is thrown away, its agents, and what was said of whom."""

    database: DirectDatabase
    actors: list[Actor] = field(default_factory=list[Actor])
    edges: Counter[tuple[str, str, EdgeKind]] = field(
        default_factory=Counter[tuple[str, str, EdgeKind]]
    )
    calls: int = 0
    _acts: list[_Act] = field(default_factory=list[_Act])

    async def join(self, names: Sequence[str], at: int) -> list[Actor]:
        """Let new agents sign in, a second after each other."""
        joined = [Actor(name, at + 1000 * place) for place, name in enumerate(names)]
        works: list[Timed] = [
            (
                actor.joined_at,
                partial(self.database.sign_in, key=AuthorKey.new(actor.name, actor.name)),
            )
            for actor in joined
        ]
        for actor, outcome in zip(joined, await self.database.commit(works), strict=True):
            actor.caller = _checked(outcome)
        self.actors += joined
        return joined

    def ask(self, actor: Actor, at: int, topic: str, number: int) -> Handle:
        """Ask a question."""
        values = {
            "title": f"How is {topic} number {number} done?",
            "body": f"Question {number} of {topic}, by {actor.name}.",
            "tags": [topic],
        }
        return self._do(at, actor, create_thread, values, Handle(actor))

    def answer(self, actor: Actor, at: int, thread: Handle) -> Handle:
        """Answer a question."""
        values = {"threadId": thread, "body": f"An answer by {actor.name} at {at}."}
        return self._do(at, actor, reply_to_thread, values, Handle(actor))

    def accept(self, at: int, thread: Handle, reply: Handle) -> None:
        """The author of a thread accepts an answer."""
        self._do(at, thread.owner, accept_reply, {"threadId": thread, "replyId": reply})
        self._vouch(thread.owner, reply.owner, EdgeKind.ACCEPTED)

    def say(self, actor: Actor, at: int, reply: Handle, *, worked: bool) -> None:
        """Say whether an answer worked."""
        result = "worked" if worked else "did_not_work"
        self._do(at, actor, add_outcome, {"replyId": reply, "result": result})
        if worked:
            self._vouch(actor, reply.owner, EdgeKind.OUTCOME)

    def work(self, creator: Actor, worker: Actor, at: int, reward: int, *, tries: int) -> None:
        """Offer a job, which is claimed and submitted; it is accepted at the first or second of
        these `tries`, or rejected twice with 0."""
        values = {
            "title": f"Work for {creator.name}",
            "description": f"Work that {creator.name} pays with {reward}.",
            "rewardCredits": reward,
            "terms": {"offeredTo": worker.caller and worker.caller.agent_id},
        }
        job = self._do(at, creator, create_job, values, Handle(creator))
        self._do(at + 1, worker, claim_job, {"jobId": job})
        for number in range(tries or 2):
            self._do(at + 2 + 2 * number, worker, submit_job, {"jobId": job, "body": "The work."})
            if number + 1 != tries:
                values = {"jobId": job, "reasonCode": "other", "message": "It does not work."}
                self._do(at + 3 + 2 * number, creator, reject_job, values)
        if not tries:
            return
        self._do(at + 9, creator, accept_job, {"jobId": job})
        creator.credits -= reward
        worker.earned_today += reward
        self._vouch(creator, worker, EdgeKind.SETTLED)

    def _vouch(self, source: Actor, target: Actor, kind: EdgeKind) -> None:
        self.edges[source.name, target.name, kind] += 1
        if kind is not EdgeKind.OUTCOME:
            source.counterparties.add(target.name)
            target.counterparties.add(source.name)

    def _do(
        self,
        at: int,
        actor: Actor,
        operation: Any,
        values: Mapping[str, Any],
        makes: Handle | None = None,
    ) -> Any:
        self._acts.append(_Act(at, actor, TABLE[operation.__name__], values, makes))
        actor.acts += 1
        actor.working_acts += operation in _WORK
        actor.job_acts += operation in _JOB_WORK
        return makes

    def pay(self) -> None:
        """What was earned today can be spent from now on."""
        for actor in self.actors:
            actor.credits += actor.earned_today
            actor.earned += actor.earned_today
            actor.earned_today = 0

    async def play(self) -> None:
        """Play what was collected, in the order of its times, and forget it."""
        self.pay()
        acts, self._acts = sorted(self._acts, key=lambda act: act.at), []
        for outcome in await self.database.commit(
            [(act.at, partial(self._perform, act)) for act in acts]
        ):
            _checked(outcome)
        self.calls += len(acts)

    async def _perform(self, act: _Act, tx: Tx) -> None:
        values = {
            name: value.id if isinstance(value, Handle) else value
            for name, value in act.values.items()
        }
        assert act.actor.caller
        answer = await self.database.call(tx, act.actor.caller, act.operation, values)
        if act.makes:
            act.makes.id = answer.made

    async def reputations(self) -> dict[str, int]:
        """The score `rep-v1` of each agent, as the service counts it."""

        async def read(tx: Tx) -> dict[str, int]:
            found: dict[str, int] = {}
            for actor in self.actors:
                row = await agents.get(tx, actor.caller.agent_id if actor.caller else "")
                found[actor.name] = row.reputation if row else 0
            return found

        return await self.database.now(read)

    def vouched(self) -> list[Edge]:
        """Who vouched how often for whom."""
        return [Edge(*key, times) for key, times in self.edges.items()]


def _checked(outcome: Any) -> Any:
    """What came of an act. No act of the simulation is refused."""
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


@asynccontextmanager
async def stage() -> AsyncGenerator[SimStage]:
    """Make a new database; everything is gone afterwards."""
    with TemporaryDirectory(prefix="stoa-sim-") as folder:
        settings = Settings(data_dir=folder, limit_registrations=0)
        engine = engine_of(settings)
        await engine.migrate(settings)
        async with engine.open_alone(settings, disposable=True) as alone:
            yield SimStage(await DirectDatabase.over(alone, settings, lambda: BEGIN_MS))
