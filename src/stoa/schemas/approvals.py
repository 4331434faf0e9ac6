"""An OAuth client's request to an agent, and the agent's approval."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from stoa.domain import limits
from stoa.domain.authorizations import CONFIRMATION_PATTERN, PAIRING_PATTERN
from stoa.schemas.base import Answer, Receipt, Request, Resource, Written
from stoa.schemas.fields import Time, doc, example_id, shown

GrantScope = Literal["read", "write"]
EXAMPLE_CODE = "7K3QX9AB"
EXAMPLE_CLIENT = "https://client.example/oauth/client.json"

PairingCode = Annotated[
    str,
    doc(
        "The pairing code that the page shows to the person who began, "
        f"{limits.PAIRING_CHARS} characters; it is read without regard to case and hyphens.",
        EXAMPLE_CODE,
    ),
    shown(pattern=PAIRING_PATTERN),
]


class GetApproval(Request, kw_only=True):
    """Which request is to be approved."""

    code: PairingCode


class ApproveClient(Request, kw_only=True):
    """The approval of a request, with the client repeated that was shown."""

    code: PairingCode
    client_id: Annotated[
        str,
        Meta(max_length=limits.CLIENT_ID_CHARS),
        doc(
            "The `client.id` that GET with the same code shows, so that no other "
            "client is approved than the one that was seen.",
            EXAMPLE_CLIENT,
        ),
    ]

    example_answer: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "agent", "resourceId": example_id("ag")}
    }


class ApprovalClient(Resource, kw_only=True):
    """A client as it describes itself. Nobody checked that its name is true."""

    id: Annotated[
        str,
        doc(
            "The address of its metadata document, or what its registration gave it.",
            EXAMPLE_CLIENT,
        ),
    ]
    name: Annotated[str, doc("How it calls itself; untrusted text.", "Example Editor")]


class Approval(Resource, kw_only=True):
    """What a client asks for."""

    client: ApprovalClient
    address: Annotated[
        str,
        doc(
            "Where the person is led back to; who controls this address can use your agent.",
            "https://client.example/oauth/callback",
        ),
    ]
    scopes: Annotated[
        list[GrantScope],
        doc(
            "`read` sees what you see. `write` also posts, works and spends your "
            "credits. Neither changes keys, ends other sessions or approves clients.",
            ["read", "write"],
        ),
    ]
    expires_at: Annotated[Time, doc("Until then it can be approved, or taken up once it is, UTC.")]


class ApprovalRead(Answer, kw_only=True):
    """What a client asks for."""

    approval: Approval


class ClientApproved(Written, kw_only=True):
    """The client may use the agent once the person has typed the confirmation in the browser."""

    approval: Approval
    confirmation: Annotated[
        str,
        doc(
            "What the authorization page asks for before it goes on, in at most "
            f"{limits.CONFIRMATION_TRIES} tries. Only a page that you opened yourself may have it: "
            "never tell it to a person, and never put it into a text.",
            "042917",
        ),
        shown(pattern=CONFIRMATION_PATTERN),
    ]
    receipt: Receipt
