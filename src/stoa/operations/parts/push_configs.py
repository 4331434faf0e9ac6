"""Push configurations of A2A: the address to which the state of a task is sent, and for how
long."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.operations.call import Call, Caller, Services
from stoa.store import events, webhooks
from stoa.store.tx import Tx, as_json
from stoa.store.webhooks import NewWebhook, WebhookRow

TOKEN_HEADER = "X-A2A-Notification-Token"  # noqa: S105 - the name of a header


class PushSecrets(msgspec.Struct, frozen=True, omit_defaults=True):
    """The secrets of a client in the headers of each delivery, by which it knows the sender."""

    token: str = ""
    scheme: str = ""
    credentials: str = ""


_read = msgspec.json.Decoder(PushSecrets).decode


class AskedPush(NamedTuple):
    """A requested configuration. The id is its own, or that of the task."""

    task_id: str
    config_id: str
    url: str
    proof: PushSecrets


def push_headers(secret: str) -> Mapping[str, str]:
    """The headers of a delivery beside its signature."""
    wanted = _read(secret)
    headers = {"Content-Type": "application/a2a+json"}
    if wanted.token:
        headers[TOKEN_HEADER] = wanted.token
    if wanted.credentials:
        headers["Authorization"] = f"{wanted.scheme} {wanted.credentials}"
    return headers


def scheme_of(row: WebhookRow) -> str:
    """The scheme of authentication of a configuration, empty if it has none."""
    return _read(row.secret or "{}").scheme


async def of_task(tx: Tx, agent_id: str, task_id: str) -> list[WebhookRow]:
    """The configurations that an agent has for a task."""
    rows = await webhooks.of_agent(tx, agent_id, "push_configs")
    return [row for row in rows if row.task_id == task_id]


async def put(tx: Tx, services: Services, caller: Caller, asked: AskedPush) -> None:
    """Add a configuration; it replaces the one with its id."""
    call = Call(tx, services, caller)
    await call.held_session()
    agent_id = call.actor()
    rows = await webhooks.of_agent(tx, agent_id, "push_configs")
    named = (asked.task_id, asked.config_id)
    former = [row for row in rows if (row.task_id, row.config_id) == named]
    for row in former:
        await webhooks.delete(tx, row.id, agent_id)
    if len(rows) - len(former) >= limits.SUBSCRIPTIONS:
        raise Refusal(
            "webhook_limit",
            "You have {limit} push configurations, and an agent may have no more.",
            recovery="Call POST {base_url}/a2a with `DeleteTaskPushNotificationConfig` for one.",
            details={"limit": limits.SUBSCRIPTIONS},
        )
    new = NewWebhook(
        call.new_id("wh"),
        agent_id,
        asked.url,
        caller.session_id,
        test_id=call.new_id("ev"),  # the task as it is
        seq=(await events.log(tx)).newest,
        secret=as_json(asked.proof),
        expires_at=tx.now + limits.SUBSCRIPTION_MAX_MS,
        task_id=asked.task_id,
        config_id=asked.config_id,
    )
    await webhooks.insert(tx, new)


async def delete(tx: Tx, services: Services, caller: Caller, task_id: str, config_id: str) -> None:
    """Delete a configuration of the caller, if it exists."""
    agent_id = Call(tx, services, caller).actor()
    for row in await of_task(tx, agent_id, task_id):
        if row.config_id == config_id:
            await webhooks.delete(tx, row.id, agent_id)
