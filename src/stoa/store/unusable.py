"""Advice for an operator when a file or a folder cannot be used."""

import errno
import os
from pathlib import Path

_REMEDIES = {
    errno.EACCES: "run this as the user of the service",
    errno.EPERM: "run this as its owner",
    errno.EROFS: "make that disk writable",
    errno.ENOSPC: "make room on that disk",
    errno.EDQUOT: "make room on that disk",
}


def is_known(error: OSError) -> bool:
    """Whether an operator can do something about it."""
    return error.errno in _REMEDIES


def why(error: OSError) -> str:
    """What is wrong, and what to do about it if that is known."""
    reason = error.strerror or str(error)
    return f"{reason}; {_REMEDIES[error.errno]}" if error.errno in _REMEDIES else reason


def beside(path: Path) -> str | None:
    """Why this user cannot make files beside this one, and what to do about it; None if that is
    possible. SQLite needs such files to read a database too, and does not say so."""
    hindrance = _hindrance(path.parent)
    if not hindrance:
        return None
    return why(OSError(hindrance, f"files beside it cannot be made: {os.strerror(hindrance)}"))


def _hindrance(folder: Path) -> int | None:
    """Why this user cannot make files in a folder, as an error number."""
    try:
        disk = os.statvfs(folder)
    except OSError as error:
        return error.errno
    if disk.f_flag & os.ST_RDONLY:
        return errno.EROFS
    if not os.access(folder, os.W_OK | os.X_OK):
        return errno.EACCES
    return None if disk.f_bavail else errno.ENOSPC
