"""The writer: many pieces of work to one commit, none of which hurts another."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.clock import Clock
from stoa.domain.errors import Refusal
from stoa.store import sessions, statements
from stoa.store.engines.sqlite.groups import GROUP_MAX
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.tx import StoreUnavailable, Tx, WritingStopped
from tests.support.clock import VirtualClock
from tests.support.database import opened as opened_file
from tests.support.migrated import migrated
from tests.support.processes import until
from tests.support.storage import Storage
from tests.support.store import NAMES, Opened, change, put, put_then


async def opening(path: Path, clock: Clock, pace: WriterPace = WRITER_PACE) -> SqliteStore:
    """A store whose writer is a thread."""
    migrated(path)
    return await SqliteStore.open(path, clock, pace=pace)


@pytest.fixture
def storage() -> Iterator[Storage]:
    with Storage() as opened:
        yield opened


@pytest.fixture
def pace() -> WriterPace:
    """That of the writer of `opened`."""
    return WRITER_PACE


@pytest.fixture
def opened(
    storage: Storage, tmp_path: Path, clock: VirtualClock, pace: WriterPace
) -> Iterator[Opened]:
    store = Opened(opening(tmp_path / "stoa.db", clock, pace))
    yield store
    store.close()


def test_what_was_written_can_be_read(opened: Opened) -> None:
    assert opened.write(put(NAMES[0])) == NAMES[0]
    assert opened.names() == {NAMES[0]}


def test_a_refused_work_leaves_nothing_behind(opened: Opened) -> None:
    with pytest.raises(Refusal):
        opened.write(put_then(NAMES[0], Refusal("not_found")))
    assert opened.names() == set()


@pytest.mark.promise("D6")
@pytest.mark.parametrize(
    "error",
    [
        Refusal("already_accepted"),
        ValueError("a defect"),
        RecursionError(),
        MemoryError(),
        KeyboardInterrupt(),
        SystemExit(),
        asyncio.CancelledError(),
        StopIteration(),
        GeneratorExit(),
    ],
    ids=repr,
)
def test_an_error_in_one_write_keeps_the_others_of_its_group(
    opened: Opened, error: BaseException
) -> None:
    works = [put(name) for name in NAMES[:30]]
    results = opened.together(*works[:15], put_then(NAMES[99], error), *works[15:])
    failed = results.pop(15)
    assert isinstance(failed, Exception)
    assert results == NAMES[:30]
    assert opened.names() == set(NAMES[:30])
    assert opened.store.trouble is None


def test_a_broken_constraint_is_the_fault_of_its_own_work_only(opened: Opened) -> None:
    async def break_one(tx: Tx) -> None:
        await put(NAMES[99])(tx)
        await sessions.insert_token(tx, b"x", "nobody", "ses_1", 1, 1)

    results = opened.together(put(NAMES[0]), break_one, put(NAMES[1]))
    assert isinstance(results[1], apsw.ConstraintError)
    assert opened.names() == {NAMES[0], NAMES[1]}


def test_a_constraint_checked_at_the_end_is_the_fault_of_its_own_work_only(
    opened: Opened,
) -> None:
    async def leave_unsealed(tx: Tx) -> None:
        await put(NAMES[99])(tx)
        await tx.run("ledger.give", id="escrow:x", amount=5)
        await tx.run("ledger.post_first", account="escrow:x", id="tx_x", amount=5)
        await tx.run("ledger.post_second", account="issuer", id="tx_x", amount=-5)

    results = opened.together(*(put(name) for name in NAMES[:20]), leave_unsealed, put(NAMES[20]))
    assert isinstance(results[20], apsw.ConstraintError), results[20]
    assert opened.names() == set(NAMES[:21])
    assert opened.store.trouble is None


def test_a_broken_statement_is_the_fault_of_its_own_work_only(opened: Opened) -> None:
    async def missing_value(tx: Tx) -> None:
        await tx.run("sessions.insert_secret", name=NAMES[99])

    async def unknown_statement(tx: Tx) -> None:
        await tx.run("sessions.nothing_like_it")

    results = opened.together(put(NAMES[0]), missing_value, unknown_statement, put(NAMES[1]))
    assert all(isinstance(result, KeyError) for result in results[1:3])
    assert opened.names() == {NAMES[0], NAMES[1]}


def test_work_that_waits_for_something_else_is_refused_and_undone(opened: Opened) -> None:
    async def wait(tx: Tx) -> None:
        await put(NAMES[99])(tx)
        await asyncio.sleep(0)

    results = opened.together(put(NAMES[0]), wait, put(NAMES[1]))
    assert isinstance(results[1], RuntimeError)
    assert opened.names() == {NAMES[0], NAMES[1]}


def test_work_that_queues_while_another_runs_shares_one_sync(
    opened: Opened, storage: Storage
) -> None:
    running, go_on = threading.Event(), threading.Event()

    async def hold(tx: Tx) -> None:
        running.set()
        assert go_on.wait(60)

    async def fill_the_queue() -> int:
        first = asyncio.create_task(opened.store.write(hold))
        await asyncio.to_thread(running.wait)
        rest = [asyncio.create_task(opened.store.write(put(name))) for name in NAMES[:GROUP_MAX]]
        await asyncio.sleep(0)
        before = storage.counts["sync"]
        go_on.set()
        await asyncio.gather(first, *rest)
        return storage.counts["sync"] - before

    # One commit for the work that was running, one for the whole queue behind it.
    assert opened.run(fill_the_queue()) == 2
    assert opened.names() == set(NAMES[:GROUP_MAX])


def test_no_write_is_answered_before_the_sync_has_returned(
    opened: Opened, storage: Storage
) -> None:
    syncing, go_on = threading.Event(), threading.Event()

    def hold(operation: str, path: str) -> None:
        if operation == "sync":
            syncing.set()
            assert go_on.wait(60)

    async def look() -> None:
        storage.fault = hold
        writes = [asyncio.create_task(opened.store.write(put(name))) for name in NAMES[:5]]
        await asyncio.to_thread(syncing.wait)
        await asyncio.sleep(0)
        assert not any(write.done() for write in writes)
        go_on.set()
        await asyncio.gather(*writes)

    opened.run(look())


def test_readers_see_what_was_committed_and_one_snapshot_of_it(
    opened: Opened, storage: Storage
) -> None:
    reading, go_on = threading.Event(), threading.Event()

    async def read_twice(tx: Tx) -> tuple[bool, bool]:
        first = await tx.one("sessions.secret", name=NAMES[0]) is not None
        reading.set()
        assert go_on.wait(60)
        return first, await tx.one("sessions.secret", name=NAMES[0]) is not None

    async def interleave() -> tuple[bool, bool]:
        slow = asyncio.create_task(opened.store.read(read_twice, slow=True))
        await asyncio.to_thread(reading.wait)
        await opened.store.write(put(NAMES[0]))
        go_on.set()
        return await slow

    assert opened.run(interleave()) == (False, False)
    assert opened.names() == {NAMES[0]}


@pytest.mark.parametrize("slow", [False, True])
def test_a_read_cannot_write(opened: Opened, slow: bool) -> None:
    with pytest.raises((StoreUnavailable, apsw.Error)):
        opened.run(opened.store.read(put(NAMES[0]), slow=slow))
    assert opened.names() == set()


def test_all_of_a_work_happens_at_one_time(opened: Opened, clock: VirtualClock) -> None:
    async def twice(tx: Tx) -> tuple[int, int]:
        before = tx.now
        clock.advance(5000)
        return before, tx.now

    before, after = opened.write(twice)
    assert before == after


def test_a_cancelled_caller_stops_no_other(opened: Opened) -> None:
    async def leave() -> None:
        writes = [asyncio.create_task(opened.store.write(put(name))) for name in NAMES[:20]]
        await asyncio.sleep(0)
        for write in writes[::2]:
            write.cancel()
        await asyncio.gather(*writes, return_exceptions=True)
        await opened.store.write(put(NAMES[20]))

    opened.run(leave())
    assert {NAMES[20], *NAMES[1:20:2]} <= opened.names()


def test_what_was_queued_is_finished_at_the_close_and_nothing_comes_after_it(
    opened: Opened, tmp_path: Path
) -> None:
    async def close_at_once() -> list[Any]:
        writes = [asyncio.create_task(opened.store.write(put(name))) for name in NAMES[:50]]
        await asyncio.sleep(0)
        await opened.store.close()
        with pytest.raises(StoreUnavailable):
            await opened.store.write(put(NAMES[99]))
        with pytest.raises(StoreUnavailable):
            await opened.store.read(put(NAMES[99]))
        return await asyncio.gather(*writes)

    assert opened.run(close_at_once()) == NAMES[:50]
    again = Opened(opening(tmp_path / "stoa.db", VirtualClock()))
    assert again.names() == set(NAMES[:50])
    again.close()


def test_a_change_makes_what_showed_it_out_of_date_and_nothing_else(opened: Opened) -> None:
    async def change_and_fail(tx: Tx) -> None:
        await change("th_2")(tx)
        raise Refusal("not_found")

    before = opened.store.changes.data_version()
    opened.together(change("th_1"), change_and_fail)
    assert not opened.store.changes.fresh(("th_1",), before)
    assert opened.store.changes.fresh(("th_2",), before)
    assert opened.store.changes.fresh(("th_1",), opened.store.changes.data_version())


def insert_secret(path: Path) -> None:
    """Change the file as another program would."""
    with opened_file(path) as other:
        other.execute("INSERT INTO secret VALUES ('foreign', x'00')")


def test_a_write_notices_that_another_program_has_changed_the_file(
    opened: Opened, tmp_path: Path
) -> None:
    opened.write(put(NAMES[0]))
    before = opened.store.changes.data_version()
    opened.write(put(NAMES[1]))
    assert opened.store.changes.fresh(("th_1",), before)
    insert_secret(tmp_path / "stoa.db")
    opened.write(put(NAMES[2]))
    assert not opened.store.changes.fresh(("th_1",), before)
    assert opened.store.changes.fresh(("th_1",), opened.store.changes.data_version())


@pytest.mark.parametrize("pace", [WriterPace(check_s=0.01)])
def test_without_a_write_it_is_noticed_in_time(opened: Opened, tmp_path: Path) -> None:
    opened.write(put(NAMES[0]))
    before = opened.store.changes.data_version()

    insert_secret(tmp_path / "stoa.db")
    for _ in range(3000):
        if not opened.store.changes.fresh(("th_1",), before):
            return
        opened.run(asyncio.sleep(0.01))
    raise AssertionError("nobody looked")


async def now(tx: Tx) -> int:
    return tx.now


@pytest.mark.parametrize("pace", [WriterPace(check_s=0.01, probe_ms=10)])
def test_without_a_write_it_is_noticed_that_the_file_was_replaced_and_is_back(
    opened: Opened, tmp_path: Path
) -> None:
    file, aside, store = tmp_path / "stoa.db", tmp_path / "aside.db", opened.store
    file.rename(aside)
    migrated(file)
    until(lambda: store.trouble is not None)
    for use in (store.write(put(NAMES[0])), store.read(now, slow=True), store.wipe()):
        with pytest.raises(StoreUnavailable, match="replaced while it was served"):
            opened.run(use)
    aside.rename(file)
    until(lambda: store.trouble is None)
    assert opened.write(put(NAMES[0])) == NAMES[0]


def test_what_waits_for_the_end_of_a_group_is_carried_out_only_of_work_that_stays(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = "INSERT INTO secret VALUES (:name, x'01')"
    monkeypatch.setitem(statements.load("sqlite"), "secrets.keep", kept)

    def later(name: str, error: Exception | None = None) -> Callable[[Tx], Any]:
        async def work(tx: Tx) -> None:
            tx.defer("secrets.keep", name=name)
            assert await tx.one("sessions.secret", name=name) is None
            if error:
                raise error

        return work

    opened.together(later(NAMES[0]), later(NAMES[1], Refusal("not_found")), later(NAMES[2]))
    assert opened.names() == {NAMES[0], NAMES[2]}


@pytest.mark.parametrize("pace", [WriterPace(check_s=0.01, busy_ms=1, probe_ms=20)])
def test_while_another_program_holds_the_file_the_store_takes_no_writes(
    opened: Opened, tmp_path: Path
) -> None:
    other = apsw.Connection(str(tmp_path / "stoa.db"))
    other.execute("BEGIN IMMEDIATE")
    for _ in range(10):
        with pytest.raises(WritingStopped, match="another program holds the database"):
            opened.write(put(NAMES[0]))
        opened.run(asyncio.sleep(0.01))
        assert opened.store.trouble == "another program holds the database"
    other.close()
    until(lambda: opened.store.trouble is None)
    opened.write(put(NAMES[1]))
    assert opened.names() == {NAMES[1]}
