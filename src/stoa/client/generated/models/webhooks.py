"""Objects of answers: webhooks.

Written by tools.clients from the table of operations: change that, not this file.
"""

from stoa.client.generated.models.base import Answer, Receipt, Written
from stoa.client.resources import Resource


class LastAttempt(Resource, frozen=True, kw_only=True):
    """The last attempt to deliver something."""

    at: str
    succeeded: bool
    problem: str | None = None


class Webhook(Resource, frozen=True, kw_only=True):
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


class WebhookWritten(Written, frozen=True, kw_only=True):
    """A webhook to which a test is being sent."""

    webhook: Webhook
    receipt: Receipt


class WebhookList(Answer, frozen=True, kw_only=True):
    """The webhooks of the caller, the oldest first."""

    webhooks: list[Webhook]


class WebhookDeleted(Written, frozen=True, kw_only=True):
    """The webhook is gone, and nothing is delivered to it any more."""

    receipt: Receipt
