"""The writer in a process of its own: what crosses, and what happens when either side dies."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.clock import SystemClock
from stoa.domain import limits
from stoa.domain.errors import InputIssue, Refusal
from stoa.logs import ELSEWHERE
from stoa.operations.parts.buckets import BucketFull, RateBucket, refused
from stoa.server.server import loop_factory
from stoa.store import sessions
from stoa.store.changes import Changes
from stoa.store.engines.frames import PlainForm, WorkCodec
from stoa.store.engines.sqlite.file import ServedFile, lock
from stoa.store.engines.sqlite.groups import GROUP_MAX, groups_on
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.engines.sqlite.writer_process import ProcessWriter
from stoa.store.tx import StartRefused, StoreUnavailable, Tx, WritingStopped
from tests.support.clock import START
from tests.support.database import opened as opened_file
from tests.support.migrated import migrated
from tests.support.soaking import few
from tests.support.store import NAMES, Opened, put, put_then

# From Python 3.12 on: pytest has threads of its own, of which the process needs none.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

SHARED = object()


class Sum:
    """A work that cannot be pickled."""

    def __init__(self, first: int, second: int) -> None:
        self.first, self.second = first, second

    async def __call__(self, _: Tx) -> int:
        return self.first + self.second

    def __reduce__(self) -> str:
        raise TypeError("not to be pickled")


class PlainSums(PlainForm):
    """Sums as two numbers."""

    works = Sum

    def values(self, work: Sum) -> tuple[int, int]:
        return work.first, work.second

    def work(self, values: tuple[int, int]) -> Sum:
        return Sum(*values)


def opened_apart(path: Path) -> Opened:
    """A store whose writer is a process."""
    migrated(path)
    return Opened(SqliteStore.open(path, SystemClock(), WorkCodec((SHARED, PlainSums()))))


def process_of(apart: Opened) -> int:
    """The process that writes."""
    return apart.write(own_process)


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Opened]:
    opened = opened_apart(tmp_path / "stoa.db")
    yield opened
    opened.close()


async def own_process(_: Tx) -> int:
    return os.getpid()


async def own_connections(_: Tx) -> int:
    return len(apsw.connections())


def write_connections_of_writer(path: str) -> None:
    """For a program that has no other connections: those would be inherited too."""
    apart = opened_apart(Path(path) / "stoa.db")
    sys.stdout.write(str(apart.write(own_connections)))
    apart.close()


def test_the_writer_has_no_connection_but_its_own(tmp_path: Path) -> None:
    """With another one SQLite would keep its mutexes, which every statement locks."""
    code = f"from {__name__} import write_connections_of_writer as run; run({str(tmp_path)!r})"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True)
    assert int(done.stdout) == 1


async def is_shared(thing: object, _: Tx) -> bool:
    return thing is SHARED


class Unwilling(Exception):
    """An error that cannot be made anew from what it holds."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(first + second)


async def fail(error: type[Exception], *values: int) -> None:
    raise error(*values)


async def fail_with(tx: Tx, error: type[Exception], values: tuple[int, ...]) -> None:
    await put(NAMES[0])(tx)
    await fail(error, *values)


def test_another_process_writes_and_this_one_reads(apart: Opened) -> None:
    assert process_of(apart) != os.getpid()
    assert apart.write(put(NAMES[0])) == NAMES[0]
    assert apart.names() == {NAMES[0]}


def test_what_is_shared_is_the_same_on_the_other_side(apart: Opened) -> None:
    assert apart.write(partial(is_shared, SHARED))
    assert not apart.write(partial(is_shared, b"something else"))


def test_a_work_with_a_plain_form_crosses_as_its_values(apart: Opened) -> None:
    assert apart.write(Sum(1, 2)) == 3
    with pytest.raises(TypeError, match="not to be pickled"):
        WorkCodec((SHARED,)).encode(Sum(1, 2))


def test_more_than_a_group_are_answered_in_their_order(apart: Opened) -> None:
    names = NAMES[: 3 * GROUP_MAX]
    assert len(names) == 3 * GROUP_MAX
    assert apart.together(*map(put, names)) == names


def test_a_group_is_answered_in_several_turns_of_the_event_loop(apart: Opened) -> None:
    ended = 0

    async def write(name: str) -> None:
        nonlocal ended
        await apart.store.write(put(name))
        ended += 1

    async def most_in_a_turn() -> int:
        most, before, tasks = 0, 0, [asyncio.ensure_future(write(name)) for name in NAMES[:64]]
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            most, before = max(most, ended - before), ended
        return most

    assert apart.run(most_in_a_turn()) <= 16
    assert apart.names() == set(NAMES[:64])


def test_a_refusal_crosses_whole_and_leaves_nothing_behind(apart: Opened) -> None:
    refusal = Refusal(
        "invalid_request",
        "So not.",
        recovery="Otherwise.",
        retry_after=3,
        issues=[InputIssue("body", "no")],
        details={"reason": "so"},
    )
    good = [put(NAMES[0]), put(NAMES[1])]
    bad = put_then(NAMES[2], refusal)
    first, came, second = apart.together(good[0], bad, good[1])
    assert (first, second) == (NAMES[0], NAMES[1])
    assert apart.names() == {NAMES[0], NAMES[1]}
    assert isinstance(came, Refusal)
    assert vars(came) == vars(refusal)
    assert str(came) == str(refusal)


def test_a_full_bucket_is_still_one_after_crossing(apart: Opened) -> None:
    full = BucketFull(refused(START, RateBucket("registrations", "192.0.2.1", 20, 1000), START))
    (came,) = apart.together(put_then(NAMES[0], full))
    assert isinstance(came, BucketFull)
    assert vars(came) == vars(full)


@pytest.mark.parametrize(
    ("error", "values", "comes_as"),
    few([(LookupError, (1,), LookupError), (Unwilling, (1, 2), RuntimeError)]),
)
def test_a_defect_says_where_it_comes_from(
    apart: Opened, error: type[Exception], values: tuple[int, ...], comes_as: type[Exception]
) -> None:
    with pytest.raises(comes_as) as raised:
        apart.write(partial(fail_with, error=error, values=values))
    (note,) = raised.value.__notes__
    assert note.splitlines()[:2] == [ELSEWHERE, error.__name__]
    assert any(line.endswith(" fail") for line in note.splitlines())
    assert apart.names() == set()


def test_a_broken_constraint_is_told_by_its_name(apart: Opened) -> None:
    with pytest.raises(apsw.ConstraintError):
        apart.write(
            partial(
                sessions.insert_token,
                digest=b"x",
                agent_id="none",
                session_id="ses_1",
                key_number=1,
                expires_at=1,
            )
        )
    assert apart.write(put(NAMES[0])) == NAMES[0]


def test_work_that_cannot_cross_is_refused_to_its_caller_alone(apart: Opened) -> None:
    async def local(_: Tx) -> None:
        raise AssertionError("this is not to run")

    results = apart.together(put(NAMES[0]), local, put(NAMES[1]))
    assert isinstance(results[1], Exception)
    assert apart.names() == {NAMES[0], NAMES[1]}


def test_a_change_makes_what_showed_it_out_of_date(apart: Opened) -> None:
    before = apart.store.changes.data_version()
    apart.write(put(NAMES[0]))
    assert not apart.store.changes.fresh((NAMES[0],), before)
    assert apart.store.changes.fresh((NAMES[1],), before)
    assert apart.store.changes.fresh((NAMES[0],), apart.store.changes.data_version())


def test_what_another_program_has_changed_is_noticed(apart: Opened, tmp_path: Path) -> None:
    apart.write(put(NAMES[0]))
    before = apart.store.changes.data_version()
    with opened_file(tmp_path / "stoa.db") as other:
        other.execute("INSERT INTO secret VALUES ('foreign', x'00')")
    apart.write(own_process)
    assert not apart.store.changes.fresh(("anything",), before)


def test_what_was_queued_is_finished_at_the_close_and_one_file_is_left(tmp_path: Path) -> None:
    apart = opened_apart(tmp_path / "stoa.db")
    process = process_of(apart)
    names = NAMES[:50]

    async def close_at_once() -> list[str]:
        writes = [asyncio.create_task(apart.store.write(put(name))) for name in names]
        await asyncio.sleep(0)
        await apart.store.close()
        with pytest.raises(StoreUnavailable):
            await apart.store.write(own_process)
        return await asyncio.gather(*writes)

    assert apart.run(close_at_once()) == names
    apart.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["stoa.db", "stoa.db.lock"]
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_outcomes_of_cancelled_callers_may_come_while_the_store_closes(tmp_path: Path) -> None:
    apart = opened_apart(tmp_path / "stoa.db")
    faults: list[dict[str, Any]] = []

    async def close_after_cancelling() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        writes = [asyncio.create_task(apart.store.write(put(name))) for name in NAMES]
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # now they are sent
        for write in writes:
            write.cancel()
        await apart.store.close()

    apart.run(close_after_cancelling())
    apart.close()
    assert faults == []


def test_signals_to_the_whole_group_leave_the_writer_to_its_server(apart: Opened) -> None:
    process = process_of(apart)
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(process, name)
    assert process_of(apart) == process


def test_what_was_sent_to_a_writer_that_is_killed_is_refused_and_another_writes(
    apart: Opened,
) -> None:
    apart.write(put(NAMES[0]))
    before = apart.store.changes.data_version()
    process = process_of(apart)

    async def kill() -> list[Any]:
        os.kill(process, signal.SIGSTOP)
        writes = [asyncio.create_task(apart.store.write(own_process)) for _ in range(3)]
        await asyncio.sleep(0)
        os.kill(process, signal.SIGKILL)
        return await asyncio.gather(*writes, return_exceptions=True)

    assert {type(result) for result in apart.run(kill())} == {WritingStopped}
    assert apart.store.trouble == "the process that writes has ended"
    assert not apart.store.changes.fresh(("anything",), before)
    assert apart.names() == {NAMES[0]}
    assert process_of(apart) != process
    assert apart.store.trouble is None
    assert apart.write(put(NAMES[1])) == NAMES[1]
    assert apart.names() == {NAMES[0], NAMES[1]}


def test_when_the_server_is_killed_the_writer_ends_and_another_can_open(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    told, tell = os.pipe()
    server = os.fork()
    if not server:
        apart = opened_apart(path)
        apart.write(put(NAMES[0]))
        os.write(tell, process_of(apart).to_bytes(4))
        signal.pause()
    writer = int.from_bytes(os.read(told, 4))
    os.close(told)
    os.close(tell)
    os.kill(writer, 0)
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    again = opened_apart(path)  # which has waited for the lock that the writer held
    assert again.names() == {NAMES[0]}
    again.close()


def test_a_process_that_cannot_start_is_told_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forked: list[int] = []
    fork = os.fork

    def noted() -> int:
        forked.append(fork())
        return forked[-1]

    monkeypatch.setattr(os, "fork", noted)
    damaged = tmp_path / "stoa.db"
    damaged.write_bytes(b"no database")
    with (tmp_path / "lock").open("w") as lock:
        served = ServedFile(damaged)
        connect = partial(groups_on, damaged, served, SystemClock(), None, WRITER_PACE)
        start = ProcessWriter.start(damaged, connect, Changes(), WorkCodec(()), lock.fileno())
        with pytest.raises(StartRefused, match="did not start"):
            asyncio.run(start)
    with pytest.raises(ProcessLookupError):
        os.kill(forked[0], 0)


@pytest.mark.parametrize("turns", range(1, 5))
def test_a_start_that_is_cancelled_leaves_nothing_behind(
    migrated_file: Path, tmp_path: Path, turns: int
) -> None:
    """As by SIGTERM; `turns` of the event loop after it began."""
    file = tmp_path / "stoa.db"
    shutil.copy(migrated_file, file)

    async def start_and_cancel() -> None:
        starting = asyncio.ensure_future(SqliteStore.open(file, SystemClock(), WorkCodec(())))
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(start_and_cancel())
    os.close(lock(file))


def test_a_second_server_is_refused_while_the_first_one_serves(
    apart: Opened, tmp_path: Path
) -> None:
    with pytest.raises(StartRefused, match="another Stoa uses"):
        apart.run(SqliteStore.open(tmp_path / "stoa.db", SystemClock(), WorkCodec(())))
    assert apart.write(put(NAMES[0])) == NAMES[0]


def test_while_the_file_is_away_no_writer_takes_writes_and_the_server_goes_on(
    tmp_path: Path,
) -> None:
    file, aside = tmp_path / "stoa.db", tmp_path / "aside.db"
    migrated(file)
    pace = WriterPace(check_s=0.01, probe_ms=20)
    opening = SqliteStore.open(file, SystemClock(), WorkCodec(()), pace=pace)
    with closing(Opened(opening)) as apart:
        store: Any = apart.store
        supervisor = store._writer._supervisor
        file.rename(aside)
        links: list[object] = []
        while len(links) < 2 * limits.WRITER_REPLACEMENTS:  # which are no replacements that count
            apart.run(asyncio.sleep(0.01))
            assert not store.lost
            links += [link for link in [supervisor._link] if link and link not in links]
        with pytest.raises(WritingStopped, match="its file was removed or replaced"):
            apart.write(put(NAMES[0]))
        aside.rename(file)
        while store.trouble:
            apart.run(asyncio.sleep(0.01))
        apart.write(put(NAMES[1]))
        assert apart.names() == {NAMES[1]}
