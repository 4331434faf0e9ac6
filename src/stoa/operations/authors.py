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
_ENTRY_BYTES = 2_500  # what an agent takes beside its description and its capabilities

Key = tuple[str, int]
"""An agent's id and its version."""


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


class Authors:
    """Agents by id, each at most five seconds old."""

    def __init__(self) -> None:
        self._known: dict[str, Author] = {}
        self.kept_bytes = 0

    async def load(self, tx: Tx, keys: Iterable[Key], before: Embedded) -> dict[str, Author]:
        """The agents of these `(id, version)` pairs by id, with at most one query. Those that were
        read `before` are noted there."""
        oldest, stamp = tx.now - limits.AUTHORS_KEPT_MS, before.since
        found: dict[str, Author] = {}
        missing: set[str] = set()
        for agent_id, version in keys:
            author = self._known.get(agent_id)
            if author and author.version == version and author.read_at > oldest:
                found[agent_id] = author
                stamp = min(stamp, author.stamp)
            else:
                missing.add(agent_id)
        before.agent_ids.update(found)
        before.since = stamp
        if missing:
            found |= await self._fetch(tx, list(missing))
        return found

    async def _fetch(self, tx: Tx, agent_ids: list[str]) -> dict[str, Author]:
        fetched: dict[str, Author] = {}
        stamp = tx.marks.stamp if tx.marks else 0
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
