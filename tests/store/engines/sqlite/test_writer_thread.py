"""The writer under bad luck: whoever asked for a write gets an answer, and only the guilty pay."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.store.changes import Changes
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.groups import GROUP_MAX, Groups, WriteOutcome
from stoa.store.engines.sqlite.tx import SqliteTx
from stoa.store.engines.sqlite.writer_thread import Writer
from stoa.store.tx import StoreUnavailable, Tx, Work, WritingStopped

WAIT_S = 60
SCHEMA = """
CREATE TABLE line (number INTEGER PRIMARY KEY) STRICT;
CREATE TABLE later (number INTEGER REFERENCES line (number) DEFERRABLE INITIALLY DEFERRED) STRICT;
"""


class Desk:
    """A writer on a file of its own, and what it wrote."""

    def __init__(self, path: Path, groups: type[Groups] = Groups) -> None:
        self.path = path
        self._groups = groups
        path.touch(mode=0o600)
        with closing(connect(path, writer=True)) as connection:
            connection.execute(SCHEMA)
        self.clock: Callable[[], int] = lambda: 0
        self.writer = Writer(path, self.connect, Changes())

    def connect(self) -> Groups:
        """Groups on a new connection."""
        self.connection = connect(self.path, writer=True)
        return self._groups(self.connection, self.now)

    def now(self) -> int:
        return self.clock()

    async def close(self) -> None:
        await self.writer.stop()
        await self.writer.close()

    def line(self, number: int, table: str = "line") -> Work[int]:
        """Work that writes one line."""

        async def work(tx: Tx) -> int:
            self.connection.execute(f"INSERT INTO {table} VALUES (?)", (number,))
            return number

        return work

    def failing(self, number: int, error: BaseException) -> Work[int]:
        """Work that writes one line and fails then."""

        async def work(tx: Tx) -> int:
            await self.line(number)(tx)
            raise error

        return work

    def lines(self) -> list[int]:
        """The lines that are there, read beside the writer."""
        reader = connect(self.path, writer=False)
        rows = reader.execute("SELECT number FROM line ORDER BY number").fetchall()
        reader.close()
        return [number for (number,) in rows]


class Pause:
    """Work that keeps the writer busy until it is told to go on."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.over = threading.Event()

    async def __call__(self, tx: Tx) -> None:
        self.begun.set()
        assert self.over.wait(WAIT_S)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path / "desk.db")
    yield desk
    run(desk.close())


def together(writer: Writer, *work: Work[Any]) -> list[Any]:
    """The outcomes of work that was asked for while the writer was busy: it is one group."""

    async def ask() -> list[Any]:
        pause = Pause()
        busy = asyncio.create_task(writer.submit(pause))
        await asyncio.to_thread(pause.begun.wait, WAIT_S)
        asked = [asyncio.create_task(writer.submit(one)) for one in work]
        await asyncio.sleep(0)  # each task has begun and put its work into the queue
        pause.over.set()
        await asyncio.wait([busy])
        return await asyncio.gather(*asked, return_exceptions=True)

    return run(ask())


def run(work: Coroutine[Any, Any, Any]) -> Any:
    async def in_time() -> Any:
        return await asyncio.wait_for(work, WAIT_S)

    return asyncio.run(in_time())


ERRORS: list[BaseException] = [
    ValueError("no"),
    StopIteration("no"),
    KeyboardInterrupt(),
    SystemExit(3),
    asyncio.CancelledError(),
    GeneratorExit(),
    apsw.ConstraintError("no"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_work_raises_is_its_callers_alone(desk: Desk, error: BaseException):
    outcomes = together(desk.writer, desk.line(1), desk.failing(2, error), desk.line(3))
    assert outcomes[::2] == [1, 3]
    assert isinstance(outcomes[1], Exception)
    assert desk.lines() == [1, 3]
    assert desk.writer.trouble is None


def test_work_that_cannot_even_begin_is_its_callers_alone(desk: Desk):
    def no_coroutine(_tx: Tx) -> Any:
        raise LookupError

    outcomes = together(desk.writer, no_coroutine, desk.line(1))
    assert isinstance(outcomes[0], LookupError)
    assert outcomes[1] == 1


def test_work_that_waits_is_refused_and_undone(desk: Desk):
    async def waits(tx: Tx) -> None:
        await desk.line(1)(tx)
        await asyncio.sleep(1)

    outcomes = together(desk.writer, waits, desk.line(2))
    assert isinstance(outcomes[0], RuntimeError)
    assert desk.lines() == [2]


def test_a_clock_that_fails_is_told_and_the_writer_goes_on(desk: Desk):
    def broken() -> int:
        raise OSError("no time")

    desk.clock = broken
    with pytest.raises(OSError, match="no time"):
        run(desk.writer.submit(desk.line(1)))
    desk.clock = lambda: 0
    assert run(desk.writer.submit(desk.line(2))) == 2


def test_a_rule_that_breaks_at_the_end_costs_only_the_work_that_broke_it(desk: Desk):
    outcomes = together(
        desk.writer, desk.line(1), desk.line(7, "later"), desk.line(2), desk.line(1, "later")
    )
    assert isinstance(outcomes[1], apsw.ConstraintError)
    assert [outcomes[0], *outcomes[2:]] == [1, 2, 1]
    assert desk.lines() == [1, 2]
    assert desk.writer.trouble is None


class Unnoticed(Groups):
    """Fails in a part of its own."""

    def _run(self, work: Work[Any], done: list[SqliteTx], apart: bool) -> WriteOutcome:
        if isinstance(work, Pause):
            return super()._run(work, done, apart)
        raise ArithmeticError


def test_a_fault_of_the_writer_itself_answers_all_and_takes_no_more(tmp_path: Path):
    desk = Desk(tmp_path / "desk.db", Unnoticed)
    outcomes = together(desk.writer, desk.line(1), desk.line(2))
    assert [type(outcome) for outcome in outcomes] == [WritingStopped, WritingStopped]
    assert desk.writer.trouble == "the storage failed: ArithmeticError"
    with pytest.raises(StoreUnavailable):
        run(desk.writer.submit(desk.line(3)))
    run(desk.close())


def test_more_than_a_group_are_all_answered_in_the_order_they_came(desk: Desk):
    numbers = list(range(3 * GROUP_MAX + 1))
    order: list[int] = []

    def noted(number: int) -> Work[int]:
        async def work(tx: Tx) -> int:
            order.append(number)
            return await desk.line(number)(tx)

        return work

    assert together(desk.writer, *map(noted, numbers)) == numbers
    assert order == desk.lines() == numbers


def test_work_of_a_cancelled_caller_disturbs_no_other(desk: Desk):
    async def leave() -> Any:
        pause = Pause()
        busy = asyncio.create_task(desk.writer.submit(pause))
        await asyncio.to_thread(pause.begun.wait, WAIT_S)
        leaving = asyncio.create_task(desk.writer.submit(desk.line(1)))
        staying = asyncio.create_task(desk.writer.submit(desk.line(2)))
        await asyncio.sleep(0)
        leaving.cancel()
        pause.over.set()
        await busy
        assert await asyncio.gather(leaving, return_exceptions=True) != [1]
        return await staying

    assert run(leave()) == 2


def test_a_closed_event_loop_disturbs_no_other(desk: Desk):
    pause = Pause()

    async def ask_and_leave() -> None:
        asyncio.create_task(desk.writer.submit(pause))  # noqa: RUF006 - nobody waits for it
        asyncio.create_task(desk.writer.submit(desk.line(1)))  # noqa: RUF006
        await asyncio.to_thread(pause.begun.wait, WAIT_S)

    run(ask_and_leave())
    pause.over.set()
    assert run(desk.writer.submit(desk.line(2))) == 2
    assert desk.lines() == [1, 2]


def test_callers_on_several_loops_are_all_answered(desk: Desk):
    answers: list[int] = []

    def call(number: int) -> None:
        answers.append(run(desk.writer.submit(desk.line(number))))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert sorted(answers) == list(range(8))


def test_what_is_queued_is_finished_before_the_end(desk: Desk):
    async def stop() -> Any:
        pause = Pause()
        busy = asyncio.create_task(desk.writer.submit(pause))
        await asyncio.to_thread(pause.begun.wait, WAIT_S)
        asked = [asyncio.create_task(desk.writer.submit(desk.line(n))) for n in range(9)]
        await asyncio.sleep(0)
        ending = asyncio.create_task(desk.writer.stop())
        pause.over.set()
        await asyncio.gather(busy, ending)
        return await asyncio.gather(*asked)

    assert run(stop()) == list(range(9))


def test_after_the_end_a_write_is_refused_at_once(desk: Desk):
    run(desk.writer.stop())
    run(desk.writer.stop())
    with pytest.raises(StoreUnavailable, match="the database is closed"):
        run(desk.writer.submit(desk.line(1)))


def test_a_write_that_races_with_the_end_is_answered_either_way(tmp_path: Path):
    for number in range(20):
        desk = Desk(tmp_path / f"{number}.db")

        async def race(desk: Desk = desk) -> list[Any]:
            ending = asyncio.create_task(desk.close())
            writes = [asyncio.create_task(desk.writer.submit(desk.line(n))) for n in range(50)]
            outcomes = await asyncio.gather(*writes, return_exceptions=True)
            await ending
            return outcomes

        outcomes = run(race())
        done = [outcome for outcome in outcomes if isinstance(outcome, int)]
        assert len(done) + sum(isinstance(one, StoreUnavailable) for one in outcomes) == 50
        assert desk.lines() == done
