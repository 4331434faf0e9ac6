"""Computes the standing of all agents, in a bounded share of one core."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from stoa.domain import limits
from stoa.domain.paced import Pausing, in_pieces, paced
from stoa.domain.standing import Graph, is_seasoned, standings
from stoa.store import standing
from stoa.store.standing import EdgePage, EdgePlace
from stoa.store.tx import Store, Tx
from stoa.upkeep import names
from stoa.upkeep.pauses import Pauses

_AT_ONCE = 50
"""How many agents change in one transaction: other writes wait for it."""


_ReadEdges = Callable[..., Coroutine[Any, Any, EdgePage]]


class Standings:
    """Reads which agents vouched for which, so many `pairs` in one transaction, computes the
    standing, and writes the changes."""

    def __init__(self, store: Store, pairs: int = 2_000) -> None:
        self._store, self._pairs = store, pairs

    async def compute(self) -> None:
        """Compute the standing of all agents once."""
        pauses = Pauses(limits.STANDING_CORE_PERCENT)
        try:
            excluded = await self._store.read(standing.excluded, background=True)
            graph = Graph()
            for read in (standing.settled, standing.outcomes):
                await self._add(graph, read, excluded, pauses)
            trusted = await self._trusted(graph, pauses) - excluded
            found = await asyncio.to_thread(standings, graph, trusted, pauses.block)
            await self._keep(found, pauses)
            await names.read_profiles(self._store, pauses)
            await names.mark_lookalikes(self._store, pauses)
        finally:
            pauses.give_up()

    async def _add(
        self, graph: Graph, read: _ReadEdges, excluded: set[str], pauses: Pauses
    ) -> None:
        """Add the edges that `read` finds, except those of excluded agents."""
        place: EdgePlace | None = EdgePlace()
        while place is not None:
            look = partial(read, after=place, most=self._pairs)
            some, place = await self._store.read(look, background=True)
            counted = [edge for edge in some if excluded.isdisjoint(edge[:2])]
            await asyncio.to_thread(graph.add, counted)
            await pauses.wait()

    async def _trusted(self, graph: Graph, pauses: Pauses) -> set[str]:
        """The agents that the operator endorsed; without any, those that joined long ago."""
        endorsed = await self._store.read(standing.endorsed, background=True)
        if endorsed:
            return {one.agent_id for one in endorsed}
        known = await asyncio.to_thread(graph.counterparties, pauses.block)
        found: set[str] = set()
        for some in in_pieces(known, self._pairs):
            found |= await self._store.read(
                partial(_seasoned, some=some, known=known), background=True
            )
            await pauses.wait()
        return found

    async def _keep(self, found: dict[str, int], pauses: Pauses) -> None:
        kept = await self._store.read(standing.kept, background=True)
        changed = await asyncio.to_thread(_changed, found, kept, pauses.block)
        for some in in_pieces(changed.items(), _AT_ONCE):
            await self._store.write(partial(standing.set_all, standings=dict(some)))
            await pauses.wait()


def _changed(found: dict[str, int], kept: dict[str, int], pause: Pausing) -> dict[str, int]:
    """The standing of agents with a changed one, 0 for none."""
    changed = {one: value for one, value in paced(found.items(), pause) if kept.get(one) != value}
    return changed | {one: 0 for one in paced(kept, pause) if one not in found}


async def _seasoned(tx: Tx, some: list[str], known: dict[str, int]) -> set[str]:
    joined = await standing.joined(tx, some)
    return {
        agent_id
        for agent_id, joined_at in joined.items()
        if is_seasoned(joined_at, known[agent_id], tx.now)
    }
