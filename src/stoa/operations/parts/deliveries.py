"""The next deliveries of webhooks, and the result of each attempt."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from stoa.domain import webhooks as rules
from stoa.domain.events import EVERY_KIND, PUBLIC_KINDS, chosen
from stoa.domain.webhooks import ClientSecrets
from stoa.entropy import IdGenerator
from stoa.operations.events import cursor
from stoa.operations.inbox import wanted_by
from stoa.operations.parts import event_log
from stoa.operations.parts.push_configs import push_headers
from stoa.operations.views.events import WEBHOOKS, event_views, told_views
from stoa.operations.views.tasks import task_update
from stoa.schemas.base import encode, iso
from stoa.schemas.events import Event, EventData, Subject
from stoa.schemas.occurrences import NAMES, occurrence
from stoa.schemas.tasks import TERMINAL
from stoa.store import events, webhooks
from stoa.store.events import EventFilter, EventLogState, EventRow
from stoa.store.tx import Tx
from stoa.store.webhooks import WebhookRow

ReadUpTo = Mapping[str, int]
"""The place of the log up to which nothing is left for a webhook, by its id."""


class Delivery(NamedTuple):
    """One delivery to a webhook: the event at a place in the log, or a test, which has no place.
    The event that ends a task `is_last`."""

    webhook: WebhookRow
    event_id: str
    seq: int | None
    body: bytes
    is_last: bool = False

    @property
    def client_keys(self) -> ClientSecrets | None:
        """The HMAC keys of the client that subscribed; None for a webhook, which Stoa signs."""
        row = self.webhook
        if row.secret is None or row.task_id is not None:
            return None
        return ClientSecrets.of(row.secret, row.former_secret)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of a push notification beside its signature."""
        row = self.webhook
        return push_headers(row.secret) if row.secret and row.task_id else {}

    @property
    def subscription_id(self) -> str | None:
        """The id of the subscription that it is for."""
        row = self.webhook
        if row.arguments is None:
            return None
        return rules.subscription_id(row.agent_id, row.url, NAMES[row.scope], row.arguments)


class DueWebhooks(NamedTuple):
    """The webhooks that have something to be sent now, and up to which place there is nothing for
    each; for those in `moved` that place is to be stored. For those that `failed` it could not be
    found, and why. It is to be looked for more for those that come `later`."""

    ready: list[WebhookRow]
    looked: dict[str, int]
    moved: dict[str, int]
    failed: dict[str, Exception]
    later: list[str]


async def find(
    tx: Tx, looked: ReadUpTo, busy: Collection[str], span: int, behind: int, most: int
) -> DueWebhooks:
    """Find the webhooks, except `busy` ones, that an event or a test is due for now. For each a
    `span` of events is read, for all of them about `most`, first for those nearest to the end of
    the log; a place is stored when it is `behind` by so many. Each statement has to see what was
    committed before that statement."""
    kept = {webhook_id: looked[webhook_id] for webhook_id in busy if webhook_id in looked}
    log, found, left = await events.log(tx), DueWebhooks([], kept, {}, {}, []), most
    due = [row for row in await webhooks.due(tx, log.newest) if row.id not in busy]
    for row in sorted(due, key=lambda row: _place(log, row, looked), reverse=True):
        after = _place(log, row, looked)
        if left <= 0 and not row.test_id:
            found.looked[row.id] = after
            found.later.append(row.id)
            continue
        try:
            event, upto = (None, after) if row.test_id else await _next(tx, log, row, after, span)
        except Exception as error:  # it must not keep others from their deliveries
            if tx.may_pass(error):
                raise
            found.failed[row.id] = error
            continue
        left -= (event.seq if event else upto) - after
        found.looked[row.id] = upto
        if row.test_id or event:
            found.ready.append(row)
        if upto - row.seq >= behind:
            found.moved[row.id] = upto
    return found


async def next_delivery(tx: Tx, webhook_id: str, looked: ReadUpTo, span: int) -> Delivery | None:
    """The next delivery to a webhook, as it is shown now."""
    row = await webhooks.get(tx, webhook_id)
    if row is None:
        return None
    if row.test_id is not None:
        test = _test(row, row.test_id, tx.now)
        if row.task_id:
            return await _of_task(tx, row, row.task_id, test, None)
        return Delivery(row, row.test_id, None, encode(test))
    if row.status != "active" or row.due_at > tx.now:
        return None
    log = await events.log(tx)
    event, _ = await _next(tx, log, row, _place(log, row, looked), span)
    if event is None:
        return None
    views = told_views if row.scope == "inbox" else event_views
    (view,) = await views(tx, [event])
    if row.task_id:
        return await _of_task(tx, row, row.task_id, view, event.seq)
    if row.secret is None:
        return Delivery(row, event.id, event.seq, encode(view))
    told = occurrence(NAMES[row.scope], view, cursor(log, event.seq))
    return Delivery(row, event.id, event.seq, encode(told))


async def _of_task(tx: Tx, row: WebhookRow, task_id: str, told: Event, seq: int | None) -> Delivery:
    """The state of a task as it is now, told for an event."""
    update = await task_update(tx, task_id, told)
    is_last = update["statusUpdate"]["status"]["state"] in TERMINAL
    return Delivery(row, told.id, seq, encode(update), is_last)


def _place(log: EventLogState, row: WebhookRow, looked: ReadUpTo) -> int:
    """The place after which to search for a webhook."""
    return max(row.seq, log.deleted, looked.get(row.id, 0))


async def _next(
    tx: Tx, log: EventLogState, row: WebhookRow, after: int, span: int
) -> tuple[EventRow | None, int]:
    """The first event after a place that is for a webhook, and the place where the search ended."""
    upto = min(after + span, log.newest)
    if upto <= after:
        return None, after
    if row.task_id:
        event = await events.of_task(tx, row.task_id, after, upto)
        return (event, after) if event else (None, upto)
    if row.scope == "inbox":
        wanted = await wanted_by(tx, row.agent_id, chosen(row.asked_kinds, EVERY_KIND))
        rows = await events.inbox(tx, wanted, after, upto, 1)
    else:
        by = row.chosen
        kinds = chosen(row.asked_kinds, PUBLIC_KINDS)
        filtered = EventFilter(kinds, by.agent, by.tag, by.thread)
        rows = await events.page(tx, filtered, after, upto, 1)
    return (rows[0], after) if rows else (None, upto)


def _test(row: WebhookRow, event_id: str, now: int) -> Event:
    return Event(
        id=event_id,
        kind=rules.TEST,
        at=iso(now),
        actor_agent_id=row.agent_id,
        subject=Subject(type="webhook", id=row.id),
        url=WEBHOOKS,
        data=EventData(),
    )


async def succeeded(tx: Tx, sent: Delivery) -> None:
    """Note that a delivery was answered with 2xx. A push configuration ends with its task."""
    webhook_id = sent.webhook.id
    if sent.is_last:
        await webhooks.delete(tx, webhook_id, sent.webhook.agent_id)
        return
    if sent.seq is not None:
        await webhooks.delivered(tx, webhook_id, sent.seq)
        return
    newest = (await events.log(tx)).newest
    await webhooks.test_succeeded(tx, webhook_id, sent.event_id, newest)


async def failed(tx: Tx, ids: IdGenerator, sent: Delivery, failure: rules.Failure) -> bool:
    """Note that a delivery failed, and why; whether the webhook is disabled now."""
    row, due_at = sent.webhook, None
    if sent.seq is None:
        ends = failure.is_final and row.status == "active"
        changed = await webhooks.test_failed(tx, row, sent.event_id, failure.problem, ends=ends)
    elif row.secret and failure.too_large:
        await webhooks.given_up(tx, row.id, sent.seq, failure.category)
        return False
    else:
        since = tx.now if row.failing_since is None else row.failing_since
        if not failure.is_final:
            due_at = rules.next_attempt(row.failures, since, tx.now, failure.pause_ms)
        problem = failure.category if row.secret else failure.problem
        changed = await webhooks.failed(tx, row, sent.seq, problem, due_at)
        ends = due_at is None
    if not (ends and changed):
        return False
    if row.secret is None:  # a client that refreshes its subscription is told then
        event_log.on_webhook_disabled(tx, ids, row.id, row.agent_id)
    return True


async def move(tx: Tx, places: ReadUpTo) -> None:
    """Store the places up to which nothing is left for these webhooks."""
    for webhook_id, place in sorted(places.items()):
        await webhooks.move(tx, webhook_id, place)
