"""Moves the write-ahead log into the database, while others write.

To move a whole log takes up to some seconds where its pages lie far apart in a large file. The
writer does that between two groups, so most of a log near its limit is moved outside the writer,
which finds little left to do.
"""

from contextlib import suppress
from pathlib import Path
from threading import Lock

import apsw

from stoa.store.engines.sqlite.file import FileReplaced, ServedFile, connect


class LogMover:
    """Moves the log of the file at `path`, which its writer empties when it has `most_pages`."""

    def __init__(self, path: Path, most_pages: int, served: ServedFile) -> None:
        self._served = served
        self._path, self._least_pages = path, most_pages * 3 // 4
        self._connection: apsw.Connection | None = None  # opening one reads the whole schema
        self._lock, self._closed = Lock(), False

    def move(self) -> None:
        """Move the rest of the log, if it is long enough and this is not closed."""
        # After an error nothing is lost: the writer tries it again.
        with self._lock, suppress(apsw.Error, FileReplaced):
            if self._closed:
                return
            self._served.check()
            connection = self._connection or connect(self._path, writer=True, cache_mb=1)
            self._connection = connection
            pages, moved = log_pages(connection)
            if pages >= self._least_pages and pages > moved:
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def close(self) -> None:
        """Close the connection, once nothing is being moved."""
        with self._lock:
            self._closed = True
            if self._connection:
                self._connection.close()


def log_pages(connection: apsw.Connection) -> tuple[int, int]:
    """How many pages the log has, and how many of them were moved into the database."""
    _, pages, moved = connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchall()[0]
    return pages, moved
