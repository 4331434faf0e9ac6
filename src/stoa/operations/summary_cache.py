"""Threads as lists show them, each made and encoded once for each of its versions.

A summary is cached with the stamp from before its rows were read, as whole answers are, until its
thread or its author changes. It ends before its author's late members are a minute old, and with
the deadline of its bounty.
"""

from collections.abc import Iterable
from threading import Lock

import msgspec

from stoa.caching import ByteCache
from stoa.schemas.threads import Thread
from stoa.store.changes import Marks

_MOST_BYTES = 16 * 1024 * 1024
_VIEW_BYTES = 2_000  # what a thread takes beside its JSON and its text


class Summary(msgspec.Struct, frozen=True, gc=False):
    """A thread with its JSON but for the last brace, read at `stamp`; at `expires_at` (ms) it may
    be too old. `counted` is a hash of what ETags count of it."""

    view: Thread
    json: bytes
    counted: bytes
    stamp: int
    expires_at: int


def _size(_: str, summary: Summary) -> int:
    return len(summary.json) + 2 * len(summary.view.body.body) + _VIEW_BYTES


class Summaries:
    """Summaries by the ids of their threads, for all threads of a process."""

    def __init__(self) -> None:
        self._known: ByteCache[str, Summary] = ByteCache(_MOST_BYTES, _size)
        self._lock = Lock()

    def fresh(self, thread_ids: Iterable[str], marks: Marks | None, now: int) -> dict[str, Summary]:
        """Those of these summaries that are cached and still valid."""
        if marks is None:
            return {}
        with self._lock:
            found = {thread_id: self._known.find(thread_id) for thread_id in thread_ids}
        return {
            thread_id: summary
            for thread_id, summary in found.items()
            if summary
            and now < summary.expires_at
            and marks.changes.fresh((thread_id, summary.view.author_agent_id), summary.stamp)
        }

    def keep(self, summaries: Iterable[Summary]) -> None:
        """Cache these."""
        with self._lock:
            for summary in summaries:
                self._known.put(summary.view.id, summary)
