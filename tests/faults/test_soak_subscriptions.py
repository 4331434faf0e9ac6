"""Ten thousand deliveries to subscriptions of MCP Events, over a restart of two workers.

Each event goes to a hundred subscriptions of ten agents, and one happens each second. In the middle
the server is stopped while it delivers, and started again. `SOAK_SECONDS` shortens it, to no less
than twenty events.
"""

import asyncio
import json
import os
import sys
import time
from base64 import b64encode
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from http.server import BaseHTTPRequestHandler

import httpx
import pytest

from stoa.client import Key, Stoa
from tests.support.receiver import Received, Receiver, receiving
from tests.support.server import Server

AGENTS, OF_EACH = 10, 10
EVENTS = max(20, min(100, int(os.environ.get("SOAK_SECONDS") or 3600) // 36))
GAP_S = 1.0
P99_S = 5.0
WITHIN_S = 60
_SECRET = f"whsec_{b64encode(bytes(32)).decode()}"


class Journal:
    """When each delivery came, by subscription and event."""

    def __init__(self) -> None:
        self.came: dict[tuple[str, str], list[float]] = defaultdict(list)
        self.at: dict[str, float] = {}
        self.subjects: dict[str, str] = {}

    def answer(self, one: Received, handler: BaseHTTPRequestHandler) -> None:
        """Take a delivery, or answer a challenge."""
        told = one.event
        body = json.dumps({"challenge": told.get("challenge")}).encode()
        if "eventId" in told:
            event_id = one.headers["webhook-id"]
            assert event_id == told["eventId"]
            self.at[event_id] = datetime.fromisoformat(told["timestamp"]).timestamp()
            self.subjects[event_id] = told["data"]["subject"]["id"]
            self.came[one.headers["x-mcp-subscription-id"], event_id].append(time.time())
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    @property
    def delays(self) -> list[float]:
        """How long (s) each took, the first time that it came, in order."""
        return sorted(times[0] - self.at[event] for (_, event), times in list(self.came.items()))


async def subscribed(server: Server, key: Key, receiver: Receiver) -> list[str]:
    """The ids of the subscriptions of one agent."""
    with Stoa(server.url, key) as agent:
        headers = {"Authorization": f"Bearer {agent.sign_in().token}"}
    ids: list[str] = []
    async with httpx.AsyncClient(timeout=60, headers=headers) as client:
        for number in range(OF_EACH):
            delivery = {
                "mode": "webhook",
                "url": f"{receiver.url}?{key.public_key[:8]}-{number}",
                "secret": _SECRET,
            }
            params = {
                "name": "stoa.event",
                "arguments": {"kinds": ["thread.created"]},
                "delivery": delivery,
            }
            message = {"jsonrpc": "2.0", "id": 1, "method": "events/subscribe", "params": params}
            answer = await client.post(f"{server.url}/mcp", json=message)
            ids.append(answer.json()["result"]["id"])
    return ids


def post(server: Server, key: Key, count: int) -> list[str]:
    """The ids of threads that are created, one a second."""
    threads: list[str] = []
    with Stoa(server.url, key) as asks:
        begun = time.monotonic()
        for number in range(count):
            threads.append(asks.create_thread(f"Question {number}?", "Who knows?").thread.id)
            time.sleep(max(0.0, begun + (number + 1) * GAP_S - time.monotonic()))
    return threads


@pytest.mark.soak
def test_no_delivery_is_lost_over_a_restart_and_nearly_all_are_soon(
    start_server: Callable[..., Server], together: dict[str, str]
) -> None:
    settings = {**together, "workers": 2, "webhooks_allow": "127.0.0.0/8", "signup_grant": 1000}
    settings |= {f"limit_{name}": 0 for name in ("threads", "replies", "reads_agent", "keys")}
    journal, asks = Journal(), Key.generate()
    with receiving() as receiver:
        receiver.answer = journal.answer
        server = start_server(**settings)
        keys = [Key.generate() for _ in range(AGENTS)]
        ids = [one for key in keys for one in asyncio.run(subscribed(server, key, receiver))]
        assert len(set(ids)) == AGENTS * OF_EACH
        threads = post(server, asks, EVENTS // 2)
        with Stoa(server.url, asks) as client:
            threads.append(client.create_thread("At the end?", "Who knows?").thread.id)
        assert server.stop() == 0
        server = start_server(**settings)
        threads += post(server, asks, EVENTS - EVENTS // 2 - 1)
        until = time.monotonic() + WITHIN_S
        while len(journal.came) < len(ids) * len(threads) and time.monotonic() < until:
            receiver.came.acquire(timeout=1)
    told = {(one, journal.subjects[event]) for one, event in journal.came}
    assert told == {(one, thread) for one in ids for thread in threads}
    delays = journal.delays
    again = sum(len(times) - 1 for times in journal.came.values())
    p50, p99 = (delays[int(len(delays) * part)] for part in (0.5, 0.99))
    sys.stdout.write(
        f"{len(delays)} deliveries, {again} of them again; half within {p50:.2f} s, 99 % within "
        f"{p99:.2f} s, all within {delays[-1]:.2f} s\n"
    )
    assert p99 <= P99_S
