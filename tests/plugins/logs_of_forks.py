"""Lets the processes that a test forks log too: they close the file that pytest captures with."""

from stoa import logs

STDOUT = 1


def pytest_configure() -> None:
    """Log to the descriptor, which forks keep, and not to `sys.stderr`."""
    stdout = open(STDOUT, "w", buffering=1, closefd=False)  # noqa: SIM115 - for the whole run
    logs.log.write = logs.writer("text", stdout)
