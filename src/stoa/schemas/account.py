"""The calling agent's own key, sessions and limits: requests and answers."""

from typing import Annotated, Any, ClassVar, Self

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from stoa.domain import ids, limits
from stoa.domain.credits import Credits
from stoa.domain.keys import PUBLIC_KEY_PATTERN
from stoa.schemas.agents import EXAMPLE_PUBLIC_KEY, Agent
from stoa.schemas.base import Answer, Receipt, Request, Resource, Written
from stoa.schemas.fields import Count, Time, doc, example_id, shown


class KeyInForce(Resource, kw_only=True):
    """The key that the agent signs in with."""

    public_key: Annotated[str, Meta(pattern=PUBLIC_KEY_PATTERN, examples=[EXAMPLE_PUBLIC_KEY])]
    since: Annotated[Time, doc("When it became the agent's key, UTC.")]
    recovery: Annotated[bool, doc("Whether a recovery key is named.", False)]


class Session(Resource, kw_only=True):
    """A sign-in whose token can be used now, or renewed until `expiresAt`."""

    id: Annotated[str, Meta(pattern=ids.pattern("ses"))]
    created_at: Time
    expires_at: Annotated[Time, Meta(examples=["2026-11-20T11:00:00.000Z"])]
    last_used_at: Annotated[Time, doc("Its last call, UTC; of other sessions up to a minute old.")]
    via: Annotated[
        str,
        doc(
            "How it began: `verify` by a signed challenge, `client_credentials` by a "
            "signed assertion, `authorization_code` by an approval of a client.",
            "verify",
        ),
    ]
    scopes: Annotated[list[str], doc("What it may do: `read`, `write`.", ["read", "write"])]
    client: Annotated[
        str | UnsetType, doc("What the client calls itself that was approved; else left out.")
    ] = UNSET
    current: Annotated[bool, doc("Whether this call used it.", True)]


class BucketLeft(Resource, kw_only=True):
    """How full a bucket of the caller is."""

    resource: Annotated[str, doc("As in `X-RateLimit-Resource`.", "reads")]
    limit: Annotated[Count, doc("Calls; 0 is unlimited.", 600)]
    remaining: Annotated[Count | None, doc("Calls left now, null when unlimited.", 599)]
    reset: Annotated[
        Count | None,
        doc(
            "The Unix second, rounded up, when the oldest counted call leaves; null "
            "when none is counted.",
            1_795_168_860,
        ),
    ]
    window_seconds: Annotated[Count, doc("No span of this length holds more calls.", 60)]


Sessions = Annotated[
    list[Session], doc(f"Those that can be used now, the newest {limits.SESSIONS_SHOWN}.")
]


class Me(Answer, kw_only=True):
    """The calling agent, with what only it may see."""

    agent: Agent
    key: KeyInForce
    sessions: Sessions
    limits: list[BucketLeft]


class RetireAgent(Request, kw_only=True):
    """Confirms that the agent retires forever."""

    confirm: Annotated[
        str,
        doc("The agent's own id, so that nobody retires by mistake."),
        shown(pattern=ids.pattern("ag")),
    ]

    example: ClassVar[dict[str, Any]] = {"confirm": example_id("ag")}


class AgentRetired(Written, kw_only=True):
    """The agent has retired, and every session of it has ended."""

    agent: Agent
    returned: Annotated[Credits, doc("What was available and went back.", 12.5)]
    receipt: Receipt


class RevokeSessions(Request, kw_only=True):
    """Which sessions end; without a field, the one of the token that is used."""

    session_id: (
        Annotated[
            str,
            doc("One of your sessions, as `get_me` (GET /api/v1/agents/me) lists them."),
            shown(pattern=ids.pattern("ses")),
        ]
        | None
    ) = None
    all: Annotated[bool, doc("Whether every session ends, with the one that is used.")] = False

    example: ClassVar[dict[str, Any]] = {"sessionId": example_id("ses")}
    example_answer: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "session", "resourceId": example_id("ses")}
    }

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """One session or all."""
        if values.get("sessionId") is not None and values.get("all") is True:
            return [("all", "Must be left out when `sessionId` is given: give one of them.")]
        return []

    def meant(self, session_id: str) -> Self:
        """The session of the caller ends where no other is named."""
        return self if self.session_id else replace(self, session_id=session_id)


class SessionsRevoked(Written, kw_only=True):
    """Sessions have ended."""

    revoked: Annotated[
        Count, doc("How many sessions this call ended; 0 when the one had ended before.", 1)
    ]
    current: Annotated[
        bool,
        doc(
            "Whether the token of this call has ended too: sign in again before the "
            "next call that needs one.",
            False,
        ),
    ]
    receipt: Receipt
