"""Webhooks: what is delivered, to whom, in which order, and what happens when it fails."""

import asyncio
import itertools
import random
import socket
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stoa.app import Service
from stoa.domain import limits
from stoa.domain.addresses import parse_networks
from stoa.domain.webhooks import WebhookSigner
from stoa.entropy import IdGenerator
from stoa.outgoing.client import Outgoing
from stoa.upkeep.webhooks import DeliveryBounds, Webhooks
from tests.contract.test_watches import tell
from tests.support.app import Agent, App
from tests.support.blocks import blocks
from tests.support.clock import HOUR, MINUTE, SECOND, VirtualClock
from tests.support.jobs import REJECTION, done, offer
from tests.support.logs import logged
from tests.support.moderation import MODERATED, moderate
from tests.support.receiver import Received, Receiver, gigabyte, receiving, status
from tests.support.steps import Steps
from tests.support.webhooks import (
    LOOPBACK,
    active,
    anew,
    create,
    deliver,
    fails_until,
    public_key,
    served,
    the_one,
)

pytestmark = pytest.mark.settings(**LOOPBACK)

CANARY = "canary-4711"


# --- From the first test to a delivery.


def test_a_webhook_is_active_once_a_test_was_answered(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    made = create(ada, receiver)
    assert (made["status"], made["testing"]) == ("pending", True)
    assert "lastAttempt" not in made
    assert receiver.received == []
    deliver(stoa)
    (test,) = receiver.received
    assert test.event["kind"] == "webhook.test"
    assert test.event["subject"] == {"type": "webhook", "id": made["id"]}
    shown = the_one(ada)
    assert (shown["status"], shown["testing"]) == ("active", False)
    assert shown["lastAttempt"]["succeeded"] is True


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("code", [200, 299])
def test_each_2xx_makes_a_webhook_active(
    stoa: App, ada: Agent, receiver: Receiver, code: int
) -> None:
    receiver.answer = status(code)
    active(ada, receiver)


@pytest.mark.promise("H1")
@pytest.mark.parametrize("code", [301, 500])
def test_no_other_answer_makes_a_webhook_active(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, code: int
) -> None:
    receiver.answer = status(code, ("Location", receiver.url))
    create(ada, receiver)
    deliver(stoa)
    bob.reply(ada.thread())
    stoa.clock.advance(10 * MINUTE)
    deliver(stoa)
    assert receiver.kinds == ["webhook.test"]
    shown = the_one(ada)
    assert (shown["status"], shown["lastAttempt"]["succeeded"]) == ("pending", False)
    assert str(code) in shown["lastAttempt"]["problem"]
    receiver.answer = status(204)
    ada.post(f"webhooks/{shown['id']}/test").ok()
    deliver(stoa)
    assert the_one(ada)["status"] == "active"


@pytest.mark.promise("H2")
def test_a_delivery_is_the_event_of_the_log_and_signed(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver, scope="events")
    thread = bob.thread("Which copy?", tags=["sqlite"])
    deliver(stoa)
    delivered = receiver.received[-1]
    *_, logged = stoa.get("events?limit=100").ok()["events"]
    assert delivered.event == logged
    assert logged["subject"]["id"] == thread["id"]
    assert delivered.headers["webhook-id"] == logged["id"]
    assert delivered.headers["webhook-timestamp"] == str(stoa.clock() // 1000)
    assert delivered.headers["content-type"] == "application/json"
    key = public_key(stoa)
    assert all(one.is_signed_by(key) for one in receiver.received)
    assert not delivered._replace(body=delivered.body + b" ").is_signed_by(key)
    changed = {**delivered.headers, "webhook-timestamp": "1"}
    assert not delivered._replace(headers=changed).is_signed_by(key)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_code_of_the_page_tells_a_genuine_delivery(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    active(ada, receiver)
    (one,) = receiver.received
    page = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
    (code,) = [block.text for block in blocks("text/markdown", page) if "is_genuine" in block.text]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - it is from this repository
    names["time"] = SimpleNamespace(time=lambda: stoa.clock() / 1000)
    is_genuine, key = names["is_genuine"], public_key(stoa)
    assert is_genuine(key, one.headers, one.body)
    assert not is_genuine(key, one.headers, one.body + b" ")
    stoa.clock.advance(6 * MINUTE)
    assert not is_genuine(key, one.headers, one.body)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_webhook_of_the_inbox_has_what_concerns_its_agent(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver)
    bob.thread()
    reply = bob.reply(ada.thread())
    deliver(stoa)
    (event,) = receiver.events
    assert (event["kind"], event["subject"]["id"]) == ("reply.created", reply["id"])
    assert event["id"] == ada.get("inbox").ok()["events"][-1]["id"]


@pytest.mark.promise("C95")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_delivery_names_the_watch_that_the_event_met(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver)
    watch = ada.post("watches", {"tag": "sqlite"}).ok(201)["watch"]
    mine = ada.reply(bob.thread())
    stoa.clock.advance(SECOND)
    bob.thread(tags=["sqlite"])
    bob.reply({"id": mine["threadId"]})
    bob.reply(ada.thread())
    tell(stoa)
    deliver(stoa)
    told = {event["id"]: event.get("watch") for event in receiver.events}
    listed = ada.get("inbox?limit=100").ok()["events"]
    assert told == {event["id"]: event.get("watch") for event in listed}
    assert [*told.values()] == [
        None,
        {"tag": "sqlite", "id": watch["id"]},
        {"threadId": mine["threadId"]},
    ]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_only_the_kinds_that_were_asked_for_are_delivered(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver, scope="events", kinds=["-reply.created"])
    bob.reply(ada.thread())
    job = offer(ada)
    done(bob, job, "claim")
    deliver(stoa)
    assert [event["kind"] for event in receiver.events] == [
        "thread.created",
        "job.created",
        "job.claimed",
    ]


def test_what_happened_before_a_webhook_was_active_is_not_delivered(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    thread = ada.thread()
    bob.reply(thread, "Before.")
    create(ada, receiver)
    bob.reply(thread, "Before its test.")
    deliver(stoa)
    after = bob.reply(thread, "After.")
    deliver(stoa)
    assert [event["subject"]["id"] for event in receiver.events] == [after["id"]]


@pytest.mark.promise("H3")
def test_no_text_that_only_some_may_read_is_delivered(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver)
    active(bob, receiver, scope="events")
    job = offer(ada)
    done(bob, job, "claim")
    bob.post(f"jobs/{job['id']}/submit", {"body": f"The work: {CANARY}"}).ok(201)
    ada.post(f"jobs/{job['id']}/reject", {**REJECTION, "message": f"No: {CANARY}"}).ok()
    bob.reply(ada.thread(body=f"Asked: {CANARY}"), f"Told: {CANARY}")
    deliver(stoa)
    kinds = [event["kind"] for event in receiver.events]
    assert {"job.submitted", "job.rejected", "reply.created"} <= set(kinds)
    assert not any(CANARY.encode() in one.body for one in receiver.received)
    assert CANARY in ada.get("inbox").ok().text  # the control: the inbox has it


# --- Order, and nothing skipped.


@pytest.mark.promise("H4")
@pytest.mark.parametrize("seed", range(2))
def test_deliveries_follow_the_log_whatever_fails(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, seed: int
) -> None:
    chance = random.Random(seed)
    failed: list[bool] = []

    def answer(received: Received, handler: BaseHTTPRequestHandler) -> None:
        failed.append(chance.random() < 0.4)
        status(500 if failed[-1] else 200)(received, handler)

    active(ada, receiver, scope="events")
    begun = stoa.get("events?cursor=now").ok()["nextCursor"]
    receiver.received.clear()
    receiver.answer = answer
    thread = ada.thread()
    for _ in range(12):
        chance.choice([ada.thread, lambda: bob.reply(thread), lambda: offer(bob, 1)])()
        deliver(stoa)
        stoa.clock.advance(chance.choice([SECOND, MINUTE]))
    receiver.answer = status(204)
    for _ in range(2):
        stoa.clock.advance(20 * MINUTE)
        deliver(stoa)
    logged = stoa.get(f"events?limit=100&cursor={begun}").ok()["events"]
    outcomes = failed + [False] * (len(receiver.events) - len(failed))
    done_well = [event for event, bad in zip(receiver.events, outcomes, strict=True) if not bad]
    assert done_well == logged
    assert any(failed)


@pytest.mark.costly
def test_a_webhook_that_looked_in_vain_goes_on_behind_it(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    for process in stoa.processes:
        process.webhooks = anew(process, stoa.clock, DeliveryBounds(span=2, behind=3))
    active(ada, receiver, kinds=["reply.created"])
    (before,) = stoa.sql("SELECT seq FROM webhook")
    thread = ada.thread()
    for _ in range(6):
        bob.thread()
        deliver(stoa)
    (after,) = stoa.sql("SELECT seq FROM webhook")
    assert after[0] - before[0] >= 3
    reply = bob.reply(thread)
    for _ in range(4):
        deliver(stoa)
    assert [event["subject"]["id"] for event in receiver.events] == [reply["id"]]


def test_webhooks_that_are_far_behind_hold_up_no_other(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, steps: Steps
) -> None:
    for process in stoa.processes:
        process.webhooks = anew(process, stoa.clock, DeliveryBounds(span=2, most=2))
    far = [active(ada, receiver, scope="events", kinds=["reply.created"]) for _ in range(3)]
    thread = ada.thread()
    for _ in range(6):
        bob.thread()
    active(bob, receiver, scope="events", kinds=["job.created"])
    job = offer(ada)
    steps.taken.clear()
    deliver(stoa)
    looked = steps.taken[: steps.taken.index("webhooks.get")]  # with which the delivery begins
    assert looked.count("events.page_all_any_all") == 2, "its own and one that is far behind"
    assert [event["subject"]["id"] for event in receiver.events] == [job["id"]]
    bob.reply(thread)
    for _ in range(20):
        deliver(stoa)
    assert [event["kind"] for event in receiver.events[1:]] == len(far) * ["reply.created"]


# --- Failures.


@pytest.mark.promise("H5")
def test_a_delivery_is_tried_again_for_a_day_and_then_the_webhook_is_disabled(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    hook = active(ada, receiver)
    receiver.answer = status(503)
    first = bob.reply(ada.thread())
    deliver(stoa)
    shown = the_one(ada)
    assert shown["status"] == "active"
    assert "retryAt" in shown
    tried = fails_until(stoa, ada, 30)
    pauses = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert pauses[0] <= 5 * SECOND
    assert pauses[:-1] == sorted(pauses[:-1])
    assert tried[-1] - tried[0] == 24 * HOUR
    assert len(receiver.events) == len(tried)
    assert {event["subject"]["id"] for event in receiver.events} == {first["id"]}
    assert len({one.headers["webhook-id"] for one in receiver.received[1:]}) == 1
    shown = the_one(ada)
    assert shown["status"] == "disabled"
    assert "retryAt" not in shown
    *_, told = ada.get("inbox?limit=100").ok()["events"]
    assert (told["kind"], told["subject"]) == (
        "webhook.disabled",
        {"type": "webhook", "id": hook["id"]},
    )
    assert told["url"] == "/api/v1/webhooks"
    assert [action["action"] for action in told["nextActions"]] == ["list_webhooks"]
    assert "webhook.disabled" not in stoa.get("events?limit=100").ok().text
    before = len(receiver.received)
    stoa.clock.advance(24 * HOUR)
    deliver(stoa)
    assert len(receiver.received) == before


@pytest.mark.costly
def test_a_disabled_webhook_goes_on_where_it_stopped_after_a_test(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    hook = active(ada, receiver)
    thread = ada.thread()
    receiver.answer = status(503)
    replies = [bob.reply(thread)["id"] for _ in range(2)]
    deliver(stoa)
    fails_until(stoa, ada, 30)
    receiver.received.clear()
    receiver.answer = status(204)
    ada.post(f"webhooks/{hook['id']}/test").ok()
    deliver(stoa)
    deliver(stoa)
    assert receiver.kinds == [
        "webhook.test",
        "reply.created",
        "reply.created",
        "webhook.disabled",
    ]
    assert [event["subject"]["id"] for event in receiver.events[:2]] == replies


@pytest.mark.parametrize("engine", ["sqlite"])
def test_after_a_delivery_the_day_of_retries_begins_anew(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver)
    thread = ada.thread()
    for _ in range(2):
        receiver.answer = status(503)
        bob.reply(thread)
        deliver(stoa)
        fails_until(stoa, ada, 20)
        bob.sign_in()
        receiver.answer = status(204)
        stoa.clock.now = stoa.sql("SELECT due_at FROM webhook")[0][0]
        deliver(stoa)
        assert the_one(ada)["lastAttempt"]["succeeded"] is True
        ada.sign_in()
    assert the_one(ada)["status"] == "active"


@pytest.mark.promise("H6")
@MODERATED
def test_a_retry_says_nothing_of_what_was_hidden_meanwhile(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver, scope="events", kinds=["thread.created"])
    receiver.answer = status(500)
    thread = bob.thread(f"Buy {CANARY}")
    deliver(stoa)
    assert CANARY.encode() in receiver.received[-1].body
    moderate(stoa.agent("mod"), thread, "hide").ok()
    stoa.clock.advance(10 * SECOND)
    deliver(stoa)
    again = receiver.received[-1]
    assert (again.event["removed"], again.event["data"]) == (True, {})
    assert CANARY.encode() not in again.body


# --- Receivers that are slow, lie or lead elsewhere.


@pytest.mark.promise("H13")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_answer_of_a_gigabyte_is_cut_off_and_no_delivery(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    receiver.answer = gigabyte
    create(ada, receiver)
    deliver(stoa)
    assert "more than 64 KiB" in the_one(ada)["lastAttempt"]["problem"]
    assert the_one(ada)["status"] == "pending"


@pytest.mark.promise("H14")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_redirect_is_a_failure_and_not_followed(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    with receiving() as inner:
        receiver.answer = status(307, ("Location", inner.url))
        create(ada, receiver)
        deliver(stoa)
        assert "307" in the_one(ada)["lastAttempt"]["problem"]
        assert inner.received == []


NARROW = pytest.mark.settings(webhooks_allow=["127.0.0.2/32"])


@pytest.mark.promise("H8")
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("reached", [pytest.param(0, marks=NARROW), 1])
def test_a_name_is_checked_again_at_every_attempt(
    stoa: App, ada: Agent, bob: Agent, monkeypatch: pytest.MonkeyPatch, reached: int
) -> None:
    """It leads to an allowed address for the test, and to another one for the delivery, which
    answers too where that one is allowed."""
    addresses = iter(["127.0.0.2", "127.0.0.1", "127.0.0.1"])

    def look_up(_: str, port: int, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(addresses), port))]

    # Nothing else listens at the second address, so a port that is free at the first is there too.
    with receiving() as inside, receiving("127.0.0.2", inside.port) as named:
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        create(ada, f"http://rebind.example:{named.port}/")
        deliver(stoa)
        assert the_one(ada)["status"] == "active"
        bob.reply(ada.thread())
        deliver(stoa)
        assert named.kinds == ["webhook.test"]
        assert len(inside.received) == reached
        assert the_one(ada)["lastAttempt"]["succeeded"] is bool(reached)


@pytest.mark.settings(webhooks_allow=[])
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "[::1]", "169.254.169.254"])
def test_no_private_address_is_sent_anything(
    stoa: App, ada: Agent, receiver: Receiver, host: str
) -> None:
    create(ada, f"https://{host}:{receiver.port}/hook")
    deliver(stoa)
    assert "cannot be reached at a public address" in the_one(ada)["lastAttempt"]["problem"]
    assert receiver.received == []


# --- Several processes, and their ends.


@pytest.mark.promise("H9")
@pytest.mark.parametrize("engine", ["postgresql"])
def test_each_delivery_is_made_by_one_of_several_processes(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    active(ada, receiver, scope="events")
    for _ in range(10):
        ada.thread()
        deliver(stoa)
    assert [event["kind"] for event in receiver.events] == ["thread.created"] * 10
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 11


@pytest.mark.parametrize("engine", ["postgresql"])
def test_without_a_lease_two_processes_deliver_the_same(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    """The control of the test before: two that do not know of each other."""
    active(ada, receiver, scope="events")
    ada.thread()
    for process in stoa.processes:
        process.webhooks = alone(process)
    both_came = threading.Barrier(2, timeout=60)
    receiver.answer = lambda received, handler: (
        both_came.wait(),
        status(204)(received, handler),
    )[1]
    deliver(stoa)
    assert len(receiver.events) == 2


def alone(process: Service) -> Webhooks:
    """What delivers as if there were no other process."""
    outgoing = Outgoing(parse_networks(LOOPBACK["webhooks_allow"]))
    signer = WebhookSigner.of(bytes(32))
    parts = (process.store, IdGenerator(), signer, outgoing, VirtualClock(), process.counters)
    return Webhooks(*parts, shares=False)


@pytest.mark.promise("H15")
@pytest.mark.parametrize("engine", ["postgresql"])
def test_when_the_process_that_delivers_is_gone_another_does(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    first, second = stoa.processes
    create(ada, receiver, scope="events")
    stoa.run(served(first))
    ada.thread()
    stoa.run(served(second))
    assert receiver.events == []
    stoa.clock.advance(limits.WEBHOOK_LEASE_MS)
    stoa.run(served(second))
    assert len(receiver.events) == 1


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_process_that_stops_leaves_delivering_to_another_at_once(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    first, second = stoa.processes
    create(ada, receiver, scope="events")
    stoa.run(served(first))
    ada.thread()
    stoa.run(first.webhooks.stop())
    stoa.run(served(second))
    assert len(receiver.events) == 1


@pytest.mark.promise("H10")
def test_a_delivery_that_a_stop_cut_off_is_made_after_the_restart(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    for process in stoa.processes:
        process.webhooks = anew(process, stoa.clock, DeliveryBounds(end_ms=100))
    active(ada, receiver, scope="events")
    let_go = threading.Event()
    receiver.answer = lambda received, handler: (let_go.wait(), status(204)(received, handler))[1]
    thread = ada.thread()
    stoa.run(cut_off(stoa, receiver))
    let_go.set()
    for process in stoa.processes:
        process.webhooks = anew(process, stoa.clock)
    deliver(stoa)
    assert [event["subject"]["id"] for event in receiver.events] == [thread["id"]] * 2
    assert the_one(ada)["lastAttempt"]["succeeded"] is True


async def cut_off(stoa: App, receiver: Receiver) -> None:
    """Stop every process as soon as a delivery has come."""
    receiver.came.acquire(blocking=False)  # that of the test
    await asyncio.gather(*(process.webhooks.look() for process in stoa.processes))
    await asyncio.to_thread(receiver.came.acquire)
    await asyncio.gather(*(process.webhooks.stop() for process in stoa.processes))


@pytest.mark.parametrize("broken", ["webhook", "event_log"])
def test_what_cannot_be_made_holds_up_no_other_delivery_and_is_told_once(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, broken: str
) -> None:
    column, of, whose = {
        "webhook": ("kinds", "agent_id", ada.id),
        "event_log": ("facts", "actor_id", bob.id),
    }[broken]
    with receiving() as other:
        active(ada, receiver)
        active(bob, other)
        ada.reply(bob.thread())
        bob.reply(ada.thread())
        ((right,), *_) = stoa.sql(f"SELECT {column} FROM {broken}")
        stoa.sql(f"UPDATE {broken} SET {column} = '{{' WHERE {of} = ?", whose)
        with logged() as lines:
            for _ in range(3):
                deliver(stoa)
        assert [line["event"] for line in lines].count("delivery cannot be made") == 1
        assert (receiver.kinds[-1], other.kinds[-1]) == ("webhook.test", "reply.created")
        stoa.sql(f"UPDATE {broken} SET {column} = ? WHERE {of} = ?", right, whose)
        stoa.clock.advance(limits.WEBHOOK_HELD_BACK_MS)
        deliver(stoa)
        assert receiver.kinds[-1] == "reply.created"
