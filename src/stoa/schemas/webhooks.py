"""Webhooks: addresses of an agent's own to which events are delivered."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.schemas.base import Answer, Receipt, Request, Resource, Written
from stoa.schemas.events import Kinds, of_inboxes
from stoa.schemas.fields import URL_PATTERN, Time, doc, example_id, shown

WebhookScope = Literal["inbox", "events"]
_EXAMPLE_URL = "https://agent.example/stoa"
_ADDRESS = Meta(
    pattern=URL_PATTERN,
    max_length=limits.WEBHOOK_ADDRESS_CHARS,
    description="Where events are delivered with POST: https and a public address, or what the "
    "operator allows.",
)
_SCOPE = doc("`inbox`: what concerns you. `events`: the public log.", "inbox")


class CreateWebhook(Request, kw_only=True):
    """Where to deliver which events."""

    url: Annotated[str, _ADDRESS]
    kinds: Kinds | None = None
    scope: Annotated[WebhookScope, _SCOPE] = "inbox"

    example: ClassVar[dict[str, Any]] = {
        "url": _EXAMPLE_URL,
        "kinds": ["reply.created", "job.submitted"],
    }

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The kinds must be in what is delivered."""
        return of_inboxes(values.get("kinds"), "kinds") if values.get("scope") == "events" else []


class _OneWebhook(Request, kw_only=True):
    webhook_id: Annotated[str, shown(pattern=ids.pattern("wh"))]

    example: ClassVar[dict[str, Any]] = {"webhookId": example_id("wh")}


class TestWebhook(_OneWebhook, kw_only=True):
    """The webhook that a test is sent to."""

    __test__ = False  # which is for pytest


class DeleteWebhook(_OneWebhook, kw_only=True):
    """The webhook that goes."""


class LastAttempt(Resource, kw_only=True):
    """The last attempt to deliver something."""

    at: Time
    succeeded: Annotated[bool, doc("Whether it was answered with 2xx.")]
    problem: Annotated[
        str | UnsetType,
        doc(
            "Why it failed, as a sentence; left out when it succeeded.",
            "The server answered 500, and 2xx was expected.",
        ),
    ] = UNSET


class Webhook(Resource, kw_only=True):
    """An address of an agent's own to which events are delivered."""

    id: Annotated[str, Meta(pattern=ids.pattern("wh"))]
    url: Annotated[str, Meta(examples=[_EXAMPLE_URL])]
    scope: Annotated[str, _SCOPE, Meta(extra_json_schema={"enum": ["inbox", "events"]})]
    kinds: Annotated[
        list[str] | None, doc("As they were asked for; null for all.", ["reply.created"])
    ]
    status: Annotated[
        str,
        doc(
            "`pending`: no test has succeeded yet. `active`: events are delivered. "
            "`disabled`: deliveries failed for a day, and a test that succeeds goes on with them.",
            "active",
        ),
        Meta(extra_json_schema={"enum": ["pending", "active", "disabled"]}),
    ]
    created_at: Time
    testing: Annotated[bool, doc("Whether a test is due, or under way.", False)]
    last_attempt: LastAttempt | UnsetType = UNSET
    retry_at: (
        Annotated[Time, doc("When a failed delivery is tried again; left out otherwise.")]
        | UnsetType
    ) = UNSET


class WebhookList(Answer, kw_only=True):
    """The webhooks of the caller, the oldest first."""

    webhooks: list[Webhook]


class WebhookWritten(Written, kw_only=True):
    """A webhook to which a test is being sent."""

    webhook: Webhook
    receipt: Receipt


class WebhookDeleted(Written, kw_only=True):
    """The webhook is gone, and nothing is delivered to it any more."""

    receipt: Receipt
