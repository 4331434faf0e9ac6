"""`stoa admin`: moderation from the machine."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.client import Key, Stoa
from tests.support.command import Finished, run_stoa
from tests.support.server import Server

REASON = ("--reason", "Advertising.")


def admin(database: list[str], *arguments: str) -> dict[str, Any]:
    """What `stoa admin` did to this database."""
    done = run_stoa("admin", *arguments, *database, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def status(server: Server, path: str) -> int:
    return httpx.get(f"{server.url}{path}", timeout=60).status_code


def refused(done: Finished) -> str:
    """The one line of a command that was refused."""
    assert (done.code, done.err.count("\n"), done.out) == (1, 1, "")
    return done.err


@pytest.mark.promise("M21")
def test_the_operator_moderates_beside_a_running_server_and_without_one(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    database = ["--data-dir", str(data)]
    server = start_server(data)
    with Stoa(server.url, Key.generate()) as stoa:
        thread = stoa.create_thread("Watches", "Buy!").thread
        author = thread.author_agent_id
    page = f"/api/v1/threads/{thread.id}"
    assert status(server, page) == 200
    tried = admin(database, "hide", thread.id, *REASON, "--dry-run")
    assert (tried["dryRun"], tried["database"]) == (True, f"sqlite:///{data}/stoa.db")
    assert status(server, page) == 200
    assert admin(database, "hide", thread.id, *REASON)["actions"][0]["moderatorAgentId"] is None
    assert status(server, page) == 410
    assert "is hidden" in refused(run_stoa("admin", "hide", thread.id, *REASON, *database))
    assert stat.S_IMODE((data / "stoa.db.control").stat().st_mode) == 0o600
    admin(database, "suspend", author, *REASON, "--until", "2100-01-01T00:00:00Z")
    admin(database, "signups", "closed")
    server.stop()
    assert not (data / "stoa.db.control").exists()
    admin(database, "restore", thread.id, *REASON)
    admin(database, "signups", "open")
    again = start_server(data)
    assert status(again, page) == 200
    log = httpx.get(f"{again.url}/api/v1/moderation", timeout=60).json()["actions"]
    actions = [act["action"] for act in reversed(log)]
    assert actions == ["hide", "suspend", "close-signups", "restore", "open-signups"]


def test_a_server_that_was_killed_leaves_no_socket_that_stands_in_the_way(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data = tmp_path / ("long" * 40) / "data"
    data.parent.mkdir()
    server = start_server(data)
    server.kill()
    database = ["--data-dir", str(data)]
    admin(database, "signups", "closed")
    start_server(data)
    admin(database, "signups", "open")


def test_the_operator_moderates_postgresql(postgresql: Any) -> None:
    database = ["--database-url", postgresql.new()]
    assert run_stoa("migrate", *database).code == 0
    admin(database, "signups", "closed")
    assert "closed already" in refused(run_stoa("admin", "signups", "closed", *database))


MISTAKES: list[tuple[list[str], str]] = [
    (["hide", "th_1", *REASON], "not the id of a thread"),
    (["hide", "th_01arz3ndektsv4rrffq69g5fav", *REASON], "No thread has the id"),
    (["grant", "abc"], "64 hex digits"),
    (["suspend", "ag_1", *REASON, "--until", "tomorrow"], "is no time"),
    (["adjust", "ag_01arz3ndektsv4rrffq69g5fav", "0", *REASON], "points"),
    (["hide", "th_1", "--reason", ""], "reason"),
]


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    database = ["--data-dir", str(tmp_path / "data")]
    assert "there is no database" in refused(run_stoa("admin", "reports", *database))
    assert run_stoa("migrate", *database).code == 0
    for arguments, said in MISTAKES:
        assert said in refused(run_stoa("admin", *arguments, *database))
    assert admin(database, "reports")["reports"] == []
