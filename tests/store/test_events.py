"""The order of the log: readers anywhere see every event once, whatever is being written."""

import asyncio
from functools import partial
from random import Random
from typing import Any

import pytest

from stoa.domain.events import EVERY_KIND
from stoa.store import events
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.events import EventFilter
from stoa.store.tx import Store, Tx
from tests.support.app import App

WRITERS = 8
TRANSACTIONS = 12
READERS = 6
EVERYTHING = EventFilter(EVERY_KIND)


class Undo(Exception):
    """Undoes a transaction."""


def add(tx: Tx, event_id: str) -> None:
    """Add an event about nothing."""
    events.add(tx, event_id, EVERY_KIND[0], None, ("thread", "th_0"))


async def write(tx: Tx, names: list[str], pauses: int, *, undo: bool) -> None:
    """Add events, with the transaction held open afterwards where others can run meanwhile."""
    for name in names:
        add(tx, name)
    if isinstance(tx, PostgresTx):
        await tx.finish()
        await asyncio.sleep(pauses / 1000)
    if undo:
        raise Undo


async def writing(store: Store, number: int, seed: int) -> list[str]:
    """Write transactions of some events each; those that were committed."""
    random, done = Random(f"{seed} {number}"), list[str]()
    for count in range(TRANSACTIONS):
        names = [f"ev_{number}_{count}_{place}" for place in range(random.randrange(1, 4))]
        undo = random.random() < 0.2
        try:
            await store.write(partial(write, names=names, pauses=random.randrange(4), undo=undo))
            done += names
        except Undo:
            pass
    return done


async def step(tx: Tx, after: int, limit: int) -> tuple[list[str], int]:
    """One page of the log behind a place, and the place to read on from."""
    log = await events.log(tx)
    rows = await events.page(tx, EVERYTHING, after, log.newest, limit)
    upto = rows[-1].seq if len(rows) == limit else max(after, log.newest)
    return [row.id for row in rows], upto


async def hasty_step(tx: Tx, after: int, limit: int) -> tuple[list[str], int]:
    """The same, but up to the largest number that can be seen."""
    rows = await events.page(tx, EVERYTHING, after, 1 << 60, limit)
    return [row.id for row in rows], rows[-1].seq if rows else after


async def reading(
    store: Store, number: int, seed: int, written: asyncio.Event, read: Any = step
) -> tuple[str | None, list[str]]:
    """Read pages of the log, stopping and going on, until all is written and read; the first event
    that the reader skipped to, and all that it was given."""
    random, after, seen = Random(f"{seed} r{number}"), 0, list[str]()
    while True:
        ended = written.is_set()
        page, after = await store.read(
            partial(read, after=after, limit=random.randrange(1, 6)), single=True
        )
        seen += page
        if ended and not page:
            return None, seen
        await asyncio.sleep(random.choice((0, 0, 0.002)))


async def race(stoa: App, seed: int, read: Any = step) -> tuple[list[str], list[list[str]]]:
    """What was committed, and what each of the readers was given meanwhile."""
    stores, written = [process.store for process in stoa.processes], asyncio.Event()
    readers = [
        asyncio.create_task(reading(stores[n % len(stores)], n, seed, written, read))
        for n in range(READERS)
    ]
    done = await asyncio.gather(
        *(writing(stores[n % len(stores)], n, seed) for n in range(WRITERS))
    )
    written.set()
    seen = [one for _, one in await asyncio.gather(*readers)]
    return [name for names in done for name in names], seen


@pytest.mark.promise("E11")
@pytest.mark.parametrize("seed", range(5))
def test_no_event_is_skipped_and_none_comes_twice(stoa: App, seed: int) -> None:
    written, readers = stoa.run(race(stoa, seed))
    order = [row[0] for row in stoa.sql("SELECT id FROM event_log ORDER BY seq")]
    assert sorted(order) == sorted(written)
    for seen in readers:
        assert seen == order


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_reader_waits_for_a_smaller_number_that_is_not_committed(stoa: App) -> None:
    first, second = (process.store for process in stoa.processes)

    async def overtaken(read: Any) -> list[str]:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def slowly(tx: Tx) -> None:
            assert isinstance(tx, PostgresTx)
            add(tx, "ev_slow")
            await tx.finish()
            begun.set()
            await may_end.wait()

        slow = asyncio.create_task(first.write(slowly))
        await begun.wait()
        await second.write(partial(write, names=["ev_fast"], pauses=0, undo=False))
        early, place = await second.read(partial(read, after=after, limit=9), single=True)
        may_end.set()
        await slow
        late, _ = await second.read(partial(read, after=place, limit=9), single=True)
        return [*early, *late]

    after = 0
    assert stoa.run(overtaken(step)) == ["ev_slow", "ev_fast"]
    # The control: by the numbers alone the slow one is skipped.
    ((after,),) = stoa.sql("SELECT max(seq) FROM event_log")
    assert stoa.run(overtaken(hasty_step)) == ["ev_fast"]


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_transaction_without_events_holds_up_no_reader(stoa: App) -> None:
    first, second = (process.store for process in stoa.processes)

    async def beside() -> list[str]:
        begun, may_end = asyncio.Event(), asyncio.Event()

        async def slowly(tx: Tx) -> None:
            await tx.run("events.begin_epoch", epoch=0)
            begun.set()
            await may_end.wait()

        slow = asyncio.create_task(first.write(slowly))
        await begun.wait()
        await second.write(partial(write, names=["ev_fast"], pauses=0, undo=False))
        seen, _ = await second.read(partial(step, after=0, limit=9), single=True)
        may_end.set()
        await slow
        return seen

    assert stoa.run(beside()) == ["ev_fast"]


def test_no_number_is_given_twice_after_a_deletion(stoa: App) -> None:
    store = stoa.stoa.store
    for name in ("ev_a", "ev_b"):
        stoa.run(store.write(partial(write, names=[name], pauses=0, undo=False)))
    ((newest,),) = stoa.sql("SELECT max(seq) FROM event_log")
    stoa.run(store.write(partial(events.forget, most=1_000, kept_ms=-(1 << 60))))
    assert stoa.sql("SELECT id FROM event_log") == [("ev_b",)]
    stoa.run(store.write(partial(write, names=["ev_c"], pauses=0, undo=False)))
    ((added,),) = stoa.sql("SELECT max(seq) FROM event_log")
    assert added > newest
