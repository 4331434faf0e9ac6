"""Files that look like backups of a given age."""

from pathlib import Path

from stoa.store.transfer import backups


def make_backup(folder: Path, now: int) -> Path:
    """A file with the name and the beginning of a backup that was made at this time (ms)."""
    file = folder / backups.name(now)
    file.write_bytes(b"SQLite format 3\0 and so on")
    return file
