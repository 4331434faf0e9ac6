"""Which changed settings a reload took: the supervisor writes it, `stoa reload` reads it.

It stands in a file in memory that no folder names. `/proc` lets the supervisor's own user and root
open it, and nobody else. Other systems than Linux have neither: there the log alone tells.
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
    """The names of the settings that were changed since, those that the server takes and those that
    need a start; or, as `problem`, why the server would not start with what is configured now, for
    which it takes nothing. `number` counts the reloads, `pending` says that one is under way."""

    taken: list[str] = []
    not_taken: list[str] = []
    problem: str | None = None
    number: int = 0
    pending: bool = False


def compare(running: Settings, configured: Settings) -> ReloadReport:
    """The settings in which these differ."""
    names = Settings.__struct_fields__
    changed = [name for name in names if getattr(running, name) != getattr(configured, name)]
    return ReloadReport(
        taken=[name for name in changed if name not in NEEDS_START],
        not_taken=[name for name in changed if name in NEEDS_START],
    )


def make_file() -> int | None:
    """The descriptor of this process's file for reports; None where there is no such."""
    return os.memfd_create(_NAME) if sys.platform == "linux" else None


def leave(file: int | None, report: ReloadReport) -> None:
    """Let `report` be what `left_by` reads."""
    if file is not None:
        os.ftruncate(file, 0)
        os.pwrite(file, msgspec.json.encode(report), 0)


def left_by(process: int) -> ReloadReport | None:
    """What the last reload of a supervisor took and did not; None where it cannot be read."""
    with suppress(OSError, msgspec.DecodeError):
        for file in Path(f"/proc/{process}/fd").iterdir():
            if str(file.readlink()) == _LINK:
                return msgspec.json.decode(file.read_bytes(), type=ReloadReport)
    return None
