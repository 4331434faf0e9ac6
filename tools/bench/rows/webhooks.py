"""How long an event takes to reach a webhook beside a hundred whose receivers are slow."""

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler

from stoa.client import Key, Stoa
from tests.support.limits_off import LIMITS_OFF
from tests.support.receiver import Received, Receiver, receiving, status
from tools.bench import servers
from tools.bench.registry import Result, at_most, row
from tools.bench.servers import Server
from tools.bench.stage import Stage

AGENTS, OF_EACH = 20, 5
ANSWER_S = 0.9
P95_S = 2.0
_EVENTS = 60
_PAUSE_S = 0.5
_KINDS = ["thread.created"]


@row
def webhooks(stage: Stage) -> Iterator[Result]:
    """Events of one webhook whose receiver answers at once, beside slow ones of other agents."""
    folder = stage.folder / "webhooks"
    with (
        servers.stoa(folder, webhooks_allow="127.0.0.0/8", **LIMITS_OFF) as server,
        receiving() as slow,
        receiving() as quick,
    ):
        slow.answer = _slowly
        waits = sorted(_waits(server, slow, quick))
    p95 = waits[int(0.95 * len(waits))]
    name = f"an event beside {AGENTS * OF_EACH} webhooks at {ANSWER_S} s: p95"
    yield at_most(name, p95, P95_S, "s", f"median {waits[len(waits) // 2]:.2f} s, of {len(waits)}")


def _slowly(received: Received, handler: BaseHTTPRequestHandler) -> None:
    time.sleep(ANSWER_S)
    status(204)(received, handler)


def _waits(server: Server, slow: Receiver, quick: Receiver) -> list[float]:
    """Seconds from each event to its delivery."""
    for _ in range(AGENTS):
        with Stoa(server.origin, Key.generate()) as agent:
            for _ in range(OF_EACH):
                agent.create_webhook(slow.url, scope="events", kinds=_KINDS)
    with Stoa(server.origin, Key.generate()) as agent:
        agent.create_webhook(quick.url, scope="events", kinds=_KINDS)
        while agent.list_webhooks().webhooks[0].status != "active":
            time.sleep(0.1)
        came: dict[str, float] = {}

        def note(received: Received, handler: BaseHTTPRequestHandler) -> None:
            came[received.event["subject"]["id"]] = time.perf_counter()
            status(204)(received, handler)

        quick.answer, made = note, dict[str, float]()
        for number in range(_EVENTS):
            begun = time.perf_counter()
            made[agent.create_thread(f"Number {number}", "b").thread.id] = begun
            time.sleep(_PAUSE_S)
        while len(came) < len(made):
            time.sleep(0.1)
    return [came[thread] - begun for thread, begun in made.items()]
