"""The session that the commands of `stoa agent` share, against real servers."""

import json
import stat
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.client import Key, KeyFile, Profile, Stoa
from tests.support.command import Finished, run_agent, run_stoa, told
from tests.support.server import Server

StartServer = Callable[..., Server]


def ids(path: Path, *flags: str) -> set[str]:
    """The sessions that the agent has now."""
    listed = told(run_agent("sessions", "--key", str(path), "--json", *flags))
    return {session["id"] for session in listed["sessions"]}


def headers(path: Path, *flags: str) -> dict[str, str]:
    """What `stoa agent headers` prints."""
    return told(run_agent("headers", "--key", str(path), *flags))


@pytest.fixture
def key(server: Server, tmp_path: Path) -> Path:
    path = tmp_path / "ada.key"
    KeyFile(server.url, Key.generate(), Profile(display_name="Ada")).save(path)
    return path


def kept(path: Path) -> Path:
    """Where the session of a key file is kept."""
    return path.with_name(f"{path.name}.session")


def changed(path: Path, **members: object) -> None:
    """Change what stands in the kept session."""
    known = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**known, **members}), "utf-8")


@pytest.mark.promise("F3")
def test_all_commands_of_an_agent_share_one_session(key: Path) -> None:
    for command in (["whoami"], ["balance"], ["headers"], ["jobs", "--mine"]):
        assert run_agent(*command, "--key", str(key)).code == 0
    assert len(ids(key)) == 1


def test_without_the_kept_session_each_command_signs_in(key: Path) -> None:
    for number in range(3):
        assert len(ids(key)) == number + 1
        kept(key).unlink()


@pytest.mark.promise("F4")
def test_only_its_owner_can_read_the_kept_session_and_no_seed_is_in_it(key: Path) -> None:
    run_agent("whoami", "--key", str(key))
    assert stat.S_IMODE(kept(key).stat().st_mode) == 0o600
    assert KeyFile.load(key).key.seed not in kept(key).read_text("utf-8")
    assert {path.name for path in key.parent.iterdir()} == {key.name, kept(key).name}


def test_headers_prints_the_header_of_a_live_token(key: Path, server: Server) -> None:
    printed = headers(key)
    assert set(printed) == {"Authorization"}
    url = f"{server.url}/api/v1/agents/me"
    assert httpx.get(url, headers=printed, timeout=60).json()["agent"]["displayName"] == "Ada"
    assert headers(key) == printed


def test_the_headers_name_the_agent_over_mcp(key: Path, server: Server) -> None:
    call: dict[str, Any] = {"name": "get_credit_balance", "arguments": {}}
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"Accept": "application/json, text/event-stream"}
    answer = httpx.post(
        f"{server.url}/mcp", json=message, headers={**headers(key), **accept}, timeout=60
    )
    assert not answer.json()["result"].get("isError")


@pytest.mark.promise("F5")
def test_a_revoked_token_is_replaced_before_it_is_printed(key: Path, server: Server) -> None:
    dead = headers(key)
    with Stoa.from_key_file(key) as stoa:
        stoa.revoke_sessions(all_=True)
    alive = headers(key)
    assert alive != dead
    url = f"{server.url}/api/v1/agents/me"
    assert httpx.get(url, headers=dead, timeout=60).status_code == 401
    assert httpx.get(url, headers=alive, timeout=60).status_code == 200


def test_a_token_that_runs_out_is_renewed_in_time(key: Path) -> None:
    first = headers(key)
    changed(kept(key), renewAt=time.time() - 1)
    assert headers(key) != first


def cut(path: Path) -> None:
    path.write_text("{")


def other_json(path: Path) -> None:
    path.write_text("[]")


def no_text(path: Path) -> None:
    path.write_bytes(b"\xff")


def other_members(path: Path) -> None:
    changed(path, token=None, renewAt="soon")


def another_key(path: Path) -> None:
    changed(path, publicKey="0" * 64)


def open_to_others(path: Path) -> None:
    path.chmod(0o644)


@pytest.mark.parametrize(
    "damage", [cut, other_json, no_text, other_members, another_key, open_to_others]
)
def test_a_kept_session_that_cannot_be_used_is_replaced(
    key: Path, damage: Callable[[Path], None]
) -> None:
    first = headers(key)
    damage(kept(key))
    assert headers(key) != first
    assert stat.S_IMODE(kept(key).stat().st_mode) == 0o600
    assert len(ids(key)) == 2


def test_an_edited_profile_is_sent_with_a_new_sign_in(key: Path) -> None:
    assert told(run_agent("whoami", "--key", str(key), "--json"))["displayName"] == "Ada"
    members = json.loads(key.read_text("utf-8"))
    key.write_text(json.dumps({**members, "displayName": "Grace"}), "utf-8")
    assert told(run_agent("whoami", "--key", str(key), "--json"))["displayName"] == "Grace"


@pytest.mark.promise("F6")
def test_a_token_goes_to_no_other_server(
    key: Path, tmp_path: Path, start_server: StartServer
) -> None:
    mine = headers(key)
    other = start_server()
    there = headers(key, "--url", other.url)
    assert there != mine
    assert headers(key) == mine
    assert headers(key, "--url", other.url) == there
    assert len(list(tmp_path.glob("ada.key*.session"))) == 2
    seen = kept(key).read_text("utf-8")
    assert other.url not in seen


def test_a_kept_session_of_another_address_is_not_used(key: Path) -> None:
    first = headers(key)
    changed(kept(key), url="https://stoa.example")
    assert headers(key) != first


@contextmanager
def unwritable(folder: Path) -> Generator[None]:
    """A folder in which no file can be made, even by root."""
    (folder / "ada.key.session").mkdir()
    yield
    (folder / "ada.key.session").rmdir()


def test_where_no_session_can_be_kept_commands_sign_in_anew(key: Path) -> None:
    with unwritable(key.parent):
        assert len(ids(key)) == 1
        assert len(ids(key)) == 2
        assert {path.name for path in key.parent.iterdir()} == {key.name, kept(key).name}


@pytest.mark.soak
def test_several_commands_at_once_all_work_and_leave_one_whole_session(key: Path) -> None:
    def one(_: int) -> Finished:
        return run_stoa("agent", "headers", "--key", str(key))

    with ThreadPoolExecutor(4) as pool:
        printed = [told(done) for done in pool.map(one, range(4))]
    last = json.loads(kept(key).read_text("utf-8"))
    assert f"Bearer {last['token']}" in [one["Authorization"] for one in printed]
    assert headers(key)["Authorization"] == f"Bearer {last['token']}"
    assert {path.name for path in key.parent.iterdir()} == {key.name, kept(key).name}


def own_id(path: Path) -> str:
    """Who a program with a kept session is."""
    with Stoa.from_key_file(path, keep_session=True) as stoa:
        return stoa.get_me().agent.id


def test_a_program_keeps_no_session_unless_it_asks(key: Path) -> None:
    with Stoa.from_key_file(key) as stoa:
        stoa.get_me()
    assert not kept(key).exists()
    seen = {own_id(key) for _ in range(2)}
    assert seen == {json.loads(kept(key).read_text("utf-8"))["agentId"]}
