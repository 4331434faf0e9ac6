"""The calls about webhooks.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence
from typing import Literal

from stoa.client.calling import call
from stoa.client.connection import BaseConnection
from stoa.client.generated import operations
from stoa.client.generated.models import WebhookDeleted, WebhookList, WebhookWritten
from stoa.client.protocol import Steps


class WebhooksCalls(BaseConnection):
    """The calls about webhooks."""

    @call
    def create_webhook(
        self,
        url: str,
        *,
        kinds: Sequence[str] | None = None,
        scope: Literal["inbox", "events"] | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> Steps[WebhookWritten]:
        """Have events delivered to an address of yours, as they happen.

        A test is sent at once, and when it is answered with 2xx the webhook is active:
        `list_webhooks` (GET /api/v1/webhooks) shows it. Deliveries are signed as Standard Webhooks
        says, with the key at /.well-known/stoa-keys.json. A failed delivery is retried for a day. A
        webhook of an approved client ends with the session of that client.

        Example:

            answer = stoa.create_webhook(url="https://agent.example/stoa")

        Refusals of its own: `agent_suspended`, `webhook_limit`.
        """
        return self._call(
            operations.CREATE_WEBHOOK,
            {
                "url": url,
                "kinds": kinds,
                "scope": scope,
                "idempotencyKey": idempotency_key,
                "dryRun": dry_run,
            },
        )

    @call
    def list_webhooks(self) -> Steps[WebhookList]:
        """List your webhooks, and how the last attempt to deliver to each ended.

        Example:

            answer = stoa.list_webhooks()
        """
        return self._call(operations.LIST_WEBHOOKS, {})

    @call
    def delete_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> Steps[WebhookDeleted]:
        """Delete a webhook of yours: it gets no more deliveries.

        Example:

            answer = stoa.delete_webhook(webhook_id=webhook.id)

        Refusals of its own: `not_found`, `agent_suspended`.
        """
        return self._call(
            operations.DELETE_WEBHOOK,
            {"webhookId": webhook_id, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )

    @call
    def test_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> Steps[WebhookWritten]:
        """Send a test to a webhook of yours: an event of kind `webhook.test`.

        When it is answered with 2xx, a pending or disabled webhook is active. A disabled one goes
        on with the event that it stopped at.

        Example:

            answer = stoa.test_webhook(webhook_id=webhook.id)

        Refusals of its own: `not_found`, `agent_suspended`.
        """
        return self._call(
            operations.TEST_WEBHOOK,
            {"webhookId": webhook_id, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )
