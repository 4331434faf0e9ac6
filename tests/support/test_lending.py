"""A file that tests use one after another is for each as if it were new."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import apsw
import msgspec
import pytest

from stoa.settings import Settings
from tests.support import everything
from tests.support.app import App
from tests.support.clock import DAY, START, VirtualClock
from tests.support.database import everything_in, query, table_names
from tests.support.lending import LentFile, LentFiles
from tests.support.limits_off import LIMITS_OFF
from tests.support.migrated import migrated

SETTINGS = msgspec.convert(LIMITS_OFF, Settings)
TEXT = "What nobody else has written."


@pytest.fixture
def files(tmp_path: Path) -> Iterator[LentFiles]:
    made = LentFiles(tmp_path / "lent")
    yield made
    made.end()


def content(settings: Settings) -> dict[str, list[str]]:
    """The rows of every table."""
    rows = {name: query(settings, f"SELECT * FROM {name}") for name in table_names(settings)}
    return {name: sorted(map(repr, found)) for name, found in rows.items()}


def new_content(tmp_path: Path) -> dict[str, list[str]]:
    """Those of a new file."""
    settings = Settings(data_dir=str(tmp_path / "new"))
    migrated(settings.database_path)
    return content(settings)


def next_of(files: LentFiles, file: LentFile) -> LentFile:
    """What the next test has."""
    files.give_back(file)
    return files.take()


def test_it_holds_for_the_next_what_a_new_one_holds(files: LentFiles, tmp_path: Path) -> None:
    file = files.take()
    with App(SETTINGS, kept=file) as app:
        ada, bob, _ = everything.fill(app)
        everything.talk(ada, bob)
        ada.thread(TEXT)
        app.get("search?q=nobody").ok()
        app.sql("DELETE FROM telling")
        used = content(app.settings)
    empty = {"telling", "thread_moved", "invite", "purge", "lease"}  # tags follow at once here
    assert {name for name, rows in used.items() if rows} | empty >= used.keys()
    assert next_of(files, file) is file
    settings = file.settings(SETTINGS)
    assert content(settings) == new_content(tmp_path) != used
    assert {path.suffix for path in settings.database_path.parent.iterdir()} == {
        ".db",
        ".db-shm",
        ".db-wal",
        ".lock",
    }
    assert TEXT.encode() not in everything_in(settings)


def test_the_next_application_answers_as_one_on_a_new_file(files: LentFiles) -> None:
    file = files.take()
    with App(SETTINGS, kept=file) as app:
        thread = app.agent("ada").thread()
        app.get(f"threads/{thread['id']}").ok()
        app.get("threads").ok()
    file = next_of(files, file)
    with App(SETTINGS, VirtualClock(START + DAY), file) as app:
        app.get(f"threads/{thread['id']}").refused(404, "not_found")
        assert app.get("threads").ok()["threads"] == []
        [agent] = app.sql("SELECT count(*) FROM agent")
        assert agent == (0,)
        assert app.agent("ada").thread()["createdAt"].startswith("2027-01-16")


def test_who_listened_hears_nothing_of_the_next(files: LentFiles) -> None:
    file, heard = files.take(), list[str]()
    with App(SETTINGS, kept=file) as app:
        app.stoa.store.changes.listen(partial(heard.append, "a change"))  # pyright: ignore[reportOptionalMemberAccess]
        app.agent("ada")
        assert heard
        heard.clear()
    with App(SETTINGS, kept=next_of(files, file)) as app:
        app.agent("ada")
    assert not heard


def test_two_that_are_lent_at_a_time_are_two(files: LentFiles) -> None:
    first, second = files.take(), files.take()
    assert first is not second
    assert first.settings(SETTINGS).database_path != second.settings(SETTINGS).database_path
    files.give_back(first)
    files.give_back(second)


def _write(app: App, statement: str) -> None:
    with closing(apsw.Connection(str(app.settings.database_path))) as connection:
        connection.execute(statement)


def _replace(app: App) -> None:
    path = app.settings.database_path
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


def _close(app: App) -> None:
    app.close()


def _close_store(app: App) -> None:
    app.run(app.stoa.store.close())


def _begin(app: App) -> None:
    app.sql("BEGIN")


def _fill(app: App) -> None:
    _write(app, "CREATE TABLE large AS SELECT zeroblob(10000000) x")
    _write(app, "DROP TABLE large")


@pytest.mark.parametrize(
    "change",
    [
        partial(_write, statement="CREATE TABLE more (id INTEGER)"),
        partial(_write, statement="ALTER TABLE agent ADD COLUMN more TEXT"),
        partial(_write, statement="DROP INDEX thread_by_activity"),
        partial(_write, statement="DROP TRIGGER posting_is_never_changed"),
        partial(_write, statement="PRAGMA user_version = 1"),
        _replace,
        _close,
        _close_store,
        _begin,
        _fill,
    ],
)
def test_one_that_is_no_more_as_it_was_is_not_lent_again(
    files: LentFiles, change: Callable[[App], None]
) -> None:
    file = files.take()
    with App(SETTINGS, kept=file) as app:
        change(app)
    assert next_of(files, file) is not file


def test_one_that_a_test_closes_can_be_opened_again(files: LentFiles) -> None:
    file = files.take()
    with App(SETTINGS, kept=file) as app:
        ada = app.agent("ada")
        app.close()
        with App(app.settings) as again:
            again.get(f"agents/{ada.id}").ok()
    files.give_back(file)
