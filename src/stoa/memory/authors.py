"""The authors embedded in threads and replies, remembered between calls.

A changed profile shows at once on every engine: where the changes are marked, agents are forgotten
when one of them changes, else each is kept with its version, which the rows carry. What changes
without a new version (last seen, reputation, standing, whether it is new) may be five seconds old,
and a minute in a cached answer.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from sys import intern
from typing import cast

import msgspec

from stoa.domain import limits
from stoa.schemas.agents import Agent
from stoa.schemas.encoded import encoded_once
from stoa.store import agents
from stoa.store.agents import AgentRow
from stoa.store.dependencies import embedding
from stoa.store.tx import Tx

_MOST_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 1_500  # what an agent takes beside its description and its capabilities

Versions = Mapping[str, int | None]
"""Agents by id, with their versions; None where no row has it."""


class Author(msgspec.Struct, frozen=True):
    """An agent of this version, which is encoded once. `id` is the same text wherever it is
    noted."""

    id: str
    version: int
    agent: Agent


_id_of = attrgetter("id")


class Embedded(msgspec.Struct, eq=False):
    """Agents that an answer shows as they were read at the data version `since` or later. At
    `until` (ms) one of them changes without a write, because time has passed."""

    agent_ids: set[str] = set()
    since: int = sys.maxsize
    until: int | None = None

    def note_change(self, at: int | None) -> None:
        """Note when (ms) what is shown of an agent changes without a write, if it does."""
        if at is not None:
            self.until = at if self.until is None else min(at, self.until)

    def note(self, agent_ids: Iterable[str], data_version: int) -> None:
        """Note agents that were read at this data version or later."""
        self.agent_ids.update(agent_ids)
        self.since = min(self.since, data_version)

    def note_read(self, tx: Tx, agent_ids: Iterable[str]) -> None:
        """Note agents that this transaction reads."""
        self.note(map(intern, agent_ids), _data_version(tx))


@dataclass(slots=True)
class _Known:
    """Agents by id that were read at this time (ms) and data version or later, and the bytes that
    they take. At `until` (ms) the first of them changes without a write."""

    read_at: int
    data_version: int
    authors: dict[str, Author] = field(default_factory=dict[str, Author])
    kept_bytes: int = 0
    until: int | None = None

    def serves(self, tx: Tx) -> bool:
        """Whether these agents may be shown by this transaction."""
        if tx.now - self.read_at >= limits.AUTHORS_KEPT_MS or self.kept_bytes > _MOST_BYTES:
            return False
        if self.until is not None and tx.now >= self.until:
            return False
        return tx.seen is None or tx.seen.changes.fresh(embedding(), self.data_version)

    def put(self, author: Author, changes_at: int | None, tx: Tx) -> None:
        """Keep an agent that this transaction read, unless it began before the first that did. By
        the passing of time it changes at `changes_at` (ms)."""
        if tx.now >= self.read_at and _data_version(tx) >= self.data_version:
            replaced = self.authors.get(author.id)
            self.kept_bytes += _bytes(author) - (_bytes(replaced) if replaced else 0)
            self.authors[author.id] = author
            if changes_at is not None:
                self.until = min(changes_at, self.until or changes_at)


class Authors:
    """Agents by id, each at most five seconds old: all are forgotten together. `view` makes of a
    row what travels at a time (ms), and notes when that changes by the passing of time."""

    def __init__(self, view: Callable[[AgentRow, Embedded, int], Agent]) -> None:
        self._view = view
        self._known = _Known(0, 0)

    @property
    def kept_bytes(self) -> int:
        """The memory of those that are known."""
        return self._known.kept_bytes

    async def load(self, tx: Tx, versions: Versions, embedded: Embedded) -> dict[str, Author]:
        """These agents by id, in their order, with at most one query. All are noted."""
        known = self._known
        if not known.serves(tx):
            known = self._known = _Known(tx.now, _data_version(tx))
        found = dict(zip(versions, map(known.authors.get, versions), strict=True))
        if tx.seen is None or not all(found.values()):
            missing = [
                agent_id
                for agent_id, author in found.items()
                if author is None or (tx.seen is None and author.version != versions[agent_id])
            ]
            found |= await self._fetch(tx, missing, known, embedded) if missing else {}
        authors = cast("dict[str, Author]", found)
        embedded.note(map(_id_of, authors.values()), known.data_version)
        embedded.note_change(known.until)
        return authors

    async def _fetch(
        self, tx: Tx, agent_ids: list[str], known: _Known, embedded: Embedded
    ) -> dict[str, Author]:
        embedded.note_read(tx, agent_ids)
        fetched: dict[str, Author] = {}
        for row in await agents.many(tx, agent_ids):
            agent = self._view(row, embedded, tx.now)
            # Its version changes with all that answers show of it but for what may be out of date.
            known_by = f"{row.id} {row.version}".encode()
            fetched[row.id] = Author(intern(row.id), row.version, encoded_once(agent, known_by))
            known.put(fetched[row.id], row.changes_at, tx)
        return fetched


def _data_version(tx: Tx) -> int:
    return tx.seen.data_version if tx.seen else 0


def _bytes(author: Author) -> int:
    texts = len(author.agent.description) + sum(map(len, author.agent.capabilities))
    return _ENTRY_BYTES + 6 * texts
