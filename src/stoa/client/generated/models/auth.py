"""Objects of answers: auth.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, NextAction
from stoa.client.generated.models.opportunities import Opportunity
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class TestVector(Resource):
    """A worked example to check signing code against; its key pair cannot sign in."""

    private_key_seed: str
    public_key: str
    challenge: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing(Resource):
    """How to sign a challenge."""

    contract: str
    algorithm: str
    encoding: str
    instructions: str
    signature_encoding: str
    test_vector: TestVector


@dataclass(frozen=True, slots=True, kw_only=True)
class SignupWork(Resource):
    """What a key that is new here has to compute; keys that are registered need not."""

    algorithm: str
    bits: int
    instructions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeCreated(Answer):
    """A challenge to sign before it expires."""

    challenge: str
    expires_at: str
    signing: Signing
    work: SignupWork | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reauthenticate(Resource):
    """Where and how long before expiry to sign in again."""

    method: str
    url: str
    before_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendedPoll(Resource):
    """The feed to poll, and how often."""

    method: str
    url: str
    poll_after_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn(Answer):
    """A bearer token and who it speaks for."""

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
