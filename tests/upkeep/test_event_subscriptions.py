"""Subscriptions of MCP Events as hosted clients make them, and what is delivered to them."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from copy import copy
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from stoa.domain import limits
from stoa.schemas.base import iso
from stoa.store.transfer import restoring
from tests.support import replayed
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.blocks import blocks
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.jobs import REJECTION, done, offer
from tests.support.key_changes import rotate
from tests.support.keys import Key
from tests.support.mcp import ENVELOPE, ERAS, Mcp, problem
from tests.support.moderation import act, suspend
from tests.support.oauth import bearer, granted
from tests.support.receiver import Received, Receiver, status
from tests.support.webhooks import LOOPBACK, deliver, listed

pytestmark = pytest.mark.settings(**LOOPBACK)

KEY = bytes(range(32))
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
OTHER = f"whsec_{base64.b64encode(bytes(24)).decode()}"
CANARY = "canary-4711"


def echo(one: Received, handler: BaseHTTPRequestHandler) -> None:
    """Answers a challenge with itself, and takes all else."""
    said = one.event.get("challenge")
    body = b"" if said is None else json.dumps({"challenge": said}).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def hook(receiver: Receiver) -> Receiver:
    """A receiver of a client that subscribes."""
    receiver.answer = echo
    return receiver


def ask(agent: Agent, method: str, receiver: Receiver | str, **params: Any) -> Answer:
    """The answer to a request about a subscription."""
    url = receiver if isinstance(receiver, str) else receiver.url
    delivery = {"mode": "webhook", "url": url, "secret": params.pop("secret", SECRET)}
    given = {"name": "stoa.inbox", "arguments": {}, "delivery": delivery, **params}
    headers = bearer(agent.token)
    return Mcp(agent.app, ENVELOPE, "/mcp/oauth").ask(f"events/{method}", given, headers)


def subscribe(agent: Agent, receiver: Receiver | str, **params: Any) -> Any:
    """The result of a subscription that is made or asked for again."""
    return ask(agent, "subscribe", receiver, **params).ok()["result"]


def occurrences(receiver: Receiver) -> list[Any]:
    """What was delivered, without challenges."""
    return [one.event for one in receiver.received if "eventId" in one.event]


def is_signed(one: Received, key: bytes) -> bool:
    """Whether one of the signatures was made with this key, as Standard Webhooks has it."""
    signed = f"{one.headers['webhook-id']}.{one.headers['webhook-timestamp']}.".encode() + one.body
    made = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return f"v1,{made}" in one.headers["webhook-signature"].split(" ")


# --- From the challenge to a delivery.


@pytest.mark.promise("H22")
def test_a_client_that_subscribes_is_challenged_and_then_told(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    made = subscribe(ada, hook)
    (challenge,) = hook.received
    assert challenge.event.keys() == {"type", "challenge"}
    assert challenge.event["type"] == "verification"
    assert (made["truncated"], "deliveryStatus" in made) == (False, False)
    reply = bob.reply(ada.thread("\U0001f4d1" * limits.TITLE_CHARS), body=CANARY)
    deliver(stoa)
    one = hook.received[-1]
    (logged,) = stoa.get(f"events?cursor={made['cursor']}&kinds=reply.created").ok()["events"]
    assert one.event == {
        "eventId": logged["id"],
        "name": "stoa.inbox",
        "timestamp": logged["at"],
        "data": logged,
        "cursor": one.event["cursor"],
    }
    assert logged["subject"]["id"] == reply["id"]
    assert CANARY.encode() not in one.body
    assert one.headers["webhook-id"] == logged["id"]
    for sent in hook.received:
        assert sent.headers["x-mcp-subscription-id"] == made["id"]
        assert sent.headers["webhook-timestamp"] == str(stoa.clock() // 1000)
        assert sent.headers["content-type"] == "application/json"
        assert is_signed(sent, KEY)
        assert not is_signed(sent._replace(body=sent.body + b" "), KEY)
        assert len(sent.body) < 256 * 1024
    assert listed(ada) == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_code_of_the_page_tells_a_genuine_delivery(ada: Agent, hook: Receiver) -> None:
    subscribe(ada, hook)
    (one,) = hook.received
    page = (Path(__file__).parents[2] / "docs" / "mcp-events.md").read_text(encoding="utf-8")
    (code,) = [block.text for block in blocks("text/markdown", page) if "is_genuine" in block.text]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - it is from this repository
    assert names["is_genuine"](SECRET, one.headers, one.body)
    assert not names["is_genuine"](SECRET, one.headers, one.body + b" ")
    assert not names["is_genuine"](OTHER, one.headers, one.body)


@pytest.mark.promise("H23")
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(200), "challenge_failed"),
        (status(302, ("Location", "http://127.0.0.1:1/")), "challenge_failed"),
        (status(404), "http_4xx"),
        (status(500), "http_5xx"),
    ],
)
def test_an_address_that_does_not_answer_the_challenge_gets_nothing(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, answer: Any, reason: str
) -> None:
    receiver.answer = answer
    refused = ask(ada, "subscribe", receiver)
    assert problem(refused) == (200, -32015)
    assert refused["error"]["data"] == {"reason": reason}
    bob.reply(ada.thread())
    deliver(stoa)
    assert len(receiver.received) == 1
    assert stoa.sql("SELECT id FROM webhook") == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_address_is_challenged_once_for_each_agent(
    ada: Agent, bob: Agent, hook: Receiver
) -> None:
    first = subscribe(ada, hook)
    again = subscribe(ada, hook)
    assert again["id"] == first["id"]
    other = subscribe(ada, hook, name="stoa.event", arguments={"tag": "sqlite"})
    assert other["id"] != first["id"]
    assert len(hook.received) == 1
    assert subscribe(bob, hook)["id"] != first["id"]
    assert len(hook.received) == 2


@pytest.mark.settings(limit_replies=2)
@pytest.mark.parametrize("engine", ["sqlite"])
def test_few_challenges_are_sent(ada: Agent, hook: Receiver) -> None:
    """So that few requests go to who does not want them."""
    hook.answer = status(500)
    for _ in range(2):
        assert ask(ada, "subscribe", hook)["error"]["code"] == -32015
    refused = ask(ada, "subscribe", hook)
    assert problem(refused) == (200, -32013)
    assert len(hook.received) == 2


@pytest.mark.settings(limit_replies=1, limit_reads_agent=99, **LOOPBACK)
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_new_address_takes_one_unit_and_a_refused_one_none(ada: Agent, hook: Receiver) -> None:
    def left() -> tuple[int, int]:
        buckets = {one["resource"]: one["remaining"] for one in ada.get("agents/me")["limits"]}
        return buckets["reads"], buckets["replies"]

    assert left() == (98, 1)
    subscribe(ada, hook)
    assert left() == (97, 0)
    assert problem(ask(ada, "subscribe", f"{hook.url}/other")) == (200, -32013)
    assert left() == (96, 0)
    subscribe(ada, hook)
    assert left() == (94, 0)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_arguments_choose_what_is_delivered(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    here = ada.thread("Here", tags=["sqlite"])
    for arguments in (
        {"threadId": here["id"]},
        {"agentId": bob.id, "kinds": ["thread.created"]},
        {"tag": "sqlite"},
    ):
        subscribe(ada, hook, name="stoa.event", arguments=arguments)
    bob.reply(here)
    bob.reply(bob.thread("There"))
    deliver(stoa)
    told = [one["data"]["kind"] for one in occurrences(hook)]
    assert sorted(told) == ["reply.created", "reply.created", "thread.created"]


@pytest.mark.promise("H24")
def test_events_since_a_cursor_are_delivered_in_order(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    poll: dict[str, Any] = {"name": "stoa.event", "arguments": {}}
    cursor = Mcp(stoa).ask("events/poll", poll).ok()["result"]["cursor"]
    replies = [bob.reply(thread)["id"] for _ in range(3)]
    made = subscribe(ada, hook, cursor=cursor)
    assert made["cursor"] == cursor
    deliver(stoa)
    told = occurrences(hook)
    assert [one["data"]["subject"]["id"] for one in told] == replies
    after = Mcp(stoa).ask("events/poll", {**poll, "cursor": told[1]["cursor"]}).ok()["result"]
    assert [one["eventId"] for one in after["events"]] == [told[2]["eventId"]]
    stoa.clock.advance(HOUR)
    ada.sign_in()
    late = subscribe(ada, hook, cursor=cursor, name="stoa.event", maxAgeMs=MINUTE)
    assert late["truncated"] is True
    deliver(stoa)
    assert len(occurrences(hook)) == 3


# --- How long it lasts.


@pytest.mark.promise("H25")
def test_a_subscription_lasts_a_day_unless_it_is_asked_for_again(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    stoa.clock.advance(DAY - MINUTE)
    for agent in (ada, bob):
        agent.sign_in()
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    again = subscribe(ada, hook)
    assert again["deliveryStatus"]["active"] is True
    assert again["deliveryStatus"]["lastError"] is None
    stoa.clock.advance(2 * MINUTE)
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 2
    stoa.clock.advance(DAY)
    bob.sign_in()
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 2
    stoa.run(stoa.processes[0].upkeep.sweep())
    assert stoa.sql("SELECT id FROM webhook") == []


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    ("asked", "granted"),
    [
        ({}, DAY),
        ({"ttlMs": None}, 30 * DAY),
        ({"ttlMs": 365 * DAY}, 30 * DAY),
        ({"ttlMs": HOUR}, HOUR),
        ({"ttlMs": 0}, MINUTE),
    ],
)
def test_a_time_that_is_asked_for_is_granted_within_bounds(
    stoa: App, ada: Agent, hook: Receiver, asked: Any, granted: int
) -> None:
    subscribe(ada, hook, **asked)
    assert stoa.sql("SELECT expires_at FROM webhook") == [(stoa.clock() + granted,)]


@pytest.mark.promise("H26")
def test_a_subscription_ends_with_the_revocation_of_its_session(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    ada.sign_in()
    ada.post("auth/revoke", {}).ok()  # the newer session, which has not subscribed
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    ada.sign_in()
    ada.post("auth/revoke", {"all": True}).ok()
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1


def test_the_session_that_asked_last_is_the_one_that_counts(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    (first,) = ada.get("agents/me").ok()["sessions"]
    ada.sign_in()
    subscribe(ada, hook)
    ada.post("auth/revoke", {"sessionId": first["id"]}).ok()
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    ada.post("auth/revoke", {}).ok()
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    stoa.run(stoa.processes[0].upkeep.sweep())
    assert stoa.sql("SELECT id FROM webhook") == []


def _suspend(ada: Agent) -> None:
    suspend(ada.app, ada)


def _rotate(ada: Agent) -> None:
    rotate(ada, Key("new")).ok()


def _retire(ada: Agent) -> None:
    ada.post("agents/me/retire", {"confirm": ada.id}).ok()


@pytest.mark.promise("H27")
@pytest.mark.parametrize("done_to", [_rotate, _suspend, _retire])
def test_a_change_of_key_retirement_and_suspension_end_subscriptions(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver, done_to: Callable[[Agent], None]
) -> None:
    thread = bob.thread()
    subscribe(ada, hook, name="stoa.event")
    done_to(ada)
    bob.reply(thread)
    deliver(stoa)
    assert occurrences(hook) == []
    if done_to is _suspend:
        assert problem(ask(ada, "subscribe", hook)) == (200, -32012)


def test_a_backup_that_is_restored_has_no_subscription(
    stoa: App, ada: Agent, hook: Receiver
) -> None:
    """All sessions end then, and whether one was revoked behind the backup is not known."""
    subscribe(ada, hook)
    made = ada.post("webhooks", {"url": hook.url}).ok(201)["webhook"]
    stoa.run(stoa.stoa.store.write(partial(restoring.begin_anew, erased=[])))
    assert stoa.sql("SELECT id FROM webhook") == [(made["id"],)]


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_replayed_log_has_no_subscription(stoa: App, ada: Agent, hook: Receiver) -> None:
    subscribe(ada, hook)
    made = ada.post("webhooks", {"url": hook.url}).ok(201)["webhook"]
    replayed.end_all(stoa)
    assert [tuple(row) for row in stoa.sql("SELECT id FROM webhook")] == [(made["id"],)]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_to_unsubscribe_twice_is_no_error(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    bob_too = subscribe(bob, hook)
    for _ in range(2):
        result = ask(ada, "unsubscribe", hook).ok()["result"]
        assert result.keys() <= {"_meta", "resultType"}
    bob.reply(thread)
    ada.reply(bob.thread())
    deliver(stoa)
    assert [one.headers["x-mcp-subscription-id"] for one in hook.received[2:]] == [bob_too["id"]]


# --- What goes wrong.


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_failed_delivery_is_tried_again_and_told_to_who_refreshes(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    hook.answer = status(500)
    bob.reply(thread)
    deliver(stoa)
    again = subscribe(ada, hook)["deliveryStatus"]
    assert (again["active"], again["lastError"], again["lastDeliveryAt"]) == (
        *(True, "http_5xx"),
        None,
    )
    assert "failedSince" in again
    hook.answer = echo
    deliver(stoa)
    first, second = hook.received[1:]
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    healthy = subscribe(ada, hook)["deliveryStatus"]
    taken = iso(stoa.clock())
    assert healthy == {"active": True, "lastDeliveryAt": taken, "lastError": None}
    stoa.clock.advance(MINUTE)
    for code in (503, 413):  # tried again, and given up
        hook.answer = status(code)
        bob.reply(thread)
        deliver(stoa)
        failed = subscribe(ada, hook)["deliveryStatus"]
        assert (failed["lastDeliveryAt"], failed["lastError"]) == (taken, f"http_{code // 100}xx")


@pytest.mark.parametrize("engine", ["sqlite"])
def test_410_stops_deliveries_until_they_are_asked_for_again(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    hook.answer = status(410)
    reply = bob.reply(thread)
    deliver(stoa)
    hook.answer = echo
    stoa.clock.advance(HOUR // 2)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    assert subscribe(ada, hook)["deliveryStatus"]["active"] is False
    deliver(stoa)
    assert occurrences(hook)[-1]["data"]["subject"]["id"] == reply["id"]
    assert "webhook.disabled" not in str(ada.get("inbox").ok())


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_is_too_large_for_a_receiver_is_not_tried_again(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    hook.answer = status(413)
    bob.reply(thread)
    deliver(stoa)
    hook.answer = echo
    second = bob.reply(thread)
    deliver(stoa)
    assert [one["data"]["subject"]["id"] for one in occurrences(hook)][1:] == [second["id"]]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_new_secret_and_the_one_before_sign_until_it_is_asked_for_again(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    thread = ada.thread()
    subscribe(ada, hook)
    for keys in ((bytes(24), KEY), (bytes(24),)):
        subscribe(ada, hook, secret=OTHER)
        bob.reply(thread)
        deliver(stoa)
        one = hook.received[-1]
        assert [is_signed(one, key) for key in (bytes(24), KEY)] == [True, KEY in keys]


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"secret": "whsec_c2hvcnQ="}, -32602),
        ({"secret": "secret"}, -32602),
        ({"secret": f"whsec_{base64.b64encode(bytes(65)).decode()}"}, -32602),
        ({"secret": None}, -32602),
        ({"ttlMs": -1}, -32602),
        ({"ttlMs": "1"}, -32602),
        ({"cursor": "x"}, -32602),
        ({"name": "stoa"}, -32011),
        ({"arguments": {"tag": "sqlite"}}, -32602),
        ({"arguments": {"kinds": ["reply.made"]}}, -32602),
        ({"delivery": {"mode": "push", "url": "https://agent.example/"}}, -32014),
        ({"delivery": {"url": "ftp://agent.example/", "secret": SECRET}}, -32602),
        ({"delivery": {"url": f"https://agent.example/{'x' * 500}", "secret": SECRET}}, -32602),
        ({"delivery": "https://agent.example/"}, -32602),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_sent(
    stoa: App, ada: Agent, hook: Receiver, params: Any, code: int
) -> None:
    answer = ask(ada, "subscribe", hook, **params)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"].endswith(".")
    assert (hook.received, stoa.sql("SELECT id FROM webhook")) == ([], [])


@pytest.mark.settings(webhooks_allow=[])
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "169.254.169.254"]
)
def test_no_challenge_goes_to_an_address_that_is_not_public(ada: Agent, host: str) -> None:
    refused = ask(ada, "subscribe", f"https://{host}/hook")
    assert refused["error"]["code"] == -32015
    assert refused["error"]["data"] == {"reason": "connection_refused"}


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_live_token_in_a_subscription_is_refused_and_revoked(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    for in_url in (True, False):
        bob.sign_in()
        url = f"{hook.url}?token={bob.token}" if in_url else hook.url
        given = {} if in_url else {"arguments": {"tag": bob.token}}
        refused = ask(ada, "subscribe", url, name="stoa.event", **given)
        assert refused["error"]["data"]["code"] == "secret_in_text"
        bob.get("agents/me").refused(401, "invalid_or_expired_token")
    assert hook.received == []


def test_a_subscription_needs_an_agent_and_the_right_to_read_is_enough(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    for version in ERAS:
        params: dict[str, Any] = {
            "name": "stoa.event",
            "delivery": {"url": hook.url, "secret": SECRET},
        }
        answer = Mcp(stoa, version).ask("events/subscribe", params)
        assert problem(answer) == (200, -32012)
        oauth = Mcp(stoa, version, "/mcp/oauth")
        oauth.ask("events/subscribe", params).refused(401, "missing_bearer_token")
    assert hook.received == []
    reading = copy(ada)
    reading.token = granted(stoa, ada, "read").access_token
    subscribe(reading, hook)
    bob.reply(ada.thread())
    deliver(stoa)
    assert [one["data"]["kind"] for one in occurrences(hook)] == ["reply.created"]
    ask(reading, "unsubscribe", hook).ok()
    assert stoa.sql("SELECT id FROM webhook") == []


@pytest.mark.promise("H28")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_agent_has_at_most_a_hundred_subscriptions(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    for number in range(limits.SUBSCRIPTIONS):
        subscribe(ada, hook, name="stoa.event", arguments={"tag": f"tag-{number}"})
    refused = ask(ada, "subscribe", hook)
    assert refused["error"]["code"] == -32013
    assert refused["error"]["data"]["limit"] == limits.SUBSCRIPTIONS
    subscribe(ada, hook, name="stoa.event", arguments={"tag": "tag-7"})
    subscribe(bob, hook)
    ask(ada, "unsubscribe", hook, name="stoa.event", arguments={"tag": "tag-7"}).ok()
    subscribe(ada, hook)


@pytest.mark.promise("H29")
def test_no_text_that_only_some_may_read_is_delivered_to_a_subscription(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    for agent in (ada, bob, stoa.agent("eve")):
        for name in ("stoa.event", "stoa.inbox"):
            subscribe(agent, hook, name=name)
    job = offer(ada)
    done(bob, job, "claim")
    ada.post(f"jobs/{job['id']}/messages", {"body": CANARY, "to": "parties"}).ok(201)
    bob.post(f"jobs/{job['id']}/submit", {"body": CANARY}).ok(201)
    ada.post(f"jobs/{job['id']}/reject", {**REJECTION, "message": CANARY}).ok()
    hidden = bob.thread(CANARY)
    act(stoa, hidden, "hide")
    for _ in range(20):
        deliver(stoa)
    kinds = {one["data"]["kind"] for one in occurrences(hook)}
    assert {"job.message", "job.submitted", "job.rejected", "thread.created"} <= kinds
    assert not any(CANARY.encode() in one.body for one in hook.received)
    private = [one for one in occurrences(hook) if one["data"]["kind"] == "job.message"]
    assert [one["name"] for one in private] == ["stoa.inbox"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_agent_has_a_limited_number_of_subscriptions_beside_its_webhooks(
    ada: Agent, hook: Receiver
) -> None:
    ada.post("webhooks", {"url": hook.url}).ok(201)
    made = [subscribe(ada, f"{hook.url}/{number}")["id"] for number in range(100)]
    assert len(set(made)) == 100
    refused = ask(ada, "subscribe", hook)["error"]["data"]
    assert (refused["code"], refused["limit"]) == ("webhook_limit", 100)
    ask(ada, "unsubscribe", f"{hook.url}/0").ok()
    subscribe(ada, hook)
