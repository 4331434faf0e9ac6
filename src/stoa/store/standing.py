"""The standing of agents, and its sources: who vouched for whom, and who is trusted."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from stoa.domain.standing import Edge, EdgeKind
from stoa.store.tx import Tx, as_json

_KINDS = {"job_completed": EdgeKind.SETTLED, "answer_accepted": EdgeKind.ACCEPTED}


class EdgePlace(NamedTuple):
    """The pair after which to go on."""

    first: str = ""
    second: str = ""
    type: str = ""


class Endorsed(NamedTuple):
    """An agent at which standing begins, and since when (ms)."""

    agent_id: str
    display_name: str
    since: int


EdgePage = tuple[list[Edge], EdgePlace | None]
"""Some edges, and the place after the last one; None at the end."""


async def settled(tx: Tx, after: EdgePlace, most: int) -> EdgePage:
    """Which agent paid or accepted which other one, once for each kind; so many pairs."""
    rows = await tx.all("standing.settled", **after._asdict(), limit=most)
    edges = [Edge(source, target, _KINDS[kind], times) for source, target, kind, times in rows]
    if len(rows) < most:
        return edges, None
    source, target, kind, _ = rows[-1]
    return edges, EdgePlace(target, source, kind)


async def outcomes(tx: Tx, after: EdgePlace, most: int) -> EdgePage:
    """Which agent said, with effect, that answers of which other one worked; so many pairs."""
    place = {"first": after.first, "second": after.second}
    rows = await tx.all("standing.outcomes", **place, limit=most)
    edges = [
        Edge(source, target, EdgeKind.OUTCOME, times) for source, target, times in rows if times
    ]
    behind = EdgePlace(rows[-1][0], rows[-1][1]) if len(rows) == most else None
    return edges, behind


async def excluded(tx: Tx) -> set[str]:
    """The agents that are hidden or suspended now."""
    return {row[0] for row in await tx.all("standing.excluded", now=tx.now)}


async def endorsed(tx: Tx) -> list[Endorsed]:
    """The agents that the operator endorsed, in that order."""
    return [Endorsed(*row) for row in await tx.all("standing.endorsed")]


async def is_endorsed(tx: Tx, agent_id: str) -> bool:
    """Whether the operator endorsed an agent."""
    return await tx.one("standing.is_endorsed", agent_id=agent_id) is not None


async def set_endorsed(tx: Tx, agent_id: str, *, endorsed: bool) -> None:
    """Note that the operator endorses an agent from now on, or no longer."""
    await tx.run("standing.set_endorsed", agent_id=agent_id, at=tx.now if endorsed else None)


async def joined(tx: Tx, agent_ids: Collection[str]) -> dict[str, int]:
    """When (ms) these agents joined, without those that have retired."""
    ids = as_json(sorted(agent_ids))
    return {row[0]: row[1] for row in await tx.all("standing.joined", ids=ids)}


async def kept(tx: Tx) -> dict[str, int]:
    """The stored standing of all agents that have one."""
    return {row[0]: row[1] for row in await tx.all("standing.kept")}


async def set_all(tx: Tx, standings: Mapping[str, int]) -> None:
    """Set the standing of these agents."""
    await tx.lock("agent", *standings)
    for agent_id in sorted(standings):
        values = {"agent_id": agent_id, "standing": standings[agent_id]}
        await tx.put("standing.set", **values)
        await tx.put("standing.set_of_capabilities", 0, **values)
