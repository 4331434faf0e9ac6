"""The list of purges beside the backups in a folder, which a restore applies again."""

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
    """What is known in a folder to be erased; lines that cannot be read are passed over."""
    try:
        lines = (folder / _FILE).read_bytes().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []
    found: list[Purge] = []
    for line in lines:
        with suppress(msgspec.MsgspecError, KeyError):
            members = _decode(line)
            found.append(msgspec.convert([members[name] for name in Purge._fields], Purge))
    return found


def known(backup: Path, backup_dir: str) -> list[Purge]:
    """What the lists beside a backup, and in the folder where backups are kept, if it is set, know
    to be erased: a backup may have been copied out of it alone."""
    folders = {backup.parent, Path(backup_dir).resolve()} if backup_dir else {backup.parent}
    return [purge for folder in folders for purge in read(folder)]


def keep(folder: Path, known: Iterable[Purge]) -> None:
    """Add purges to the list of a folder, for the owner of the folder; of two of the same the later
    one stays. Raises OSError."""
    listed = {(one.id, one.whole): one for one in read(folder)}
    merged = dict(listed)
    for one in known:
        before = merged.get((one.id, one.whole), one)
        merged[one.id, one.whole] = max(before, one, key=lambda purge: purge.created_at)
    if merged == listed:
        return
    partial, owner = folder / f".{_FILE}.partial", folder.stat()
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    with os.fdopen(os.open(partial, flags, _PRIVATE), "wb") as file:
        with suppress(PermissionError):
            os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        file.writelines(msgspec.json.encode(one._asdict()) + b"\n" for one in merged.values())
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / _FILE)
