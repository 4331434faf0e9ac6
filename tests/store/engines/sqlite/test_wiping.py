"""What was erased leaves the file while others use it, also where rows were moved between pages."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest

from stoa.clock import SystemClock
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite.backups import back_up
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.store import migrate
from stoa.store.engines.sqlite.wiping import wipe

CANARY = "zymurgist"
TABLE = "CREATE TABLE said (id TEXT PRIMARY KEY, body TEXT) WITHOUT ROWID"
OLD = sqlite_migrations.steps()[: sqlite_migrations.OVERWRITING - 1]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[apsw.Connection]:
    """The connection of a server that wrote texts in any order, and erased a third of them."""
    path = tmp_path / "stoa.db"
    path.touch()
    with closing(connect(path, writer=True)) as connection:
        connection.execute(TABLE)
        fill(connection)
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        yield connection


def fill(connection: apsw.Connection) -> None:
    random = Random(1)
    with connection:
        for number in range(5_000):
            body = f"{'kept' if number % 3 else CANARY} " * random.randrange(90)
            row = (f"{random.random():.12f}", body)
            connection.execute("INSERT INTO said VALUES (?, ?)", row)
    with connection:
        connection.execute("UPDATE said SET body = '' WHERE body LIKE ?", (f"{CANARY}%",))


def content(path: Path) -> bytes:
    """What is in the file and its log."""
    return path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()


def test_copies_in_pages_from_which_rows_were_moved_are_overwritten_beside_a_server(
    tmp_path: Path, server: apsw.Connection
) -> None:
    path = tmp_path / "stoa.db"
    rows = server.execute("SELECT * FROM said ORDER BY id").fetchall()
    assert content(path).count(CANARY.encode()) > 10, "no row was moved: the test shows nothing"
    with closing(connect(path, writer=False)) as reader:
        assert reader.execute("SELECT * FROM said ORDER BY id").fetchall() == rows
        assert wipe(path)
        assert reader.execute("SELECT * FROM said ORDER BY id").fetchall() == rows
    assert CANARY.encode() not in content(path)
    with server:  # which had read all pages before, and writes them anew
        server.execute("UPDATE said SET body = body || '.'")
    assert CANARY.encode() not in content(path)
    assert server.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_backup_before_that_has_no_such_copies(tmp_path: Path) -> None:
    path = tmp_path / "stoa.db"
    migrate(path)
    with closing(connect(path, writer=True)) as connection:
        connection.execute(TABLE)
        fill(connection)
        backup = back_up(path, SystemClock(), tmp_path / "backups", 0)
    assert CANARY.encode() in path.read_bytes()
    assert CANARY.encode() not in backup.read_bytes()


def test_nothing_is_overwritten_while_a_reader_keeps_something_in_the_log(
    tmp_path: Path, server: apsw.Connection
) -> None:
    path = tmp_path / "stoa.db"
    with closing(connect(path, writer=False)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT 1 FROM said LIMIT 1").fetchall()
        server.execute("DELETE FROM said")
        assert not wipe(path, wait_ms=0)
        assert CANARY.encode() in content(path)
        reader.execute("COMMIT")
        assert wipe(path)
    assert CANARY.encode() not in content(path)


def test_a_damaged_page_is_left_as_it_is(tmp_path: Path, server: apsw.Connection) -> None:
    path = tmp_path / "stoa.db"
    size = server.pragma("page_size")
    with path.open("r+b") as file:
        file.seek(2 * size)
        file.write(b"\x0d" + b"\xff" * 20)
        file.seek(3 * size)
        file.write(b"\x0d\x00\x00\x00\x00\x00\x00\x00")
    damaged = path.read_bytes()[2 * size : 4 * size]
    assert wipe(path)
    assert path.read_bytes()[2 * size : 4 * size] == damaged


def test_a_file_of_a_release_that_did_not_overwrite_is_written_anew_by_the_upgrade(
    tmp_path: Path,
) -> None:
    path = tmp_path / "stoa.db"
    path.touch()
    with closing(connect(path, writer=True)) as old:
        sqlite_migrations.migrate(old, OLD)
        old.pragma("secure_delete", 0)
        with old:
            old.execute("CREATE TABLE gone (text TEXT)")
            old.executemany("INSERT INTO gone VALUES (?)", [(f"{CANARY} " * 900,)] * 9)
        old.execute("DROP TABLE gone")
    assert CANARY.encode() in path.read_bytes()
    migrate(path)
    assert CANARY.encode() not in path.read_bytes()
