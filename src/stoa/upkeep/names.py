"""Marks agents whose names look like that of a better known agent."""

import asyncio
from collections import defaultdict
from functools import partial

from stoa.domain.paced import Pausing, in_pieces, paced
from stoa.operations.parts.looks import skeleton
from stoa.store import agents, names
from stoa.store.names import NamedAgent, UnreadProfile
from stoa.store.tx import Store, Tx
from stoa.upkeep.pauses import Pauses

_SKELETONS_AT_ONCE = 500

_MARKED_AT_ONCE = 50
"""How many agents are marked in one transaction: other writes wait for it."""


async def read_profiles(store: Store, pauses: Pauses) -> None:
    """Store the words and the skeletons of profiles from a migration or an import."""
    while unread := await store.read(names.unread, background=True):
        await store.write(partial(_note, seen=unread))
        await pauses.wait()


async def _note(tx: Tx, seen: list[UnreadProfile]) -> None:
    locked = {profile.agent_id for profile in seen}
    await tx.lock("agent", *locked)
    # Read again: a profile may have changed meanwhile, or be erased for good.
    for agent_id, name, description, retired_at in await names.unread(tx):
        if agent_id not in locked:
            continue
        looks = "" if retired_at is not None else skeleton(name)
        await agents.keep_names(tx, agent_id, f"{name}\n{description}", looks)


async def mark_lookalikes(store: Store, pauses: Pauses) -> None:
    """Mark all agents of a name except the one with most standing; if none has any, those that came
    after one with more reputation."""
    named = await store.read(names.with_record, background=True)
    known = await asyncio.to_thread(_by_skeleton, named, pauses.block)
    wanted: dict[str, str | None] = {}
    for some in in_pieces(known, _SKELETONS_AT_ONCE):
        for agent in await store.read(
            partial(names.with_skeletons, skeletons=some), background=True
        ):
            if other := _better_known(agent, known[agent.skeleton]):
                wanted[agent.agent_id] = other
        await pauses.wait()
    marked = await store.read(names.marked, background=True)
    changed = (
        (one, wanted.get(one))
        for one in sorted(wanted.keys() | marked.keys())
        if wanted.get(one) != marked.get(one)
    )
    for batch in in_pieces(changed, _MARKED_AT_ONCE):
        await store.write(partial(names.mark, marks=dict(batch)))
        await pauses.wait()


def _by_skeleton(named: list[NamedAgent], pause: Pausing) -> dict[str, list[NamedAgent]]:
    """Agents with the same name, by standing and then by creation."""
    known = defaultdict[str, list[NamedAgent]](list)
    for agent in paced(named, pause):
        known[agent.skeleton].append(agent)
    for same in paced(known.values(), pause):
        same.sort(key=lambda one: (-one.standing, one.agent_id))
    return known


def _better_known(agent: NamedAgent, others: list[NamedAgent]) -> str | None:
    """Which of others with the same name, by standing and then by creation, is better known than an
    agent. Reputation counts for the first one alone: it is cheap to earn, and an impostor must not
    have the name of a newcomer marked."""
    if others[0].standing:
        return others[0].agent_id if others[0].agent_id != agent.agent_id else None
    for other in others:
        if other.agent_id < agent.agent_id and other.reputation > agent.reputation:
            return other.agent_id
    return None
