"""Runs tests in a copy of the project, so that the tree of the developer is never changed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from tools.mutants import recording
from tools.mutants.change import Mutant
from tools.mutants.covering import Covering

Verdict = Literal["killed", "survived", "unfinished"]

_LEFT_OUT = (".git", ".venv", "node_modules", "__pycache__", "stoa-data", ".*_cache")
_SHARED = (".venv", "tests/mcp/node/node_modules")
_PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
_STOP_SECONDS = 30
_FIRST = 40  # are found in a few files, and kill most mutants
_PASSED, _NONE_CHOSEN = 0, 5


class Copy:
    """A copy of the project under `root`, where a test that takes longer than `test_seconds` has
    met an endless loop."""

    def __init__(self, root: Path, test_seconds: int) -> None:
        self.root, self._test_seconds = root, test_seconds
        self._environment = {**os.environ, "PYTHONPATH": str(root / "src")}

    @classmethod
    @contextmanager
    def of(cls, project: Path, test_seconds: int) -> Generator["Copy"]:
        """A copy for a while, with the environment that the project has."""
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            root = Path(folder) / "project"
            shutil.copytree(project, root, ignore=shutil.ignore_patterns(*_LEFT_OUT), symlinks=True)
            for shared in _SHARED:
                if (project / shared).exists():
                    (root / shared).symlink_to(project / shared)
            yield cls(root, test_seconds)

    def record(self, areas: Iterable[str], declared: Sequence[str]) -> Covering:
        """Run all tests once and note which lines of these folders each of them runs. `declared`
        are files of tests for what runs when modules are loaded."""
        folder = self.root.parent / "recorded"
        folder.mkdir()
        noted = ":".join(str(self.root / area) for area in areas)
        self._environment |= {recording.FOLDER: str(folder), recording.AREAS: noted}
        workers = ["-n", str(os.cpu_count() or 1), "--dist", "worksteal"]
        self._pytest(["-p", recording.__name__, *workers], None)
        return Covering.read(self.root, folder, declared)

    def judge(self, mutant: Mutant, tests: Sequence[str], seconds: float) -> Verdict:
        """Whether one of these tests fails with the mutant, which ends them, or all pass.

        A test that never ends fails too, by the time limit of each test. `seconds` are for each of
        three parts of the tests.
        """
        file = self.root / mutant.path
        source = file.read_bytes()
        self._write(file, mutant.of(source))
        try:
            for some in filter(None, _parts(tests)):
                chosen = self.root.parent / "tests.txt"
                chosen.write_text("\n".join(some), encoding="utf-8")
                # As a setting: what ends a process whose test goes on for twice as long reads it.
                timeout = f"timeout={self._test_seconds}"
                code = self._pytest(["-x", "-n", "0", "-o", timeout, f"@{chosen}"], seconds)
                if code is None:
                    return "unfinished"
                if code not in {_PASSED, _NONE_CHOSEN}:
                    return "killed"
        finally:
            self._write(file, source)
        return "survived"

    def _write(self, file: Path, source: bytes) -> None:
        # Python takes a compiled file for new whose source has the same size and second.
        shutil.rmtree(file.parent / "__pycache__", ignore_errors=True)
        file.write_bytes(source)

    def _pytest(self, arguments: Sequence[str], seconds: float | None) -> int | None:
        """The exit code of pytest, None when it took too long. The servers it started end too."""
        running = subprocess.Popen(
            [*_PYTEST, *arguments],
            cwd=self.root,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return running.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(running)


def _parts(tests: Sequence[str]) -> list[Sequence[str]]:
    """What runs one after the other: a few tests first, and last those that start PostgreSQL."""
    quick = [test for test in tests if "postgres" not in test]
    return [quick[:_FIRST], quick[_FIRST:], [test for test in tests if "postgres" in test]]


def _end(running: subprocess.Popen[bytes]) -> None:
    """End a run, if it goes on: it first has time to stop the databases that it started."""
    if running.poll() is None:
        running.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            running.wait(_STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    running.wait()
