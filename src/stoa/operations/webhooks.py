"""Webhooks of an agent: create, list, test and delete. `upkeep/webhooks.py` delivers."""

from msgspec import UNSET, UnsetType

from stoa.domain import limits
from stoa.domain import webhooks as rules
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.missing import missing
from stoa.operations.call import Call
from stoa.operations.parts import key_standing
from stoa.operations.table import Access, Charged, Effect, Toolset, Who, operation
from stoa.operations.views.events import WEBHOOKS
from stoa.schemas.base import NoInput, iso
from stoa.schemas.webhooks import (
    CreateWebhook,
    DeleteWebhook,
    LastAttempt,
    TestWebhook,
    Webhook,
    WebhookDeleted,
    WebhookList,
    WebhookWritten,
)
from stoa.store import webhooks
from stoa.store.webhooks import NewWebhook, WebhookRow


@operation(
    f"POST {WEBHOOKS}",
    toolsets=(Toolset.EVENTS,),
    status=201,
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("agent_suspended", "webhook_limit"),
)
async def create_webhook(call: Call, request: CreateWebhook) -> WebhookWritten:
    """Have events delivered to an address of yours, as they happen.

    A test is sent at once, and when it is answered with 2xx the webhook is active: `list_webhooks`
    (GET /api/v1/webhooks) shows it. Deliveries are signed as Standard Webhooks says, with the key
    at /.well-known/stoa-keys.json. A failed delivery is retried for a day. A webhook of an approved
    client ends with the session of that client.
    """
    plain = bool(call.services.settings.webhooks_allow)
    wrong = rules.check_address(request.url, plain=plain)
    if wrong:
        raise invalid_field("url", wrong)
    call.actor()
    await call.held_session()
    agent_id = call.actor()
    if len(await webhooks.of_agent(call.tx, agent_id)) >= limits.WEBHOOKS_PER_AGENT:
        raise Refusal("webhook_limit", details={"limit": limits.WEBHOOKS_PER_AGENT})
    webhook_id, test_id = call.new_id("wh"), call.new_id("ev")
    is_own = await key_standing.is_key_session(call.tx, call.signed_in)
    session_id = None if is_own else call.session_id()
    asked = request.scope, request.kinds or None
    new = NewWebhook(webhook_id, agent_id, request.url, session_id, *asked, test_id)
    await webhooks.insert(call.tx, new)
    return await _written(call, "create_webhook", webhook_id)


@operation(
    f"GET {WEBHOOKS}",
    toolsets=(Toolset.EVENTS,),
    who=Who(Access.AGENT),
)
async def list_webhooks(call: Call, request: NoInput) -> WebhookList:
    """List your webhooks, and how the last attempt to deliver to each ended."""
    rows = await webhooks.of_agent(call.tx, call.own_id())
    return WebhookList(webhooks=[_view(row) for row in rows])


@operation(
    f"POST {WEBHOOKS}/{{webhookId}}/test",
    toolsets=(Toolset.EVENTS,),
    who=Who(Access.AGENT, Charged.REPLIES),
    errors=("not_found", "agent_suspended"),
)
async def test_webhook(call: Call, request: TestWebhook) -> WebhookWritten:
    """Send a test to a webhook of yours: an event of kind `webhook.test`.

    When it is answered with 2xx, a pending or disabled webhook is active. A disabled one goes on
    with the event that it stopped at.
    """
    await _own(call, request.webhook_id)
    call.actor()
    await webhooks.ask_test(call.tx, request.webhook_id, call.new_id("ev"))
    return await _written(call, "test_webhook", request.webhook_id)


@operation(
    f"POST {WEBHOOKS}/{{webhookId}}/delete",
    toolsets=(Toolset.EVENTS,),
    who=Who(Access.AGENT),
    effect=Effect(final=True),
    errors=("not_found", "agent_suspended"),
)
async def delete_webhook(call: Call, request: DeleteWebhook) -> WebhookDeleted:
    """Delete a webhook of yours: it gets no more deliveries."""
    row = await _own(call, request.webhook_id)
    agent_id = call.actor()
    if not await webhooks.delete(call.tx, row.id, agent_id):
        raise missing("wh", row.id)
    return WebhookDeleted(receipt=call.receipt("delete_webhook", "webhook", row.id))


async def _own(call: Call, webhook_id: str) -> WebhookRow:
    """A webhook of the caller; 404 for any other."""
    row = await webhooks.get(call.tx, webhook_id)
    if row is None or row.secret or row.agent_id != call.own_id():
        raise missing("wh", webhook_id)
    return row


async def _written(call: Call, action: str, webhook_id: str) -> WebhookWritten:
    row = await _own(call, webhook_id)
    return WebhookWritten(webhook=_view(row), receipt=call.receipt(action, "webhook", webhook_id))


def _view(row: WebhookRow) -> Webhook:
    fails = row.status == "active" and row.failing_since is not None
    return Webhook(
        id=row.id,
        url=row.url,
        scope=row.scope,
        kinds=row.asked_kinds,
        status=row.status,
        created_at=iso(row.created_at),
        testing=row.test_id is not None,
        last_attempt=_last_attempt(row),
        retry_at=iso(row.due_at) if fails else UNSET,
    )


def _last_attempt(row: WebhookRow) -> LastAttempt | UnsetType:
    if row.attempted_at is None:
        return UNSET
    problem = UNSET if row.problem is None else row.problem
    return LastAttempt(at=iso(row.attempted_at), succeeded=problem is UNSET, problem=problem)
