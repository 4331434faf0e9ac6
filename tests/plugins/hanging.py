"""Aborts the process of a test that goes on for twice its timeout, and shows what its threads did.

The timeout raises an exception once, which can get lost in a task of an event loop, or never come
up in code in C. Then the whole run would wait for ever, without the name of the test.
"""

import mmap
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest

_PROGRAM = Path(__file__).parents[1] / "programs/end_when_late.py"


class Watch:
    """Tells a second process until when each test of this one may go on, in memory that both share:
    to write to a pipe takes as long as many tests."""

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as file:
            file.truncate(8)
            self._until = memoryview(mmap.mmap(file.fileno(), 8)).cast("d")
            self._process = subprocess.Popen(
                [sys.executable, "-S", str(_PROGRAM), str(os.getpid()), str(file.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[file.fileno()],
            )

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Watch one test with its fixtures. pytest shows the stacks of an aborted process."""
        marker = item.get_closest_marker("timeout")
        timeout = marker.args[0] if marker else float(item.config.getini("timeout") or 0)
        self._until[0] = time.monotonic() + 2 * timeout if timeout else 0
        try:
            return (yield)
        finally:
            self._until[0] = 0

    def pytest_unconfigure(self) -> None:
        """End the second process."""
        self._process.communicate()


def pytest_configure(config: pytest.Config) -> None:
    """Watch each process that runs tests."""
    runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if runs_tests and not config.option.collectonly:
        config.pluginmanager.register(Watch())
