"""The embedded engine's files: opened by one, closed whole, refused when they are not ours."""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import apsw
import pytest

from stoa.clock import SystemClock
from stoa.store import statements
from stoa.store.changes import Changes
from stoa.store.engines.sqlite import file as sqlite_file
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.backups import back_up
from stoa.store.engines.sqlite.copying import open_target
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.tx import StartRefused, StoreUnavailable, Tx, Work
from tests.support.migrated import migrated
from tests.support.store import NAMES, Opened, put


async def now(tx: Tx) -> int:
    return tx.now


def test_a_closed_database_is_one_file_again(tmp_path: Path):
    async def open_and_close() -> None:
        migrated(tmp_path / "stoa.db")
        store = await SqliteStore.open(tmp_path / "stoa.db", SystemClock())
        await store.write(now)
        await store.read(now)
        await store.read(now, slow=True)
        await store.close()
        await store.close()

    asyncio.run(open_and_close())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stoa.db", "stoa.db.lock"]


def test_a_closed_database_answers_nobody(tmp_path: Path):
    async def use_after_close() -> None:
        migrated(tmp_path / "stoa.db")
        store = await SqliteStore.open(tmp_path / "stoa.db", SystemClock())
        await store.close()
        for late in (store.write(now), store.read(now), store.read(now, slow=True)):
            with pytest.raises(StoreUnavailable):
                await late

    asyncio.run(use_after_close())


@pytest.mark.promise("Q24")
@pytest.mark.parametrize("slow", [False, True])
def test_a_read_that_takes_too_long_is_ended_and_the_next_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slow: bool
):
    counting = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    monkeypatch.setitem(statements.load("sqlite"), "endless", f"{counting} WHERE x < 0")

    async def endless(tx: Tx) -> object:
        return await tx.one("endless")

    async def read() -> None:
        migrated(tmp_path / "stoa.db")
        store = await SqliteStore.open(tmp_path / "stoa.db", SystemClock(), timeout_s=0.05)
        with pytest.raises(StoreUnavailable, match="a read took too long"):
            await store.read(endless, slow=slow)
        assert await store.read(now, slow=slow)
        await store.close()

    asyncio.run(read())


async def _counts(tx: Tx) -> None:
    await tx.one("long")


async def _works(tx: Tx) -> None:
    await tx.aside(bool)


async def _does_little(tx: Tx) -> None:
    await tx.aside(bool, light=True)


@pytest.mark.parametrize(
    ("work", "on_the_loop"),
    [(_counts, [True, False]), (_works, [True, False]), (_does_little, [True])],
)
def test_a_brief_read_that_takes_longer_begins_anew_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Work[None], on_the_loop: list[bool]
):
    counting = "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000)"
    monkeypatch.setitem(statements.load("sqlite"), "long", f"{counting} SELECT count(*) FROM n")
    ran: list[bool] = []

    async def noted(tx: Tx) -> None:
        ran.append(threading.current_thread() is threading.main_thread())
        await work(tx)

    async def read() -> None:
        migrated(tmp_path / "stoa.db")
        store = await SqliteStore.open(tmp_path / "stoa.db", SystemClock())
        await store.read(noted, slow=True, brief=True)
        await store.close()

    asyncio.run(read())
    assert ran == on_the_loop


def test_a_file_that_was_refused_can_be_opened_later(tmp_path: Path):
    path = tmp_path / "stoa.db"
    migrated(path)
    connection = apsw.Connection(str(path))
    version = connection.pragma("user_version")
    connection.pragma("user_version", version + 1)
    with pytest.raises(StartRefused, match="use a newer Stoa"):
        asyncio.run(SqliteStore.open(path, SystemClock()))
    connection.pragma("user_version", version)
    connection.close()
    assert sqlite.write_once(path, SystemClock(), now) > 0


def test_a_file_is_locked_under_each_of_its_names(tmp_path: Path):
    path = tmp_path / "stoa.db"
    migrated(path)
    (tmp_path / "other.db").symlink_to(path)
    descriptor = sqlite_file.lock(path)
    with pytest.raises(StartRefused, match="another Stoa uses"):
        sqlite.migrate(tmp_path / "other.db")
    os.close(descriptor)
    assert sqlite.migrate(tmp_path / "other.db") == []


@pytest.mark.skipif(sys.platform != "linux", reason="only there two devices are sure to be mounted")
def test_a_file_of_the_same_number_on_another_device_is_another(tmp_path: Path):
    one, other, path = Path("/proc"), Path("/sys"), tmp_path / "stoa.db"
    assert one.stat().st_ino == other.stat().st_ino
    path.symlink_to(one)
    served = sqlite_file.ServedFile(path)
    served.check()
    path.unlink()
    path.symlink_to(other)
    with pytest.raises(sqlite_file.FileReplaced):
        served.check()


COMPANIONS = ("", "-wal", "-shm")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A file as a kill leaves it, with a write that is in its log alone."""
    served, path = tmp_path / "served.db", tmp_path / "stoa.db"
    migrated(served)
    with closing(Opened(opening(served))) as store:
        store.write(put(NAMES[0]))
        for end in COMPANIONS:
            copyfile(f"{served}{end}", f"{path}{end}")
    return path


async def opening(path: Path) -> SqliteStore:
    return await SqliteStore.open(path, SystemClock())


def kept(path: Path) -> set[str]:
    with closing(Opened(opening(path))) as store:
        return store.names()


def write(path: Path) -> None:
    sqlite.write_once(path, SystemClock(), now)


def read(path: Path) -> None:
    sqlite.read_once(path, SystemClock(), now)


def save(path: Path) -> Path:
    return back_up(path, SystemClock(), path.parent / "backups", 0)


def copy_to(path: Path) -> None:
    async def begin() -> None:
        async with open_target(path, SystemClock()):
            pass

    asyncio.run(begin())


USES = [kept, copy_to, sqlite.migrate, sqlite.wipe_once, write, read, save]


@pytest.mark.parametrize("using", USES)
def test_a_file_whose_log_was_taken_away_is_refused_until_it_is_back(
    killed: Path, using: Callable[[Path], object]
) -> None:
    log = Path(f"{killed}-wal").rename(f"{killed}.taken")
    with pytest.raises(StartRefused, match="-wal is missing"):
        using(killed)
    assert Path(f"{killed}-shm").exists()
    log.rename(f"{killed}-wal")
    using(killed)
    assert kept(killed) == {NAMES[0]}


@pytest.mark.parametrize("gone", ["", "-shm"])
def test_a_kill_loses_no_write(killed: Path, gone: str) -> None:
    if gone:
        Path(f"{killed}{gone}").unlink()
    assert sqlite.migrate(killed) == []
    assert kept(killed) == {NAMES[0]}


def test_a_file_without_its_log_is_opened_once_nothing_names_it(killed: Path) -> None:
    for end in COMPANIONS[1:]:
        Path(f"{killed}{end}").unlink()
    assert kept(killed) == set()


def test_a_file_without_a_log_of_its_own_is_opened_beside_what_another_left(killed: Path) -> None:
    backup = save(killed)
    Path(f"{killed}-shm").touch()
    copyfile(backup, killed)
    assert kept(killed) == {NAMES[0]}


def test_a_file_with_an_older_schema_is_not_read_but_says_what_to_do(tmp_path: Path):
    path = tmp_path / "stoa.db"
    migrated(path)
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", connection.pragma("user_version") - 1)
    connection.close()
    with pytest.raises(StartRefused, match="backup with the version that served it, then run"):
        sqlite.read_once(path, SystemClock(), now)


def test_durability_is_switched_on_for_the_writer_and_writing_off_for_readers(tmp_path: Path):
    path = tmp_path / "stoa.db"
    migrated(path)
    writer = sqlite_file.connect(path, writer=True)
    reader = sqlite_file.connect(path, writer=False)
    assert writer.pragma("journal_mode") == "wal"
    assert writer.pragma("synchronous") == 2
    assert writer.pragma("foreign_keys") == reader.pragma("foreign_keys") == 1
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM account")
    reader.close()
    writer.close()


# --- What changed since when.


def test_a_key_is_fresh_until_it_is_marked():
    changes = Changes()
    data_version = changes.data_version()
    changes.mark(["a"])
    assert not changes.fresh(("a",), data_version)
    assert changes.fresh(("b",), data_version)
    assert changes.fresh(("a",), changes.data_version())


def test_forgetting_old_marks_makes_everything_older_stale():
    changes = Changes(most=3)
    data_version = changes.data_version()
    for key in "abcde":
        changes.mark([key])
    later = changes.data_version()
    changes.mark(["f"])
    assert not any(changes.fresh((key,), data_version) for key in "abcdefg")
    assert changes.fresh(("f",), changes.data_version())
    assert not changes.fresh(("f",), later)


def test_reads_in_the_background_hold_up_no_slow_reads(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    migrated(path)
    held = threading.Event()

    async def hold(_: Tx) -> None:
        assert held.wait(60)

    async def read(_: Tx) -> str:
        return "read"

    async def both() -> str:
        store = await SqliteStore.open(path, SystemClock())
        waiting = [
            asyncio.create_task(store.read(hold, background=True))
            for _ in range(sqlite.SLOW_READERS)
        ]
        try:
            async with asyncio.timeout(60):
                return await store.read(read, slow=True)
        finally:
            held.set()
            await asyncio.gather(*waiting)
            await store.close()

    assert asyncio.run(both()) == "read"
