"""A database that tests use one after another is for each as if it were new."""

from collections.abc import Iterator

import msgspec
import pytest

from stoa.settings import Settings
from tests.support import everything
from tests.support.app import App
from tests.support.database import query, table_names
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.reuse import Reused

_NEXT = "SELECT sequencename, last_value FROM pg_sequences"


@pytest.fixture
def databases(postgresql: PostgreSQL) -> Iterator[Reused]:
    made = Reused(postgresql)
    yield made
    made.end()


def settings_on(url: str) -> Settings:
    return msgspec.convert({"database_url": url, **LIMITS_OFF}, Settings)


def content(url: str) -> dict[str, list[str]]:
    """The rows of every table, and what comes next in every sequence."""
    settings = settings_on(url)
    rows = {name: query(settings, f"TABLE {name}") for name in table_names(settings)}
    return {
        name: sorted(map(repr, found))
        for name, found in (rows | {"": query(settings, _NEXT)}).items()
    }


def test_two_processes_on_it_take_the_calls_in_turn(databases: Reused) -> None:
    url = databases.take()
    with App(settings_on(url), kept=databases[url]) as app:
        first, second = app.processes
        assert first.store is not second.store
        del second.asgi
        app.get("/healthz").ok()
        with pytest.raises(AttributeError):
            app.get("/healthz")
        app.get("/healthz").ok()
    databases.give_back(url)


def test_it_holds_for_the_next_what_a_new_one_holds(
    databases: Reused, postgresql: PostgreSQL
) -> None:
    url = databases.take()
    settings = settings_on(url)
    with App(settings, kept=databases[url]) as app:
        ada, bob, _ = everything.fill(app)
        everything.talk(ada, bob)
        used = content(url)
    filled = {name for name, rows in used.items() if rows}
    empty = {"", "thread_moved", "invite", "purge"}  # tags follow at once here
    assert filled | empty >= used.keys()
    databases.give_back(url)
    assert databases.take() == url
    new = postgresql.new()
    assert content(url) == content(new) != used
    postgresql.drop(new)


def test_two_that_are_lent_at_a_time_are_two(databases: Reused) -> None:
    assert databases.take() != databases.take()


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE agent ADD COLUMN more TEXT",
        "CREATE TABLE more (id BIGINT)",
        "DROP INDEX thread_by_activity",
        "DROP TRIGGER posting_is_never_changed ON posting",
        "ALTER TABLE posting DISABLE TRIGGER posting_is_never_emptied",
        "CREATE FUNCTION more() RETURNS INT LANGUAGE sql AS 'SELECT 1'",
        "ALTER TABLE agent DROP CONSTRAINT agent_status_check",
    ],
)
def test_one_whose_shape_was_changed_is_not_lent_again(databases: Reused, change: str) -> None:
    url = databases.take()
    query(settings_on(url), change)
    databases.give_back(url)
    assert databases.take() != url


def test_open_connections_are_ended(databases: Reused, postgresql: PostgreSQL) -> None:
    url = databases.take()
    with App(settings_on(url)) as app:
        app.agent("ada")
        databases.give_back(url)
        assert databases.take() == url
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert query(settings_on(url), others) == [(1,)]
