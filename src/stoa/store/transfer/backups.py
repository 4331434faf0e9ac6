"""The backups in a folder: their names, their checksums, and how old the newest one is."""

import hashlib
import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from stoa.clock import SystemClock
from stoa.domain import limits
from stoa.store.tx import StartRefused

_FAILURE = ".failed"
_UNSAID = "there was no room to write why: is the disk of the backups full?"
_TIME = "%Y%m%dT%H%M%S"
_NAME = re.compile(r"stoa-(\d{8}T\d{6})(\d{3})?Z\.(db|dump)")
_BEGINNING = {"db": b"SQLite format 3\0", "dump": b"PGDMP"}
"""The first bytes of a backup by `stoa backup`, and of one by pg_dump."""


class BackupRuns(StartRefused):
    """Another backup to the same folder is running; that one reports how it ends."""


def name(now: int, ending: str = "db") -> str:
    """The name of a backup that is made now (ms), with the ending of its engine."""
    return f"stoa-{stamp(now)}.{ending}"


def stamp(now: int) -> str:
    """A time (ms) in the form of file names."""
    return f"{datetime.fromtimestamp(now // 1000, UTC).strftime(_TIME)}{now % 1000:03}Z"


def made_at(name: str) -> int | None:
    """When a backup was made, ms since 1970, by its name; None for other names."""
    found = _NAME.fullmatch(name)
    if found is None:
        return None
    try:
        moment = datetime.strptime(found[1], _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp() * 1000) + int(found[2] or 0)


def checksum_file(backup: Path) -> Path:
    """The path of a backup's checksum, in the form that `sha256sum` writes."""
    return backup.with_name(f"{backup.name}.sha256")


def checksum_line(content: Path, name: str) -> str:
    """The checksum of this content under the future name of its file."""
    with content.open("rb") as file:
        return f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n"


def has_changed(backup: Path) -> bool:
    """True if a backup does not match its checksum; False without one."""
    try:
        known = checksum_file(backup).read_bytes().split()[:1]
    except FileNotFoundError:
        return False
    return known != checksum_line(backup, backup.name).encode().split()[:1]


def newest(folder: str, now: int) -> int | None:
    """When the newest backup in a folder was made, ms since 1970; None without any, or without a
    folder. A file that does not begin like a backup does not count, nor does one dated in the
    future by a wrong clock: it would hide that no more are made."""
    if not folder:
        return None
    try:
        named = {file: made_at(file.name) for file in Path(folder).iterdir()}
    except OSError:
        return None
    latest = now + limits.CLOCK_STEP_MS
    made = ((at, file) for file, at in named.items() if at is not None and at <= latest)
    return next((at for at, file in sorted(made, reverse=True) if begins_well(file)), None)


def newest_age_ms(folder: str) -> int | None:
    """The age of the newest backup, by the machine's clock, which named it; None without any."""
    now = SystemClock()()
    made = newest(folder, now)
    return None if made is None else now - made


def note_failure(folder: Path, line: str) -> None:
    """Write beside the backups why none could be made, for the servers that look there."""
    with suppress(OSError):  # the folder may be what is wrong
        (folder / _FAILURE).write_text(line, encoding="utf-8")


def forget_failure(folder: Path) -> None:
    """Remove that note: a backup was made."""
    with suppress(OSError):
        (folder / _FAILURE).unlink(missing_ok=True)


def failure(folder: str) -> str | None:
    """Why the last backup failed; None if it succeeded. A full disk leaves the file empty, or a
    part of the line."""
    try:
        said = (Path(folder) / _FAILURE).read_text("utf-8", "replace") if folder else None
    except OSError:
        return None
    return _UNSAID if said == "" else said


def begins_well(file: Path, kind: str = "") -> bool:
    """Whether a file begins as backups do whose names end in this kind, `db` or `dump`, or as its
    own name requires."""
    beginning = _BEGINNING[kind or file.suffix[1:]]
    try:
        with file.open("rb") as opened:
            return opened.read(len(beginning)) == beginning
    except OSError:
        return False
