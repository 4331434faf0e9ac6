"""The settings that a server runs on, and what a reload changes of them."""

from collections.abc import Callable

from msgspec.structs import replace

from stoa.cli import reload_report
from stoa.logs import configure_logs
from stoa.settings import Settings, SettingsError
from stoa.settings_checks import check


class RunningSettings:
    """`settings` are what workers start with: those that were given, with the port that was taken.
    `read` gives those that are configured now."""

    def __init__(self, given: Settings, read: Callable[[], Settings]) -> None:
        self.settings = self._given = given
        self._read = read

    def reload(self) -> reload_report.ReloadReport:
        """Take what can be changed while the server runs, or nothing where there is a mistake."""
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
