"""New files of the embedded engine, without the tenth of a second that all migrations take."""

import tempfile
from functools import cache
from pathlib import Path

from stoa.store.engines.sqlite import store as sqlite

_FOLDER, _FILE = 0o700, 0o600


def migrated(path: Path) -> None:
    """Make a file with this program's schema and nothing else in it, unless one is there."""
    path.parent.mkdir(_FOLDER, parents=True, exist_ok=True)
    if not path.exists():
        path.touch(_FILE)
        path.write_bytes(_content())


@cache
def _content() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stoa.db"
        sqlite.migrate(path)
        return path.read_bytes()
