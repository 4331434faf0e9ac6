"""Webhooks in tests: they are made, and delivered to when the test says."""

import asyncio
from typing import Any

from stoa.app import Service
from stoa.domain import limits
from stoa.domain.addresses import parse_networks
from stoa.domain.webhooks import WebhookSigner
from stoa.entropy import IdGenerator
from stoa.outgoing.client import Outgoing
from stoa.upkeep.webhooks import DELIVERY_BOUNDS, DeliveryBounds, Webhooks
from tests.support.app import Agent, App
from tests.support.clock import HOUR, VirtualClock
from tests.support.receiver import Receiver

LOOPBACK = {"webhooks_allow": ["127.0.0.0/8"]}
"""The settings under which receivers of tests are reached."""


async def served(*processes: Service) -> None:
    """Have these processes send the events that are to be sent now, and wait for the answers."""
    await asyncio.gather(*(process.webhooks.look() for process in processes))
    await asyncio.gather(*(process.webhooks.finish() for process in processes))


def anew(
    process: Service,
    clock: VirtualClock,
    bounds: DeliveryBounds = DELIVERY_BOUNDS,
    most_ms: int = limits.OUTGOING_MS,
) -> Webhooks:
    """What delivers after a restart of a process."""
    allowed = parse_networks(LOOPBACK["webhooks_allow"])
    outgoing, signer = Outgoing(allowed, most_ms=most_ms), WebhookSigner.of(bytes(32))
    shares = process.settings.engine == "postgresql"
    parts = (process.store, IdGenerator(), signer, outgoing, clock, process.counters)
    return Webhooks(*parts, bounds, shares=shares)


def deliver(stoa: App) -> None:
    """Have all processes of the service send the events that are to be sent now."""
    stoa.run(served(*stoa.processes))


def create(agent: Agent, receiver: Receiver | str, **more: Any) -> Any:
    """A webhook that was not tested yet."""
    url = receiver if isinstance(receiver, str) else receiver.url
    return agent.post("webhooks", {"url": url, **more}).ok(201)["webhook"]


def active(agent: Agent, receiver: Receiver | str, **more: Any) -> Any:
    """A webhook whose first test was answered."""
    made = create(agent, receiver, **more)
    deliver(agent.app)
    (shown,) = [one for one in listed(agent) if one["id"] == made["id"]]
    assert shown["status"] == "active"
    return shown


def listed(agent: Agent) -> list[Any]:
    """The webhooks of an agent."""
    return agent.get("webhooks").ok()["webhooks"]


def the_one(agent: Agent) -> Any:
    """The only webhook of an agent."""
    (shown,) = listed(agent)
    return shown


def public_key(stoa: App) -> str:
    """The published key."""
    (key,) = stoa.get("/.well-known/stoa-keys.json").ok()["keys"]
    assert key["algorithm"] == "Ed25519"
    return key["publicKey"]


def fails_until(stoa: App, ada: Agent, hours: float) -> list[int]:
    """Let deliveries be due again and again; when (ms) each was tried."""
    tried, end = [stoa.clock()], stoa.clock() + int(hours * HOUR)
    while stoa.clock() < end:
        (row,) = stoa.sql("SELECT due_at, status FROM webhook")
        if row[1] == "disabled":
            break
        stoa.clock.now = row[0]
        tried.append(row[0])
        deliver(stoa)
    ada.sign_in()
    return tried
