"""docs/clients.md works as it is written, and every configuration block starts what it says."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.cli.agent import app
from stoa.cli.agent_mcp import Wanted
from stoa.client import Key, KeyFile, Profile
from stoa.operations.catalog import all_operations
from stoa.operations.table import Toolset
from tests.support import node
from tests.support.server import Server, environment
from tools.docs import ROOT

CLIENTS = (ROOT / "docs/clients.md").read_text("utf-8")
BLOCKS = (ROOT / "docs/configuration-blocks.md").read_text("utf-8")
CONFIGURATION = BLOCKS.partition("## With the agent's key and the URL alone")[0]
"""The blocks after it are run by tests/oauth/test_stock_clients.py."""


def blocks(text: str, language: str) -> list[str]:
    """The blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(command: list[str], folder: Path, server: Server) -> str:
    """Run a program in a folder; what it printed."""
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = {**environment({}), "URL": server.url, "PATH": tools, "COLUMNS": "120"}
    done = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_arguments_that_python_names_otherwise_are_named() -> None:
    calls = (ROOT / "src/stoa/client/generated/calls").glob("*.py")
    changed = {name for file in calls for name in re.findall(r"(\w+_): ", file.read_text("utf-8"))}
    assert changed
    assert [name for name in changed if f"`{name}`" not in CLIENTS] == []


def test_the_python_client_does_what_the_page_says(tmp_path: Path, server: Server) -> None:
    printed = run([sys.executable, "-c", "\n".join(blocks(CLIENTS, "python"))], tmp_path, server)
    for said in ("paid: 5", "fits ['sqlite']", "balance: 125", "409 job_already_terminal"):
        assert said in printed


def test_the_sets_of_tools_that_the_command_offers_are_named() -> None:
    sets = Wanted().toolsets.split(",")
    assert f"It offers the sets of tools {' and '.join(f'`{name}`' for name in sets)}." in CLIENTS


TYPESCRIPT = {
    "docs/clients.md": (
        "paid: 5",
        "balance: 125",
        "Which index serves",
        "409 job_already_terminal",
    ),
    "README.md": ("Grace has 125",),
}


@pytest.mark.parametrize("page", TYPESCRIPT)
def test_the_typescript_client_does_what_the_page_says(
    page: str, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("URL", server.url)
    served = httpx.get(f"{server.url}/agent-client.ts", timeout=60).raise_for_status()
    (tmp_path / "agent-client.ts").write_bytes(served.content)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    program = tmp_path / "page.ts"
    program.write_text("\n".join(blocks((ROOT / page).read_text("utf-8"), "ts")))
    done = node.run(program, cwd=tmp_path)
    for said in TYPESCRIPT[page]:
        assert said in done.stdout, done.stderr


@pytest.mark.soak
@pytest.mark.long
def test_the_commands_do_what_the_page_says(tmp_path: Path, server: Server) -> None:
    printed = run(["sh", "-eu", "-c", "\n".join(blocks(CLIENTS, "sh"))], tmp_path, server)
    for said in ("ada.key", "Ada", "Is WAL safe on a network drive?", "signup_grant"):
        assert said in printed
    assert (tmp_path / "agent-client.ts").stat().st_size > 1000


def test_every_command_is_on_the_page() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", CLIENTS, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)}
    commands = [
        command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        for command in app.registered_commands
    ]
    assert commands
    assert set(commands) <= named


def test_the_key_file_on_the_page_has_the_members_of_one(tmp_path: Path) -> None:
    (shown,) = map(json.loads, blocks(CLIENTS, "json"))
    profile = Profile(display_name="Ada", capabilities=["sqlite"])
    KeyFile("http://127.0.0.1:8080", Key.generate(), profile).save(tmp_path / "a.key")
    assert shown.keys() == json.loads((tmp_path / "a.key").read_text()).keys()


def started(value: dict[str, Any]) -> list[list[str]]:
    """The commands that a configuration starts, wherever they stand in it."""
    found = [[value["command"], *value["args"]]] if "command" in value else []
    inner: list[dict[str, Any]] = [member for member in value.values() if isinstance(member, dict)]
    return found + [command for member in inner for command in started(member)]


def configurations() -> list[dict[str, Any]]:
    parsed = [json.loads(block) for block in blocks(CONFIGURATION, "json")]
    return parsed + [tomllib.loads(block) for block in blocks(CONFIGURATION, "toml")]


def in_python(block: str) -> list[str]:
    """The command in a Python block: its texts `stoa`, `agent` and `mcp`."""
    texts = [node.value for node in ast.walk(ast.parse(block)) if isinstance(node, ast.Constant)]
    return [str(text) for text in texts if text in ("stoa", "agent", "mcp")]


def test_every_configuration_starts_the_proxy_or_names_the_endpoint() -> None:
    for value in configurations():
        commands = started(value)
        if not commands:
            assert "http://127.0.0.1:8080/mcp" in json.dumps(value)
        for command in commands:
            assert command[:3] == ["stoa", "agent", "mcp"]


def test_every_python_block_is_python_and_starts_the_proxy() -> None:
    found = [in_python(block) for block in blocks(CONFIGURATION, "python")]
    assert len(found) == 4
    assert all(words[-3:] == ["stoa", "agent", "mcp"] for words in found)


def distinct() -> list[list[str]]:
    commands = [command for value in configurations() for command in started(value)]
    return [list(words) for words in dict.fromkeys(map(tuple, commands))]


@pytest.mark.parametrize("command", distinct(), ids=" ".join)
@pytest.mark.soak
def test_the_command_of_a_configuration_serves_the_tools(
    command: list[str], tmp_path: Path, server: Server
) -> None:
    path = tmp_path / "agent.key"
    KeyFile(server.url, Key.generate(), Profile()).save(path)
    done = subprocess.run(
        [sys.executable, "-m", *command, "--key", path],
        input='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n',
        env=environment({}),
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
    )
    sets = {Toolset.DEFAULT, Toolset.INBOX}
    tools = {one.name for one in all_operations() if one.toolsets & sets}
    assert {tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]} == tools
