"""Sends the process that shows results one report of a test that passed, not three.

The other two say that its fixtures were made and ended; each report that goes from one process to
another takes as long as a small test.
"""

import pytest
from _pytest.runner import runtestprotocol


class Sender:
    """Runs the tests of a worker of pytest-xdist."""

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Do as pytest does, but for what is reported."""
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            if report.when == "call" or not report.passed:
                item.ihook.pytest_runtest_logreport(report=report)
        return True


def pytest_configure(config: pytest.Config) -> None:
    """With `--durations` all are wanted."""
    if hasattr(config, "workerinput") and not config.option.durations:
        config.pluginmanager.register(Sender())
