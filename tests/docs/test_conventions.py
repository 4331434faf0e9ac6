"""The page of conventions lists each of them, and what shows one can be called, run or read."""

import re
import shlex
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from typer.main import get_command

from scripts.docs import ROOT
from stoa.cli.main import app
from tests.support.server import Server

PAGE = (ROOT / "docs/conventions.md").read_text("utf-8")
BASE = "http://127.0.0.1:8080"
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


def test_there_are_twenty_eight_and_each_that_holds_is_shown() -> None:
    assert len({convention.name for convention in CONVENTIONS}) == len(CONVENTIONS) == 28
    for convention in CONVENTIONS:
        assert convention.state.startswith(STATES)
        assert convention.shown_by or convention.state == "not yet"
        assert ("in part" in convention.state) == (": " in convention.state)
        assert convention.commands or "](" in convention.shown_by or convention.state == "not yet"


def words(command: str) -> list[str]:
    """A command without the variables before it."""
    found = shlex.split(command)
    return found[next(i for i, word in enumerate(found) if not re.match(r"[A-Z_]+=", word)) :]


@pytest.mark.parametrize("command", [one for one in COMMANDS if words(one)[0] == "stoa"])
def test_a_command_of_stoa_is_there_with_its_options(command: str) -> None:
    found: Any = get_command(app)
    rest = words(command)[1:]
    while rest and rest[0] in getattr(found, "commands", {}):
        found = found.commands[rest.pop(0)]
    options = {"--help"} | {name for given in found.params for name in given.opts}
    assert {word for word in rest if word.startswith("--")} <= options
    assert not getattr(found, "commands", {}) or rest[0].startswith("--")


def test_every_address_answers(server: Server) -> None:
    calls = [words(one) for one in COMMANDS if words(one)[0] == "curl"]
    assert len(calls) > 5
    for call in calls:
        assert call[-1].startswith(f"{BASE}/")
        path = urlsplit(call[-1])
        answer = httpx.get(f"{server.url}{path.path}?{path.query}", timeout=60)
        assert answer.status_code == 200, call


def test_every_other_command_is_a_verb_of_the_project() -> None:
    others = [one for one in COMMANDS if words(one)[0] not in ("stoa", "curl")]
    verbs = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert others
    for command in others:
        program, verb, argument = words(command)
        assert (program, verb in verbs) == ("make", True)
        assert (ROOT / argument.partition("=")[2]).exists()
