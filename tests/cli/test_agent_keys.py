"""The commands of `stoa agent` that change and check keys, against a real server."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.client import Key, KeyFile, Profile, Refused, Stoa
from tests.client.relay import relaying
from tests.support.command import run_agent, run_stoa_here, told
from tests.support.database import query
from tests.support.server import Server


def key_file(server: Server, path: Path) -> str:
    """A new key file; its path as text."""
    KeyFile(server.url, Key.generate(), Profile(display_name="Ada")).save(path)
    return str(path)


def agent_id(path: str) -> str:
    return told(run_agent("whoami", "--key", path, "--json"))["id"]


def test_rotate_puts_the_new_key_into_the_file(server: Server, tmp_path: Path) -> None:
    path = key_file(server, tmp_path / "ada.key")
    before, own = KeyFile.load(path).key, agent_id(path)
    shown = run_agent("rotate", "--yes", "--key", path)
    assert shown.code == 0, shown.err
    after = KeyFile.load(path)
    assert after.key.public_key != before.public_key
    assert after.key.seed not in shown.out + shown.err
    assert after.profile.display_name == "Ada"
    assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600
    assert {one.name for one in tmp_path.iterdir()} == {"ada.key", "ada.key.session"}
    assert agent_id(path) == own


def test_programs_that_run_go_on_with_the_key_that_a_rotation_has_put_into_the_file(
    server: Server, tmp_path: Path
) -> None:
    path = key_file(server, tmp_path / "ada.key")
    with Stoa.from_key_file(path, keep_session=True) as running:
        own = running.get_me().agent.id
        told(run_agent("rotate", "--yes", "--key", path, "--json"))
        assert running.get_me().agent.id == own


@pytest.mark.soak
def test_a_running_watch_goes_on_after_a_rotation(server: Server, tmp_path: Path) -> None:
    path, other = (key_file(server, tmp_path / name) for name in ("ada.key", "grace.key"))
    asked = told(run_agent("ask", "Why is it flat?", "It did not rise.", "--key", path, "--json"))
    thread = asked["thread"]["id"]

    def answer() -> str:
        done = run_agent("answer", thread, "Warm it.", "--key", other, "--json")
        return told(done)["reply"]["id"]

    first = answer()
    command = [sys.executable, "-m", "stoa", "agent", "watch", "--key", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert any(first in line for line in process.stdout)
        assert run_agent("rotate", "--yes", "--key", path).code == 0
        second = answer()
        assert any(second in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


def test_a_program_waits_for_the_key_file_that_is_written_after_the_rotation(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, new = key_file(server, tmp_path / "ada.key"), Key.generate()
    with Stoa.from_key_file(path) as running, Stoa.from_key_file(path) as rotating:
        own = running.get_me().agent.id
        rotating.rotate_to(new)

        def written_meanwhile(_: float) -> None:
            KeyFile(server.url, new, Profile()).save(tmp_path / "new.key")
            (tmp_path / "new.key").replace(path)

        monkeypatch.setattr(time, "sleep", written_meanwhile)
        assert running.get_me().agent.id == own
        rotating.rotate_to(Key.generate())
        with pytest.raises(Refused, match="key_retired"):
            running.get_me()


def test_a_rotation_asks_first_and_can_be_tried_without_doing_it(
    server: Server, tmp_path: Path
) -> None:
    path = key_file(server, tmp_path / "ada.key")
    before, own = Path(path).read_text("utf-8"), agent_id(path)
    tried = run_agent("rotate", "--dry-run", "--key", path)
    assert (tried.code, "nothing was done" in tried.out) == (0, True), tried.err
    for answered in ("n\n", ""):
        asked = run_agent("rotate", "--key", path, answer=answered)
        assert asked.code == 1
        assert "never signs in again" in asked.err
    assert Path(path).read_text("utf-8") == before
    assert {one.name for one in tmp_path.iterdir()} == {"ada.key", "ada.key.session"}
    assert agent_id(path) == own


def test_a_recovery_asks_first_and_can_be_tried_without_doing_it(
    server: Server, tmp_path: Path
) -> None:
    path, new = key_file(server, tmp_path / "ada.key"), tmp_path / "new.key"
    own = agent_id(path)
    named = told(run_agent("recovery", "set", "--key", path, "--json"))
    offline = f"{path}.recovery"
    assert named["recoveryPublicKey"] == KeyFile.load(offline).key.public_key
    given = ("recover", own, offline, str(new))
    tried = run_agent(*given, "--dry-run")
    assert (tried.code, "nothing was done" in tried.out) == (0, True), tried.err
    other = key_file(server, tmp_path / "other.key")
    wrong = run_agent("recover", own, other, str(new), "--dry-run")
    assert (wrong.code, "is not the recovery key of" in wrong.err) == (2, True)
    asked = run_agent(*given, answer="n\n")
    assert (asked.code, "Nobody can stop it" in asked.err) == (1, True)
    assert asked.err.endswith("Nothing was changed.\n")
    assert not new.exists()
    told(run_agent(*given, "--yes", "--json"))
    for shown in (run_agent("whoami", "--key", path), run_agent("inbox", "--key", path)):
        assert "RECOVERY RUNS: at " in shown.out
        assert "the current key cannot stop it" in shown.out


def test_a_refused_rotation_leaves_the_key_file_as_it_was(server: Server, tmp_path: Path) -> None:
    path, offline = key_file(server, tmp_path / "ada.key"), str(tmp_path / "offline.key")
    before = Path(path).read_text(encoding="utf-8")
    told(run_agent("recovery", "set", offline, "--key", path, "--json"))
    told(
        run_agent("recover", "--yes", agent_id(path), offline, str(tmp_path / "new.key"), "--json")
    )
    refused = run_agent("rotate", "--yes", "--key", path)
    assert (refused.code, "recovery_running" in refused.err) == (1, True)
    assert Path(path).read_text(encoding="utf-8") == before
    assert not (tmp_path / "ada.key.new").exists()


@pytest.mark.soak
def test_a_rotation_that_may_have_been_done_keeps_the_new_key(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    with relaying("") as relay:
        server = start_server(base_url=relay.url)
        relay.target = server.url
        path = tmp_path / "ada.key"
        KeyFile(relay.url, Key.generate(), Profile()).save(path)
        own, waiting = agent_id(str(path)), str(tmp_path / "ada.key.new")
        relay.unsure.add("/api/v1/auth/rotate")
        unsure = run_agent("rotate", "--yes", "--key", str(path))
        assert (unsure.code, "temporarily_unavailable" in unsure.err) == (1, True)
        assert f"move {waiting} to {path}" in unsure.err
        assert "key_retired" in run_agent("whoami", "--key", str(path)).err
        assert agent_id(waiting) == own


def test_a_rotation_that_ctrl_c_ends_says_where_the_new_key_is(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, waiting = key_file(server, tmp_path / "ada.key"), tmp_path / "ada.key.new"
    own, send = agent_id(path), httpx.Client.send

    def interrupted(client: httpx.Client, request: httpx.Request) -> httpx.Response:
        answer = send(client, request)
        if request.url.path.endswith("/auth/rotate"):
            raise KeyboardInterrupt
        return answer

    with monkeypatch.context() as network:
        network.setattr(httpx.Client, "send", interrupted)
        ended = run_agent("rotate", "--yes", "--key", path)
    assert (ended.code, f"move {waiting} to {path}" in ended.err) == (130, True)
    assert agent_id(str(waiting)) == own


def test_a_rotation_that_was_cut_off_is_not_begun_again(server: Server, tmp_path: Path) -> None:
    path = key_file(server, tmp_path / "ada.key")
    waiting = key_file(server, tmp_path / "ada.key.new")
    refused = run_agent("rotate", "--yes", "--key", path)
    assert (refused.code, waiting in refused.err) == (2, True)


def test_a_disk_that_takes_no_key_is_left_without_a_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "ada.key")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", full)
        refused = run_agent("keygen", "--url", "http://stoa.example", "--key", path)
    assert (refused.code, "No space left" in refused.err) == (2, True)
    with monkeypatch.context() as disk:
        disk.setattr(os, "fsync", interrupted)
        assert run_agent("keygen", "--url", "http://stoa.example", "--key", path).code == 130
    assert list(tmp_path.iterdir()) == []
    assert run_agent("keygen", "--url", "http://stoa.example", "--key", path).code == 0


def test_a_folder_is_not_taken_for_a_key_file_that_is_open_to_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for path in (str(tmp_path), os.devnull):
        refused = run_agent("whoami", "--key", path)
        assert (refused.code, "chmod" in refused.err) == (2, False)
        assert f"{path} is no file" in refused.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a stoa-agent-key file"),
        ("-----BEGIN PRIVATE KEY-----", "not a stoa-agent-key file"),
        ('{"format": "stoa-agent-key", "vers', "char 29"),
        ("[]", "not a stoa-agent-key file"),
        ('{"format": "stoa-agent-key", "version": 1}', "its url is not a text"),
        ('{"format": "stoa-agent-key", "version": 1, "url": 8}', "its url is not a text"),
    ],
)
def test_a_file_that_is_no_key_file_is_one_line_that_says_what_to_do(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "ada.key"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    refused = run_agent("whoami", "--key", str(path))
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert said in refused.err
    assert refused.err.endswith("a copy of it or one that stoa agent keygen makes\n")


def test_an_agent_is_recovered_with_its_recovery_key(server: Server, tmp_path: Path) -> None:
    path = key_file(server, tmp_path / "ada.key")
    own, offline, new = agent_id(path), str(tmp_path / "offline.key"), str(tmp_path / "new.key")
    named = told(run_agent("recovery", "set", offline, "--key", path, "--json"))
    assert named["recoveryPublicKey"] == KeyFile.load(offline).key.public_key
    begun = told(run_agent("recover", "--yes", own, offline, new, "--json"))
    assert begun["agent"]["keyChangeAt"] == begun["keyChangeAt"]
    waits = run_agent("whoami", "--key", new)
    assert (waits.code, "key_pending" in waits.err) == (1, True)
    checked = told(run_agent("verify-keys", own, "--key", path, "--json"))
    assert [key["status"] for key in checked["keys"]] == ["current", "pending"]


def test_keys_are_recovered_and_verified_where_only_members_read(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = start_server(tmp_path / "data", reading="members")
    path, new = key_file(server, tmp_path / "ada.key"), tmp_path / "new.key"
    own = agent_id(path)
    shown = run_agent("verify-keys", own, "--key", path)
    assert (shown.code, KeyFile.load(path).key.public_key in shown.out) == (0, True), shown.err
    told(run_agent("recovery", "set", "--key", path, "--json"))
    begun = run_agent("recover", own, f"{path}.recovery", str(new), answer="y\n")
    assert (begun.code, new.exists()) == (0, True), begun.err


def test_verify_keys_shows_the_chain_and_ends_with_1_if_it_is_broken(
    start_server: Any, tmp_path: Path
) -> None:
    server: Server = start_server()
    path = key_file(server, tmp_path / "ada.key")
    own = agent_id(path)
    told(run_agent("rotate", "--yes", "--key", path, "--json"))
    shown = run_agent("verify-keys", own, "--url", server.url, "--key", path)
    assert shown.code == 0, shown.err
    assert KeyFile.load(path).key.public_key in shown.out
    other = key_file(server, tmp_path / "other.key")
    forged = agent_id(other)
    told(run_agent("rotate", "--yes", "--key", other, "--json"))
    query(server.database, "UPDATE key_change SET challenge = 'another'")
    broken = run_agent("verify-keys", forged, "--key", other)
    assert (broken.code, "broken" in broken.err) == (1, True)


@pytest.mark.promise("K22")
def test_a_saved_chain_is_checked_without_a_network(server: Server, tmp_path: Path) -> None:
    path = key_file(server, tmp_path / "ada.key")
    own, saved = agent_id(path), tmp_path / "keys.json"
    told(run_agent("rotate", "--yes", "--key", path, "--json"))
    saved.write_bytes(httpx.get(f"{server.url}/api/v1/agents/{own}/keys", timeout=60).content)
    # An address at which nothing listens would be an error if it were asked.
    nowhere = ("--file", str(saved), "--url", "http://127.0.0.1:1")
    assert run_agent("verify-keys", own, *nowhere).code == 0
    assert "the chain of ag_" in run_agent("verify-keys", "ag_other", *nowhere).err
    chain = saved.read_text("utf-8")
    saved.write_text(chain.replace(own, "ag_other"), "utf-8")
    broken = run_agent("verify-keys", "ag_other", *nowhere)
    assert (broken.code, "broken" in broken.err) == (1, True)
    saved.write_text(chain.replace(own, "\\u001b[2J"), "utf-8")
    assert "chain of <U+001B>[2J" in run_agent("verify-keys", own, *nowhere).err
    saved.write_text("{", "utf-8")
    assert run_agent("verify-keys", own, *nowhere).code == 2


def test_a_recovery_without_its_key_file_makes_no_new_key(tmp_path: Path) -> None:
    new = tmp_path / "new.key"
    refused = run_stoa_here("agent", "recover", "ag_1", str(tmp_path / "lost.key"), str(new))
    assert (refused.code, "`stoa agent recovery set`" in refused.err) == (2, True)
    assert not new.exists()


def test_retire_wants_the_agents_id_and_ends_the_agent(server: Server, tmp_path: Path) -> None:
    path = key_file(server, tmp_path / "ada.key")
    own = agent_id(path)
    refused = run_stoa_here("agent", "retire", "--key", path)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "--confirm AG_ID" in refused.err
    assert "`stoa agent whoami`" in refused.err
    assert run_agent("retire", "--confirm", "ag_1", "--key", path).code == 1
    retired = told(run_agent("retire", "--confirm", own, "--key", path, "--json"))
    assert retired["agent"]["status"] == "retired"
    assert "key_retired" in run_agent("whoami", "--key", path).err
    # What became of the keys can be seen with a key that is retired, too.
    assert "retired" in run_agent("verify-keys", own, "--key", path).out


@pytest.mark.parametrize("path", ["/api/v1", "/mcp", "/api/v1/auth/challenge/", "/stoa"])
def test_keygen_wants_the_base_address_alone(tmp_path: Path, path: str) -> None:
    key = tmp_path / "new.key"
    where = ("--key", str(key), "--url", f"https://stoa.example{path}")
    made = run_stoa_here("agent", "keygen", *where)
    assert (made.code, key.exists()) == (2, False)
    assert made.err.endswith(f"{path.rstrip('/')}: give the base address, https://stoa.example\n")
    assert run_stoa_here("agent", "keygen", *where[:3], "https://stoa.example/").code == 0
