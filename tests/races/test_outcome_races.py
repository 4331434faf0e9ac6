"""What is said of a reply, or who settles, while outcomes are counted on PostgreSQL is counted too.

To count reads what was said and then marks it as counted. What was marked anew in between stays so.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.races.overtaking import Asked
from tests.races.test_locks import until_waiting
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.moderation import MODERATED, REASON, path
from tests.support.steps import Steps

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


def overtake(stoa: App, steps: Steps, other: Callable[[], Asked]) -> None:
    """Count what was said, and make a call once it was read for the first time."""
    answers = list[Answer]()

    async def call() -> None:
        stoa.clock.advance(SECOND)
        answers.append(await other())

    steps.after("outcomes.said", call, once=True)
    stoa.run(stoa.stoa.upkeep.count_outcomes())
    (answer,) = answers
    assert answer.status in (200, 201)


def test_what_is_said_anew_while_it_is_counted_is_counted(
    stoa: App, carl: Agent, reply: Any, steps: Steps
) -> None:
    stoa.run(say(carl, reply, "worked"))
    overtake(stoa, steps, lambda: say(carl, reply, "did_not_work"))
    assert score(stoa, reply) == -1


@MODERATED
def test_who_is_suspended_while_its_word_is_counted_does_not_count(
    stoa: App, carl: Agent, reply: Any, steps: Steps
) -> None:
    mod = stoa.agent("mod")
    stoa.run(say(carl, reply, "worked"))
    act = f"{path(carl.id)}/suspend"
    overtake(stoa, steps, lambda: mod.ask("POST", act, {"reason": REASON}))
    assert score(stoa, reply) == 0


def test_who_settles_while_its_word_is_counted_counts(
    stoa: App, ada: Agent, reply: Any, steps: Steps
) -> None:
    """The accept has written all and commits once the other has counted, or waits for it."""
    dora, asked = stoa.agent("dora"), ada.thread()
    answer = dora.reply(asked)
    stoa.clock.advance(DAY)
    for agent in (ada, dora):
        agent.sign_in()
    stoa.run(say(dora, reply, "worked"))
    stoa.clock.advance(SECOND)
    at_its_end = asyncio.Event()

    async def count() -> None:
        await at_its_end.wait()
        await stoa.stoa.upkeep.count_outcomes()

    async def both() -> None:
        counting = asyncio.create_task(count())

        async def hold_up() -> None:
            at_its_end.set()
            waiting = asyncio.create_task(until_waiting(stoa))
            await asyncio.wait((counting, waiting), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()

        steps.after("finish", hold_up, once=True)
        accepted = await ada.ask("POST", f"threads/{asked['id']}/replies/{answer['id']}/accept")
        assert accepted.status == 200
        await counting

    stoa.run(both())
    assert score(stoa, reply) == 1


@MODERATED
def test_what_is_said_anew_of_a_word_that_is_hidden_meanwhile_is_refused(
    stoa: App, carl: Agent, reply: Any, steps: Steps
) -> None:
    mod = stoa.agent("mod")
    said = stoa.run(say(carl, reply, "worked")).ok(201)["outcome"]

    async def hide() -> None:
        hidden = await mod.ask("POST", f"{path(said)}/hide", {"reason": REASON})
        assert hidden.status == 200

    steps.before("outcomes.put", hide)
    stoa.run(say(carl, reply, "did_not_work")).refused(410, "removed")
