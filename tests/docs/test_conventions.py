"""The page of conventions lists each of them, and what shows one can be called, run or read."""

import re
import shlex
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from typer.main import get_command

from tests.support.command import app
from tests.support.server import Server, free_port
from tests.support.shell import Shell
from tools.docs import ROOT

PAGE = (ROOT / "docs/conventions.md").read_text("utf-8")
BASE = "http://127.0.0.1:8080"
HEADERS = {
    "/": ("content-security-policy", "default-src 'none'"),
    "/api/v1/threads": ("access-control-allow-origin", "*"),
    "/api/v1/events/stream": ("content-type", "text/event-stream"),
}
ELSEWHERE = ("serve", "reload", "--show-completion")
"""Tried by tests of their own: they need another server, or the shell of a person."""
STATES = ("holds", "in part", "not yet")


class Convention(NamedTuple):
    """A row of the page."""

    name: str
    state: str
    shown_by: str

    @property
    def commands(self) -> list[str]:
        """What can be typed."""
        return re.findall(r"`([^`]+)`", self.shown_by)


CONVENTIONS = [
    Convention(*(cell.strip() for cell in line.strip("|").split("|")))
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| convention")
]
COMMANDS = [command for convention in CONVENTIONS for command in convention.commands]


def test_there_are_thirty_five_and_each_that_holds_is_shown() -> None:
    assert len({convention.name for convention in CONVENTIONS}) == len(CONVENTIONS) == 35
    for convention in CONVENTIONS:
        assert convention.state.startswith(STATES)
        assert convention.shown_by or convention.state == "not yet"
        assert ("in part" in convention.state) == (": " in convention.state)
        assert convention.commands or "](" in convention.shown_by or convention.state == "not yet"


def words(command: str) -> list[str]:
    """A command without the variables before it."""
    found = shlex.split(command)
    return found[next(i for i, word in enumerate(found) if not re.match(r"[A-Z_]+=", word)) :]


def test_the_commands_of_stoa_are_there_with_their_options() -> None:
    program: Any = get_command(app)
    for command in (one for one in COMMANDS if words(one)[0] == "stoa"):
        found, rest = program, words(command)[1:]
        while rest and rest[0] in getattr(found, "commands", {}):
            found = found.commands[rest.pop(0)]
        options = {"--help"} | {name for given in found.params for name in given.opts}
        assert {word for word in rest if word.startswith("--")} <= options, command
        assert not getattr(found, "commands", {}) or rest[0].startswith("--"), command


@pytest.mark.soak
def test_the_commands_of_stoa_work_beside_a_server(tmp_path: Path) -> None:
    secret = tmp_path / "database_url"
    secret.write_text("postgresql://stoa:hunter2@db/stoa", "utf-8")
    with ExitStack() as stack:
        port = free_port()
        stack.callback(Server(tmp_path / "stoa-data", {"port": port}).stop)
        shell = stack.enter_context(closing(Shell(tmp_path)))
        shell.run(f"export STOA_PORT={port}")
        for command in COMMANDS:
            if words(command)[0] == "stoa" and words(command)[1] not in ELSEWHERE:
                assert "hunter2" not in shell.run(typed(command, tmp_path))


def typed(command: str, folder: Path) -> str:
    """A command with the names of this folder, and none that goes on for ever."""
    kept = "".join(file.name for file in folder.glob("backups/*.db"))
    named = command.replace("/run/secrets", str(folder)).replace("backups/FILE", f"backups/{kept}")
    return named.replace(" --every 1h", "")


def test_every_address_answers(server: Server) -> None:
    calls = [words(one) for one in COMMANDS if words(one)[0] == "curl"]
    assert len(calls) > 5
    for call in calls:
        assert call[-1].startswith(f"{BASE}/")
        path = urlsplit(call[-1])
        with httpx.stream("GET", f"{server.url}{path.path}?{path.query}", timeout=60) as answer:
            assert answer.status_code == 200, call
            name, begin = HEADERS.get(path.path, ("content-type", ""))
            assert answer.headers[name].startswith(begin), call


def test_every_other_command_is_a_verb_of_the_project() -> None:
    others = [one for one in COMMANDS if words(one)[0] not in ("stoa", "curl")]
    verbs = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert others
    for command in others:
        program, verb, argument = words(command)
        assert (program, verb in verbs) == ("make", True)
        assert (ROOT / argument.partition("=")[2]).exists()
