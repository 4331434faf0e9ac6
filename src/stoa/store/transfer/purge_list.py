"""The list of purges beside the backups in a folder, which a restore applies again."""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from stoa.store.purges import Purge

_FILE = "purge-list.jsonl"
_PRIVATE = 0o600

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def read(folder: Path) -> list[Purge]:
    """The purges that a folder lists, of two of the same the later one; lines that cannot be read
    are skipped."""
    try:
        lines = (folder / _FILE).read_bytes().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    found: dict[tuple[str, int], Purge] = {}
    for line in lines:
        with suppress(msgspec.MsgspecError, KeyError):
            members = _decode(line)
            one = msgspec.convert([members[name] for name in Purge._fields], Purge)
            before = found.get((one.id, one.whole), one)
            found[one.id, one.whole] = max(before, one, key=lambda purge: purge.created_at)
    return list(found.values())


def known(backup: Path, backup_dir: str) -> list[Purge]:
    """The purges that the lists beside a backup, and in the folder for backups, if it is set, name:
    a backup may have been copied out of it alone."""
    folders = {backup.parent, Path(backup_dir).resolve()} if backup_dir else {backup.parent}
    return [purge for folder in folders for purge in read(folder)]


def keep(folder: Path, known: Iterable[Purge]) -> None:
    """Add purges that are not listed yet, or with an earlier time, to the list of a folder, for the
    owner of the folder. Raises OSError."""
    listed = {(one.id, one.whole): one.created_at for one in read(folder)}
    new = [one for one in known if listed.get((one.id, one.whole), -1) < one.created_at]
    if not new:
        return
    owner, flags = folder.stat(), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    with os.fdopen(os.open(folder / _FILE, flags, _PRIVATE), "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # a backup and a purge may add at once
        with suppress(PermissionError):
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        size = file.seek(0, os.SEEK_END)
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            file.write(b"\n")  # the disk was full within a line
        file.writelines(msgspec.json.encode(one._asdict()) + b"\n" for one in new)
        file.flush()
        os.fsync(file.fileno())
