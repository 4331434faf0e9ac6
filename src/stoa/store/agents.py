"""Rows of agents."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import msgspec
from msgspec.structs import replace

from stoa.domain.moderation import is_over
from stoa.domain.text import normalise_capability
from stoa.domain.words import words
from stoa.store.places import LARGEST, NEWEST, PagePart, RowPosition
from stoa.store.tx import Row, Tx, Value, as_json, first_number, json_texts

_WORD_CHARS = 64
"""How many characters of a word are used."""

_COMMON = 2_000
"""A word of at least so many agents is common."""

RETIRED_NAME = "retired agent"
"""The name beside all texts of a retired agent."""

_ENDS = {"recent": NEWEST, "reputation": LARGEST, "standing": LARGEST}


class ActingAgent(msgspec.Struct, frozen=True, gc=False):
    """The values that decide what an agent may do; times are ms. `key_number` counts its keys: it
    has one more from `key_change_at` on."""

    id: str
    created_at: int
    reputation: int
    standing: int
    status: str
    key_number: int
    key_change_at: int | None
    retired_at: int | None
    suspended_until: int | None
    suspended_reason: str | None

    def at(self, now: int) -> Self:
        """The agent at a time (ms): changes that were due by then count, even if no sweep has
        written them, and the version is the one that the sweep will set."""
        row = self
        if row.key_change_at is not None and row.key_change_at <= now:
            row = row.with_next_key()
        return row.let_in() if is_over(row.suspended_until, now) else row

    def with_next_key(self) -> Self:
        """The agent after the change of its key."""
        return replace(self, key_number=self.key_number + 1, key_change_at=None)

    def let_in(self) -> Self:
        """The agent after its suspension."""
        status = "active" if self.status == "suspended" else self.status
        return replace(self, status=status, suspended_until=None, suspended_reason=None)


class AgentRow(ActingAgent, frozen=True, gc=False):
    """A row of `agent`; `capabilities` is a JSON array, times are ms. `public_key` is the last key
    in force; `next_key` is from `key_change_at` on.
    One that is `removed` has no name, no description and no capabilities, unless it waits to be let
    in: its status is `pending` then, and only itself and the operator read it. `looks_like` is
    another, better known agent, whose name looks the same."""

    display_name: str
    description: str
    public_key: bytes
    capabilities: str
    last_seen_at: int
    version: int
    removed_at: int | None
    removed_reason: str | None
    adjustment: int
    looks_like: str | None
    next_key: bytes | None

    @property
    def changes_at(self) -> int | None:
        """When (ms) the agent changes without a write."""
        moments = (self.key_change_at, self.suspended_until)
        return min((one for one in moments if one is not None), default=None)

    def with_next_key(self) -> Self:
        """As above, with the key and another version."""
        key, version = self.next_key or self.public_key, self.version + 1
        return replace(super().with_next_key(), public_key=key, next_key=None, version=version)

    def let_in(self) -> Self:
        """As above, with another version."""
        return replace(super().let_in(), version=self.version + 1)

    def place(self, order: str) -> RowPosition:
        """Where the row stands in a list of this order."""
        keys = {"reputation": self.reputation, "standing": self.standing}
        return keys.get(order, self.id), self.id


class AgentProfile(NamedTuple):
    """The name, description and capabilities of an agent."""

    display_name: str
    description: str = ""
    capabilities: Sequence[str] = ()

    @property
    def text(self) -> str:
        """The texts whose words find the agent."""
        return f"{self.display_name}\n{self.description}"

    def values(self) -> dict[str, Value]:
        """As statements take it."""
        return {**self._asdict(), "capabilities": as_json(self.capabilities)}


async def stored(tx: Tx, agent_id: str) -> AgentRow | None:
    """The row of this agent as it is stored. All other functions here give agents as they are
    now."""
    row = await tx.one("agents.get", agent_id=agent_id)
    return AgentRow(*row) if row else None


def _as_it_is_now(tx: Tx, row: Row | None) -> AgentRow | None:
    return AgentRow(*row).at(tx.now) if row else None


async def get(tx: Tx, agent_id: str) -> AgentRow | None:
    """The agent with this id."""
    return _as_it_is_now(tx, await tx.one("agents.get", agent_id=agent_id))


async def capabilities(tx: Tx, agent_id: str) -> tuple[list[str], int]:
    """The capabilities of an agent, and the version of its profile."""
    row = await tx.one("agents.capabilities", agent_id=agent_id)
    return (json_texts(row[0]), row[1]) if row else ([], 0)


async def held(tx: Tx, agent_id: str) -> ActingAgent | None:
    """The agent with this id, locked."""
    row = await tx.held("agents.held", agent_id=agent_id)
    return ActingAgent(*row).at(tx.now) if row else None


async def key_change_at(tx: Tx, agent_id: str) -> int | None:
    """When (ms) the agent will have another key, None if no change is pending."""
    row = await tx.one("agents.key_change", agent_id=agent_id, now=tx.now)
    return row[0] if row else None


async def by_key(tx: Tx, public_key: bytes) -> AgentRow | None:
    """The agent that this key was stored for last; it may have another one by now."""
    return _as_it_is_now(tx, await tx.one("agents.get_by_key", public_key=public_key))


async def held_by_key(tx: Tx, public_key: bytes) -> AgentRow | None:
    """The same agent, locked."""
    row = await tx.held("agents.held_by_key", public_key=public_key)
    if row and AgentRow(*row).key_change_at is not None:
        # Beside the locked row a statement reads what was there before it waited for the lock: it
        # may lack the key of a recovery that has begun since.
        return await by_key(tx, public_key)
    return _as_it_is_now(tx, row)


async def many(tx: Tx, agent_ids: list[str]) -> list[AgentRow]:
    """The agents with these ids, in no particular order."""
    rows = await tx.all("agents.many", ids=as_json(agent_ids))
    return [AgentRow(*row).at(tx.now) for row in rows]


async def insert(
    tx: Tx, agent_id: str, public_key: bytes, profile: AgentProfile, skeleton: str
) -> None:
    """Register a key, with the skeleton of its name."""
    values = {"agent_id": agent_id, "public_key": public_key, **profile.values()}
    await tx.run("agents.insert", **values, now=tx.now)
    await _add_capabilities(tx, agent_id, profile.capabilities)
    await _add_names(tx, agent_id, profile.text, skeleton)


async def _add_capabilities(tx: Tx, agent_id: str, capabilities: Sequence[str]) -> None:
    for capability in {normalise_capability(text) for text in capabilities}:
        await tx.run("agents.add_capability", agent_id=agent_id, capability=capability)


async def keep_names(tx: Tx, agent_id: str, profile: str, skeleton: str) -> None:
    """Store the words of a profile and the skeleton of the name, "" if no other name looks like
    it."""
    await tx.run("agents.forget_words", agent_id=agent_id)
    await _add_names(tx, agent_id, profile, skeleton)


async def _add_names(tx: Tx, agent_id: str, profile: str, skeleton: str) -> None:
    await tx.run("agents.add_words", agent_id=agent_id, words=as_json(words_of(profile)))
    await tx.run("agents.set_skeleton", agent_id=agent_id, skeleton=skeleton)


def words_of(text: str) -> list[str]:
    """The words by which agents are found, each once, a long one by its beginning."""
    return sorted({word[:_WORD_CHARS] for word in words(text)})


async def page(
    tx: Tx, capability: str | None, order: str, sought: list[str], part: PagePart
) -> list[AgentRow]:
    """Agents in the order `recent`, `reputation` or `standing`, largest first. All have the words
    that are `sought`."""
    statement = f"list_{'all' if capability is None else 'capability'}"
    values: dict[str, Value] = {"scope": capability or "", **part.values(_ENDS[order])}
    if sought:
        statement, found_by = await _finding(tx, sought)
        values |= found_by
    rows = await tx.all(f"agents.{statement}_{order}", **values)
    return [AgentRow(*row).at(tx.now) for row in rows]


async def _finding(tx: Tx, sought: list[str]) -> tuple[str, dict[str, Value]]:
    """The condition that finds agents with all of these words, and its values."""
    rows = await tx.all("agents.rarity", words=as_json(sought), most=_COMMON)
    counts = {row[0]: row[1] for row in rows}
    rarest = min(sought, key=counts.__getitem__)
    if counts[rarest] < _COMMON:
        return "find_rare", {"words": as_json(sought), "rarest": rarest}
    return "find_common", {"words": as_json(sought)}


async def update_profile(tx: Tx, agent_id: str, profile: AgentProfile, skeleton: str) -> None:
    """Change the profile of an agent."""
    await tx.run("agents.update_profile", agent_id=agent_id, **profile.values())
    await tx.run("agents.forget_capabilities", agent_id=agent_id)
    await _add_capabilities(tx, agent_id, profile.capabilities)
    await keep_names(tx, agent_id, profile.text, skeleton)


async def retire(tx: Tx, agent_id: str) -> None:
    """Retire the agent and empty its profile."""
    await update_profile(tx, agent_id, AgentProfile(RETIRED_NAME), "")
    await tx.run("agents.retire", agent_id=agent_id, now=tx.now)


async def let_wait(tx: Tx, agent_id: str) -> None:
    """Hide the agent until the operator approves it."""
    await tx.run("agents.let_wait", agent_id=agent_id, now=tx.now)


async def end_wait(tx: Tx, agent_id: str) -> None:
    """Note that the agent is no longer pending."""
    await tx.run("agents.end_wait", agent_id=agent_id)


async def pending(tx: Tx, limit: int) -> list[AgentRow]:
    """Agents that wait for approval, the oldest first."""
    return [AgentRow(*row).at(tx.now) for row in await tx.all("agents.pending", limit=limit)]


async def count_pending(tx: Tx) -> int:
    """How many agents wait for approval."""
    return await first_number(tx, "agents.count_pending")


async def note_first_post(tx: Tx, agent_id: str, post_id: str) -> None:
    """Note the id of the agent's first post, unless it has one.

    Not deferred: `seen` changes the same row, and deferred changes may become one statement.
    """
    await tx.run("agents.note_first_post", agent_id=agent_id, post_id=post_id)


def seen(tx: Tx, agent_id: str) -> None:
    """Note that the agent acted now."""
    tx.defer("agents.seen", agent_id=agent_id, at=tx.now)
