"""A long write-ahead log is moved into the database, and nobody waits for that."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from stoa.clock import SystemClock
from stoa.store.engines.frames import WorkCodec
from stoa.store.engines.sqlite.file import ServedFile, connect
from stoa.store.engines.sqlite.moving import LogMover, log_pages
from stoa.store.engines.sqlite.pace import WRITER_PACE, WriterPace
from stoa.store.engines.sqlite.store import SqliteStore
from tests.faults.disk import faulty_disk
from tests.support.migrated import migrated
from tests.support.store import NAMES, Opened, put

# From Python 3.12 on: pytest has threads of its own, of which the writing process needs none.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")

Open = Callable[..., Opened]


def in_a_process(path: Path, pace: WriterPace = WRITER_PACE) -> Opened:
    migrated(path)
    return Opened(SqliteStore.open(path, SystemClock(), WorkCodec(()), pace=pace))


def in_a_thread(path: Path, pace: WriterPace = WRITER_PACE) -> Opened:
    async def opening() -> SqliteStore:
        migrated(path)
        return await SqliteStore.open(path, SystemClock(), pace=pace)

    return Opened(opening())


@pytest.fixture(params=[in_a_process, in_a_thread])
def opens(request: pytest.FixtureRequest) -> Open:
    """Opens a store whose writer is of one kind."""
    return request.param


def log_bytes(path: Path, opens: Open, pace: WriterPace = WRITER_PACE) -> int:
    """How long the log is after 200 commits."""
    with closing(opens(path, pace)) as opened:
        for name in NAMES:
            opened.write(put(name))
        return path.with_name(f"{path.name}-wal").stat().st_size


def test_a_long_log_is_moved_into_the_database_and_begun_anew(tmp_path: Path, opens: Open) -> None:
    whole = log_bytes(tmp_path / "whole.db", opens)
    assert log_bytes(tmp_path / "stoa.db", opens, WriterPace(log_pages=20)) < whole / 4


def test_callers_are_told_their_outcomes_first(tmp_path: Path, opens: Open) -> None:
    gate, pace = tmp_path / "gate", WriterPace(log_pages=1)
    with faulty_disk(gate), closing(opens(tmp_path / "stoa.db", pace)) as opened:
        os.mkfifo(gate)
        assert opened.write(put(NAMES[0])) == NAMES[0]
        with gate.open("wb"):  # once the writer has opened it too
            gate.unlink()
        assert opened.write(put(NAMES[1])) == NAMES[1]


def test_most_of_a_long_log_is_moved_beside_the_writer(tmp_path: Path, opens: Open) -> None:
    path, pace, names = tmp_path / "stoa.db", WriterPace(log_pages=200), iter(NAMES)
    with closing(opens(path, pace)) as opened, closing(connect(path, writer=False)) as beside:
        while log_pages(beside)[0] < 100:
            opened.write(put(next(names)))
        opened.run(opened.store.move_log())
        assert log_pages(beside)[1] == 0, "half of a log is moved too early"
        while log_pages(beside)[0] < 150:
            opened.write(put(next(names)))
        opened.run(opened.store.move_log())
        pages, moved = log_pages(beside)
        assert 150 <= pages == moved < 200
        opened.write(put(next(names)))
        assert log_pages(beside)[0] < 150, "the log is not begun anew"


def test_what_is_closed_opens_the_file_no_more(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    migrated(path)

    def is_open() -> bool:
        return str(path) in {file.path for file in psutil.Process().open_files()}

    mover, closed = (LogMover(path, 4, ServedFile(path)) for _ in range(2))
    closed.close()
    closed.move()
    assert not is_open()
    mover.move()
    assert is_open()
    mover.close()
