"""What a release is refused for, each as one line with what to do."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.release import changelog

_RELEASE = re.compile(r'^_RELEASE = "(?P<version>[^"]+)"$', re.MULTILINE)
VERSION_FILE = Path("src/stoa/__init__.py")
_FINAL = re.compile(r"\d+\.\d+\.\d+")


def version(root: Path) -> str:
    """The version that the source says it is."""
    found = _RELEASE.search((root / VERSION_FILE).read_text("utf-8"))
    assert found, f"{VERSION_FILE} names no version"
    return found["version"]


def with_version(text: str, new: str) -> str:
    """The text of the version's file with another version."""
    return _RELEASE.sub(f'_RELEASE = "{new}"', text)


def refusals(root: Path) -> Iterator[str]:
    """Why this tree is no release."""
    status = _run(root, "git", "status", "--porcelain")
    if status.stdout.strip():
        count = len(status.stdout.splitlines())
        yield f"the tree is not clean ({count} files differ): commit them or put them aside"
    yield from _undated(root)
    yield from _unmeasured(root)


def _undated(root: Path) -> Iterator[str]:
    now = version(root)
    if not _FINAL.fullmatch(now):
        newest = now.partition(".dev")[0]
        yield f"the version is {now}: run `make release-date VERSION={newest}` and commit"
        return
    date, text = changelog.sections((root / "CHANGELOG.md").read_text("utf-8")).get(now, (None, ""))
    if not date or not text:
        yield f"CHANGELOG.md has no dated section {now}: run `make release-date VERSION={now}`"


def _unmeasured(root: Path) -> Iterator[str]:
    """Promises that no test carries, as the test of promises finds them."""
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = _run(root, *test, "tests/test_promises.py")
    if done.returncode:
        yield "docs/promises.md has a promise without its test: run tests/test_promises.py"


def _run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
