"""Pages, feeds and the sitemap while the store is away: 503, what to do, one line in the log."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import msgspec
import pytest

from stoa.settings import Settings
from stoa.store.engines.postgres.connection import connect
from tests.support.app import App
from tests.support.limits_off import LIMITS_OFF
from tests.support.logs import logged
from tests.support.postgresql import PostgreSQL
from tests.support.soaking import few
from tests.support.steps import Steps
from tests.support.storage import Operation, Storage
from tests.web.reading import FIXED, page

READS_NOTHING = {
    "/forum/search",
    "/about",
    "/about/safety",
    "/docs",
    "/docs/quickstart",
    "/docs/api",
    "/docs/api/jobs",
    "/docs/errors",
}
PAGES = (
    *sorted({*FIXED} - READS_NOTHING),
    *("/forum/threads/{thread}", "/forum/replies/{reply}", "/agents/{agent}", "/jobs/{job}"),
    *("/forum/threads/{thread}/text", "/forum/replies/{reply}/text", "/jobs/{job}/text"),
)
FOR_PROGRAMS = (
    *("/sitemap.xml", "/sitemap/threads/{thread}.xml", "/forum/unanswered.md"),
    *(
        f"/feeds/{feed}.{form}"
        for feed in ("newest", "unanswered", "tags/bread", "agents/{agent}")
        for form in ("atom", "json")
    ),
)
Ids = dict[str, str]


def filled(settings: Settings) -> Ids:
    """Put something on every page; its ids."""
    with App(settings) as app:
        ada = app.agent("ada")
        thread = ada.thread(tags=["bread"])
        job = {"title": "t", "description": "d", "rewardCredits": 1}
        return {
            "agent": ada.id,
            "thread": thread["id"],
            "reply": ada.reply(thread)["id"],
            "job": ada.post("jobs", job).ok(201)["job"]["id"],
        }


def expect_unavailable(app: App, paths: tuple[str, ...], ids: Ids) -> None:
    with logged() as lines:
        for path in paths:
            answer = page(app, path.format_map(ids), 503)
            assert int(answer.headers["retry-after"]) > 0, path
            assert answer.headers["cache-control"] == "no-store"
            assert "<h1>Not available right now</h1>" in answer.text
            assert "Load it again in 5 seconds." in answer.text
    told = [line["event"] for line in lines if line["level"] == "error"]
    # The watch over the connection may notice at any time that the database is gone, and says so.
    assert [event for event in told if event != "database lost"] == ["store unavailable"]
    assert not [line["event"] for line in lines if line["event"].startswith("snapshot")]


def expect_there(app: App, ids: Ids) -> None:
    for path in (*PAGES, *FOR_PROGRAMS):
        assert app.get(path.format_map(ids)).status == 200, path


def fail(operation: Operation, _: str) -> None:
    if operation == "read":
        raise apsw.IOError("read failed")


def work(_: Operation, __: str) -> None:
    """No fault."""


@pytest.mark.soak
def test_pages_of_a_file_that_cannot_be_read_are_503_and_come_back(tmp_path: Path) -> None:
    settings = Settings(**LIMITS_OFF, data_dir=str(tmp_path))
    with Storage() as storage:
        ids = filled(settings)
        with App(settings) as app:
            storage.fault = fail
            expect_unavailable(app, (*PAGES, *FOR_PROGRAMS), ids)
            storage.fault = work
            expect_there(app, ids)


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgreSQL]:
    """A server of these tests' own, which they may crash."""
    running = PostgreSQL(durable=True)
    yield running
    running.stop()


@pytest.fixture
def on_postgresql(cluster: PostgreSQL) -> Settings:
    url = cluster.new()
    return Settings(**LIMITS_OFF, database_url=url)


@pytest.mark.promise("D18")
def test_pages_of_a_database_that_is_away_are_503_and_come_back(
    cluster: PostgreSQL, on_postgresql: Settings
) -> None:
    ids = filled(on_postgresql)
    with App(on_postgresql) as app:
        cluster.crash()
        expect_unavailable(app, (*PAGES, *FOR_PROGRAMS), ids)
        cluster.start()
        expect_there(app, ids)


@contextmanager
def locked(url: str, table: str) -> Generator[None]:
    """Somebody who lets nobody read a table."""
    with asyncio.Runner() as runner:
        connection = runner.run(connect(url))
        runner.run(connection.execute(f"BEGIN; LOCK TABLE {table}"))
        yield
        runner.run(connection.close())


@pytest.mark.long
@pytest.mark.parametrize("path", few(["/forum", "/feeds/newest.atom", "/", "/sitemap.xml"], 2))
def test_pages_that_a_lock_holds_up_are_503_and_come_back(
    on_postgresql: Settings, path: str
) -> None:
    with App(msgspec.structs.replace(on_postgresql, database_timeout_seconds=3)) as app:
        with locked(on_postgresql.database_url, "thread"):
            expect_unavailable(app, (path,), {})
        assert app.get(path).status == 200


def test_pages_are_read_again_when_their_connections_were_ended(
    cluster: PostgreSQL, on_postgresql: Settings
) -> None:
    ids = filled(on_postgresql)
    with App(on_postgresql) as app:
        expect_there(app, ids)
        cluster.do(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stoa'"
        )
        with logged() as lines:
            expect_there(app, ids)
    assert "defect" not in {line["event"] for line in lines}


def test_the_check_would_notice_a_page_that_is_a_defect(tmp_path: Path, steps: Steps) -> None:
    settings = Settings(**LIMITS_OFF, data_dir=str(tmp_path))
    with App(settings, through=steps.store) as app:
        steps.before("read", broken)
        with pytest.raises(AssertionError, match="/forum"):
            expect_unavailable(app, ("/forum",), {})


async def broken() -> None:
    raise RuntimeError("a defect")
