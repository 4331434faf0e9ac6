"""`stoa agent connect` as a user runs it: the change is shown, asked for, and made as a whole."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stoa.cli.config_edits import parsed
from stoa.cli.config_files import FileChange, command
from stoa.cli.mcp_clients import MCP_CLIENTS
from stoa.client import Key, KeyFile, Profile
from stoa.operations.catalog import all_operations
from tests.support.command import Finished, run_agent
from tests.support.server import Server

Connect = Callable[..., Finished]
UNANSWERED = (
    "the question got no answer, so nothing was done: run it in a terminal, or with --yes if its "
    "--help has that"
)


@pytest.fixture
def connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Connect:
    """Runs `stoa agent connect …` in a project, as a user whose home is empty."""
    key = tmp_path / "agent.key"
    KeyFile("http://127.0.0.1:8080", Key.generate(), Profile()).save(key)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))

    def run(*arguments: str, answer: str = "") -> Finished:
        return run_agent("connect", *arguments, "--key", str(key), answer=answer)

    return run


def place(name: str) -> Path:
    """Where the configuration of a client is now."""
    return MCP_CLIENTS[name].path


@pytest.mark.usefixtures("connect")
def test_a_question_that_nobody_answers_changes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "stoa",
            "agent",
            "connect",
            "vscode",
            "--key",
            tmp_path / "agent.key",
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.endswith("\nstoa: " + UNANSWERED + "\n")
    assert "Traceback" not in done.stderr
    assert not place("vscode").exists()


def test_ctrl_c_at_a_question_ends_the_command_by_its_signal(
    connect: Connect, tmp_path: Path
) -> None:
    asking = ["agent", "connect", "vscode", "--key", tmp_path / "agent.key"]
    with subprocess.Popen(
        [sys.executable, "-m", "stoa", *asking], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr
        while process.stderr.read(1) != b"?":
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait() == -signal.SIGINT


@pytest.mark.parametrize("name", MCP_CLIENTS)
def test_each_client_gets_a_file_with_the_command(
    connect: Connect, name: str, tmp_path: Path
) -> None:
    done = connect(name, "--yes")
    assert done.code == 0, done.err
    client = MCP_CLIENTS[name]
    written = parsed(place(name).read_text("utf-8"), client)
    server = written[client.servers]["stoa"]
    run = [server["command"], *server["args"]]
    assert run == command(tmp_path / "agent.key")
    assert run[-4:-1] == ["agent", "mcp", "--key"]
    assert server.get("type") == ("stdio" if name == "vscode" else None)
    assert Path(run[0]).is_absolute()
    assert f"Start {client.title} again" in done.out
    again = connect(name, "--yes")
    assert (again.code, "has this server already" in again.out) == (0, True)


@pytest.mark.soak
def test_the_command_that_is_written_serves_the_tools(
    connect: Connect, tmp_path: Path, server: Server
) -> None:
    key = tmp_path / "other.key"
    KeyFile(server.url, Key.generate(), Profile()).save(key)
    assert connect("cursor", "--yes").code == 0
    entry = json.loads(place("cursor").read_text("utf-8"))["mcpServers"]["stoa"]
    done = subprocess.run(
        [entry["command"], *entry["args"][:-1], key],
        input='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
    )
    offered = {tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]}
    assert offered > {operation.tool for operation in all_operations() if operation.tool}


@pytest.mark.promise("F7")
def test_nothing_is_written_before_the_change_was_shown_and_agreed_to(connect: Connect) -> None:
    path = place("cursor")
    path.parent.mkdir(parents=True)
    path.write_text('{\n  "mcpServers": {}\n}\n')
    no = connect("cursor", answer="n\n")
    assert no.code == 1
    assert '+    "stoa": {' in no.out
    assert "Nothing was changed." in no.err
    silent = connect("cursor")
    assert silent.code == 1
    assert path.read_text() == '{\n  "mcpServers": {}\n}\n'
    assert connect("cursor", answer="y\n").code == 0
    assert "stoa" in json.loads(path.read_text())["mcpServers"]


@pytest.mark.promise("F8")
@pytest.mark.parametrize("damage", [b"{", b'\xff{"a": 1}', b'{"mcpServers": 1}', None])
def test_a_file_that_cannot_be_read_is_left_alone_and_the_block_is_shown(
    connect: Connect, damage: bytes | None
) -> None:
    path = place("claude-code")
    if damage is None:
        path.mkdir()
    else:
        path.write_bytes(damage)
    done = connect("claude-code", "--yes")
    assert done.code == 2
    assert "was not changed" in done.err
    assert '"mcpServers": {' in done.err
    assert damage is None or path.read_bytes() == damage


def test_a_link_stays_a_link_and_the_mode_stays(connect: Connect, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o640)
    place("claude-code").symlink_to(real)
    assert connect("claude-code", "--yes").code == 0
    assert place("claude-code").is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert "stoa" in real.read_text()
    assert [path.name for path in tmp_path.glob("*dotfiles*")] == ["dotfiles.json"]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text('{"theme": 1}')
    change = FileChange(path, "{}", '{"mcpServers": {}}')
    with pytest.raises(ValueError, match="changed meanwhile"):
        change.write()
    assert path.read_text() == '{"theme": 1}'


def test_a_disk_that_takes_no_file_leaves_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "mcp"
    folder.write_text("no folder")
    with pytest.raises(ValueError, match="mcp"):
        FileChange(folder / "mcp.json", None, "{}").write()


def test_another_file_and_another_name_can_be_given(connect: Connect, tmp_path: Path) -> None:
    path = tmp_path / "elsewhere.json"
    assert connect("zed", "--file", str(path), "--as", "stoa-at-work", "--yes").code == 0
    assert list(json.loads(path.read_text())["context_servers"]) == ["stoa-at-work"]


def test_a_wrong_command_line_changes_nothing(connect: Connect, tmp_path: Path) -> None:
    for arguments in (["emacs"], ["zed", "--as", "a b"], ["zed", "--as", 'x"]']):
        done = connect(*arguments, "--yes")
        assert done.code == 2, arguments
    assert not (tmp_path / "home").exists()


def test_without_a_key_file_nothing_is_written(connect: Connect, tmp_path: Path) -> None:
    (tmp_path / "agent.key").unlink()
    done = connect("cursor", "--yes")
    assert (done.code, "stoa agent keygen" in done.err) == (2, True)
    assert not (tmp_path / "home").exists()


def test_what_stands_in_the_file_cannot_steer_the_terminal(connect: Connect) -> None:
    path = place("codex")
    path.parent.mkdir(parents=True)
    path.write_text('a = "\u202e"\n', "utf-8")
    done = connect("codex", "--yes")
    assert done.code == 0
    assert "<U+202E>" in done.out
    assert "\u202e" not in done.out


def test_the_program_is_found_by_its_whole_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    assert command(None) == [shutil.which("stoa"), "agent", "mcp"]
    monkeypatch.setenv("PATH", "")
    assert command(None) == [sys.executable, "-m", "stoa", "agent", "mcp"]
