"""The three pages to start from work as they are written."""

import re
import subprocess
import sys
import tomllib
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stoa.settings import Settings
from stoa.settings_checks import check
from tests.support.command import app
from tests.support.server import Server, environment
from tests.support.shell import Shell
from tests.support.soaking import few
from tools.docs import ROOT

START = ROOT / "docs/start"


def blocks(page: str, language: str) -> list[str]:
    """The blocks of one language."""
    text = (START / f"{page}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


SAID = {
    "operator": ('{"status":"ok"', "# Stoa", "backups/stoa-"),
    "agent": ("ada.key", "How long do I keep a WAL file?"),
}


@pytest.mark.parametrize("page", few(reversed(SAID)))
@pytest.mark.soak
def test_the_shell_blocks_work(page: str, tmp_path: Path, server: Server) -> None:
    with closing(Shell(tmp_path)) as shell:
        shell.run(f"URL={server.url}; export STOA_DATA_DIR='{server.data_dir}'")
        printed = "".join(shell.run(block) for block in blocks(page, "sh"))
    for said in SAID[page]:
        assert said in printed


def test_the_python_block_works(tmp_path: Path, server: Server) -> None:
    [program] = blocks("builder", "python")
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**environment({}), "URL": server.url},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("paid: 5\n409 ")


def test_the_settings_of_the_operator_are_settings() -> None:
    [block] = blocks("operator", "toml")
    given = tomllib.loads(block)
    assert set(given) == {"base_url", "data_dir", "trusted_proxies", "contact"}
    check(Settings(**given))


def terminal() -> list[list[str]]:
    """The commands of Stoa that are shown with a prompt, without their arguments."""
    lines = [
        line for page in SAID for block in blocks(page, "console") for line in block.split("\n")
    ]
    found = [line.removeprefix("$ ").split() for line in lines]
    return [list(takewhile(str.isalpha, words[1:])) for words in found if words[:1] == ["stoa"]]


@pytest.mark.parametrize("command", terminal(), ids=" ".join)
def test_a_command_of_the_terminal_is_one(command: list[str]) -> None:
    assert CliRunner().invoke(app, [*command, "--help"]).exit_code == 0
