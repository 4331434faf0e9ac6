"""A connection that reads an SQLite file, one snapshot at a time, each with a time limit."""

import sys
from pathlib import Path

from stoa.clock import Clock, elapsed_ms
from stoa.domain import limits
from stoa.store.changes import Changes, ChangesSeen
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.tx import BriefTx, SqliteTx, drive
from stoa.store.tx import T, Work

_CACHE_MB = 2
"""Per connection. Other pages come from the memory of the system: reads of threads took as long
with 16 MB, and searches in a file of a gigabyte with 64."""
_STEPS = 20_000
"""A fifth of a millisecond."""
_NEVER = sys.maxsize


class Reader:
    """One connection, for one read at a time of at most `most_ms`; the time is checked every so
    many `steps` of SQLite."""

    def __init__(
        self, path: Path, clock: Clock, changes: Changes, most_ms: int, steps: int = _STEPS
    ) -> None:
        self._clock = clock
        self._changes = changes
        self._most_ms = most_ms
        self._ends_at = 0
        self._connection = connect(path, writer=False, cache_mb=_CACHE_MB)
        self._connection.set_progress_handler(self._takes_too_long, steps)
        self._cursor = self._connection.cursor()

    def snapshot(self, work: Work[T], *, brief: bool = False) -> T:
        """Run `work` in a transaction. Raises `apsw.InterruptError` when that takes too long; if
        `brief`, that is longer than `limits.BRIEF_READ_MS`, and `TakesLonger` before it does."""
        self._ends_at = elapsed_ms() + (limits.BRIEF_READ_MS if brief else self._most_ms)
        transaction = BriefTx if brief else SqliteTx
        self._cursor.execute("BEGIN")
        try:
            seen = ChangesSeen(self._changes, self._changes.data_version())
            return drive(work(transaction(self._cursor, self._clock(), seen)))
        finally:
            # Else the end may take too long too, and no other read could begin.
            self._ends_at = _NEVER
            if self._connection.in_transaction:
                self._cursor.execute("COMMIT")

    def close(self) -> None:
        """Close the connection, which must not be reading."""
        self._connection.close()

    def _takes_too_long(self) -> bool:
        return elapsed_ms() > self._ends_at
