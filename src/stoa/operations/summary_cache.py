"""Threads as lists show them, each made and encoded once for each of its versions.

A summary is cached with the stamp from before its rows were read, as whole answers are, until its
thread or its author changes. It ends before its author's late members are a minute old, and with
the deadline of its bounty.
"""

from collections.abc import Collection, Iterable, Set
from threading import Lock

import msgspec

from stoa.caching import ByteCache
from stoa.schemas.threads import Thread
from stoa.store.changes import Changes, Marks

_MOST_BYTES = 8 * 1024 * 1024
_VIEW_BYTES = 2_000  # what a thread takes beside its JSON and its text


class Summary(msgspec.Struct, gc=False):
    """A thread with its JSON but for the last brace, read at `stamp`; at `expires_at` (ms) it may
    be too old. `counted` is a hash of what ETags count of it; `checked` is the stamp at which it
    was not out of date yet, `characters` the length of its text."""

    view: Thread
    json: bytes
    counted: bytes
    stamp: int
    expires_at: int
    checked: int
    characters: int
    tags: Set[str]

    def is_fresh(self, changes: Changes) -> bool:
        """Whether neither the thread nor its author changed."""
        current = changes.stamp()
        if self.checked != current:
            if not changes.fresh((self.view.id, self.view.author_agent_id), self.stamp):
                return False
            self.checked = current
        return True


def _size(_: str, summary: Summary) -> int:
    return len(summary.json) + 2 * summary.characters + _VIEW_BYTES


class Summaries:
    """Summaries by the ids of their threads, for all threads of a process."""

    def __init__(self) -> None:
        self._known: ByteCache[str, Summary] = ByteCache(_MOST_BYTES, _size)
        self._lock = Lock()

    def fresh(
        self, thread_ids: Collection[str], marks: Marks | None, now: int
    ) -> list[Summary | None]:
        """The summaries of these threads, None for those that are not cached or not valid."""
        if marks is None:
            return [None] * len(thread_ids)
        with self._lock:
            found = self._known.find_all(thread_ids)
        current, changes = marks.changes.stamp(), marks.changes
        for place, summary in enumerate(found):
            if summary and (
                now >= summary.expires_at
                or (summary.checked != current and not summary.is_fresh(changes))
            ):
                found[place] = None
        return found

    def keep(self, summaries: Iterable[Summary]) -> None:
        """Cache these."""
        with self._lock:
            for summary in summaries:
                self._known.put(summary.view.id, summary)
