"""The keys of an agent, and when a change of them comes into force."""

from typing import NamedTuple

from stoa.domain import key_changes as rules
from stoa.domain.errors import Refusal
from stoa.domain.events import EventKind
from stoa.domain.key_changes import (
    KEY_SIGNED,
    ChainLink,
    KeyChange,
    KeyEvent,
    KeyStanding,
    KeyState,
)
from stoa.domain.missing import missing
from stoa.entropy import IdGenerator
from stoa.operations.call import Caller
from stoa.operations.parts import event_log
from stoa.schemas.base import iso
from stoa.store import agents, key_changes, sessions, webhooks
from stoa.store.agents import ActingAgent, AgentRow
from stoa.store.tx import Tx


class AgentKeys(NamedTuple):
    """An agent with its keys."""

    row: AgentRow
    standing: KeyStanding

    def follow(self, event: KeyEvent) -> None:
        """Raise the refusal of an event that the keys do not allow now."""
        _follow(self.row, self.standing.state, event)


async def read(tx: Tx, row: AgentRow) -> AgentKeys:
    """The keys of an agent now, from the newest changes alone: there may be many."""
    return AgentKeys(row, standing(row, await key_changes.newest(tx, row.id), tx.now))


def standing(row: AgentRow, links: list[ChainLink], now: int) -> KeyStanding:
    """The keys of an agent at a time (ms), from its changes or the newest of each kind."""
    is_retired = row.retired_at is not None
    first = key_before(row, links)
    return rules.standing(first, row.created_at, links, now, retired=is_retired)


def key_before(row: AgentRow, links: list[ChainLink]) -> bytes:
    """The key of an agent before these changes, which include the newest."""
    return links[0].replaced if links else row.public_key


async def locked(tx: Tx, ids: IdGenerator, agent_id: str) -> AgentKeys:
    """The keys of an agent, locked until the transaction ends; 404 without such an agent.

    A recovery whose delay has passed is put in force first.
    """
    await tx.lock("agent", agent_id)
    row = await agents.stored(tx, agent_id)
    if row is None:
        raise missing("ag", agent_id)
    due_at = row.key_change_at
    keys = await read(tx, row.at(tx.now))
    if due_at is None or due_at > tx.now:
        return keys
    await put_in_force(tx, agent_id, keys.standing.current)
    note_change(tx, ids, KeyChange.RECOVER, agent_id, due_at, actor_id=None)
    return await locked(tx, ids, agent_id)


def note_change(
    tx: Tx,
    ids: IdGenerator,
    change: KeyChange,
    agent_id: str,
    in_force_at: int,
    *,
    actor_id: str | None,
) -> None:
    """Write the event of a change of keys, which is in force from `in_force_at` (ms) on."""
    facts = {"change": change.value, "inForceAt": iso(in_force_at)}
    event_log.on_agent(tx, ids, EventKind.AGENT_KEY_CHANGED, agent_id, actor_id, **facts)


async def put_in_force(tx: Tx, agent_id: str, key: bytes) -> int:
    """Give an agent another key from now on; returns how many of its sessions end. Its webhooks are
    deleted: the holder of the old key made them, and may be another."""
    ended = await sessions.end_all(tx, agent_id)
    await webhooks.delete_all(tx, agent_id)
    await key_changes.put_in_force(tx, agent_id, key)
    return ended


async def sweep(tx: Tx, ids: IdGenerator, *, most: int, skip: int) -> int:
    """Put in force up to `most` recoveries whose delay has passed, without the first `skip`;
    returns how many."""
    due = await key_changes.due(tx, most, skip)
    for agent_id in sorted(due):
        await locked(tx, ids, agent_id)
    return len(due)


def check_may_spend(row: ActingAgent) -> None:
    """409 `recovery_running` while a recovery changes the key of an agent."""
    state = KeyState.PLAIN if row.key_change_at is None else KeyState.RECOVERING
    _follow(row, state, KeyEvent.SPEND)


def _follow(row: ActingAgent, state: KeyState, event: KeyEvent) -> None:
    try:
        rules.follow(state, event)
    except Refusal as refusal:
        raise _about(row, refusal) from None


def check_in_force(row: AgentRow, key: bytes) -> None:
    """401 `key_retired` if the key that the agent was found by is in force no more."""
    if row.public_key != key or row.retired_at is not None:
        raise _about(row, Refusal("key_retired"))


async def by_other_key(tx: Tx, ids: IdGenerator, key: bytes) -> AgentRow | None:
    """The agent that a recovery whose delay has passed gives this key to; the recovery is put in
    force.

    401 for a retired or pending key; None for one that no agent had.
    """
    agent_id = await key_changes.owner(tx, key)
    if agent_id is None:
        return None
    keys = await locked(tx, ids, agent_id)
    if keys.standing.current == key:
        return keys.row
    begun = keys.standing.begun
    if begun is not None and begun.key == key:
        raise _about(keys.row, Refusal("key_pending"))
    raise _about(keys.row, Refusal("key_retired"))


async def check_key_session(tx: Tx, caller: Caller) -> None:
    """403 unless the agent's own key signed for the session of this call."""
    if not await is_key_session(tx, caller):
        raise Refusal("key_session_required")


async def is_key_session(tx: Tx, caller: Caller) -> bool:
    """Whether the agent's own key signed for the session of this call."""
    return await sessions.via(tx, caller.agent_id, caller.session_id) in KEY_SIGNED


def _about(row: ActingAgent, refusal: Refusal) -> Refusal:
    """The refusal, with the agent's id and the time when its key changes."""
    refusal.details["agentId"] = row.id
    if refusal.code in ("key_pending", "recovery_running") and row.key_change_at is not None:
        refusal.details["keyChangeAt"] = iso(row.key_change_at)
    refusal.fill(refusal.details)
    return refusal
