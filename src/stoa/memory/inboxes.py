"""Which inboxes are known to be empty, so that a poll without news reads none.

A process reads each new event once. An agent whose inbox may have the event is no longer known to
have an empty one; an offer does this to every agent that it fits.
"""

from collections.abc import Iterable, Sequence
from sys import getsizeof
from threading import Lock
from typing import NamedTuple

import msgspec

from stoa.caching import ByteCache, CachedKind
from stoa.domain.events import TELLS
from stoa.store import events, watches
from stoa.store.dependencies import LOG
from stoa.store.events import EventLogState, EventRow
from stoa.store.tx import Store, Tx

MOST_ROWS = 500
_MOST_WORDS = 20_000
_MOST_ANSWERS = 64


class EmptyAnswer(NamedTuple):
    """The answer to a poll of any agent whose inbox is empty up to a `place` of the log."""

    place: int
    body: bytes
    etag: str
    next_cursor: None = None


class _Empty(msgspec.Struct, frozen=True, gc=False):
    """An inbox that is empty up to a `place` of the log. The profile of its agent has this version,
    and offers fit it by these words."""

    place: int
    version: int
    words: str


class _New(NamedTuple):
    """The new part of the log; `rows` is None where there is too much."""

    log: EventLogState
    rows: Sequence[EventRow] | None
    told: Iterable[str]
    words: Iterable[str]


class EmptyInboxes:
    """The empty inboxes that one process knows. After more than `most_rows` new events all are
    forgotten: agents read their inboxes again."""

    def __init__(self, cache: ByteCache, most_rows: int) -> None:
        self._most_rows = most_rows
        self._log = EventLogState(0, 0, 0)
        self._lock = Lock()
        """Reads note what they found in threads of their own."""
        self._data_version = -1
        self._empty = CachedKind[str, _Empty](cache, _size)
        self._known_from = 0
        """An inbox that was read at an earlier place may have got something since."""
        self._offered: dict[str, int] = {}
        """The place of the newest event about an offer that is found by a word. None is evicted
        alone: its offer would be missing in inboxes that are known to be empty."""
        self._answers: dict[str, EmptyAnswer] = {}
        """These are of use only up to the next event, so the oldest ones need not go first."""

    async def follow(self, store: Store) -> EventLogState:
        """Read the new part of the log, and return where it ends. Where other processes write too,
        only the log itself says whether there are new events."""
        changes = store.changes
        if changes is None or not changes.fresh((LOG,), self._data_version):
            version = changes.data_version() if changes else -1
            new = await store.read(self._new, single=True)
            with self._lock:
                self._look_through(new)
            self._data_version = version
        return self._log

    def is_empty(self, agent_id: str, version: int) -> bool:
        """Whether the inbox of an agent with this profile version is empty, up to where the log was
        read."""
        known = self._empty.find(agent_id)
        if known is None or known.version != version or known.place < self._known_from:
            return False
        return not self._offered or all(
            self._offered.get(word, 0) <= known.place for word in known.words.split("\n")
        )

    def note(self, wanted: events.InboxQuery, log: EventLogState) -> None:
        """Note that an inbox is empty up to the end of the log."""
        found = _Empty(log.newest, wanted.version, "\n".join(wanted.terms))
        with self._lock:
            if log.newest >= self._log.newest:
                self._empty.put(wanted.agent_id, found)

    def keep(self, asked: str, body: bytes, etag: str) -> None:
        """Store the answer for all who ask the same and whose inbox is empty."""
        if len(self._answers) == _MOST_ANSWERS:
            self._answers.clear()
        self._answers[asked] = EmptyAnswer(self._log.newest, body, etag)

    def answer(self, store: Store, asked: str) -> EmptyAnswer | None:
        """The stored answer for those who ask the same; None if the log may have later events."""
        answer, changes = self._answers.get(asked), store.changes
        if answer is None or changes is None or answer.place != self._log.newest:
            return None
        return answer if changes.fresh((LOG,), self._data_version) else None

    async def _new(self, tx: Tx) -> _New:
        known, after = self._log, self._log.newest
        if after and await events.given(tx) == after:
            return _New(known, (), (), ())
        log = await events.log(tx)
        if log.newest - after > self._most_rows:
            return _New(log, None, (), ())
        rows = await events.between(tx, after, log.newest, self._most_rows)
        told = await watches.told_at(tx, [row.seq for row in rows if row.kind == TELLS])
        offers = {subject for row in rows for subject in (row.job_id, row.thread_id) if subject}
        words = await events.terms(tx, sorted(offers)) if offers else {}
        return _New(
            log,
            rows,
            {agent_id for agents in told.values() for agent_id in agents},
            set[str]().union(*words.values()),
        )

    def _look_through(self, new: _New) -> None:
        if new.log.newest < self._log.newest:
            return  # another look, which began no later, has found all that this one did
        self._log = new.log
        rows, newest = new.rows, new.log.newest
        if rows is None:
            self._forget()
            return
        for row in rows:
            for agent_id in (row.actor_id, row.party_id, row.other_id):
                if agent_id:
                    self._empty.drop(agent_id)
        for agent_id in new.told:
            self._empty.drop(agent_id)
        self._offered.update(dict.fromkeys(new.words, newest))
        if len(self._offered) > _MOST_WORDS:
            self._forget()

    def _forget(self) -> None:
        self._known_from = self._log.newest
        self._offered.clear()


def _size(agent_id: str, known: _Empty) -> int:
    return sum(map(getsizeof, (agent_id, known, known.place, known.words)))
