"""The settings that a server runs with, and which of them a reload changes."""

from collections.abc import Callable

from msgspec.structs import replace

from stoa.cli import reload_report
from stoa.logs import configure_logs
from stoa.settings import Settings, SettingsError
from stoa.settings_checks import check


class RunningSettings:
    """`settings` are the settings that workers start with, with the port that was taken. `read`
    gives the configured ones."""

    def __init__(self, given: Settings, read: Callable[[], Settings]) -> None:
        self.settings = self._given = given
        self._read = read

    def reload(self) -> reload_report.ReloadReport:
        """Take the settings that can change while the server runs, or none if there is a
        mistake."""
        try:
            configured = self._read()
            report = reload_report.compare(self._given, configured)
            new = {name: getattr(configured, name) for name in report.taken}
            settings = replace(self.settings, **new)
            check(settings)
        except SettingsError as error:
            return reload_report.ReloadReport(problem=str(error))
        self.settings = settings
        self._given = replace(self._given, **new)
        configure_logs(settings.log_level, settings.log_format)
        return report
