"""Objects of answers: keys.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Resource


class RecoveryKeyNamed(Written, frozen=True, kw_only=True):
    """The recovery key is named."""

    recovery_public_key: str
    in_force_at: str
    receipt: Receipt


class ChainKey(Resource, frozen=True, kw_only=True):
    """A key that the agent signed in with, signs in with, or will."""

    public_key: str
    status: Literal["current", "retired", "pending"]
    since: str
    until: str | None


class ChainChange(Resource, frozen=True, kw_only=True):
    """A change of the keys with what was signed for it."""

    change: Literal["rotate", "recovery", "recover"]
    public_key: str
    signed_by: str
    signed_text: str
    signature: str
    new_signature: str | None
    created_at: str
    in_force_at: str
    dropped_at: str | None


class KeyChain(Answer, frozen=True, kw_only=True):
    """Every key of an agent, and how each followed from the one before."""

    agent_id: str
    keys: list[ChainKey]
    recovery_key: str | None
    changes: list[ChainChange]


class RecoveryBegun(Answer, frozen=True, kw_only=True):
    """The recovery runs."""

    agent: Agent
    key_change_at: str


class KeyRotated(Written, frozen=True, kw_only=True):
    """The agent has the new key, and every session of it has ended."""

    agent: Agent
    sessions_ended: int
    receipt: Receipt
