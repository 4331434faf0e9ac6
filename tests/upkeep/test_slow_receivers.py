"""Receivers of webhooks that are slow: they hold up nobody else."""

import asyncio
import socket
import threading
from typing import Any

import pytest

from stoa.domain import limits
from stoa.upkeep.webhooks import DeliveryBounds
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.receiver import Receiver, receiving, status
from tests.support.soaking import few
from tests.support.webhooks import LOOPBACK, active, anew, create, deliver

pytestmark = pytest.mark.settings(**LOOPBACK)


@pytest.mark.costly
@pytest.mark.promise("H7")
@pytest.mark.parametrize("were_slow", [True, False])
@pytest.mark.parametrize("agents", few([20, 100]))
def test_receivers_that_hold_their_answers_hold_up_no_other_one(
    stoa: App,
    ada: Agent,
    bob: Agent,
    receiver: Receiver,
    agents: int,
    were_slow: bool,
) -> None:
    """A hundred of them, of many agents, which were slow before or turn out to be only now. None
    answers before the other receiver got its event."""
    patient(stoa, DeliveryBounds(lease_ms=2 * MINUTE))
    of_each = 100 // agents
    assert agents * of_each > limits.WEBHOOKS_QUICK
    assert _comes_beside_a_hundred(stoa, ada, bob, receiver, agents, of_each, were_slow)


def patient(stoa: App, bounds: DeliveryBounds) -> None:
    """Let deliveries take a minute, so that none is over before on a slow machine."""
    for process in stoa.processes:
        process.webhooks = anew(process, stoa.clock, bounds, most_ms=MINUTE)


def quick(stoa: App, ms: int) -> None:
    """Count receivers as quick that answer within so long."""
    for process in stoa.processes:
        process.webhooks.bounds = process.webhooks.bounds._replace(quick_ms=ms)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_receivers_that_kept_their_slots_would_hold_up_others(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    """The control of the test before: none is taken for slow, so none lets go of its slot."""
    patient(stoa, DeliveryBounds(quick_ms=HOUR))
    assert not _comes_beside_a_hundred(stoa, ada, bob, receiver, 100, 1, were_slow=False, seconds=3)


def _comes_beside_a_hundred(
    stoa: App,
    ada: Agent,
    bob: Agent,
    receiver: Receiver,
    agents: int,
    of_each: int,
    were_slow: bool,
    seconds: float = 50,
) -> bool:
    """Whether the receiver gets an event while a hundred others hold their answers to it."""
    let_go = threading.Event()
    with receiving() as slow:
        for number in range(agents):
            agent = stoa.agent(f"slow{number}")
            for _ in range(of_each):
                create(agent, slow, scope="events", kinds=["thread.created"])
        usual_ms = stoa.stoa.webhooks.bounds.quick_ms
        quick(stoa, 0 if were_slow else usual_ms)
        deliver(stoa)
        quick(stoa, HOUR)  # the other one is, however slow the machine is
        active(ada, receiver, scope="events", kinds=["thread.created"])
        quick(stoa, usual_ms)
        slow.answer = lambda received, handler: (let_go.wait(), status(204)(received, handler))[1]
        receiver.came.acquire(blocking=False)  # that of its test
        came = stoa.run(_comes(stoa, bob, receiver, seconds))
        let_go.set()
        for process in stoa.processes:
            stoa.run(process.webhooks.finish())
        assert len(slow.events) == 100
    return came


async def _comes(stoa: App, bob: Agent, receiver: Receiver, seconds: float) -> bool:
    """Whether the receiver gets what happens now within so many seconds."""
    await bob.ask("POST", "threads", {"title": "t", "body": "b"})
    await asyncio.gather(*(process.webhooks.look() for process in stoa.processes))
    return await asyncio.to_thread(receiver.came.acquire, timeout=seconds)


@pytest.mark.promise("H19")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_names_that_take_long_to_look_up_hold_up_no_fast_receiver(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than all slots are taken by receivers whose name servers do not answer."""
    active(ada, receiver, scope="events", kinds=["thread.created"])
    let_go, asked, look_up = threading.Event(), threading.Semaphore(0), socket.getaddrinfo

    def looked_up(host: str, *given: Any, **more: Any) -> Any:
        if not host.endswith(".example"):
            return look_up(host, *given, **more)
        asked.release()
        let_go.wait()
        raise OSError("no name server answers")

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    for number in range(20):
        create(stoa.agent(f"lost{number}"), f"http://lost{number}.example/hook")
    try:
        stoa.run(_sent_beside(stoa, bob, receiver, asked))
    finally:
        let_go.set()
    assert len(receiver.events) == 1
    stoa.run(stoa.stoa.webhooks.finish())


async def _sent_beside(
    stoa: App, bob: Agent, receiver: Receiver, asked: threading.Semaphore
) -> None:
    """Have an event come to be sent while names are looked up, and wait until it was sent."""
    await stoa.stoa.webhooks.look()
    for _ in range(4):
        await asyncio.to_thread(asked.acquire)
    receiver.came.acquire(blocking=False)  # that of its test
    await bob.ask("POST", "threads", {"title": "t", "body": "b"})
    await stoa.stoa.webhooks.look()
    await asyncio.to_thread(receiver.came.acquire, timeout=60)
