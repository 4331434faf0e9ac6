"""The command line around the commands: help, version, completion, settings, migrations."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from stoa import __version__
from stoa.cli.main import COMMANDS as PROGRAMS
from stoa.cli.main import application
from stoa.settings import Settings, kinds
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.engines.sqlite import store as sqlite
from tests.support.command import app, run_stoa, run_stoa_in
from tests.support.server import environment
from tests.support.soaking import few


def stoa(
    *arguments: object,
    where: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> str:
    """What a command that goes well prints."""
    result = run_stoa_in(where or Path.cwd(), arguments, environment({}) | {**(variables or {})})
    assert (result.code, result.err) == (0, ""), result
    return result.out


def test_the_version_is_told():
    assert stoa("--version") == f"stoa {__version__}\n"


def unexplained(command: Any, name: str) -> list[str]:
    """The arguments and options of a command and of those below it that have no help."""
    found = [f"{name} {one.name}" for one in command.params if not getattr(one, "help", "")]
    below = getattr(command, "commands", {})
    return found + [told for one in below for told in unexplained(below[one], f"{name} {one}")]


def test_help_explains_every_argument_and_option():
    assert unexplained(get_command(application(PROGRAMS)), "stoa") == []


COMMANDS = [
    ["serve"],
    ["migrate"],
    ["config", "show"],
    ["audit"],
    ["backup"],
    ["restore"],
    ["copy"],
    ["demo"],
    ["sim"],
    ["import", "stackexchange"],
]


@pytest.mark.parametrize("command", few([[], ["copy"], ["agent", "balance"]]), ids=" ".join)
def test_the_help_shows_types_of_values_and_none_of_flags(command: list[str]):
    printed = stoa(*command, "--help")
    assert "--help" in printed
    assert "<bool>" not in printed
    assert ("<str>" in printed) == bool(command)


@pytest.mark.parametrize("command", [[], *COMMANDS, ["config"], ["import"]], ids=" ".join)
def test_each_command_says_what_it_does(command: list[str]):
    result = CliRunner(env={"COLUMNS": "200"}).invoke(app, [*command, "--help"], prog_name="stoa")
    assert result.exit_code == 0
    assert f"Usage: stoa {' '.join(command)}".strip() in result.stdout
    for line in result.stdout.splitlines():
        words = line.strip("│ ").split()
        without_help = words and words[0].startswith("--") and words[-1].startswith("<")
        assert not without_help, line


def test_a_wrong_choice_is_refused_in_words_of_our_own():
    done = run_stoa("agent", "review", "job_1", "--reject", "late")
    choices = "'incomplete', 'incorrect', 'low_quality', 'off_spec', 'other'"
    assert done.err == f"stoa: Invalid value for '--reject': 'late' is not one of {choices}.\n"


@pytest.mark.soak
def test_commands_complete():
    words = {"_STOA_COMPLETE": "complete_bash", "COMP_WORDS": "stoa ", "COMP_CWORD": "1"}
    assert {"serve", "migrate", "config", "audit"} <= set(stoa(variables=words).split())
    # Where the library that finds out which shell this is is installed, no shell would be named.
    named = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    assert "_stoa_completion" in stoa("--show-completion", "bash", variables=named)


def test_settings_are_shown_with_where_they_come_from(tmp_path: Path):
    (tmp_path / "stoa.toml").write_text("sweep_seconds = 5\nport = 1\n")
    variables = {"STOA_SIGNUP_GRANT": "2.50", "STOA_PORT": "2"}
    command = ("config", "show", "--json", "--port", "3")
    told = stoa(*command, where=tmp_path, variables=variables)
    settings: dict[str, Any] = json.loads(told)
    assert told == json.dumps(settings, indent=2) + "\n"
    assert list(settings) == list(Settings.__struct_fields__)
    assert settings["port"] == {
        "value": 3,
        "source": "flag",
        "place": "--port",
        "environment": "STOA_PORT",
        "values": kinds()["port"].values,
        "description": kinds()["port"].description,
    }
    sources = {name: setting["source"] for name, setting in settings.items()}
    assert sources["signup_grant"] == "environment"
    assert settings["signup_grant"]["value"] == "2.50"
    assert settings["sweep_seconds"]["place"] == "stoa.toml: sweep_seconds"
    assert settings["limit_registrations"]["value"] is None
    assert settings["allowed_hosts"]["value"] == []
    assert set(sources.values()) == {"flag", "environment", "file", "default"}


def test_settings_are_shown_as_a_table_too(tmp_path: Path):
    variables = {"STOA_ALLOWED_HOSTS": "a.example,b"}
    lines = stoa("config", "show", where=tmp_path, variables=variables).splitlines()
    assert lines[0].split() == ["setting", "value", "from", "variable"]
    assert [line.split()[0] for line in lines[1:]] == list(Settings.__struct_fields__)
    rows = {line.split()[0]: line for line in lines}
    assert "a.example, b" in rows["allowed_hosts"]
    assert rows["allowed_hosts"].split()[-2:] == ["STOA_ALLOWED_HOSTS", "STOA_ALLOWED_HOSTS"]
    assert rows["base_url"].split() == ["base_url", "-", "default", "STOA_BASE_URL"]


@pytest.mark.soak
def test_migrate_tells_what_it_did(tmp_path: Path):
    path = tmp_path / "data" / "stoa.db"
    newest = sqlite_migrations.steps()[-1].number
    made = stoa("migrate", "--data-dir", path.parent)
    assert made == f"{path} is new, with schema {newest}\n"
    assert stoa("migrate", "--data-dir", path.parent) == f"{path} was up to date\n"
    again = json.loads(stoa("migrate", "--data-dir", path.parent, "--json"))
    assert again == {"database": f"sqlite:///{path}", "applied": []}
    assert sqlite.migrate(path) == []


_PRIORITY = """
import os, sys
from stoa.__main__ import run

def priority():
    return os.nice(0), hasattr(os, "SCHED_IDLE") and os.sched_getscheduler(0)

before = priority()
try:
    run()
except SystemExit:
    print("less:", priority() != before)
"""


@pytest.mark.parametrize(
    ("command", "less"), few([("audit", True), ("doctor", False), ("backup", True)], 2)
)
def test_what_reads_a_whole_database_leaves_the_processor_to_servers(
    command: str, less: bool
) -> None:
    ran = [sys.executable, "-c", _PRIORITY, command, "--help"]
    told = subprocess.run(ran, capture_output=True, text=True, check=True).stdout
    assert told.rpartition("less: ")[2].strip() == str(less)
