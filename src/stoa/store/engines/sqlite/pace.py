"""The intervals and limits of the embedded engine's writer."""

from typing import NamedTuple

from stoa.domain import limits
from stoa.store.engines.sqlite.file import BUSY_MS, LOG_PAGES


class WriterPace(NamedTuple):
    """Idle, a writer looks every `check_s` whether another program has changed the file; for one
    that holds it a commit waits `busy_ms`. A log of `log_pages` is moved into the database. While
    the storage fails a commit is tried every `probe_ms`.

    A writer in a process is looked at every `look_ms`, and killed when it is stopped at two looks
    or takes longer than `group_ms` for a commit. It is replaced at once, and again after
    `pause_ms`, which is then doubled; for `wait_ms` what was not sent waits for that.
    """

    check_s: float = 1.0
    busy_ms: int = BUSY_MS
    log_pages: int = LOG_PAGES
    probe_ms: int = limits.WRITE_PROBE_MS
    look_ms: int = limits.WRITER_LOOK_MS
    group_ms: int = limits.WRITE_GROUP_MS
    pause_ms: int = limits.WRITER_PAUSE_MS
    wait_ms: int = limits.WRITER_WAIT_MS


WRITER_PACE = WriterPace()
"""The pace of a service."""
