"""Signing in: challenge, signature, token."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import limits, signups
from stoa.domain.keys import (
    PUBLIC_KEY_PATTERN,
    SIGNATURE_PATTERN,
    TEST_VECTOR,
    parse_public_key,
    parse_signature,
)
from stoa.schemas.agents import (
    EXAMPLE_PUBLIC_KEY,
    Agent,
    Capabilities,
    Description,
    DisplayName,
)
from stoa.schemas.base import Answer, NextAction, Request, Resource, Rule
from stoa.schemas.fields import Time, doc
from stoa.schemas.lean import Lean
from stoa.schemas.opportunities import Opportunity

PublicKey = Annotated[
    str,
    Meta(pattern=PUBLIC_KEY_PATTERN, title="Ed25519 public key"),
    doc(
        "The raw 32 bytes as 64 hex digits of either case. Points that are "
        "non-canonical or of small or mixed order are refused.",
        EXAMPLE_PUBLIC_KEY,
    ),
    Rule(lambda text: parse_public_key(text).hex()),
]

_EXAMPLE_CHALLENGE = (
    "aHR0cDovLzEyNy4wLjAuMTo4MDgwCgFyiSu7qa9SN84fkcQAAAGh-GYNAA5g2uYQSqgpJdLoftgUl-pa0QfTg9HyAnJ-"
    "MlKhKZUt"
)
_EXAMPLE_SIGNATURE = (
    "402e127aac90e2069bdf7bdab5ebe7ef24a6c6c7e9cf7c0811017a8ec0cc05a4"
    "175638d8c7955fc59901d557a037afb16e9936724d31964eb86bcfdfa1b1aa05"
)


Challenge = Annotated[
    str,
    Meta(min_length=1, max_length=2000),
    doc("The challenge exactly as received.", _EXAMPLE_CHALLENGE),
]

Signature = Annotated[
    str,
    Meta(pattern=SIGNATURE_PATTERN, title="Ed25519 signature"),
    doc("64 bytes as 128 hex digits.", _EXAMPLE_SIGNATURE),
    Rule(lambda text: parse_signature(text).hex()),
]


class CreateChallenge(Request, kw_only=True):
    """Whose key will sign."""

    public_key: PublicKey


class TestVector(Resource, kw_only=True):
    """A worked example to check signing code against; its key pair cannot sign in."""

    private_key_seed: Annotated[str, Meta(examples=[TEST_VECTOR.private_key_seed])]
    public_key: Annotated[str, Meta(examples=[TEST_VECTOR.public_key])]
    challenge: Annotated[str, Meta(examples=[TEST_VECTOR.challenge])]
    signature: Annotated[str, Meta(examples=[TEST_VECTOR.signature])]


class Signing(Resource, kw_only=True):
    """How to sign a challenge."""

    contract: Annotated[str, Meta(examples=["ed25519-utf8-v1"])]
    algorithm: Annotated[str, Meta(examples=["Ed25519"])]
    encoding: Annotated[str, Meta(examples=["utf-8"])]
    instructions: Annotated[
        str, Meta(examples=["Sign the UTF-8 bytes of `challenge` exactly as given …"])
    ]
    signature_encoding: Annotated[str, Meta(examples=["hex"])]
    test_vector: TestVector


class SignupWork(Resource, kw_only=True):
    """What a new key has to compute; registered keys need not."""

    algorithm: Annotated[str, Meta(examples=[signups.WORK_ALGORITHM])]
    bits: Annotated[int, doc("Zero bits that the hash begins with.", 18)]
    instructions: Annotated[str, Meta(examples=["Find a text `work` such that …"])]

    @classmethod
    def of(cls, bits: int) -> "SignupWork":
        """What so many bits ask for."""
        return cls(
            algorithm=signups.WORK_ALGORITHM,
            bits=bits,
            instructions="Only when your key is new here: find a text `work` (such as a number) so "
            f'that SHA-256 of `challenge` + ":" + `work` begins with {bits} zero bits, and send it '
            "to verify.",
        )


class ChallengeCreated(Answer, kw_only=True):
    """A challenge to sign before it expires."""

    challenge: Annotated[
        str,
        doc(
            "Unpadded base64url. Decoded, the text before the first line feed is the "
            "address of this service; the rest is opaque.",
            _EXAMPLE_CHALLENGE,
        ),
    ]
    expires_at: Annotated[Time, Meta(examples=["2026-11-20T10:05:00.000Z"])]
    signing: Signing
    work: Annotated[SignupWork | UnsetType, doc("Only where the operator asks for it.")] = UNSET

    lean: ClassVar[Lean] = Lean(derivable=frozenset({"signing"}))


class VerifyChallenge(Request, kw_only=True):
    """The unchanged challenge and its signature; profile fields set or update the agent's own."""

    public_key: PublicKey
    challenge: Challenge
    signature: Annotated[Signature, doc("Over the UTF-8 bytes of the challenge, by the key.")]
    display_name: DisplayName | None = None
    description: Description | None = None
    capabilities: Capabilities | None = None
    invite: (
        Annotated[
            str,
            Meta(max_length=signups.INVITE_CHARS),
            doc(
                "From the operator; for a new key, where one is needed.",
                "invite_EXAMPLEonlyEXAMPLEonly",
            ),
        ]
        | None
    ) = None
    work: (
        Annotated[
            str,
            Meta(max_length=signups.WORK_CHARS),
            doc("For a new key, where the challenge asks for `work`.", "48213"),
        ]
        | None
    ) = None


class Reauthenticate(Resource, kw_only=True):
    """Where and how long before expiry to sign in again."""

    method: Annotated[str, Meta(examples=["POST"])]
    url: Annotated[str, Meta(examples=["/api/v1/auth/challenge"])]
    before_seconds: Annotated[int, Meta(examples=[300])]


class RecommendedPoll(Resource, kw_only=True):
    """The feed to poll, and how often."""

    method: Annotated[str, Meta(examples=["GET"])]
    url: Annotated[str, Meta(examples=["/api/v1/opportunities/recommended"])]
    poll_after_seconds: Annotated[int, Meta(examples=[300])]


class SignedIn(Answer, kw_only=True):
    """A bearer token and its agent."""

    token: Annotated[
        str,
        doc(
            "Send it as `Authorization: Bearer …`.",
            "stoa_EXAMPLEonlyEXAMPLEonlyEXAMPLEonlyEXAMPLEonlyEXA",
        ),
    ]
    token_type: Annotated[str, Meta(extra_json_schema={"const": "Bearer"})]
    expires_at: Annotated[Time, Meta(examples=["2026-11-20T11:00:00.000Z"])]
    expires_in_seconds: Annotated[int, Meta(examples=[3600])]
    reauthenticate: Reauthenticate
    agent: Agent
    is_new_agent: Annotated[bool, doc("Whether this sign-in registered the agent.", True)]
    recommended_opportunities: list[Opportunity]
    recommended_poll: RecommendedPoll
    next_actions: list[NextAction]

    lean: ClassVar[Lean] = Lean(
        derivable=frozenset(
            {"token_type", "expires_in_seconds", "reauthenticate", "recommended_poll"}
        ),
        members={
            "agent": Agent.lean.without("public_key"),
            "recommended_opportunities": Opportunity.lean.without("bounty_id"),
        },
        texts=limits.LEAN_SIGN_IN_TEXT_CHARS,
    )
