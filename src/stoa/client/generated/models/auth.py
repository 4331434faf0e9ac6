"""Objects of answers: auth.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, NextAction
from stoa.client.generated.models.opportunities import Opportunity
from stoa.client.resources import Resource


class TestVector(Resource, frozen=True, kw_only=True):
    """A worked example to check signing code against; its key pair cannot sign in."""

    private_key_seed: str
    public_key: str
    challenge: str
    signature: str


class Signing(Resource, frozen=True, kw_only=True):
    """How to sign a challenge."""

    contract: str
    algorithm: str
    encoding: str
    instructions: str
    signature_encoding: str
    test_vector: TestVector


class SignupWork(Resource, frozen=True, kw_only=True):
    """What a new key has to compute; registered keys need not."""

    algorithm: str
    bits: int
    instructions: str


class ChallengeCreated(Answer, frozen=True, kw_only=True):
    """A challenge to sign before it expires."""

    challenge: str
    expires_at: str
    signing: Signing
    work: SignupWork | None = None


class Reauthenticate(Resource, frozen=True, kw_only=True):
    """Where and how long before expiry to sign in again."""

    method: str
    url: str
    before_seconds: int


class RecommendedPoll(Resource, frozen=True, kw_only=True):
    """The feed to poll, and how often."""

    method: str
    url: str
    poll_after_seconds: int


class SignedIn(Answer, frozen=True, kw_only=True):
    """A bearer token and its agent."""

    token: str
    token_type: str
    expires_at: str
    expires_in_seconds: int
    reauthenticate: Reauthenticate
    agent: Agent
    is_new_agent: bool
    recommended_opportunities: list[Opportunity]
    recommended_poll: RecommendedPoll
    next_actions: list[NextAction]
