"""The locks pin everything that is asked for, with hashes, and name no host, folder or index."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "requirements"
LOCKS = ["build", "runtime", "test", "dev", "drill", "generators", "clients"]

PIN = re.compile(r"(?P<name>[a-z0-9.-]+)==(?P<version>[\w.!+]+)( ; [\w.\s'<>=!()-]+)? \\")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
ORIGIN = re.compile(r"    #( +via)?( +([a-z0-9.-]+|-[rc] [a-z]+\.(in|txt)))?")


def lines(name: str) -> list[str]:
    return (REQUIREMENTS / name).read_text(encoding="utf-8").splitlines()


def asked_for(lock: str) -> set[str]:
    """The names that a list asks for, without comments, constraints, extras and versions."""
    wanted = [line for line in lines(f"{lock}.in") if line and line[0] not in "#-"]
    return {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in wanted}


def pinned(lock: str) -> dict[str, set[str]]:
    """The pinned versions by name; a name has two where platforms or Pythons differ."""
    pins: dict[str, set[str]] = {}
    for line in lines(f"{lock}.txt"):
        if pin := PIN.fullmatch(line):
            pins.setdefault(pin["name"], set()).add(pin["version"])
    return pins


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_names_versions_markers_and_hashes_only(lock: str) -> None:
    forms = (PIN, HASH, ORIGIN)
    strange = [line for line in lines(f"{lock}.txt") if not any(f.fullmatch(line) for f in forms)]
    assert strange == []


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_is_followed_by_a_hash(lock: str) -> None:
    text = lines(f"{lock}.txt")
    follows = [after for line, after in pairwise(text) if PIN.fullmatch(line)]
    assert follows
    assert all(HASH.fullmatch(line) for line in follows)


@pytest.mark.parametrize("lock", LOCKS)
def test_everything_asked_for_is_pinned(lock: str) -> None:
    assert asked_for(lock) <= pinned(lock).keys(), "run `make lock`"


@pytest.mark.parametrize("lock", ["test", "dev", "drill"])
def test_the_later_locks_agree_with_what_stoa_runs_on(lock: str) -> None:
    runtime = pinned("runtime")
    different = {
        name: versions
        for name, versions in pinned(lock).items()
        if versions != runtime.get(name, versions)
    }
    assert different == {}
