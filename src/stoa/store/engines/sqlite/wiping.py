"""Removes erased texts from a SQLite file and its log: see `unused` for the bytes that remain."""

import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from itertools import chain, islice
from pathlib import Path

import apsw

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.unused import pages_of

_BUSY_MS = 200
"""How long to wait for readers at a time: writes wait meanwhile."""
_PAUSE_S = 0.05
_PAGES_AT_ONCE = 1_000
"""How many pages are overwritten at a time: writes wait a few milliseconds."""


def wipe(path: Path, wait_ms: int = limits.WIPE_WAIT_MS) -> bool:
    """Wipe a file that a server may have open; False when a reader kept a part of the log for so
    long."""
    with closing(connect(path, writer=True)) as connection:
        connection.set_busy_timeout(_BUSY_MS)
        deadline = elapsed_ms() + wait_ms
        with _alone(connection, path, deadline) as is_alone:
            pass  # the log is in the file now
        with pages_of(connection, path) as pages:
            found = chain.from_iterable(pages.to_overwrite())
            while is_alone and (some := [*islice(found, _PAGES_AT_ONCE)]):
                with _alone(connection, path, deadline) as is_alone:
                    pages.overwrite(some if is_alone else ())
            pages.sync()
        return is_alone


@contextmanager
def _alone(connection: apsw.Connection, path: Path, deadline: int) -> Generator[bool]:
    """A block in which no one writes and the log is empty, so that nothing is moved into the file
    either; False when readers kept a part of the log. It ends with a change, so that no connection
    goes on with pages that it has in memory."""
    while not (is_alone := _is_alone(connection, path)) and elapsed_ms() < deadline:
        time.sleep(_PAUSE_S)
    try:
        yield is_alone
        if is_alone:
            connection.pragma("user_version", connection.pragma("user_version"))
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


def _is_alone(connection: apsw.Connection, path: Path) -> bool:
    """Empty the log and lock out other writers, if that is possible now."""
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        connection.execute("BEGIN IMMEDIATE")
    except apsw.BusyError:
        return False
    is_empty = not path.with_name(f"{path.name}-wal").stat().st_size
    if not is_empty:
        connection.execute("ROLLBACK")
    return is_empty
