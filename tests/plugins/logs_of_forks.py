"""Lets the processes that a test forks log too: they close the file that pytest captures with."""

from collections.abc import Generator

import pytest

from stoa import logs
from tests.support.logs import restored

STDOUT = 1


def pytest_configure() -> None:
    """Log to the descriptor, which forks keep, and not to `sys.stderr`."""
    stdout = open(STDOUT, "w", buffering=1, closefd=False)  # noqa: SIM115 - for the whole run
    logs.log.write = logs.writer("text", stdout)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, bool | None, bool | None]:
    """A command that a test runs in this process configures the log for itself, not for others."""
    with restored():
        return (yield)
