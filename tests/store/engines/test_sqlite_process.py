"""The writer in a process of its own: what crosses, and what happens when either side dies."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.clock import SystemClock
from stoa.domain.errors import Issue, Refusal
from stoa.store import sessions
from stoa.store.engines.frames import Carrier
from stoa.store.engines.sqlite import SqliteStore
from stoa.store.engines.sqlite_groups import GROUP_MAX
from stoa.store.tx import StartRefused, StoreUnavailable, Tx
from tests.support.database import opened as opened_file

# From Python 3.12 on: pytest has threads of its own, of which the process needs none.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

WAIT_S = 60
SHARED = object()


class Apart:
    """A store whose writer is a process, and the loop it lives on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._runner = asyncio.Runner()
        self.store = self.run(SqliteStore.open_apart(path, SystemClock(), Carrier((SHARED,))))

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        async def in_time() -> Any:
            return await asyncio.wait_for(work, WAIT_S)

        return self._runner.run(in_time())

    def write(self, work: Callable[[Tx], Coroutine[Any, Any, Any]]) -> Any:
        return self.run(self.store.write(work))

    def together(self, *works: Callable[[Tx], Coroutine[Any, Any, Any]]) -> list[Any]:
        """What each of these returned or raised."""

        async def all_of_them() -> list[Any]:
            writes = (self.store.write(work) for work in works)
            return await asyncio.gather(*writes, return_exceptions=True)

        return self.run(all_of_them())

    def has(self, *names: str) -> list[bool]:
        """Which of these secrets are there."""

        async def read(tx: Tx) -> list[bool]:
            return [await tx.one("sessions.secret", name=name) is not None for name in names]

        return self.run(self.store.read(read))

    @property
    def process(self) -> int:
        """The process that writes."""
        return self.write(process_of)

    def close(self) -> None:
        self.run(self.store.close())
        self._runner.close()


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    opened = Apart(tmp_path / "stoa.db")
    yield opened
    opened.close()


async def process_of(_: Tx) -> int:
    return os.getpid()


async def put(tx: Tx, name: str) -> str:
    await sessions.keep_secret(tx, name, b"v")
    tx.touch(name)
    return name


async def put_and_fail(tx: Tx, name: str, error: Exception) -> None:
    await put(tx, name)
    raise error


async def is_shared(thing: object, _: Tx) -> bool:
    return thing is SHARED


class Unwilling(Exception):
    """An error that cannot be made anew from what it holds."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first + second)


async def fail(error: type[Exception], *values: int) -> None:
    raise error(*values)


async def fail_with(tx: Tx, error: type[Exception], values: tuple[int, ...]) -> None:
    await put(tx, "lost")
    await fail(error, *values)


def test_another_process_writes_and_this_one_reads(apart: Apart) -> None:
    assert apart.process != os.getpid()
    assert apart.write(partial(put, name="a")) == "a"
    assert apart.has("a", "b") == [True, False]


def test_what_is_shared_is_the_same_on_the_other_side(apart: Apart) -> None:
    assert apart.write(partial(is_shared, SHARED))
    assert not apart.write(partial(is_shared, b"something else"))


def test_more_than_a_group_are_answered_in_their_order(apart: Apart) -> None:
    names = [f"n{number}" for number in range(3 * GROUP_MAX)]
    assert apart.together(*(partial(put, name=name) for name in names)) == names


def test_a_refusal_crosses_whole_and_leaves_nothing_behind(apart: Apart) -> None:
    refusal = Refusal(
        "invalid_request",
        "So not.",
        recovery="Otherwise.",
        retry_after=3,
        issues=[Issue("body", "no")],
        details={"reason": "so"},
        headers=[("Allow", "GET")],
    )
    good = [partial(put, name="a"), partial(put, name="b")]
    bad = partial(put_and_fail, name="c", error=refusal)
    first, came, second = apart.together(good[0], bad, good[1])
    assert (first, second, apart.has("a", "b", "c")) == ("a", "b", [True, True, False])
    assert isinstance(came, Refusal)
    assert vars(came) == vars(refusal)
    assert str(came) == str(refusal)


@pytest.mark.parametrize(
    ("error", "values", "comes_as"),
    [(LookupError, (1,), LookupError), (Unwilling, (1, 2), RuntimeError)],
)
def test_a_defect_says_where_it_comes_from(
    apart: Apart, error: type[Exception], values: tuple[int, ...], comes_as: type[Exception]
) -> None:
    with pytest.raises(comes_as) as raised:
        apart.write(partial(fail_with, error=error, values=values))
    assert "in fail\n" in raised.value.__notes__[0]
    assert apart.has("lost") == [False]


def test_a_broken_constraint_is_told_by_its_name(apart: Apart) -> None:
    with pytest.raises(apsw.ConstraintError):
        apart.write(partial(sessions.insert_token, digest=b"x", agent_id="none", expires_at=1))
    assert apart.write(partial(put, name="a")) == "a"


def test_work_that_cannot_cross_is_refused_to_its_caller_alone(apart: Apart) -> None:
    async def local(_: Tx) -> None:
        raise AssertionError("this is not to run")

    results = apart.together(partial(put, name="a"), local, partial(put, name="b"))
    assert isinstance(results[1], Exception)
    assert apart.has("a", "b") == [True, True]


def test_a_change_makes_what_showed_it_out_of_date(apart: Apart) -> None:
    before = apart.store.stamp()
    apart.write(partial(put, name="a"))
    assert not apart.store.fresh("a", before)
    assert apart.store.fresh("b", before)
    assert apart.store.fresh("a", apart.store.stamp())


def test_what_another_program_has_changed_is_noticed(apart: Apart) -> None:
    apart.write(partial(put, name="a"))
    before = apart.store.stamp()
    with opened_file(apart.path) as other:
        other.execute("INSERT INTO secret VALUES ('foreign', x'00')")
    apart.write(process_of)
    assert not apart.store.fresh("anything", before)


def test_what_was_queued_is_finished_at_the_close_and_one_file_is_left(tmp_path: Path) -> None:
    apart = Apart(tmp_path / "stoa.db")
    process = apart.process
    names = [f"n{number}" for number in range(50)]

    async def close_at_once() -> list[str]:
        writes = [asyncio.create_task(apart.store.write(partial(put, name=n))) for n in names]
        await asyncio.sleep(0)
        await apart.store.close()
        with pytest.raises(StoreUnavailable):
            await apart.store.write(process_of)
        return await asyncio.gather(*writes)

    assert apart.run(close_at_once()) == names
    apart.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["stoa.db", "stoa.db.lock"]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_signals_to_the_whole_group_leave_the_writer_to_its_server(apart: Apart) -> None:
    process = apart.process
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(process, name)
    assert apart.process == process


def test_when_the_writer_is_killed_writes_are_refused_and_reads_go_on(apart: Apart) -> None:
    apart.write(partial(put, name="a"))
    before = apart.store.stamp()
    process = apart.process

    async def kill() -> list[Any]:
        os.kill(process, signal.SIGSTOP)
        writes = [asyncio.create_task(apart.store.write(process_of)) for _ in range(3)]
        await asyncio.sleep(0)
        os.kill(process, signal.SIGKILL)
        return await asyncio.gather(*writes, return_exceptions=True)

    assert {type(result) for result in apart.run(kill())} == {StoreUnavailable}
    assert apart.store.trouble == "the process that writes has ended"
    with pytest.raises(StoreUnavailable, match="has ended"):
        apart.write(process_of)
    assert not apart.store.fresh("anything", before)
    assert apart.has("a") == [True]


def test_when_the_server_is_killed_the_writer_ends_and_another_can_open(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    told, tell = os.pipe()
    server = os.fork()
    if not server:
        apart = Apart(path)
        apart.write(partial(put, name="a"))
        os.write(tell, apart.process.to_bytes(4))
        signal.pause()
    writer = int.from_bytes(os.read(told, 4))
    os.close(told)
    os.close(tell)
    os.kill(writer, 0)
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    again = Apart(path)  # which has waited for the lock that the writer held
    assert again.has("a") == [True]
    again.close()


def test_a_second_server_is_refused_while_the_first_one_serves(apart: Apart) -> None:
    with pytest.raises(StartRefused, match="already serving"):
        apart.run(SqliteStore.open_apart(apart.path, SystemClock(), Carrier(())))
    assert apart.write(partial(put, name="a")) == "a"
