"""A plugin for pytest that records which lines and which SQL statements each test runs.

Each process that runs tests writes two files into the folder that `RECORDED_IN` names: one of
coverage, whose contexts are the tests, and the seconds and statements of each test as JSON. What a
fixture of many tests runs counts for the first of them; what functions have cached is dropped
before each test. What other processes run is not seen.
"""

import functools
import os
import sys
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import coverage
import msgspec
import pytest

from stoa.store import statements
from stoa.store.engines.postgres import tx as postgres

FOLDER = "RECORDED_IN"
AREAS = "RECORDED_AREAS"
"""Folders whose lines are recorded, with a colon between. Neither name begins with `STOA_`: Stoa
refuses settings that it does not know."""


class RecordedTest(msgspec.Struct):
    """How long a test took, in seconds, and the statements that it ran, as `file.name`."""

    seconds: float = 0.0
    statements: set[str] = msgspec.field(default_factory=set[str])


Statement = TypeVar("Statement")


class _Statements(dict[str, Statement]):
    """Statements by name that tell which of them are asked for."""

    def __init__(self, known: Mapping[str, Statement], asked: "Recorder") -> None:
        super().__init__(known)
        self._asked = asked

    def __getitem__(self, name: str) -> Statement:
        self._asked.now.statements.add(name)
        return super().__getitem__(name)


class Recorder:
    """Records the tests of one process. Tests that failed are left out."""

    def __init__(self, folder: Path, worker: str, areas: list[str]) -> None:
        self._file = folder / f"{worker}.json"
        self._areas = tuple(f"{area}/" for area in areas)
        self._tests: dict[str, RecordedTest] = {}
        self._failed: set[str] = set()
        self.now = RecordedTest()
        self._coverage = coverage.Coverage(
            folder / f"{worker}.coverage",
            include=[f"{area}*" for area in self._areas],
            config_file=False,
        )
        self._note_statements()
        self._coverage.start()

    def _note_statements(self) -> None:
        loaded, numbered = statements.load, postgres.numbered

        def load(dialect: str) -> dict[str, str]:
            return _Statements(loaded(dialect), self)

        statements.load = functools.cache(load)
        postgres.numbered = functools.cache(lambda: _Statements(numbered(), self))

    @functools.cached_property
    def _cached(self) -> list[Any]:
        """The functions of the recorded folders that cache their results."""
        modules = [
            module
            for module in sys.modules.values()
            if str(getattr(module, "__file__", "")).startswith(self._areas)
        ]
        values = (value for module in modules for value in vars(module).values())
        return [one for one in values if callable(getattr(one, "cache_clear", None))]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """What runs from now on is of this test."""
        for cached in self._cached:
            cached.cache_clear()
        self.now = self._tests.setdefault(item.nodeid, RecordedTest())
        self._coverage.switch_context(item.nodeid)
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the time of all parts of a test."""
        self._tests[report.nodeid].seconds += report.duration
        if not report.passed:
            self._failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded."""
        self._coverage.stop()
        self._coverage.save()
        passed = {test: it for test, it in self._tests.items() if test not in self._failed}
        self._file.write_bytes(msgspec.json.encode(passed))


def pytest_configure(config: pytest.Config) -> None:
    """Record in each process that runs tests."""
    worker: str = getattr(config, "workerinput", {}).get("workerid", "")
    if worker:
        areas = os.environ[AREAS].split(":")
        config.pluginmanager.register(Recorder(Path(os.environ[FOLDER]), worker, areas))
