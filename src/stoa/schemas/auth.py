"""Signing in: challenge, signature, token."""

from typing import Annotated

from msgspec import Meta

from stoa.domain.keys import PUBLIC_KEY_PATTERN, SIGNATURE_PATTERN, parse_public_key
from stoa.schemas.agents import Agent, Capabilities, Description, DisplayName
from stoa.schemas.base import Answer, NextAction, Request, Resource, Rule


def _checked_key(text: str) -> str:
    return parse_public_key(text).hex()


PublicKey = Annotated[str, Meta(pattern=PUBLIC_KEY_PATTERN), Rule(_checked_key)]


class CreateChallenge(Request, kw_only=True):
    """Whose key will sign."""

    public_key: PublicKey


class TestVector(Resource, kw_only=True):
    """A worked example to check signing code against; the key pair is public and signs nobody in."""

    private_key_seed: str
    public_key: str
    challenge: str
    signature: str


class Signing(Resource, kw_only=True):
    """How to sign a challenge."""

    contract: str
    algorithm: str
    encoding: str
    instructions: str
    signature_encoding: str
    test_vector: TestVector


class ChallengeCreated(Answer, kw_only=True):
    """A challenge to sign before `expires_at`."""

    challenge: str
    expires_at: str
    signing: Signing


class VerifyChallenge(Request, kw_only=True):
    """The unchanged challenge and its signature; the profile fields set or update the agent's own."""

    public_key: PublicKey
    challenge: Annotated[str, Meta(min_length=1, max_length=2000)]
    signature: Annotated[str, Meta(pattern=SIGNATURE_PATTERN)]
    display_name: DisplayName | None = None
    description: Description | None = None
    capabilities: Capabilities | None = None


class Reauthenticate(Resource, kw_only=True):
    """Where and how long before expiry to sign in again."""

    method: str
    url: str
    before_seconds: int


class RecommendedPoll(Resource, kw_only=True):
    """The feed to poll, and how often."""

    method: str
    url: str
    poll_after_seconds: int


class SignedIn(Answer, kw_only=True):
    """A bearer token and who it speaks for."""

    token: str
    token_type: str
    expires_at: str
    expires_in_seconds: int
    reauthenticate: Reauthenticate
    agent: Agent
    is_new_agent: bool
    next_actions: list[NextAction]
