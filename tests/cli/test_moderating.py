"""`stoa admin`: moderation from the machine."""

import json
import os
import shutil
import socket
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from select import select
from typing import Any

import httpx
import psutil
import pytest

from stoa.client import Key, Stoa, StoaError
from stoa.store.engines.sqlite.file import locked
from tests.support.command import Finished, run_stoa_here
from tests.support.processes import until
from tests.support.server import Server

REASON = ("--reason", "Advertising.")


def admin(database: list[str], *arguments: str) -> dict[str, Any]:
    """What `stoa admin` did to this database."""
    done = run_stoa_here("admin", *arguments, *database, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def status(server: Server, path: str) -> int:
    return httpx.get(f"{server.url}{path}", timeout=60).status_code


def refused(done: Finished) -> str:
    """The one line of a command that was refused."""
    assert (done.code, done.err.count("\n"), done.out) == (1, 1, "")
    return done.err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The folder of an embedded database, with a path longer than an address of a socket can be."""
    folder = tmp_path / ("long" * 40) / "data"
    assert run_stoa_here("migrate", "--data-dir", str(folder)).code == 0
    return folder


@pytest.mark.promise("M21")
def test_the_operator_moderates_beside_a_running_server_and_without_one(
    start_server: Callable[..., Server], data: Path
) -> None:
    database = ["--data-dir", str(data)]
    admin(database, "signups", "closed")
    server = start_server(data)
    with Stoa(server.url, Key.generate()) as stoa:
        with pytest.raises(StoaError, match="signups_closed"):
            stoa.create_thread("Watches", "Buy!")
        opened = run_stoa_here("admin", "signups", "open", *database)
        assert "done: open-signups" in opened.out
        thread = stoa.create_thread("Watches", "Buy!").thread
    page = f"/api/v1/threads/{thread.id}"
    tried = admin(database, "hide", thread.id, *REASON, "--dry-run")
    assert (tried["dryRun"], tried["database"]) == (True, f"sqlite:///{data}/stoa.db")
    assert status(server, page) == 200
    assert admin(database, "hide", thread.id, *REASON)["actions"][0]["moderatorAgentId"] is None
    assert status(server, page) == 410
    done = run_stoa_here("admin", "forget", thread.id, *REASON, *database)
    assert "`purge`, `release`, `restore`, `unlock` for the type `thread`." in refused(done)
    assert "is hidden" in refused(run_stoa_here("admin", "hide", thread.id, *REASON, *database))
    assert stat.S_IMODE((data / "stoa.db.control").stat().st_mode) == 0o600
    until = ("--until", "2100-01-01T00:00:00Z")
    admin(database, "suspend", thread.author_agent_id, *REASON, *until)
    log = httpx.get(f"{server.url}/api/v1/moderation", timeout=60).json()["actions"]
    actions = [act["action"] for act in reversed(log)]
    assert actions == ["close-signups", "open-signups", "hide", "suspend"]
    server.stop()
    assert not (data / "stoa.db.control").exists()
    admin(database, "restore", thread.id, *REASON)
    done = run_stoa_here("admin", "restore", thread.id, *REASON, *database)
    assert "is shown and not locked" in refused(done)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_what_root_does_lets_the_owner_of_the_database_serve_it(data: Path) -> None:
    os.chown(data / "stoa.db", 4321, 4322)
    (data / "stoa.db.lock").unlink()  # as in a folder into which the database alone was copied
    admin(["--data-dir", str(data)], "signups", "closed")
    assert {file.stat().st_uid for file in data.iterdir()} == {4321}


@pytest.mark.soak
def test_a_server_that_was_killed_leaves_no_socket_that_stands_in_the_way(
    start_server: Callable[..., Server], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = ["--data-dir", str(data)]
    monkeypatch.chdir(data)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind("stoa.db.control")
    admin(database, "signups", "closed")
    assert (data / "stoa.db.control").is_socket()
    start_server(data)
    admin(database, "signups", "open")


def test_nothing_is_done_when_a_server_does_not_say_whether_it_did_it(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = ["--data-dir", str(data)]
    monkeypatch.chdir(data)
    with socket.socket(socket.AF_UNIX) as dying, ThreadPoolExecutor() as pool:
        dying.bind("stoa.db.control")
        dying.listen()
        asked = pool.submit(run_stoa_here, "admin", "signups", "closed", *database)
        dying.accept()[0].close()
        assert "did not say" in refused(asked.result())
    admin(database, "signups", "closed")


def test_a_command_asks_a_server_that_was_about_to_answer(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(data)
    file, this = data / "stoa.db", psutil.Process()
    with (
        ThreadPoolExecutor() as pool,
        locked(file),
        socket.socket(socket.AF_UNIX) as starting,
    ):
        closing = ("admin", "signups", "closed", "--data-dir", str(data))
        asked = pool.submit(run_stoa_here, *closing)
        locks = f"{file}.lock"
        until(lambda: [one.path for one in this.open_files()].count(locks) > 1)
        starting.bind("stoa.db.control")
        starting.listen()
        until(lambda: asked.done() or bool(select([starting], [], [], 0)[0]))
    assert "did not say" in refused(asked.result())


def test_what_changes_nothing_is_shown_while_nothing_can_be_written(data: Path) -> None:
    database = ["--data-dir", str(data)]
    admin(database, "signups", "closed")
    with locked(data / "stoa.db"):
        assert admin(database, "log")["actions"][0]["action"] == "close-signups"
        assert admin(database, "signups")["signups"] == "closed"


def test_why_a_server_cannot_write_is_told(start_server: Callable[..., Server], data: Path) -> None:
    start_server(data)
    shutil.copy(data / "stoa.db", data / "another")
    (data / "another").replace(data / "stoa.db")
    done = run_stoa_here("admin", "signups", "closed", "--data-dir", str(data))
    assert "its file was removed or replaced" in refused(done)


def test_the_operator_moderates_postgresql(postgresql: Any) -> None:
    database = ["--database-url", postgresql.new()]
    assert run_stoa_here("migrate", *database).code == 0
    admin(database, "signups", "closed")
    assert "closed already" in refused(run_stoa_here("admin", "signups", "closed", *database))


def test_a_revoked_key_that_the_settings_name_is_said_to_keep_the_role(data: Path) -> None:
    database, key = ["--data-dir", str(data)], Key.generate().public_key
    revoke = ("admin", "revoke", key, *database)
    assert "was not granted" in refused(run_stoa_here(*revoke))
    admin(database, "grant", key)
    assert "before" in refused(run_stoa_here("admin", "grant", key, *database))
    assert "STOA_ADMIN_KEYS" not in run_stoa_here(*revoke).out
    admin(database, "grant", key)
    named = {"STOA_ADMIN_KEYS": key}
    assert "next: take the key out of STOA_ADMIN_KEYS" in run_stoa_here(*revoke, **named).out
    kept = refused(run_stoa_here(*revoke, **named))
    assert "take it out there and run `stoa reload`, or start the server again if it is" in kept
    assert admin(database, "moderators")["moderators"] == []


def test_what_to_do_next_names_the_database_and_the_options_that_were_given(
    data: Path, tmp_path: Path
) -> None:
    config = tmp_path / "a stoa.toml"
    config.write_text('signups = "invite"\n')
    options = ("--data-dir", str(data), "--config", str(config))
    given = f"--config '{config}' --data-dir {data}"
    moderators = run_stoa_here("admin", "moderators", *options).out
    assert f"stoa admin grant {given} KEY" in moderators
    revoked = run_stoa_here("admin", "revoke", Key.generate().public_key, *options)
    assert f"`stoa admin moderators {given}` shows" in refused(revoked)
    assert run_stoa_here("admin", "signups", "closed", *options).code == 0
    signups = run_stoa_here("admin", "signups", *options).out
    assert f"stoa admin signups {given} invite" in signups
    invite = run_stoa_here("admin", "invite", *options).out
    assert f"new keys: closed; to ask for invites: stoa admin signups {given} invite" in invite
    assert run_stoa_here("admin", "signups", "invite", *options).code == 0
    assert "new keys" not in run_stoa_here("admin", "invite", *options).out


def test_the_operator_adds_points_and_takes_some(data: Path) -> None:
    database = ["--data-dir", str(data)]
    for points in ("5", "-5"):
        done = run_stoa_here("admin", "adjust", "ag_1", points, *REASON, *database)
        assert "not the id of an agent" in refused(done)
    done = run_stoa_here("admin", "adjust", "ag_1", "--resaon", *REASON, *database)
    assert done.code == 2


@pytest.mark.soak
def test_an_upheld_report_leads_to_the_command_that_follows(
    start_server: Callable[..., Server], data: Path
) -> None:
    database = ["--data-dir", str(data)]
    server = start_server(data)
    with Stoa(server.url, Key.generate()) as stoa, Stoa(server.url, Key.generate()) as other:
        thread = stoa.create_thread("Watches", "Buy!").thread
        made = [
            one.create_report({"type": "thread", "id": thread.id}, "spam").report.id
            for one in (stoa, other)
        ]
    upheld = run_stoa_here("admin", "resolve", made[1], "upheld", *REASON, *database).out
    assert f"reports settled: 2; {thread.id} is shown, as before" in upheld
    next_one = f"hide --data-dir {data} {thread.id} --reason TEXT --report {made[1]}"
    assert f"next: stoa admin {next_one}" in upheld
    assert admin(database, "reports")["reports"] == []
    (done,) = admin([], *next_one.split())["actions"]
    closed = admin(database, "reports", "--all")["reports"]
    assert {one["id"]: one["actionId"] for one in closed} == dict.fromkeys(made, done["id"])
    again = ("admin", "suspend", thread.author_agent_id, *REASON, "--report", made[0])
    assert "resolved before" in refused(run_stoa_here(*again, *database))


@pytest.mark.soak
def test_a_command_that_finds_nothing_says_so(
    start_server: Callable[..., Server], data: Path
) -> None:
    database = ["--data-dir", str(data)]
    assert "no report waits" in run_stoa_here("admin", "reports", *database).out
    assert "there are no reports" in run_stoa_here("admin", "reports", "--all", *database).out
    with Stoa(start_server(data).url, Key.generate()) as stoa:
        undo = ("undo", "--by", stoa.get_me().agent.id, "--since", "2026-01-01T00:00:00Z")
    assert "there is nothing to take back" in run_stoa_here("admin", *undo, *database).out


MISTAKES: list[tuple[list[str], str]] = [
    (["hide", "th_1", *REASON], "not the id of a thread"),
    (["suspend", "ag_1", *REASON], "not the id of an agent"),
    (["hide", "th_01arz3ndektsv4rrffq69g5fav", *REASON], "No thread has the id"),
    (["grant", "abc"], "64 hex digits"),
    (["suspend", "ag_1", *REASON, "--until", "tomorrow"], "is no time"),
    (["suspend", "ag_1", *REASON, "--until", "9999-12-31T23:59:59-12:00"], "is no time"),
    (["adjust", "ag_01arz3ndektsv4rrffq69g5fav", "0", *REASON], "points"),
    (["hide", "th_1", "--reason", ""], "reason"),
    (["hide", "th_1", "--reason", "a\u202eb"], "reason: "),
]


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    database = ["--data-dir", str(tmp_path / "data")]
    assert "there is no database" in refused(run_stoa_here("admin", "reports", *database))
    assert run_stoa_here("migrate", *database).code == 0
    for arguments, said in MISTAKES:
        assert said in refused(run_stoa_here("admin", *arguments, *database))
    assert admin(database, "reports")["reports"] == []


@pytest.mark.soak
def test_an_agent_registers_with_an_invite_and_does_the_work_by_itself(
    start_server: Callable[..., Server], data: Path, tmp_path: Path
) -> None:
    database = ["--data-dir", str(data)]
    server = start_server(data, signup_work=10)
    admin(database, "signups", "invite")
    invite = admin(database, "invite", "--uses", "2", "--days", "1")["invite"]
    shown = run_stoa_here("admin", "signups", *database)
    assert "new keys: invite; open invites: 2" in shown.out
    assert "STOA_SIGNUPS is open, which does not count" in shown.out
    with Stoa(server.url, Key.generate()) as stoa, pytest.raises(StoaError, match="invite_req"):
        stoa.sign_in()
    with Stoa(server.url, Key.generate(), invite=invite) as stoa:
        stoa.sign_in()
    key = str(tmp_path / "key")
    made = run_stoa_here("agent", "keygen", "--url", server.url, "--key", key, "--invite", invite)
    assert made.code == 0
    assert run_stoa_here("agent", "whoami", "--key", key).code == 0
    late = Stoa(server.url, Key.generate(), invite=invite)
    with late as stoa, pytest.raises(StoaError, match="invite_invalid"):
        stoa.sign_in()
