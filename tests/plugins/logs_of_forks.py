"""Lets the processes that a test forks log too: they close the file that pytest captures with."""

import structlog

STDOUT = 1


def pytest_configure() -> None:
    """Log to the descriptor, which forks keep, and not to `sys.stdout`."""
    stdout = open(STDOUT, "w", buffering=1, closefd=False)  # noqa: SIM115 - for the whole run
    structlog.configure(logger_factory=structlog.WriteLoggerFactory(stdout))
