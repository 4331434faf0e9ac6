"""Subscriptions of MCP Events: which events go to a client's address, and for how long."""

from typing import NamedTuple

from stoa.domain import limits
from stoa.domain import webhooks as rules
from stoa.domain.errors import Refusal
from stoa.operations.call import Call, Caller, Services
from stoa.operations.events import cursor, start
from stoa.schemas.occurrences import NAMES
from stoa.store import events, webhooks
from stoa.store.events import EventLogState
from stoa.store.tx import Tx
from stoa.store.webhooks import NewWebhook, WebhookRow


class WantedEvents(NamedTuple):
    """Events of a type and the address that they are delivered to. The `arguments` are JSON in one
    form, so that the same ones are the same text."""

    scope: str
    kinds: list[str] | None
    arguments: str
    url: str

    def id_for(self, agent_id: str) -> str:
        """The id of the subscription of an agent."""
        return rules.subscription_id(agent_id, self.url, NAMES[self.scope], self.arguments)

    def finds(self, row: WebhookRow) -> bool:
        """Whether a subscription is the one to these events."""
        return (row.scope, row.arguments, row.url) == (self.scope, self.arguments, self.url)


class AskedSubscription(NamedTuple):
    """A requested subscription: from a cursor on, or from now, without events older than so many
    ms, and for how many ms."""

    wanted: WantedEvents
    secret: str
    cursor: str | None
    max_age_ms: int | None
    ttl_ms: int


class Subscribed(NamedTuple):
    """A subscription, until when (ms) it lasts, and its cursor. `before` is its earlier state, if
    it existed."""

    id: str
    expires_at: int
    cursor: str
    truncated: bool
    before: WebhookRow | None


async def may_deliver(tx: Tx, services: Services, caller: Caller, asked: AskedSubscription) -> bool:
    """Whether the agent has a subscription with this address, which has then proved that it wants
    deliveries. Raises what `subscribe` would refuse."""
    Call(tx, services, caller).not_suspended()
    rows = await webhooks.of_agent(tx, caller.agent_id, "subscriptions")
    _find(rows, asked)
    return any(row.url == asked.wanted.url for row in rows)


async def subscribe(
    tx: Tx, services: Services, caller: Caller, asked: AskedSubscription
) -> Subscribed:
    """Subscribe an agent, or extend its same subscription."""
    call = Call(tx, services, caller)
    await call.held_session()
    agent_id = call.not_suspended()
    log, wanted = await events.log(tx), asked.wanted
    row = _find(await webhooks.of_agent(tx, agent_id, "subscriptions"), asked)
    subscription_id = wanted.id_for(agent_id)
    ttl = min(max(asked.ttl_ms, limits.SUBSCRIPTION_MIN_MS), limits.SUBSCRIPTION_MAX_MS)
    expires_at = tx.now + ttl
    if row:
        place, truncated = max(row.seq, log.deleted), row.seq < log.deleted
        if await webhooks.renew(tx, row.id, asked.secret, caller.session_id, expires_at):
            return Subscribed(subscription_id, expires_at, cursor(log, place), truncated, row)
        # By the clock of another process it has ended since it was read: a new one goes on there.
    else:
        place, truncated = await _begin(tx, log, asked)
    new = NewWebhook(
        call.new_id("wh"),
        agent_id,
        wanted.url,
        caller.session_id,
        wanted.scope,
        wanted.kinds,
        seq=place,
        arguments=wanted.arguments,
        secret=asked.secret,
        expires_at=expires_at,
    )
    await webhooks.insert(tx, new)
    return Subscribed(subscription_id, expires_at, cursor(log, place), truncated, None)


async def unsubscribe(tx: Tx, agent_id: str, wanted: WantedEvents) -> None:
    """End the subscription of an agent to these events, if it has one."""
    for row in await webhooks.of_agent(tx, agent_id, "subscriptions"):
        if wanted.finds(row):
            await webhooks.delete(tx, row.id, agent_id)


def _find(rows: list[WebhookRow], asked: AskedSubscription) -> WebhookRow | None:
    """The subscription that is requested again. Raises 409 if there can be no new one."""
    row = next(filter(asked.wanted.finds, rows), None)
    if row is None and len(rows) >= limits.SUBSCRIPTIONS:
        raise Refusal(
            "webhook_limit",
            "You have {limit} subscriptions, and an agent may have no more.",
            recovery="Call POST {base_url}/mcp with `events/unsubscribe` for one of them.",
            details={"limit": limits.SUBSCRIPTIONS},
        )
    return row


async def _begin(tx: Tx, log: EventLogState, asked: AskedSubscription) -> tuple[int, bool]:
    """The place after which a new subscription begins, and whether requested events are left
    out."""
    if asked.cursor is None:
        return log.newest, False
    try:
        place = min(start(log, asked.cursor), log.newest)
    except Refusal:
        return log.newest, True
    if asked.max_age_ms is None:
        return place, False
    newer = await events.place_before(tx, place, log.newest, tx.now - asked.max_age_ms)
    return newer, newer > place
