"""Reads of the same thing that come at the same time are made once."""

import asyncio
import gc
from typing import Any

import pytest

from stoa.memory.single_flight import SingleFlight
from tests.support.app import App
from tests.support.steps import Steps


@pytest.fixture
def engine() -> str:
    """Where other processes write too, no answer is cached."""
    return "sqlite"


LONG_PAGE = "opportunities?limit=100"
"""A read that never is tried on the event loop, where one would end before the next begins."""


def reads_of_a_burst(stoa: App, steps: Steps, path: str, readers: int = 20) -> int:
    """How often the store is read for so many reads of one path that come at the same time."""
    steps.taken.clear()
    answers = stoa.together(*(stoa.ask("GET", path) for _ in range(readers)))
    assert {answer.ok().content for answer in answers} == {answers[0].content}
    return steps.taken.count("read")


def test_a_burst_of_the_same_read_computes_one_answer(stoa: App, steps: Steps) -> None:
    assert reads_of_a_burst(stoa, steps, LONG_PAGE) == 1


def test_a_burst_that_nobody_joins_computes_many_answers(
    stoa: App, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(SingleFlight, "wait", never)
    assert reads_of_a_burst(stoa, steps, LONG_PAGE) > 1


def test_a_refused_read_lets_those_that_wait_for_it_go_on(stoa: App) -> None:
    answers = stoa.together(*(stoa.ask("GET", "opportunities?limit=x") for _ in range(5)))
    assert [answer.status for answer in answers] == [400] * 5
    stoa.get("opportunities").ok()


def test_a_read_after_a_write_does_not_get_the_answer_that_it_waits_for(
    stoa: App, steps: Steps
) -> None:
    ada = stoa.agent("ada")
    later: list[asyncio.Task[Any]] = []

    async def overtake() -> None:
        await ada.ask("POST", "threads", {"title": "It overtook.", "body": "A read."})
        later.append(asyncio.ensure_future(stoa.ask("GET", "threads")))
        await asyncio.sleep(0)
        assert not later[0].done()

    async def both() -> tuple[Any, Any]:
        first = await stoa.ask("GET", "threads")
        return first, await later[0]

    steps.after("read", overtake, once=True)
    first, second = stoa.run(both())
    assert "It overtook." not in first.text
    assert "It overtook." in second.text


def test_what_fails_or_is_cancelled_without_a_reader_is_no_defect_of_the_loop() -> None:
    told: list[object] = []

    async def fail() -> None:
        raise ValueError

    async def start_and_leave() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        flights = SingleFlight()
        flights.start("fails", fail)
        flights.start("is cancelled", asyncio.Event().wait).cancel()
        assert await flights.wait("fails")
        assert not await flights.wait("is cancelled")

    asyncio.run(start_and_leave())
    gc.collect()
    assert not told
