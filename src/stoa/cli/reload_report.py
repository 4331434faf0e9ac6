"""What a reload did not take: the supervisor finds it and leaves it for `stoa reload`.

It stands in a file in memory that no folder names. `/proc` lets the supervisor's own user and root
open it, and nobody else. Other systems than Linux have neither: there the log alone tells.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from stoa.settings import Settings

_NAME = "stoa-reload"
_LINK = f"/memfd:{_NAME} (deleted)"


class ReloadReport(msgspec.Struct, frozen=True):
    """The names of settings that differ from those that the server runs on, or, as `problem`, why
    the server would not start with what is configured now."""

    not_taken: list[str] = []
    problem: str | None = None


def compare(running: Settings, configured: Settings) -> list[str]:
    """The names of the settings in which these differ."""
    names = Settings.__struct_fields__
    return [name for name in names if getattr(running, name) != getattr(configured, name)]


def make_file() -> int | None:
    """The descriptor of this process's file for reports; None where there is no such."""
    return os.memfd_create(_NAME) if sys.platform == "linux" else None


def leave(file: int | None, report: ReloadReport) -> None:
    """Let `report` be what `left_by` reads."""
    if file is not None:
        os.ftruncate(file, 0)
        os.pwrite(file, msgspec.json.encode(report), 0)


def left_by(process: int) -> ReloadReport | None:
    """What the last reload of a supervisor did not take; None where it cannot be read."""
    with suppress(OSError, msgspec.DecodeError):
        for file in Path(f"/proc/{process}/fd").iterdir():
            if str(file.readlink()) == _LINK:
                return msgspec.json.decode(file.read_bytes(), type=ReloadReport)
    return None
