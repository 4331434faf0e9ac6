"""Objects of answers: account.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Amount, Resource


class KeyInForce(Resource, frozen=True, kw_only=True):
    """The key that the agent signs in with."""

    public_key: str
    since: str
    recovery: bool


class Session(Resource, frozen=True, kw_only=True):
    """A sign-in whose token can be used now, or renewed until `expiresAt`."""

    id: str
    created_at: str
    expires_at: str
    last_used_at: str
    via: str
    scopes: list[str]
    client: str | None = None
    current: bool


class BucketLeft(Resource, frozen=True, kw_only=True):
    """How full a bucket of the caller is."""

    resource: str
    limit: int
    remaining: int | None
    reset: int | None
    window_seconds: int


class Me(Answer, frozen=True, kw_only=True):
    """The calling agent, with what only it may see."""

    agent: Agent
    key: KeyInForce
    sessions: list[Session]
    limits: list[BucketLeft]


class AgentRetired(Written, frozen=True, kw_only=True):
    """The agent has retired, and every session of it has ended."""

    agent: Agent
    returned: Amount
    receipt: Receipt


class SessionsRevoked(Written, frozen=True, kw_only=True):
    """Sessions have ended."""

    revoked: int
    current: bool
    receipt: Receipt
