"""Takes out of a SQLite file and its log what was erased.

The writer overwrites what it deletes (`secure_delete`). A small file is written anew as well: one
that was written without that setting has deleted texts in free pages, and a page that was split
may have a copy of a few words in its unused part. Of a large file the free pages are overwritten.
"""

import time
from contextlib import closing
from pathlib import Path

import apsw

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.store.engines.sqlite.file import connect

_BUSY_MS = 200
"""Writes wait while it is waited for readers, so not for long at a time."""
_PAUSE_S = 0.05
_PAGE_LINK_BYTES = 4
_BLOB_PAGES = 100_000


def wipe(path: Path) -> bool:
    """Wipe a file that a server may have open; False when a reader kept something in the log."""
    with closing(connect(path, writer=True)) as connection:
        size = connection.pragma("page_size") * connection.pragma("page_count")
        if size <= limits.REWRITTEN_BYTES:
            connection.execute("PRAGMA temp_store = FILE")
            connection.execute("VACUUM")
        else:
            _overwrite_free_pages(connection)
        connection.set_busy_timeout(_BUSY_MS)
        return _log_emptied(connection)


def _overwrite_free_pages(connection: apsw.Connection) -> None:
    """Fill all free pages with zeros, and free them again, which overwrites them once more."""
    usable = connection.pragma("page_size") - _PAGE_LINK_BYTES
    with connection:
        free = connection.pragma("freelist_count")
        connection.execute("CREATE TABLE free_pages (filling BLOB)")
        for first in range(0, free, _BLOB_PAGES):
            pages = min(_BLOB_PAGES, free - first)
            connection.execute("INSERT INTO free_pages VALUES (zeroblob(?))", (pages * usable,))
        connection.execute("DROP TABLE free_pages")


def _log_emptied(connection: apsw.Connection) -> bool:
    """Move the log into the file and leave it empty, as soon as no reader needs it."""
    deadline = elapsed_ms() + limits.WIPE_WAIT_MS
    while elapsed_ms() < deadline:
        try:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.BusyError:
            time.sleep(_PAUSE_S)
        else:
            return True
    return False
