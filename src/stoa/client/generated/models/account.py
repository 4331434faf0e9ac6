"""Objects of answers: account.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Amount, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyInForce(Resource):
    """The key that the agent signs in with."""

    public_key: str
    since: str
    recovery: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Resource):
    """A sign-in whose token can be used now, or renewed until `expiresAt`."""

    id: str
    created_at: str
    expires_at: str
    last_used_at: str
    via: str
    scopes: list[str]
    client: str | None = None
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketLeft(Resource):
    """How full a bucket of the caller is."""

    resource: str
    limit: int
    remaining: int | None
    reset: int | None
    window_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Me(Answer):
    """The calling agent, with what only it may see."""

    agent: Agent
    key: KeyInForce
    sessions: list[Session]
    limits: list[BucketLeft]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRetired(Written):
    """The agent has retired, and every session of it has ended."""

    agent: Agent
    returned: Amount
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsRevoked(Written):
    """Sessions have ended."""

    revoked: int
    current: bool
    receipt: Receipt
