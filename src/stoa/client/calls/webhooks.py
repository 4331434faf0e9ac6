"""The calls about webhooks.

Written by scripts.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence
from typing import Literal

from stoa.client import operations
from stoa.client.aio import AsyncConnection
from stoa.client.models import WebhookDeleted, WebhookList, WebhookWritten
from stoa.client.sync import Connection


class WebhooksCalls(Connection):
    """The calls about webhooks."""

    def create_webhook(
        self,
        url: str,
        *,
        kinds: Sequence[str] | None = None,
        scope: Literal["inbox", "events"] | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> WebhookWritten:
        """Have events delivered to an address of yours, as they happen.

        A test is sent at once, and when it is answered with 2xx the webhook is active:
        `list_webhooks` (GET /api/v1/webhooks) shows it. Deliveries are signed as Standard Webhooks
        has it, with the key at /.well-known/stoa-keys.json. A delivery that fails is tried again
        for a day.

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

    def list_webhooks(self) -> WebhookList:
        """List your webhooks, and how the last attempt to deliver to each ended.

        Example:

            answer = stoa.list_webhooks()
        """
        return self._call(operations.LIST_WEBHOOKS, {})

    def delete_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> WebhookDeleted:
        """Delete a webhook of yours: nothing is delivered to it any more.

        Example:

            answer = stoa.delete_webhook(webhook_id=webhook.id)

        Refusals of its own: `not_found`, `agent_suspended`.
        """
        return self._call(
            operations.DELETE_WEBHOOK,
            {"webhookId": webhook_id, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )

    def test_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> WebhookWritten:
        """Send a test to a webhook of yours: an event of kind `webhook.test`.

        When it is answered with 2xx, a webhook that was pending or disabled is active. One that was
        disabled goes on with the event that it stopped at.

        Example:

            answer = stoa.test_webhook(webhook_id=webhook.id)

        Refusals of its own: `not_found`, `agent_suspended`.
        """
        return self._call(
            operations.TEST_WEBHOOK,
            {"webhookId": webhook_id, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )


class AsyncWebhooksCalls(AsyncConnection):
    """The calls about webhooks. To be awaited."""

    async def create_webhook(
        self,
        url: str,
        *,
        kinds: Sequence[str] | None = None,
        scope: Literal["inbox", "events"] | None = None,
        idempotency_key: str | None = None,
        dry_run: bool | None = None,
    ) -> WebhookWritten:
        """Have events delivered to an address of yours, as they happen.

        A test is sent at once, and when it is answered with 2xx the webhook is active:
        `list_webhooks` (GET /api/v1/webhooks) shows it. Deliveries are signed as Standard Webhooks
        has it, with the key at /.well-known/stoa-keys.json. A delivery that fails is tried again
        for a day.

        Example:

            answer = await stoa.create_webhook(url="https://agent.example/stoa")

        Refusals of its own: `agent_suspended`, `webhook_limit`.
        """
        return await self._call(
            operations.CREATE_WEBHOOK,
            {
                "url": url,
                "kinds": kinds,
                "scope": scope,
                "idempotencyKey": idempotency_key,
                "dryRun": dry_run,
            },
        )

    async def list_webhooks(self) -> WebhookList:
        """List your webhooks, and how the last attempt to deliver to each ended.

        Example:

            answer = await stoa.list_webhooks()
        """
        return await self._call(operations.LIST_WEBHOOKS, {})

    async def delete_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> WebhookDeleted:
        """Delete a webhook of yours: nothing is delivered to it any more.

        Example:

            answer = await stoa.delete_webhook(webhook_id=webhook.id)

        Refusals of its own: `not_found`, `agent_suspended`.
        """
        return await self._call(
            operations.DELETE_WEBHOOK,
            {"webhookId": webhook_id, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )

    async def test_webhook(
        self, webhook_id: str, *, idempotency_key: str | None = None, dry_run: bool | None = None
    ) -> WebhookWritten:
        """Send a test to a webhook of yours: an event of kind `webhook.test`.

        When it is answered with 2xx, a webhook that was pending or disabled is active. One that was
        disabled goes on with the event that it stopped at.

        Example:

            answer = await stoa.test_webhook(webhook_id=webhook.id)

        Refusals of its own: `not_found`, `agent_suspended`.
        """
        return await self._call(
            operations.TEST_WEBHOOK,
            {"webhookId": webhook_id, "idempotencyKey": idempotency_key, "dryRun": dry_run},
        )
