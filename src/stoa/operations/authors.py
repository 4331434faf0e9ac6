"""The authors embedded in threads and replies, remembered between calls.

An agent is kept by its version, which the rows carry, so a changed profile shows at once on every
engine. What changes without a new version (last seen, reputation) may be five seconds old, and
a minute in a cached answer.
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from msgspec import UNSET

from stoa.domain import limits
from stoa.schemas.agents import Agent
from stoa.schemas.base import iso
from stoa.schemas.removal import removal
from stoa.store import agents
from stoa.store.agents import AgentRow
from stoa.store.tx import Tx

_MOST_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 1_500  # what an agent takes beside its description and its capabilities

Key = tuple[str, int]


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
    """Agents by `(id, version)`, each at most five seconds old."""

    def __init__(self) -> None:
        self._known: dict[Key, tuple[int, int, Agent]] = {}
        self.kept_bytes = 0

    async def load(self, tx: Tx, keys: Iterable[Key], before: Embedded) -> dict[str, Agent]:
        """The agents of these `(id, version)` pairs by id, with at most one query. Those that were
        read `before` are noted there."""
        oldest, stamp = tx.now - limits.AUTHORS_KEPT_MS, before.since
        found: dict[str, Agent] = {}
        missing: list[str] = []
        for key in keys:
            entry = self._known.get(key)
            if entry and entry[0] > oldest:
                found[key[0]] = entry[2]
                stamp = min(stamp, entry[1])
            else:
                missing.append(key[0])
        before.agent_ids.update(found)
        before.since = stamp
        if missing:
            found |= await self._fetch(tx, missing)
        return found

    async def _fetch(self, tx: Tx, agent_ids: list[str]) -> dict[str, Agent]:
        fetched: dict[str, Agent] = {}
        for row in await agents.many(tx, agent_ids):
            agent = fetched[row.id] = agent_resource(row)
            self._keep((row.id, row.version), tx, agent)
        return fetched

    def _keep(self, key: Key, tx: Tx, agent: Agent) -> None:
        """Cache an agent; a full cache is emptied first."""
        if key not in self._known:
            self.kept_bytes += _bytes(agent)
        if self.kept_bytes > _MOST_BYTES:
            self._known, self.kept_bytes = {}, _bytes(agent)
        self._known[key] = (tx.now, tx.marks.stamp if tx.marks else 0, agent)


def _bytes(agent: Agent) -> int:
    texts = len(agent.description) + sum(map(len, agent.capabilities))
    return _ENTRY_BYTES + 4 * texts
