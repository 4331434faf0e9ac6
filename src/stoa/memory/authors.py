"""The authors embedded in threads and replies, remembered between calls.

A changed profile shows at once on every engine: where the changes are marked, agents are forgotten
when one of them changes, else each is kept with its version, which the rows carry. What changes
without a new version (last seen, reputation, standing, whether it is new) may be five seconds old,
and a minute in a cached answer.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from stoa.domain import limits
from stoa.schemas.agents import Agent
from stoa.schemas.encoded import encoded_once
from stoa.store import agents
from stoa.store.agents import AgentRow
from stoa.store.dependencies import embedding
from stoa.store.tx import Tx

MOST_BYTES = 8 * 1024 * 1024
_ENTRY_BYTES = 1_500  # what an agent takes beside its description and its capabilities

Versions = Mapping[str, int | None]
"""Agents by id, with their versions; None where no row has it."""


class Shown(NamedTuple):
    """Agents by id, each encoded once, and their versions, which change with all members that are
    not eventually consistent. There may be more of both than were asked for."""

    agents: dict[str, Agent]
    versions: dict[str, int]


class Embedded(msgspec.Struct, eq=False):
    """Agents in an answer, as they were at the data version `since` or later. At `until` (ms) one
    of them changes without a write."""

    agent_ids: Set[str] = frozenset()
    since: int = sys.maxsize
    until: int | None = None

    def note_change(self, at: int | None) -> None:
        """Note when (ms) the shown members of an agent change without a write, if they do."""
        if at is not None:
            self.until = at if self.until is None else min(at, self.until)

    def note(self, agent_ids: Set[str], data_version: int) -> None:
        """Note agents that were read at this data version or later."""
        self.agent_ids = self.agent_ids | agent_ids if self.agent_ids else agent_ids
        self.since = min(self.since, data_version)

    def note_read(self, tx: Tx, agent_ids: Iterable[str]) -> None:
        """Note agents that this transaction reads."""
        self.note(frozenset(agent_ids), _data_version(tx))


@dataclass(slots=True)
class _Known:
    """Agents by id and their versions that were read at this time (ms) and data version or later,
    and the bytes that they take. At `until` (ms) the first of them changes without a write."""

    read_at: int
    data_version: int
    agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    versions: dict[str, int] = field(default_factory=dict[str, int])
    kept_bytes: int = 0
    until: int | None = None

    def serves(self, tx: Tx, most_bytes: int) -> bool:
        """Whether these agents may be shown by this transaction."""
        if tx.now - self.read_at >= limits.AUTHORS_KEPT_MS or self.kept_bytes > most_bytes:
            return False
        if self.until is not None and tx.now >= self.until:
            return False
        return tx.seen is None or tx.seen.changes.fresh(embedding(), self.data_version)

    def put(self, agent: Agent, row: AgentRow, tx: Tx, until: int | None) -> None:
        """Keep an agent that this transaction read, unless it began before the first that did. At
        `until` (ms) it changes without a write."""
        if tx.now >= self.read_at and _data_version(tx) >= self.data_version:
            replaced = self.agents.get(row.id)
            self.kept_bytes += _bytes(agent) - (_bytes(replaced) if replaced else 0)
            self.agents[row.id], self.versions[row.id] = agent, row.version
            if until is not None:
                self.until = min(until, self.until or until)


class Authors:
    """Agents by id, each at most five seconds old: all are dropped together. `view` makes an
    answer's form of a row at a time (ms), and notes when that changes without a write.

    They are no kind of a `ByteCache`, as answers take the dictionaries of all of them as they are,
    without a look-up for each author.
    """

    def __init__(
        self,
        view: Callable[[AgentRow, Embedded, int], Agent],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._view, self._most_bytes = view, most_bytes
        self._known = _Known(0, 0)

    @property
    def kept_bytes(self) -> int:
        """The memory that the cached agents take."""
        return self._known.kept_bytes

    async def load(self, tx: Tx, versions: Versions, embedded: Embedded) -> Shown:
        """These agents, with at most one query. They are noted."""
        known = self._known
        if not known.serves(tx, self._most_bytes):
            known = self._known = _Known(tx.now, _data_version(tx))
        shown = Shown(known.agents, known.versions)
        if tx.seen is None or not versions.keys() <= known.agents.keys():
            missing = [
                agent_id
                for agent_id, version in versions.items()
                if (found := known.versions.get(agent_id)) is None
                or (tx.seen is None and found != version)
            ]
            if missing:
                shown = await self._fetched(tx, versions, missing, known, embedded)
        embedded.note(versions.keys(), known.data_version)
        embedded.note_change(known.until)
        return shown

    async def _fetched(
        self,
        tx: Tx,
        versions: Versions,
        missing: list[str],
        known: _Known,
        embedded: Embedded,
    ) -> Shown:
        """These agents, of which some are not cached."""
        rest = versions.keys() - missing
        agents_shown = {agent_id: known.agents[agent_id] for agent_id in rest}
        shown = Shown(agents_shown, {agent_id: known.versions[agent_id] for agent_id in rest})
        embedded.note_read(tx, missing)
        for row in await agents.many(tx, missing):
            itself = Embedded()
            view = encoded_once(self._view(row, itself, tx.now))
            embedded.note_change(itself.until)
            shown.agents[row.id], shown.versions[row.id] = view, row.version
            known.put(view, row, tx, itself.until)
        return shown


def _data_version(tx: Tx) -> int:
    return tx.seen.data_version if tx.seen else 0


def _bytes(agent: Agent) -> int:
    texts = len(agent.description) + sum(map(len, agent.capabilities))
    return _ENTRY_BYTES + 6 * texts
