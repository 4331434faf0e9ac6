"""The flags of `stoa serve` mean the same to the short reader as to the library of the commands."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from stoa.cli import serve_flags
from tests.support.command import app

RIGHT = [
    [],
    ["--port", "0"],
    ["--port=8080", "--host", "::1", "--workers", "2"],
    ["--data-dir", "a b", "--base-url=https://x.example/?a=b", "--config", "my.toml"],
    ["--log-level", "debug", "--log-format=text", "--log-level", "info"],
]
LEFT = [
    ["--help"],
    ["--port"],
    ["--port", "1x"],
    ["--port", "-1"],
    ["--port", "\u0661"],
    ["--host", ""],
    ["--host", "--port"],
    ["--prot", "1"],
    ["--por", "1"],
    ["extra"],
    ["--", "--port", "1"],
]


def of_the_library(arguments: list[str]) -> dict[str, Any]:
    """The flags that were given, as the library of the commands reads them."""
    commands: Any = get_command(app)
    context = commands.commands["serve"].make_context("serve", list(arguments))
    return {
        name: value
        for name, value in context.params.items()
        if value is not None and value is not False
    }


@pytest.mark.parametrize("arguments", RIGHT)
def test_flags_are_read_as_the_library_reads_them(arguments: list[str]) -> None:
    assert serve_flags.read(["serve", *arguments]) == of_the_library(arguments)


def test_every_flag_is_known() -> None:
    commands: Any = get_command(app)
    names = {name for one in commands.commands["serve"].params for name in one.opts}
    assert names - {"--help", "--new"} == set(serve_flags.FLAGS)  # a start with --new is rare


@pytest.mark.parametrize("arguments", LEFT)
def test_what_may_be_wrong_is_left_to_the_library(arguments: list[str]) -> None:
    assert serve_flags.read(["serve", *arguments]) is None


@pytest.mark.parametrize("arguments", [[], ["migrate"], ["--version"], ["import", "serve"]])
def test_other_commands_are_left_to_the_library(arguments: list[str]) -> None:
    assert serve_flags.read(arguments) is None


NOT_LOADED = {"jinja2", "rich", "starlette", "stoa.web.site", "typer"}
LOADS = "import stoa.app, stoa.cli.serving, stoa.cli.supervising, stoa.server.server"


def loaded(program: str, folder: Path) -> set[str]:
    """Those of `NOT_LOADED` that a program loads."""
    told = f"{program}\nimport sys; print(*sys.modules)"
    command = [sys.executable, "-c", told]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return NOT_LOADED & set(done.stdout.split())


def test_a_server_loads_neither_commands_nor_pages_before_it_is_asked_for_one(
    tmp_path: Path,
) -> None:
    assert loaded(LOADS, tmp_path) == set()


@pytest.mark.soak
def test_the_check_would_notice_them(tmp_path: Path) -> None:
    program = f"{LOADS}, stoa.cli.main, stoa.cli.tables, stoa.web.pages"
    assert loaded(program, tmp_path) == NOT_LOADED
