"""What is said of a reply, or who settles, while outcomes are counted on PostgreSQL is counted too.

To count reads what was said and then marks it as counted. What was marked anew in between stays so.
"""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from stoa.store import outcomes
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.outcomes import OutcomeRow, SaidRow
from stoa.store.tx import Tx
from tests.races.overtaking import Asked
from tests.races.test_locks import until_waiting
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.moderation import MODERATED, REASON, path

pytestmark = pytest.mark.parametrize("engine", ["postgresql"])


@pytest.fixture
def carl(stoa: App, ada: Agent) -> Agent:
    """An agent whose word counts: an answer of it was accepted, and it is not new any more."""
    carl, asked = stoa.agent("carl"), ada.thread()
    ada.accept(asked, carl.reply(asked)).ok()
    stoa.clock.advance(DAY)
    for agent in (ada, carl):
        agent.sign_in()
    return carl


@pytest.fixture
def reply(stoa: App, ada: Agent, bob: Agent) -> Any:
    """A reply that is to be said something of."""
    return bob.reply(ada.thread())


def say(agent: Agent, reply: Any, result: str) -> Asked:
    return agent.ask("POST", f"replies/{reply['id']}/outcomes", {"result": result})


def score(stoa: App, reply: Any) -> int:
    stoa.run(stoa.stoa.upkeep.count_outcomes())
    found: int = stoa.get(f"replies/{reply['id']}").ok()["reply"]["score"]
    return found


def overtake(stoa: App, monkeypatch: pytest.MonkeyPatch, other: Callable[[], Asked]) -> None:
    """Count what was said, and make a call once it was read for the first time."""
    real, first = outcomes.said, iter([True])

    async def said(tx: Tx, reply_id: str) -> list[SaidRow]:
        found = await real(tx, reply_id)
        if next(first, False):
            stoa.clock.advance(SECOND)
            assert (await other()).status in (200, 201)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(outcomes, "said", said)
        stoa.run(stoa.stoa.upkeep.count_outcomes())
    assert next(first, None) is None


def test_what_is_said_anew_while_it_is_counted_is_counted(
    stoa: App, carl: Agent, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    stoa.run(say(carl, reply, "worked"))
    overtake(stoa, monkeypatch, lambda: say(carl, reply, "did_not_work"))
    assert score(stoa, reply) == -1


@MODERATED
def test_who_is_suspended_while_its_word_is_counted_does_not_count(
    stoa: App, carl: Agent, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mod = stoa.agent("mod")
    stoa.run(say(carl, reply, "worked"))
    act = f"{path(carl.id)}/suspend"
    overtake(stoa, monkeypatch, lambda: mod.ask("POST", act, {"reason": REASON}))
    assert score(stoa, reply) == 0


def test_who_settles_while_its_word_is_counted_counts(
    stoa: App, ada: Agent, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The accept has written all and commits once the other has counted, or waits for it."""
    dora, asked = stoa.agent("dora"), ada.thread()
    answer = dora.reply(asked)
    stoa.clock.advance(DAY)
    for agent in (ada, dora):
        agent.sign_in()
    stoa.run(say(dora, reply, "worked"))
    stoa.clock.advance(SECOND)
    at_its_end, real = asyncio.Event(), PostgresTx.finish

    async def count() -> None:
        await at_its_end.wait()
        await stoa.stoa.upkeep.count_outcomes()

    async def both() -> None:
        counting = asyncio.create_task(count())

        async def finish(tx: PostgresTx) -> None:
            accepts = any(name == "receipts.insert" for name, _ in cast(Any, tx)._deferred)
            await real(tx)
            if accepts:
                at_its_end.set()
                waiting = asyncio.create_task(until_waiting(stoa))
                await asyncio.wait((counting, waiting), return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()

        monkeypatch.setattr(PostgresTx, "finish", finish)
        accepted = await ada.ask("POST", f"threads/{asked['id']}/replies/{answer['id']}/accept")
        assert accepted.status == 200
        await counting

    stoa.run(both())
    assert score(stoa, reply) == 1


@MODERATED
def test_what_is_said_anew_of_a_word_that_is_hidden_meanwhile_is_refused(
    stoa: App, carl: Agent, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mod, real = stoa.agent("mod"), outcomes.put
    said = stoa.run(say(carl, reply, "worked")).ok(201)["outcome"]

    async def put(tx: Tx, author_id: str, row: OutcomeRow) -> bool:
        hidden = await mod.ask("POST", f"{path(said)}/hide", {"reason": REASON})
        assert hidden.status == 200
        return await real(tx, author_id, row)

    monkeypatch.setattr(outcomes, "put", put)
    stoa.run(say(carl, reply, "did_not_work")).refused(410, "removed")
