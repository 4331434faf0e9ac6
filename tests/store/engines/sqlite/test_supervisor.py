"""A writer that dies, hangs or finds the disk full is replaced; its callers know what they know."""

import asyncio
import errno
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import apsw
import psutil
import pytest

from stoa.clock import SystemClock
from stoa.domain import limits
from stoa.store.engines.frames import WorkCodec
from stoa.store.engines.sqlite import spawner as sqlite_spawner
from stoa.store.engines.sqlite import supervisor
from stoa.store.engines.sqlite.groups import GROUP_MAX
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.engines.sqlite.supervisor import Replacements, WriterSupervisor
from stoa.store.tx import StartRefused, StoreUnavailable, Tx, WritingStopped
from tests.support.logs import logged
from tests.support.migrated import migrated
from tests.support.processes import (
    NO_ROOM,
    ROOM,
    can_limit_files,
    limit_files,
    parent_of,
    until,
)
from tests.support.soaking import few
from tests.support.store import NAMES, Opened, put

# From Python 3.12 on: pytest has threads of its own, of which the processes need none.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

WAIT_S = 60


def opened_apart(path: Path, pace: WriterPace = WRITER_PACE) -> Opened:
    """A store whose writer is a process."""
    migrated(path)
    return Opened(SqliteStore.open(path, SystemClock(), WorkCodec(()), pace=pace))


@pytest.fixture
def pace() -> WriterPace:
    """That of the writer of `apart`."""
    return WRITER_PACE


@pytest.fixture
def apart(tmp_path: Path, pace: WriterPace) -> Iterator[Opened]:
    opened = opened_apart(tmp_path / "stoa.db", pace)
    yield opened
    opened.close()


def supervisor_of(apart: Opened) -> WriterSupervisor:
    store: Any = apart.store
    return store._writer._supervisor


def writer_of(apart: Opened) -> int:
    """The process that writes."""
    process = apart.store.figures()["writer"]
    assert isinstance(process, int)
    return process


def is_there(process: int) -> bool:
    """Whether a process has not ended."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    return False


def wait_until_stopped(process: int) -> None:
    until(lambda: psutil.Process(process).status() == psutil.STATUS_STOPPED)


def wait_until_gone(process: int) -> None:
    until(lambda: not is_there(process))


def turn(apart: Opened) -> None:
    """Let the loop of the server run for a moment."""
    apart.run(asyncio.sleep(0.01))


def wait_for_trouble(apart: Opened, *, over: bool = False) -> str | None:
    """Wait until no writer works, or until one does again; gives the reason."""
    deadline = time.monotonic() + WAIT_S
    while (apart.store.trouble is None) is not over:
        assert time.monotonic() < deadline, apart.store.trouble
        turn(apart)
    return apart.store.trouble


def write_when_taken(apart: Opened, name: str) -> None:
    """Write as a client does that tries again when it is told 503."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            apart.write(put(name))
        except StoreUnavailable:
            assert time.monotonic() < deadline
            turn(apart)
        else:
            return


async def spin(_: Tx) -> None:
    """Work that never ends, and lets nothing else run beside it."""
    while True:
        pass


async def wait_for_ever(_: Tx) -> None:
    """Work that never ends, and does nothing."""
    threading.Event().wait()


async def put_and_die(tx: Tx, name: str) -> None:
    """Work that is half done when its process is killed."""
    await put(name)(tx)
    os.kill(os.getpid(), signal.SIGKILL)


# --- Killed.


def kill_and_wait(apart: Opened) -> None:
    """Kill the writer; another one works."""
    killed = writer_of(apart)
    os.kill(killed, signal.SIGKILL)
    deadline = time.monotonic() + WAIT_S
    while writer_of(apart) == killed:
        assert time.monotonic() < deadline
        turn(apart)


def kill_twice(apart: Opened) -> None:
    """Leave a store without a writer: before the second replacement there is a pause."""
    kill_and_wait(apart)
    os.kill(writer_of(apart), signal.SIGKILL)
    wait_for_trouble(apart)


@pytest.mark.parametrize("pace", [WriterPace(pause_ms=300)])
@pytest.mark.promise("D20")
def test_a_killed_writer_is_replaced_and_work_that_was_not_sent_waits_for_it(apart: Opened) -> None:
    kill_twice(apart)
    assert apart.store.trouble == "the process that writes has ended"
    assert apart.together(*map(put, NAMES[:20])) == NAMES[:20]
    assert apart.store.trouble is None
    assert apart.names() == set(NAMES[:20])


def test_of_work_that_is_half_done_when_the_writer_dies_nothing_is_left(apart: Opened) -> None:
    works = [put(NAMES[0]), partial(put_and_die, name=NAMES[1]), put(NAMES[2])]
    assert {type(result) for result in apart.together(*works)} == {WritingStopped}
    assert apart.names() == set()
    assert apart.write(put(NAMES[3])) == NAMES[3]
    assert apart.names() == {NAMES[3]}


@pytest.mark.parametrize("pace", [WriterPace(pause_ms=2000, wait_ms=100)])
def test_work_that_was_not_sent_waits_only_for_so_long_and_is_then_not_done(apart: Opened) -> None:
    kill_twice(apart)
    with pytest.raises(StoreUnavailable, match="has ended"):
        apart.write(put(NAMES[0]))
    assert apart.store.trouble, "it is refused before there is a writer"
    wait_for_trouble(apart, over=True)
    apart.write(put(NAMES[1]))
    assert apart.names() == {NAMES[1]}


@pytest.mark.parametrize("pace", [WriterPace(pause_ms=300)])
def test_all_that_was_cached_is_out_of_date_once_a_writer_was_lost(apart: Opened) -> None:
    kill_and_wait(apart)
    before = apart.store.changes.data_version()
    assert apart.store.changes.fresh(("anything",), before)
    os.kill(writer_of(apart), signal.SIGKILL)
    wait_for_trouble(apart)
    between = apart.store.changes.data_version()
    assert not apart.store.changes.fresh(("anything",), before)
    wait_for_trouble(apart, over=True)
    assert not apart.store.changes.fresh(("anything",), between)


def test_the_log_says_once_that_writing_stopped_and_once_that_it_is_back(
    apart: Opened, capfd: pytest.CaptureFixture[str]
) -> None:
    kill_and_wait(apart)
    printed = capfd.readouterr().out
    assert (printed.count("writing stopped"), printed.count("writing resumed")) == (1, 1)


def kill_self() -> None:
    """As the system does with a process that takes too much memory."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("end", "told"), [(partial(os._exit, 3), {"exit_code": 3}), (kill_self, {"signal": "SIGKILL"})]
)
def test_the_log_tells_how_a_writer_ended(end: Callable[[], object], told: dict[str, Any]) -> None:
    def main(link: socket.socket, prove: bool) -> None:
        end()

    ours, theirs = socket.socketpair()
    with ours, theirs, logged() as lines:
        spawner: Any = sqlite_spawner
        parent = spawner._Parent(theirs, main, limits.WRITER_LOOK_MS)
        parent._fork([os.dup(ours.fileno())], prove=False)
        ended = parent._writer
        parent._end_writer(1000 * WAIT_S)
    assert lines == [{"level": "error", "event": "writer ended", "process": ended, **told}]


def test_a_writer_starts_in_a_program_that_has_another_database_open(tmp_path: Path) -> None:
    with closing(apsw.Connection(":memory:")):
        apart = opened_apart(tmp_path / "stoa.db")
        assert apart.write(put(NAMES[0])) == NAMES[0]
        apart.close()


# --- Hung.


@pytest.mark.promise("D21")
def test_a_writer_that_is_stopped_is_killed_and_replaced(apart: Opened) -> None:
    stopped = writer_of(apart)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(StoreUnavailable, match="has ended"):
        apart.write(put(NAMES[0]))
    write_when_taken(apart, NAMES[1])
    assert writer_of(apart) != stopped
    assert not is_there(stopped)
    assert apart.names() == {NAMES[1]}


def test_without_a_look_at_it_a_stopped_writer_would_hold_everything_up(tmp_path: Path) -> None:
    apart = opened_apart(tmp_path / "stoa.db", WriterPace(look_ms=1000 * WAIT_S))
    stopped = writer_of(apart)
    os.kill(stopped, signal.SIGSTOP)

    async def write_for_a_while() -> None:
        async with asyncio.timeout(2):
            await apart.store.write(put(NAMES[0]))

    with pytest.raises(TimeoutError):
        apart.run(write_for_a_while())
    os.kill(stopped, signal.SIGCONT)
    apart.write(put(NAMES[1]))
    assert writer_of(apart) == stopped
    apart.close()


def test_a_writer_that_goes_on_at_once_is_left_alone(tmp_path: Path) -> None:
    apart = opened_apart(tmp_path / "stoa.db", WriterPace(look_ms=2000))
    process = writer_of(apart)
    for number in range(20):
        os.kill(process, signal.SIGSTOP)
        os.kill(process, signal.SIGCONT)
        apart.write(put(NAMES[number]))
    assert writer_of(apart) == process
    apart.close()


@pytest.mark.parametrize("endless", few([spin, wait_for_ever]))
def test_a_writer_whose_work_never_ends_is_killed_and_replaced(apart: Opened, endless: Any) -> None:
    supervisor_of(apart).pace = WriterPace(group_ms=1000)  # once it has started
    hung = writer_of(apart)
    with pytest.raises(StoreUnavailable, match="does not answer"):
        apart.write(endless)
    supervisor_of(apart).pace = WRITER_PACE  # the next one may take longer to start
    write_when_taken(apart, NAMES[0])
    assert writer_of(apart) != hung
    assert not is_there(hung)
    assert apart.names() == {NAMES[0]}


def silent_ticks(apart: Opened) -> int:
    """How many ticks of the server a writer that works on something endless may be silent."""
    supervisor: Any = supervisor_of(apart)

    async def count() -> int:
        supervisor._ticking.cancel()
        write = asyncio.create_task(apart.store.write(wait_for_ever))
        await asyncio.sleep(0.01)
        ticks = 0
        while not write.done():
            ticks += 1
            assert ticks < 1000
            supervisor._count_silence()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert isinstance(write.exception(), StoreUnavailable)
        return ticks

    return apart.run(count())


def test_a_commit_may_take_half_a_minute_of_the_servers_own_time(apart: Opened) -> None:
    assert supervisor.TICK_MS * (silent_ticks(apart) - 1) <= limits.WRITE_GROUP_MS
    assert limits.WRITE_GROUP_MS == 30_000


def test_a_server_that_stood_still_does_not_take_its_writer_for_hung(
    apart: Opened, tmp_path: Path
) -> None:
    supervisor_of(apart).pace = WriterPace(group_ms=3000)  # once it has started
    process = writer_of(apart)
    queue: Any = cast("Any", supervisor_of(apart))._queue
    written = "SELECT 1 FROM secret WHERE name = ?"

    async def stand_still() -> str:
        write = asyncio.create_task(apart.store.write(put(NAMES[0])))
        while not queue.has_unanswered():  # noqa: ASYNC110 - until it is sent
            await asyncio.sleep(0)
        time.sleep(5)  # noqa: ASYNC251 - that is what is tested
        with closing(apsw.Connection(str(tmp_path / "stoa.db"))) as beside:
            while not beside.execute(written, NAMES[:1]).fetchall():  # the machine is slow
                time.sleep(0.01)  # noqa: ASYNC251
        return await write

    assert apart.run(stand_still()) == NAMES[0]
    assert writer_of(apart) == process


# --- Again and again.


def test_pauses_before_replacements_grow_until_there_are_too_many() -> None:
    replacements = Replacements()
    pauses = [replacements.pause(now, storage=False) for now in range(6)]
    assert pauses == [0, 100, 200, 400, 800, None]


def test_storage_that_fails_is_asked_again_every_five_seconds() -> None:
    replacements = Replacements()
    pauses = [replacements.pause(now, storage=True) for now in range(6)]
    assert pauses == [0, 5000, 5000, 5000, 5000, None]


def test_what_was_replaced_more_than_a_minute_ago_does_not_count() -> None:
    replacements = Replacements()
    for now in range(5):
        replacements.pause(now, storage=False)
    assert replacements.pause(59_999, storage=False) is None
    assert replacements.pause(60_003, storage=False) == 100


def test_after_five_replacements_within_a_minute_the_server_has_to_start_afresh(
    apart: Opened,
) -> None:
    for _ in range(5):
        kill_and_wait(apart)
    assert not apart.store.lost
    process = writer_of(apart)
    os.kill(process, signal.SIGSTOP)

    async def kill_with_work() -> list[Any]:
        writes = [asyncio.create_task(apart.store.write(put(name))) for name in NAMES[:9]]
        await asyncio.sleep(0)
        os.kill(process, signal.SIGKILL)
        return await asyncio.gather(*writes, return_exceptions=True)

    assert {type(result) for result in apart.run(kill_with_work())} == {WritingStopped}
    assert apart.store.lost
    with pytest.raises(StoreUnavailable):
        apart.write(put(NAMES[10]))
    assert apart.names() == set()


def test_when_no_writer_can_be_forked_any_more_the_server_has_to_start_afresh(
    apart: Opened,
) -> None:
    os.kill(parent_of(writer_of(apart)), signal.SIGKILL)
    assert wait_for_trouble(apart) == "the process that starts writers has ended"
    assert apart.store.lost


def looks_at_the_spawner(apart: Opened, *, answered: bool) -> int:
    """How often a server looks at the process that starts writers until it gives up, 50 times at
    most; each look waits for its answer if there is to be one."""
    supervisor: Any = supervisor_of(apart)
    supervisor._ticking.cancel()
    looks = 0
    while not apart.store.lost and looks < 50:
        looks += 1
        supervisor._look_at_spawner()
        while answered and supervisor._spawner_silent_ms:
            turn(apart)
    return looks


def test_when_the_process_that_starts_writers_hangs_the_server_has_to_start_afresh(
    apart: Opened,
) -> None:
    assert looks_at_the_spawner(apart, answered=True) == 50
    spawner = parent_of(writer_of(apart))
    os.kill(spawner, signal.SIGSTOP)
    wait_until_stopped(spawner)
    assert looks_at_the_spawner(apart, answered=False) == limits.HEARTBEATS_MISSED + 1
    assert apart.store.trouble == "the process that starts writers does not answer"


def test_a_store_does_not_open_when_no_writer_can_be_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, fork = os.getpid(), os.fork

    def no_memory() -> int:
        if os.getpid() == server:
            return fork()
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr(os, "fork", no_memory)
    with pytest.raises(StartRefused, match="did not start"):
        opened_apart(tmp_path / "stoa.db")


# --- What is left when the server dies.


@pytest.mark.parametrize("is_stopped", few([False, True]))
def test_no_process_outlives_a_server_that_was_killed(tmp_path: Path, is_stopped: bool) -> None:
    path = tmp_path / "stoa.db"
    told, tell = os.pipe()
    server = os.fork()
    if not server:
        dying = opened_apart(path)
        dying.write(put(NAMES[0]))
        os.write(tell, writer_of(dying).to_bytes(4))
        signal.pause()
    writer = int.from_bytes(os.read(told, 4))
    os.close(told)
    os.close(tell)
    spawner = parent_of(writer)
    if is_stopped:
        os.kill(writer, signal.SIGSTOP)
    os.kill(server, signal.SIGKILL)
    os.waitpid(server, 0)
    again = opened_apart(path)  # which has waited for the lock that the writer held
    assert again.names() == {NAMES[0]}
    again.close()
    wait_until_gone(writer)
    wait_until_gone(spawner)


# --- Storage that fails.


def log_descriptors() -> list[int]:
    """Those under which this process has the log open."""
    found: list[int] = []
    for entry in Path("/dev/fd").iterdir():
        with suppress(OSError):  # that of the list itself
            if entry.readlink().name.endswith("-wal"):
                found.append(int(entry.name))
    return found


async def lose_the_log(_: Tx, to: str, flags: int) -> None:
    """Let what the writer wants to write into its log go elsewhere."""
    elsewhere = os.open(to, flags)
    for descriptor in log_descriptors():
        os.dup2(elsewhere, descriptor)


@pytest.mark.parametrize("pace", [WriterPace(probe_ms=20)])
@pytest.mark.skipif(sys.platform != "linux", reason="only there /dev/fd names files")
@pytest.mark.parametrize(
    ("to", "flags", "reason"),
    few(
        [
            ("/dev/full", os.O_RDWR, "the disk is full"),
            ("/dev/null", os.O_RDONLY, "the storage failed"),
        ]
    ),
)
def test_a_writer_whose_storage_fails_is_replaced(
    apart: Opened, to: str, flags: int, reason: str
) -> None:
    apart.write(put(NAMES[0]))
    failed = writer_of(apart)
    apart.write(partial(lose_the_log, to=to, flags=flags))
    with pytest.raises(StoreUnavailable, match=reason):
        apart.write(put(NAMES[1]))
    write_when_taken(apart, NAMES[2])
    assert writer_of(apart) != failed
    assert apart.names() == {NAMES[0], NAMES[2]}


# --- No lock.


@pytest.mark.parametrize("pace", [WriterPace(probe_ms=20, busy_ms=1)])
def test_while_another_program_holds_the_file_no_writer_takes_writes(
    apart: Opened, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = apsw.Connection(str(tmp_path / "stoa.db"))
    other.execute("BEGIN IMMEDIATE")
    for _ in range(3 * limits.WRITER_REPLACEMENTS):  # which are no replacements that count
        with pytest.raises(WritingStopped, match="another program holds the database"):
            apart.write(put(NAMES[0]))
        turn(apart)
        assert apart.store.trouble == "another program holds the database"
    other.close()
    wait_for_trouble(apart, over=True)
    apart.write(put(NAMES[1]))
    assert apart.names() == {NAMES[1]}
    printed = capfd.readouterr().out
    assert (printed.count("writing stopped"), printed.count("writing resumed")) == (1, 1)


@pytest.mark.parametrize("pace", [WriterPace(probe_ms=20, busy_ms=1)])
def test_writes_behind_a_group_that_failed_are_refused_with_it(
    apart: Opened, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    other = apsw.Connection(str(tmp_path / "stoa.db"))
    other.execute("BEGIN IMMEDIATE")
    refused = apart.together(*map(put, NAMES[: 2 * GROUP_MAX]))
    assert {str(error) for error in refused} == {"another program holds the database"}
    other.close()
    wait_for_trouble(apart, over=True)
    assert not caplog.records, "what was refused already was answered again"


# --- No room.


@pytest.fixture
def crowded(apart: Opened) -> Iterator[Opened]:
    """A store whose processes find no room on the disk."""
    writer = writer_of(apart)
    spawner = parent_of(writer)
    for process in (spawner, writer):
        limit_files(process, NO_ROOM)
    yield apart
    if apart.store.trouble:
        limit_files(spawner, ROOM)
        wait_for_trouble(apart, over=True)


@pytest.mark.parametrize("pace", [WriterPace(probe_ms=20)])
@pytest.mark.promise("D23")
@can_limit_files
def test_when_there_is_no_room_reads_go_on_and_writes_come_back_once_there_is(
    crowded: Opened, capfd: pytest.CaptureFixture[str]
) -> None:
    spawner = parent_of(writer_of(crowded))
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        crowded.write(put(NAMES[0]))
    probed: set[str] = set()
    for number in range(3 * limits.WRITER_REPLACEMENTS):  # which are no replacements that count
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            crowded.write(put(NAMES[1 + number]))
        assert crowded.names() == set()
        for _ in range(10):
            turn(crowded)
        probed.add(str(crowded.store.trouble))
    assert all(trouble.startswith("the disk is full") for trouble in probed)
    assert not crowded.store.lost
    limit_files(spawner, ROOM)
    wait_for_trouble(crowded, over=True)
    assert crowded.write(put(NAMES[100])) == NAMES[100]
    assert crowded.names() == {NAMES[100]}
    printed = capfd.readouterr().out
    assert (printed.count("writing stopped"), printed.count("writing resumed")) == (1, 1)


@pytest.mark.parametrize("pace", [WriterPace(probe_ms=20)])
@can_limit_files
@pytest.mark.soak
def test_a_little_room_is_not_enough(crowded: Opened) -> None:
    """Else writes would come and go with each probe."""
    spawner = parent_of(writer_of(crowded))
    with pytest.raises(StoreUnavailable, match="the disk is full"):
        crowded.write(put(NAMES[0]))
    limit_files(spawner, limits.WRITE_PROBE_BYTES - 1)
    for _ in range(50):
        turn(crowded)
        assert crowded.store.trouble
    limit_files(spawner, limits.WRITE_PROBE_BYTES)
    wait_for_trouble(crowded, over=True)
