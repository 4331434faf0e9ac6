"""Each verb installs what it runs with, and finds nothing that another has installed."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN_BY_TESTS = ("tests", "tools", "src")
OURS = {*RUN_BY_TESTS, "conftest", "stoa"}
MADE = {"stoa_api"}
"""What a test makes before it imports it."""

VERBS = re.findall(r"^([a-z-]+):.* ## ", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
INSTALLING = re.compile(r"tools/locked (?P<with>\S+)(?: --target (\S+))?")
RUNNING = re.compile(r"(\.venv[\w/]*)/bin/")


def commands(*words: str) -> list[str]:
    """All commands of a verb, with its variables, on a machine where nothing was made."""
    command = ["make", "--dry-run", "--always-make", "--no-print-directory", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def locks_of(verb: str, environment: str) -> set[str]:
    """The locks that a verb installs into an environment."""
    return {
        lock
        for command in commands(verb)
        if (installing := INSTALLING.match(command))
        and environment == (installing[2] or installing["with"])
        for lock in re.findall(r"requirements/(\w+)\.txt", command)
    }


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(lock: str) -> set[str]:
    text = (ROOT / f"requirements/{lock}.txt").read_text("utf-8")
    return set(re.findall(r"^([\w.-]+)==", text, re.MULTILINE))


def imported(source: str) -> Iterator[str]:
    """The packages of others that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        for name in names:
            package = name.partition(".")[0]
            if package not in sys.stdlib_module_names | OURS | MADE:
                yield package


def unlocked(packages: set[str], verb: str, environment: str) -> list[str]:
    """Packages that no lock of that environment brings."""
    locked = {name for lock in locks_of(verb, environment) for name in pinned(lock)}
    owners = packages_distributions()
    return sorted(
        package
        for package in packages
        if not locked & {normal(owner) for owner in owners.get(package, ())}
    )


@pytest.mark.soak
def test_make_test_installs_all_that_tests_import() -> None:
    files = [file for folder in RUN_BY_TESTS for file in (ROOT / folder).rglob("*.py")]
    found = {package for file in files for package in imported(file.read_text("utf-8"))}
    assert {"pytest", "lxml", "schemathesis", "apsw"} <= found
    assert unlocked(found, "test", ".venv/test") == []


def test_an_import_of_what_only_another_verb_installs_is_found() -> None:
    found = set(imported("import os, ruff\ndef test(): from pyright.cli import main"))
    assert found == {"ruff", "pyright"}
    assert unlocked(found, "test", ".venv/test") == ["pyright", "ruff"]


def test_what_serves_is_installed_without_what_tests() -> None:
    assert locks_of("serve", ".venv") == {"build", "runtime"}
    for verb in VERBS:
        assert locks_of(verb, ".venv") <= {"build", "runtime"}, verb


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_runs_only_in_what_it_makes(verb: str) -> None:
    made: set[str] = set()
    for command in commands(verb):
        for environment in RUNNING.findall(command):
            assert environment in made, command
        made |= set(re.findall(r"(?:tools/venv|venv --clear|--target) (\S+)", command))


@pytest.mark.parametrize("environment", [".venv", ".venv/test", ".venv/check", ".venv/drill"])
def test_an_environment_is_the_same_whichever_verb_makes_it(environment: str) -> None:
    made = {frozenset(locks) for verb in VERBS if (locks := locks_of(verb, environment))}
    assert len(made) == 1


def test_the_schemas_are_not_written_before_the_tests_can_run(tmp_path: Path) -> None:
    script = tmp_path / "tools" / "schema"
    script.parent.mkdir()
    script.write_bytes((ROOT / "tools" / "schema").read_bytes())
    (tmp_path / "src/stoa/store/schema").mkdir(parents=True)
    done = subprocess.run(["sh", script], capture_output=True, text=True, check=False)
    assert (done.returncode, "run make install" in done.stderr) == (1, True)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [script]


def test_what_lighthouse_says_is_not_read_where_it_fails(tmp_path: Path) -> None:
    programs = {"npx": "printf '{\"half'\necho 'no paint' >&2\nexit 1", "node": "echo read >&2"}
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o700)
    done = subprocess.run(
        [ROOT / "tools/lighthouse", "http://127.0.0.1:1"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "no paint\n")
    assert {path.name for path in tmp_path.iterdir()} == {*programs}


def test_a_short_market_does_not_replace_the_picture_in_the_docs() -> None:
    drawn = "--out docs/standing.svg"
    assert any(drawn in command for command in commands("sim"))
    assert not any(drawn in command for command in commands("sim", "SIM_ARGS=--days 3"))


def test_a_release_without_a_date_is_refused_before_anything_is_installed(tmp_path: Path) -> None:
    (tmp_path / "src/stoa").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "src/stoa/__init__.py").write_text('_RELEASE = "0.2.0.dev0"\n')
    make = ["make", "release"]
    done = subprocess.run(make, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "run `make release-date VERSION=0.2.0` and commit" in done.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["Makefile", "src"]
