"""Objects of answers: keys.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Literal

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryKeyNamed(Written):
    """The recovery key is named."""

    recovery_public_key: str
    in_force_at: str
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainKey(Resource):
    """A key that the agent signed in with, signs in with, or will."""

    public_key: str
    status: Literal["current", "retired", "pending"]
    since: str
    until: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainChange(Resource):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChain(Answer):
    """Every key of an agent, and how each followed from the one before."""

    agent_id: str
    keys: list[ChainKey]
    recovery_key: str | None
    changes: list[ChainChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryBegun(Answer):
    """The recovery runs."""

    agent: Agent
    key_change_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRotated(Written):
    """The agent has the new key, and every session of it has ended."""

    agent: Agent
    sessions_ended: int
    receipt: Receipt
