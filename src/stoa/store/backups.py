"""How old the backups in a folder are, whatever made them."""

from pathlib import Path


def newest(folder: str) -> int | None:
    """When the newest file of a folder was written, ms since 1970; None without any, or without a
    folder. Names that begin with a dot are those of unfinished backups."""
    if not folder:
        return None
    try:
        times = [
            file.stat().st_mtime_ns // 1_000_000
            for file in Path(folder).iterdir()
            if not file.name.startswith(".")
        ]
    except OSError:
        return None
    return max(times, default=None)
