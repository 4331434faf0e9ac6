"""Webhooks: the addresses of deliveries, and the place of each in the log."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from stoa.store.tx import Tx, as_json, one_row

WebhookOrigin = Literal["webhooks", "subscriptions", "push_configs"]


class WebhookRow(NamedTuple):
    """A row of `webhook`; times are ms, `kinds` is the requested JSON list, or null.

    `seq` is the place in the log up to which all is delivered, `problem` why the last attempt
    failed, `delivered_at` when one succeeded last, `test_id` the event of a test that is due. A
    subscription of MCP Events has its `arguments` as a JSON object and the secret of its client,
    with the former one until the next request, and ends at `expires_at` (ms) or with the session of
    the last request. So does a push configuration of A2A, which has its job or thread, and as its
    secret the JSON of the headers of each delivery. A webhook has a session if a client made it,
    and ends with that.
    """

    id: str
    agent_id: str
    url: str
    scope: str
    kinds: str
    status: str
    created_at: int
    seq: int
    test_id: str | None
    due_at: int
    failures: int
    failing_since: int | None
    attempted_at: int | None
    problem: str | None
    arguments: str | None
    secret: str | None
    former_secret: str | None
    session_id: str | None
    expires_at: int | None
    task_id: str | None
    config_id: str | None
    delivered_at: int | None

    @property
    def chosen(self) -> "Chosen":
        """The requested filters beside the kinds."""
        return msgspec.json.decode(self.arguments or "{}", type=Chosen)

    @property
    def asked_kinds(self) -> list[str] | None:
        """The requested kinds, None for all."""
        return msgspec.json.decode(self.kinds, type=list[str] | None)


class Chosen(msgspec.Struct, frozen=True):
    """The values by which the arguments of a subscription choose."""

    tag: str | None = None
    thread: str | None = None
    agent: str | None = None


class NewWebhook(NamedTuple):
    """A requested webhook, with the session that it ends with, None if the agent's own key signed
    for its session. One with a test, the event of its first delivery, is active once that
    succeeded. A subscription and a push configuration have a place in the log where they begin, a
    secret and an end (ms)."""

    id: str
    agent_id: str
    url: str
    session_id: str | None
    scope: str = "events"
    kinds: Sequence[str] | None = None
    test_id: str | None = None
    seq: int = 0
    arguments: str | None = None
    secret: str | None = None
    expires_at: int | None = None
    task_id: str | None = None
    config_id: str | None = None


class WebhookCounts(NamedTuple):
    """How many webhooks get deliveries, and how many of these failed the last time."""

    active: int
    failing: int


async def count_all(tx: Tx) -> WebhookCounts:
    """How many webhooks there are to deliver to."""
    return WebhookCounts(*await one_row(tx, "webhooks.count_all"))


async def insert(tx: Tx, new: NewWebhook) -> None:
    """Add a webhook, a subscription or a push configuration."""
    values = {**new._asdict(), "kinds": as_json(new.kinds)}
    status = "pending" if new.test_id else "active"
    await tx.run("webhooks.insert", **values, status=status, now=tx.now)


async def of_agent(tx: Tx, agent_id: str, origin: WebhookOrigin = "webhooks") -> list[WebhookRow]:
    """The webhooks of an agent of this origin that have not ended, the oldest first."""
    rows = await tx.all(f"webhooks.of_agent_{origin}", agent_id=agent_id, now=tx.now)
    return [WebhookRow(*row) for row in rows]


async def renew(tx: Tx, webhook_id: str, secret: str, session_id: str, expires_at: int) -> bool:
    """Extend a subscription with this secret, until then (ms) or the end of this session; False
    when it has ended."""
    renewed = await tx.run(
        "webhooks.renew",
        id=webhook_id,
        secret=secret,
        session_id=session_id,
        expires_at=expires_at,
        now=tx.now,
    )
    return renewed == 1


async def forget(tx: Tx, most: int) -> bool:
    """Delete up to `most` webhooks that have expired, or whose session was revoked or has no token
    that is still valid. Returns whether it deleted that many, so that more may be left. A revoked
    token is found in the database until a day after it would have expired."""
    return await tx.run("webhooks.forget", now=tx.now, most=most) == most


async def delete_of_sessions(tx: Tx) -> None:
    """Delete all webhooks that end with a session, as all sessions end."""
    await tx.run("webhooks.delete_of_sessions")


async def get(tx: Tx, webhook_id: str) -> WebhookRow | None:
    """One webhook; None also when it ends by now with its agent's key or its session."""
    row = await tx.one("webhooks.get", id=webhook_id, now=tx.now)
    return WebhookRow(*row) if row else None


async def there_are_any(tx: Tx) -> bool:
    """Whether any agent has a webhook."""
    return await tx.one("webhooks.any") is not None


async def due(tx: Tx, newest: int) -> list[WebhookRow]:
    """Those that have a test to send, or may have events up to `newest` to deliver now, and whose
    agents have the key with which they were made."""
    rows = await tx.all("webhooks.due", newest=newest, now=tx.now)
    return [WebhookRow(*row) for row in rows]


async def delete(tx: Tx, webhook_id: str, agent_id: str) -> bool:
    """Delete a webhook of this agent; False if it has no such one."""
    return await tx.run("webhooks.delete", id=webhook_id, agent_id=agent_id) == 1


async def delete_all(tx: Tx, agent_id: str) -> None:
    """Delete every webhook of an agent."""
    await tx.run("webhooks.delete_all", agent_id=agent_id)


async def ask_test(tx: Tx, webhook_id: str, test_id: str) -> None:
    """Order a test, as this event."""
    await tx.run("webhooks.ask_test", id=webhook_id, test_id=test_id)


async def test_succeeded(tx: Tx, webhook_id: str, test_id: str, newest: int) -> None:
    """Note that a test was answered: the webhook is active. A new one begins after `newest`."""
    await tx.run(
        "webhooks.test_succeeded", id=webhook_id, test_id=test_id, newest=newest, now=tx.now
    )


async def test_failed(tx: Tx, row: WebhookRow, test_id: str, problem: str, *, ends: bool) -> bool:
    """Note that a test failed, and that the webhook is disabled if it `ends` with this. False when
    it has changed since `row` was read."""
    changed = await tx.run(
        "webhooks.test_failed",
        id=row.id,
        test_id=test_id,
        was=row.status,
        status="disabled" if ends else row.status,
        problem=problem,
        now=tx.now,
    )
    return changed == 1


async def delivered(tx: Tx, webhook_id: str, seq: int) -> None:
    """Note that the event at this place was delivered."""
    await tx.run("webhooks.delivered", id=webhook_id, seq=seq, now=tx.now)


async def given_up(tx: Tx, webhook_id: str, seq: int, problem: str) -> None:
    """Note that the event at this place was not delivered and will not be."""
    await tx.run("webhooks.given_up", id=webhook_id, seq=seq, problem=problem, now=tx.now)


async def failed(tx: Tx, row: WebhookRow, seq: int, problem: str, due_at: int | None) -> bool:
    """Note that the event at this place was not delivered, and when (ms) it is tried again, or
    never. False when the webhook has changed since `row` was read."""
    since = tx.now if row.failing_since is None else row.failing_since
    changed = await tx.run(
        "webhooks.failed",
        id=row.id,
        seq=seq,
        status="disabled" if due_at is None else "active",
        due_at=tx.now if due_at is None else due_at,
        failing_since=since,
        failures=row.failures,
        problem=problem,
        now=tx.now,
    )
    return changed == 1


async def move(tx: Tx, webhook_id: str, seq: int) -> None:
    """Note that nothing up to this place is to be delivered any more."""
    await tx.run("webhooks.move", id=webhook_id, seq=seq)
