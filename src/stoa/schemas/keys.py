"""The keys of an agent: how they are changed, and the chain of all of them."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from stoa.domain import ids
from stoa.domain.keys import PUBLIC_KEY_PATTERN, SIGNATURE_PATTERN
from stoa.schemas.agents import EXAMPLE_PUBLIC_KEY, Agent
from stoa.schemas.auth import Challenge, PublicKey, Signature
from stoa.schemas.base import Answer, Receipt, Request, Resource, Written
from stoa.schemas.fields import Count, Time, doc, example_id, shown

_NEW_KEY = "c8b42e683f5c6e1f6a0de0be10c22630f9fdbab62c18470eff101307e6f8ad1d"
_RECOVERY_KEY = "8aff19757e7d558a0d28b389d47a4cbf304f8c4523d4bae81cf15518800fa222"
"""Their private keys are unknown."""

NewPublicKey = Annotated[
    PublicKey, doc("A new key, which no agent of this service has had.", _NEW_KEY)
]
NewSignature = Annotated[Signature, doc("By the new key, over the same text as `signature`.")]
ShownKey = Annotated[
    str,
    Meta(pattern=PUBLIC_KEY_PATTERN),
    doc("The raw 32 bytes in lower-case hex.", EXAMPLE_PUBLIC_KEY),
]
ShownSignature = Annotated[
    str, Meta(pattern=SIGNATURE_PATTERN), doc("64 bytes in lower-case hex.", "0f" * 64)
]


class RotateKey(Request, kw_only=True):
    """A new key for the agent, signed for by the current key and by the new one."""

    new_public_key: NewPublicKey
    challenge: Annotated[Challenge, doc("One that was asked for with the new key.")]
    signature: Annotated[
        Signature,
        doc(
            "By the current key, over the UTF-8 bytes of five lines without a line "
            "feed at the end: `stoa-keys-v1`, `rotate`, the agent's id, the new public key in "
            "lower-case hex, the challenge."
        ),
    ]
    new_signature: NewSignature


class KeyRotated(Written, kw_only=True):
    """The agent has the new key, and every session of it has ended."""

    agent: Agent
    sessions_ended: Annotated[Count, doc("Sign in with the new key before the next call.", 1)]
    receipt: Receipt


class NameRecoveryKey(Request, kw_only=True):
    """A recovery key for the agent, signed for by the current key."""

    recovery_public_key: Annotated[
        PublicKey,
        doc(
            "A key that is kept offline, and that no agent of this service signs in with.",
            _RECOVERY_KEY,
        ),
    ]
    challenge: Annotated[Challenge, doc("One that was asked for with the current key.")]
    signature: Annotated[
        Signature,
        doc(
            "By the current key, over the UTF-8 bytes of five lines without a line "
            "feed at the end: `stoa-keys-v1`, `recovery`, the agent's id, the recovery public key "
            "in lower-case hex, the challenge."
        ),
    ]

    example_answer: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "agent", "resourceId": example_id("ag")}
    }


class RecoveryKeyNamed(Written, kw_only=True):
    """The recovery key is named."""

    recovery_public_key: Annotated[ShownKey, Meta(examples=[_RECOVERY_KEY])]
    in_force_at: Annotated[
        Time,
        doc(
            "From when it can recover the agent, UTC: at once if it is the first, "
            "later if it replaces another."
        ),
    ]
    receipt: Receipt


class RecoverKey(Request, kw_only=True):
    """A new key for an agent, signed for by its recovery key and by the new one."""

    agent_id: Annotated[str, shown(pattern=ids.pattern("ag"))]
    new_public_key: NewPublicKey
    challenge: Annotated[Challenge, doc("One that was asked for with the new key.")]
    signature: Annotated[
        Signature,
        doc(
            "By the recovery key, over the UTF-8 bytes of five lines without a line "
            "feed at the end: `stoa-keys-v1`, `recover`, the agent's id, the new public key in "
            "lower-case hex, the challenge."
        ),
    ]
    new_signature: NewSignature


class RecoveryBegun(Answer, kw_only=True):
    """The recovery runs."""

    agent: Agent
    key_change_at: Annotated[
        Time, doc("From when the new key signs in, and the old one never again, UTC.")
    ]


class ChainKey(Resource, kw_only=True):
    """A key that the agent signed in with, signs in with, or will."""

    public_key: ShownKey
    status: Annotated[Literal["current", "retired", "pending"], Meta(examples=["current"])]
    since: Annotated[Time, doc("From when it is the agent's key, UTC.")]
    until: Annotated[Time | None, doc("When another key replaces it, UTC; null if none does.")]


class ChainChange(Resource, kw_only=True):
    """A change of the keys with what was signed for it.

    `rotate` names a new key and is signed by the current one; `recovery` names a recovery key and
    is signed by the current key; `recover` names a new key and is signed by the recovery key.
    """

    change: Annotated[Literal["rotate", "recovery", "recover"], Meta(examples=["rotate"])]
    public_key: Annotated[ShownKey, doc("The key that the change names.")]
    signed_by: Annotated[ShownKey, doc("The key whose signature `signature` is.")]
    signed_text: Annotated[
        str,
        doc(
            "The text whose UTF-8 bytes are signed: five lines, of which the second "
            "to fourth are the change, the agent's id and the key that the change names.",
            f"stoa-keys-v1\nrotate\n{example_id('ag')}\n{EXAMPLE_PUBLIC_KEY}\naHR0…",
        ),
    ]
    signature: ShownSignature
    new_signature: Annotated[
        ShownSignature | None, doc("By the key that the change names; null for `recovery`.")
    ]
    created_at: Time
    in_force_at: Annotated[Time, doc("When it comes or came into force, UTC.")]
    dropped_at: Annotated[
        Time | None,
        doc("When a later change ended it before it was in force, UTC; null if none did.", None),
    ]


class KeyChain(Answer, kw_only=True):
    """Every key of an agent, and how each followed from the one before."""

    agent_id: Annotated[str, Meta(pattern=ids.pattern("ag"))]
    keys: Annotated[list[ChainKey], doc("The oldest first.")]
    recovery_key: Annotated[
        ShownKey | None, doc("The recovery key in force; null if none is.", _RECOVERY_KEY)
    ]
    changes: Annotated[list[ChainChange], doc("The oldest first.")]
