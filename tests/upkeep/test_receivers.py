"""What the answer of a webhook's receiver means for the next delivery."""

from http.server import BaseHTTPRequestHandler

import pytest

from stoa.domain import limits
from stoa.domain.webhooks import Failure
from stoa.upkeep.receivers import failure
from tests.support.app import Agent, App
from tests.support.clock import MINUTE, SECOND
from tests.support.receiver import Receiver, status
from tests.support.webhooks import LOOPBACK, active, create, deliver, the_one

pytestmark = pytest.mark.settings(**LOOPBACK)


@pytest.mark.promise("H20")
def test_a_receiver_that_answers_410_is_sent_nothing_more(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    hook = active(ada, receiver)
    receiver.answer = status(410)
    thread = ada.thread()
    first = bob.reply(thread)
    deliver(stoa)
    assert the_one(ada)["status"] == "disabled"
    assert "410" in the_one(ada)["lastAttempt"]["problem"]
    *_, told = ada.get("inbox?limit=100").ok()["events"]
    assert (told["kind"], told["subject"]["id"]) == ("webhook.disabled", hook["id"])
    bob.reply(thread)
    stoa.clock.advance(10 * MINUTE)
    deliver(stoa)
    assert [event["subject"]["id"] for event in receiver.events] == [first["id"]]
    receiver.answer = status(204)
    ada.post(f"webhooks/{hook['id']}/test").ok()
    deliver(stoa)
    deliver(stoa)
    assert the_one(ada)["status"] == "active"
    assert receiver.events[1]["subject"]["id"] == first["id"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_test_that_is_answered_410_disables_what_was_active(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    hook = active(ada, receiver)
    receiver.answer = status(410)
    ada.post(f"webhooks/{hook['id']}/test").ok()
    deliver(stoa)
    assert the_one(ada)["status"] == "disabled"
    assert [event["kind"] for event in ada.get("inbox").ok()["events"]] == ["webhook.disabled"]
    pending = create(bob, receiver)
    deliver(stoa)
    assert (the_one(bob)["id"], the_one(bob)["status"]) == (pending["id"], "pending")
    assert bob.get("inbox").ok()["events"] == []


AT_NOON = ("Date", "Sun, 06 Nov 1994 12:00:00 GMT")


@pytest.mark.promise("H21")
@pytest.mark.parametrize(
    ("code", "asked", "seconds"),
    [
        (429, "100", 100),
        (503, "100", 100),
        (503, "Sun, 06 Nov 1994 12:01:40 GMT", 100),
        (429, "2", 3),
        (429, "999999", 3600),
        (503, "Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        (500, "100", 3),
        (503, "soon", 3),
    ],
)
def test_a_receiver_is_left_alone_for_as_long_as_it_asks(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, code: int, asked: str, seconds: int
) -> None:
    active(ada, receiver)
    receiver.answer = lambda _, handler: answered_at_noon(handler, code, asked)
    bob.reply(ada.thread())
    deliver(stoa)
    stoa.clock.advance(seconds * SECOND - 1)
    deliver(stoa)
    assert len(receiver.events) == 1
    stoa.clock.advance(1)
    deliver(stoa)
    assert len(receiver.events) == 2


def answered_at_noon(handler: BaseHTTPRequestHandler, code: int, asked: str) -> None:
    """Answers with this status and `Retry-After`, at another time than that of the service."""
    handler.send_response_only(code)
    for name, value in (AT_NOON, ("Retry-After", asked), ("Content-Length", "0")):
        handler.send_header(name, value)
    handler.end_headers()


def test_a_time_is_compared_with_the_own_clock_if_the_receiver_tells_none() -> None:
    noon = 784_123_200 * SECOND
    asked = {"retry-after": "Sun, 06 Nov 1994 12:01:40 GMT"}
    assert failure(503, asked, noon) == Failure(
        "The server answered 503, and 2xx was expected.", "http_5xx", pause_ms=100 * SECOND
    )


@pytest.mark.parametrize("asked", ["-1", "9" * 50_000, "Sun, " + "0 " * 50_000, "1.5", "\u0663"])
def test_any_pause_that_a_receiver_asks_for_is_bounded(asked: str) -> None:
    failed = failure(429, {"retry-after": asked, "date": asked}, 0)
    assert failed
    assert failed.pause_ms in (0, limits.HOUR_MS)
