"""Marks agents whose names look like that of one with more standing."""

from functools import partial
from itertools import islice

from stoa.operations.parts.looks import skeleton
from stoa.store import agents, names
from stoa.store.names import UnreadProfile
from stoa.store.tx import Store, Tx
from stoa.upkeep.pauses import Pauses

_SKELETONS_AT_ONCE = 500

_MARKED_AT_ONCE = 50
"""Other writes wait for these."""


async def read_profiles(store: Store, pauses: Pauses) -> None:
    """Note the words and the skeletons of profiles that came by a migration or an import."""
    while unread := await store.read(names.unread, slow=True):
        await store.write(partial(_note, unread=unread))
        await pauses.wait()


async def _note(tx: Tx, unread: list[UnreadProfile]) -> None:
    await tx.lock("agent", *(profile.agent_id for profile in unread))
    for agent_id, name, description, retired_at in unread:
        looks = "" if retired_at is not None else skeleton(name)
        await agents.keep_names(tx, agent_id, f"{name}\n{description}", looks)


async def mark_lookalikes(store: Store, pauses: Pauses) -> None:
    """Mark all agents of a name but the one with most standing, if that has any."""
    first: dict[str, str] = {}
    for agent in sorted(
        await store.read(names.with_standing, slow=True),
        key=lambda one: (-one.standing, one.agent_id),
    ):
        first.setdefault(agent.skeleton, agent.agent_id)
    await pauses.wait()
    wanted: dict[str, str | None] = {}
    skeletons = iter(first)
    while some := list(islice(skeletons, _SKELETONS_AT_ONCE)):
        alike = await store.read(partial(names.with_skeletons, skeletons=some), slow=True)
        wanted |= {one: first[looks] for one, looks in alike.items() if first[looks] != one}
        await pauses.wait()
    marked = await store.read(names.marked, slow=True)
    changed = iter(
        (one, wanted.get(one))
        for one in sorted(wanted.keys() | marked.keys())
        if wanted.get(one) != marked.get(one)
    )
    while batch := dict(islice(changed, _MARKED_AT_ONCE)):
        await store.write(partial(names.mark, marks=batch))
        await pauses.wait()
