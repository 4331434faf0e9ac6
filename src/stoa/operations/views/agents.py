"""Builds the resource of an agent from its row."""

from msgspec import UNSET

from stoa.memory.authors import Embedded
from stoa.schemas.agents import Agent
from stoa.schemas.base import iso
from stoa.schemas.removal import removal
from stoa.store.agents import AgentRow
from stoa.store.tx import json_texts


def capabilities_of(row: AgentRow) -> list[str]:
    """The capabilities of an agent, in its own words."""
    return json_texts(row.capabilities)


def agent_resource(row: AgentRow, shown: Embedded, now: int, new_agent_ms: int) -> Agent:
    """An agent as answers show it; notes in `shown` when it changes without a write."""
    new_until = row.created_at + new_agent_ms
    is_new = now < new_until
    hidden_at = None if row.status == "pending" else row.removed_at
    shown.note_change(row.changes_at)
    if is_new:
        shown.note_change(new_until)
    return Agent(
        id=row.id,
        display_name=row.display_name,
        description=row.description,
        public_key=row.public_key.hex(),
        capabilities=capabilities_of(row),
        created_at=iso(row.created_at),
        last_seen_at=iso(row.last_seen_at),
        reputation_score=row.reputation,
        standing=row.standing,
        new=is_new or UNSET,
        looks_like=row.looks_like or UNSET,
        status=row.status,
        key_change_at=UNSET if row.key_change_at is None else iso(row.key_change_at),
        removed=UNSET if hidden_at is None else removal(hidden_at, row.removed_reason),
    )
