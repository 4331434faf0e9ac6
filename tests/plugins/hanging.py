"""Aborts the process of a test that goes on for twice its timeout, and shows what its threads did.

The timeout raises an exception once, which can get lost in a task of an event loop, or never come
up in code in C. Then the whole run would wait for ever, without the name of the test.
"""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).parents[1] / "programs/end_when_late.py"


class Watch:
    """Tells a second process how long each test of this one may take."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-S", str(_PROGRAM), str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )

    def _say(self, seconds: float) -> None:
        assert self._process.stdin
        os.write(self._process.stdin.fileno(), b"%f\n" % seconds)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Watch one test with its fixtures. pytest shows the stacks of an aborted process."""
        marker = item.get_closest_marker("timeout")
        timeout = marker.args[0] if marker else float(item.config.getini("timeout") or 0)
        self._say(2 * timeout)
        try:
            return (yield)
        finally:
            self._say(0)

    def pytest_unconfigure(self) -> None:
        """End the second process."""
        self._process.communicate()


def pytest_configure(config: pytest.Config) -> None:
    """Watch each process that runs tests."""
    runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if runs_tests and not config.option.collectonly:
        config.pluginmanager.register(Watch())
