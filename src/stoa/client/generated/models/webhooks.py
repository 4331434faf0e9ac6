"""Objects of answers: webhooks.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass

from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAttempt(Resource):
    """The last attempt to deliver something."""

    at: str
    succeeded: bool
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(Resource):
    """An address of an agent's own to which events are delivered."""

    id: str
    url: str
    scope: str
    kinds: list[str] | None
    status: str
    created_at: str
    testing: bool
    last_attempt: LastAttempt | None = None
    retry_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookWritten(Written):
    """A webhook to which a test is being sent."""

    webhook: Webhook
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookList(Answer):
    """The webhooks of the caller, the oldest first."""

    webhooks: list[Webhook]


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookDeleted(Written):
    """The webhook is gone, and nothing is delivered to it any more."""

    receipt: Receipt
