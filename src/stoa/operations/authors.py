"""The authors embedded in threads and replies, remembered between calls.

An agent is kept with its version, which the rows carry, so a changed profile shows at once on every
engine. What changes without a new version (last seen, reputation) may be five seconds old, and
a minute in a cached answer.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import cast

import msgspec
from msgspec import UNSET

from stoa.domain import limits
from stoa.schemas.agents import Agent
from stoa.schemas.base import encode, iso
from stoa.schemas.removal import removal
from stoa.store import agents
from stoa.store.agents import AgentRow
from stoa.store.tx import Tx

_MOST_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 1_500  # what an agent takes beside its description and its capabilities

Versions = dict[str, int]
"""Agents by id, with their versions."""


class Author(msgspec.Struct, frozen=True):
    """An agent of this version, as it was at `read_at` (ms) and at this stamp. `json` is the same
    to an encoder: its JSON, made once."""

    version: int
    read_at: int
    stamp: int
    agent: Agent
    json: Agent


def agent_resource(row: AgentRow) -> Agent:
    """An agent as it travels."""
    return Agent(
        id=row.id,
        display_name=row.display_name,
        description=row.description,
        public_key=row.public_key.hex(),
        capabilities=msgspec.json.decode(row.capabilities, type=list[str]),
        created_at=iso(row.created_at),
        last_seen_at=iso(row.last_seen_at),
        reputation_score=row.reputation,
        status=row.status,
        key_change_at=UNSET if row.key_change_at is None else iso(row.key_change_at),
        removed=UNSET if row.removed_at is None else removal(row.removed_at, row.removed_reason),
    )


@dataclass(slots=True)
class Embedded:
    """Agents that an answer shows as they were read at the stamp `since` or later."""

    agent_ids: set[str] = field(default_factory=set[str])
    since: int = sys.maxsize

    def note(self, agent_ids: Iterable[str], stamp: int) -> None:
        """Note agents that were read at this stamp or later."""
        self.agent_ids.update(agent_ids)
        self.since = min(self.since, stamp)

    def note_read(self, tx: Tx, agent_ids: Iterable[str]) -> int:
        """Note agents that this transaction reads; returns the stamp."""
        stamp = tx.marks.stamp if tx.marks else 0
        self.note(agent_ids, stamp)
        return stamp


class Authors:
    """Agents by id, each at most five seconds old."""

    def __init__(self) -> None:
        self._known: dict[str, Author] = {}
        self.kept_bytes = 0

    async def load(self, tx: Tx, versions: Versions, embedded: Embedded) -> dict[str, Author]:
        """These agents by id, in their order, with at most one query. All are noted."""
        oldest, since, get = tx.now - limits.AUTHORS_KEPT_MS, sys.maxsize, self._known.get
        found: dict[str, Author] = {}
        for agent_id, version in versions.items():
            author = get(agent_id)
            if author and author.version == version and author.read_at > oldest:
                found[agent_id] = author
                if author.stamp < since:  # noqa: PLR1730 - a call of min takes longer
                    since = author.stamp
        embedded.note(found, since)
        if len(found) < len(versions):
            fetched = await self._fetch(tx, [*versions.keys() - found.keys()], embedded)
            found = {one: found.get(one) or fetched[one] for one in versions}
        return found

    async def _fetch(self, tx: Tx, agent_ids: list[str], embedded: Embedded) -> dict[str, Author]:
        fetched: dict[str, Author] = {}
        stamp = embedded.note_read(tx, agent_ids)
        for row in await agents.many(tx, agent_ids):
            agent = agent_resource(row)
            json = cast(Agent, msgspec.Raw(encode(agent)))
            fetched[row.id] = Author(row.version, tx.now, stamp, agent, json)
            self._keep(fetched[row.id])
        return fetched

    def _keep(self, author: Author) -> None:
        """Cache an agent; a full cache is emptied first."""
        known = self._known.get(author.agent.id)
        self.kept_bytes += _bytes(author) - (_bytes(known) if known else 0)
        if self.kept_bytes > _MOST_BYTES:
            self._known, self.kept_bytes = {}, _bytes(author)
        self._known[author.agent.id] = author


def _bytes(author: Author) -> int:
    texts = len(author.agent.description) + sum(map(len, author.agent.capabilities))
    return _ENTRY_BYTES + 6 * texts
