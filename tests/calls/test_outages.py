"""What the operator is told of calls that the store did not answer."""

import asyncio

from stoa.calls.outages import Outages
from stoa.store.tx import StoreUnavailable, WritingStopped
from tests.support.logs import logged

GONE = StoreUnavailable("no connection")
AGAIN = {"event": "store available again", "level": "warning"}


def begun(operation: str) -> dict[str, str]:
    event = {"event": "store unavailable", "level": "error"}
    return event | {"operation": operation, "reason": "no connection"}


def test_an_outage_is_told_when_it_begins_and_counted_when_it_is_over() -> None:
    async def run() -> None:
        outages = Outages(quiet_ms=10)
        for operation in ("create_thread", "reply_to_thread", "create_job"):
            outages.note(operation, GONE)
        async with asyncio.timeout(60):
            while len(lines) < 2:  # noqa: ASYNC110 - a log calls nobody
                await asyncio.sleep(0.005)
        outages.note("get_job", GONE)

    with logged() as lines:
        asyncio.run(run())
    assert lines == [begun("create_thread"), AGAIN | {"refused": 3}, begun("get_job")]


def test_an_outage_goes_on_while_calls_are_refused() -> None:
    async def run() -> None:
        outages = Outages(quiet_ms=60_000)
        for _ in range(1000):
            outages.note("create_thread", GONE)
            await asyncio.sleep(0)

    with logged() as lines:
        asyncio.run(run())
    assert lines == [begun("create_thread")]


def test_an_outage_goes_on_while_the_store_says_so() -> None:
    reason: list[str] = ["the disk is full"]

    async def run() -> None:
        outages = Outages(lambda: reason[0] if reason else None, quiet_ms=10)
        outages.note("create_thread", GONE)
        await asyncio.sleep(0.05)
        outages.note("create_thread", GONE)
        await asyncio.sleep(0.05)
        assert len(lines) == 1
        reason.clear()
        async with asyncio.timeout(60):
            while len(lines) < 2:  # noqa: ASYNC110 - a log calls nobody
                await asyncio.sleep(0.005)

    with logged() as lines:
        asyncio.run(run())
    assert lines == [begun("create_thread"), AGAIN | {"refused": 2}]


def test_an_outage_that_the_engine_has_logged_is_not_logged_again() -> None:
    with logged() as lines:
        refusal = Outages().refusal("create_thread", WritingStopped("the disk is full"))
    assert (refusal.code, lines) == ("temporarily_unavailable", [])
