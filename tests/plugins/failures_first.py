"""Shows a failure when it happens: a run that is ended before its summary has told it."""

import pytest


class Shown:
    """Writes each failure to the terminal."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write the name of a test that failed, and why in one line."""
        if report.failed:
            why = report.longreprtext.strip().rpartition("\n")[2]
            self._terminal.ensure_newline()
            self._terminal.write_line(f"FAILED {report.nodeid} ({report.when}) {why}", red=True)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Only the process that has the terminal shows failures."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Shown(terminal))
