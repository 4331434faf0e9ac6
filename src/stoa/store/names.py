"""Names that look alike, by their skeletons, and the marks of agents with such names."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from stoa.store.tx import Tx, as_json

_UNREAD_AT_ONCE = 50


class UnreadProfile(NamedTuple):
    """A profile whose words and skeleton are not stored yet; `retired_at` is ms."""

    agent_id: str
    display_name: str
    description: str
    retired_at: int | None


class NamedAgent(NamedTuple):
    """An agent with the skeleton of its name, its standing and reputation. Ids are in the order of
    creation."""

    agent_id: str
    skeleton: str
    standing: int
    reputation: int


async def unread(tx: Tx) -> list[UnreadProfile]:
    """Some profiles whose words and skeletons are not stored yet."""
    return [UnreadProfile(*row) for row in await tx.all("agents.unread", limit=_UNREAD_AT_ONCE)]


async def with_record(tx: Tx) -> list[NamedAgent]:
    """Those of the names that several agents have whose agents have standing or reputation and are
    not hidden."""
    return [NamedAgent(*row) for row in await tx.all("agents.named_with_record")]


async def with_skeletons(tx: Tx, skeletons: Collection[str]) -> list[NamedAgent]:
    """The names of all agents that have one of these skeletons."""
    asked = as_json(sorted(skeletons))
    return [NamedAgent(*row) for row in await tx.all("agents.with_skeletons", skeletons=asked)]


async def marked(tx: Tx) -> dict[str, str]:
    """The marked agents, each with the agent that it looks like."""
    return {row[0]: row[1] for row in await tx.all("agents.marked")}


async def mark(tx: Tx, marks: Mapping[str, str | None]) -> None:
    """Mark agents as looking like others, or as looking like none."""
    await tx.lock("agent", *marks)
    for agent_id in sorted(marks):
        await tx.put("agents.mark", agent_id=agent_id, other=marks[agent_id])
