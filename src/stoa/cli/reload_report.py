"""Which changed settings a reload took: the supervisor writes it, `stoa reload` reads it.

It is in a file in memory without a name. `/proc` lets only the supervisor's own user and root open
it. Other systems than Linux have neither: there only the log tells.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from stoa.settings import NEEDS_START, Settings

_NAME = "stoa-reload"
_LINK = f"/memfd:{_NAME} (deleted)"


class ReloadReport(msgspec.Struct, frozen=True):
    """The names of the changed settings, those that the server takes and those that need a restart;
    or, as `problem`, why the server would not start with the current configuration, for which it
    takes nothing. `number` counts the reloads, `pending` says that one is under way."""

    taken: list[str] = []
    not_taken: list[str] = []
    problem: str | None = None
    number: int = 0
    pending: bool = False


def compare(running: Settings, configured: Settings) -> ReloadReport:
    """The settings that differ."""
    names = Settings.__struct_fields__
    changed = [name for name in names if getattr(running, name) != getattr(configured, name)]
    return ReloadReport(
        taken=[name for name in changed if name not in NEEDS_START],
        not_taken=[name for name in changed if name in NEEDS_START],
    )


class ReportFile:
    """This process's file, where `left_by` reads the report of the last reload."""

    def __init__(self) -> None:
        self._file: int | None = os.memfd_create(_NAME) if sys.platform == "linux" else None
        self._leave(ReloadReport())

    @property
    def pending(self) -> bool:
        """Whether a reload is under way."""
        return self._report.pending

    def follow(self, report: ReloadReport, *, pending: bool) -> None:
        """Write the report of the next reload, which may be `pending`. It includes the settings of
        one that is still under way."""
        before = self._report.taken if self.pending else []
        following = msgspec.structs.replace(
            report,
            taken=list(dict.fromkeys([*before, *report.taken])),
            number=self._report.number + 1,
            pending=pending or self.pending,
        )
        self._leave(following)

    def end(self) -> None:
        """Note that no reload is under way any more."""
        self._leave(msgspec.structs.replace(self._report, pending=False))

    def close(self) -> None:
        """Close the file in a fork of the process."""
        if self._file is not None:
            os.close(self._file)

    def _leave(self, report: ReloadReport) -> None:
        self._report = report
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, msgspec.json.encode(report), 0)


def left_by(process: int) -> ReloadReport | None:
    """The result of a supervisor's last reload; None if it cannot be read."""
    with suppress(OSError, msgspec.DecodeError):
        for file in Path(f"/proc/{process}/fd").iterdir():
            if str(file.readlink()) == _LINK:
                return msgspec.json.decode(file.read_bytes(), type=ReloadReport)
    return None
