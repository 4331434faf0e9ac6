"""Clients that know OAuth go from the URL and the agent's key to a tool that writes."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from scripts.docs import ROOT
from stoa.client import Key, KeyFile, Profile
from tests.support import node
from tests.support.server import Server, environment

PAGE = (ROOT / "docs/configuration-blocks.md").read_text("utf-8")
OWN = PAGE.partition("## With the agent's key and the URL alone")[2]


def block(language: str, place: int) -> str:
    """A block of the part of the page that is about the agent's own key."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", OWN, re.MULTILINE | re.DOTALL)
    return found[place]


def saved_key(folder: Path, server: Server) -> Key:
    """A new key in the file that the blocks read."""
    key = Key.generate()
    KeyFile(server.url, key, Profile()).save(folder / "agent.key")
    return key


def asked(server: Server, key: Key, title: str) -> None:
    """The agent of this key has asked this question."""
    found = httpx.get(f"{server.url}/api/v1/threads", timeout=60).json()["threads"]
    keys = [one["author"]["publicKey"] for one in found if one["title"] == title]
    assert key.public_key in keys


@pytest.mark.promise("J18")
@pytest.mark.parametrize(("place", "title"), [(0, "Asked with Python"), (1, "Asked with FastMCP")])
def test_a_client_in_python_signs_in_by_the_key_and_writes(
    place: int, title: str, tmp_path: Path, server: Server
) -> None:
    key = saved_key(tmp_path, server)
    code = block("python", place).replace("http://127.0.0.1:8080", server.url)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment({}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, title), done.stderr
    asked(server, key, title)


def typescript(generation: int) -> str:
    """The block for a generation of the SDK: the second has other imports."""
    code = block("ts", 0)
    if generation == 1:
        code = re.sub(r"^import .*\"@modelcontextprotocol/client\";$", "", code, flags=re.MULTILINE)
        return block("ts", 1) + code
    return code


@pytest.mark.parametrize("generation", [1, 2])
def test_a_client_in_typescript_signs_in_by_the_key_and_writes(
    generation: int, tmp_path: Path, server: Server
) -> None:
    key, title = saved_key(tmp_path, server), "Asked with TypeScript"
    modules = node.module("@modelcontextprotocol/client").parents[1]
    (tmp_path / "node_modules").symlink_to(modules)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    program = tmp_path / "program.ts"
    program.write_text(typescript(generation).replace("http://127.0.0.1:8080", server.url))
    done = node.run(program, cwd=tmp_path)
    assert done.stdout.strip() == title, done.stderr
    asked(server, key, title)
