"""Files that are replaced as a whole, so that readers never see a partial one."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

_POSIX = os.name == "posix"
_OTHERS = 0o077


def is_open_to_others(path: Path) -> bool:
    """Whether other users may read or change a file. Raises OSError."""
    return _POSIX and bool(path.stat().st_mode & _OTHERS)


def replace_file(path: Path, lines: Iterable[bytes], mode: int = 0o600) -> None:
    """Put a new file, which a power cut does not undo, in the place of the one at `path`; unless
    told otherwise only its owner can read it. Raises OSError, with nothing of it left."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if _POSIX:
        _sync(path.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
