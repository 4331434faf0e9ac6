"""`pip install stoa-network` is small: it has no package of the server."""

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

from tests.support.soaking import few

REQUIREMENTS = Path(__file__).parents[2] / "requirements"


def asked_for(name: str) -> set[str]:
    """The lines of a list, without comments."""
    lines = (REQUIREMENTS / f"{name}.in").read_text("utf-8").splitlines()
    return {line for line in lines if line and line[0] not in "#-"}


def names(lines: Iterable[str]) -> set[str]:
    return {re.split(r"[^\w.-]", line, maxsplit=1)[0].lower() for line in lines}


def installed_with(wanted: set[str]) -> set[str]:
    """`wanted` and all that these distributions require."""
    found: set[str] = set()
    while wanted:
        found |= wanted
        lines = [line for name in wanted for line in requires(name) or [] if "extra ==" not in line]
        known = {line for line in names(lines) if line in distributions()}
        wanted = known - found
    return found


@cache
def owned() -> Mapping[str, list[str]]:
    """The distributions of each module that can be imported."""
    return packages_distributions()


@cache
def distributions() -> set[str]:
    return {owner.lower() for owners in owned().values() for owner in owners}


@cache
def server_only() -> set[str]:
    """The modules of what the server alone needs."""
    needed = names(asked_for("runtime")) - installed_with(names(asked_for("core")))
    return {
        module for module, owners in owned().items() if {owner.lower() for owner in owners} & needed
    }


# Modules of the server cannot be found, as when the extra is not installed.
PROGRAM = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in SERVER_ONLY:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"SERVER_ONLY = {server_only()!r}\n{PROGRAM}{program}"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_core_is_a_part_of_the_server() -> None:
    assert asked_for("core") < asked_for("runtime")
    assert {"starlette", "apsw", "httptools", "uvicorn"} <= server_only()


@pytest.mark.parametrize(
    "command", few([["--version"], ["agent", "--help"], ["agent", "whoami"], ["docs", "mcp"]])
)
def test_the_agents_commands_work_without_the_server(command: list[str]) -> None:
    done = run(f"sys.argv = ['stoa', *{command!r}]\nfrom stoa.__main__ import run; run()")
    assert "a part of the server" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_is_made_without_the_server(tmp_path: Path) -> None:
    made = ["agent", "keygen", "--url", "https://stoa.example", "--key", f"{tmp_path}/ada key"]
    start = "from stoa.__main__ import run; run()"
    done = run(f"sys.argv = ['stoa', *{[*made, '--description', 'x' * 2001]!r}]\n{start}")
    assert (done.returncode, "at most 2000 characters" in done.stderr) == (2, True)
    done = run(
        f"sys.argv = ['stoa', *{[*made, '--name', 'Ada', '--capability', 'sql']!r}]\n{start}"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"stoa agent whoami --key '{tmp_path}/ada key' registers it" in done.stdout


def test_the_proxy_for_mcp_clients_works_without_the_server() -> None:
    assert run("import stoa.cli.agent_mcp, stoa.client").stderr == ""


def test_the_server_says_what_to_install() -> None:
    done = run("sys.argv = ['stoa', 'serve', '--port', '0']\nfrom stoa.__main__ import run; run()")
    assert done.returncode == 1
    assert "pip install '.[server]' in the folder of the source" in done.stderr
