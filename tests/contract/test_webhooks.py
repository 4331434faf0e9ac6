"""Webhooks: who makes which, when they end, and what is said of them."""

from base64 import b64encode
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import pytest

from stoa import logs
from stoa.domain import limits
from stoa.domain.webhooks import WebhookSigner
from stoa.operations.parts import deliveries
from tests.support import oauth
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.key_changes import name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.logs import restored
from tests.support.moderation import MODERATED, moderate
from tests.support.receiver import Receiver, status
from tests.support.webhooks import (
    LOOPBACK,
    active,
    create,
    deliver,
    fails_until,
    listed,
    public_key,
    the_one,
)

pytestmark = pytest.mark.settings(**LOOPBACK)

CANARY = "canary-4711"


URL = {"url": "https://agent.example/hook"}


# --- Making them.


@pytest.mark.promise("H16")
def test_an_agent_has_at_most_five(ada: Agent, bob: Agent) -> None:
    for _ in range(5):
        ada.post("webhooks", URL).ok(201)
    refused = ada.post("webhooks", URL).refused(409, "webhook_limit")
    assert refused["limit"] == 5
    assert len(listed(ada)) == 5
    bob.post("webhooks", URL).ok(201)
    ada.post(f"webhooks/{listed(ada)[0]['id']}/delete").ok()
    ada.post("webhooks", URL).ok(201)


def test_many_at_the_same_time_are_five(stoa: App, ada: Agent) -> None:
    answers = stoa.together(*(ada.ask("POST", "webhooks", URL) for _ in range(9)))
    assert sorted(one.status for one in answers) == [201] * 5 + [409] * 4


@pytest.mark.promise("H17")
def test_the_webhooks_of_another_agent_are_not_there(stoa: App, ada: Agent, bob: Agent) -> None:
    hook = ada.post("webhooks", URL).ok(201)["webhook"]
    assert listed(bob) == []
    for action in ("test", "delete"):
        bob.post(f"webhooks/{hook['id']}/{action}").refused(404, "not_found")
        stoa.post(f"webhooks/{hook['id']}/{action}").refused(401, "missing_bearer_token")
    assert the_one(ada) == hook


@pytest.mark.settings(webhooks_allow=[])
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.parametrize(
    "url",
    [
        *("http://agent.example/", "ftp://agent.example/", "https://", "https:///path", "nowhere"),
        *("https://user:password@agent.example/", "https://agent.example:0/", "https://[::1/"),
        *("https://agent.example/a b", "https://agent.example/\n", "https://agent.example/#there"),
        *("https://\u00e4gent.example/", f"https://agent.example/{'x' * 500}"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(ada: Agent, url: str) -> None:
    ada.post("webhooks", {"url": url}).invalid("url")
    assert listed(ada) == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_refusal_of_an_address_names_what_it_must_not_hold(ada: Agent) -> None:
    for url, named in (("https://agent.example/#a", "`#`"), ("https://\u00e4.example/", "ASCII")):
        (issue,) = ada.post("webhooks", {"url": url}).invalid("url")["issues"]
        assert named in issue["message"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_kinds_and_scope_are_known_ones(ada: Agent) -> None:
    ada.post("webhooks", {**URL, "kinds": ["reply.made"]}).invalid("kinds.0")
    ada.post("webhooks", {**URL, "scope": "all"}).invalid("scope")
    of_inboxes = {**URL, "kinds": ["reply.created", "mentioned"]}
    ada.post("webhooks", {**of_inboxes, "scope": "events"}).invalid("kinds.1")
    ada.post("webhooks", of_inboxes).ok(201)
    made = ada.post("webhooks", {**URL, "kinds": ["-reply.created"], "scope": "events"}).ok(201)
    assert made["webhook"]["kinds"] == ["-reply.created"]
    assert made["receipt"]["resourceId"] == made["webhook"]["id"]


@pytest.mark.settings(limit_replies=2)
@pytest.mark.parametrize("engine", ["sqlite"])
def test_tests_are_charged_to_replies(ada: Agent) -> None:
    """So that few requests go to an address that has not answered a test."""
    made = ada.post("webhooks", URL).ok(201)
    assert made.rate == ("replies", 2, 1)
    ada.post(f"webhooks/{made['webhook']['id']}/test").ok()
    ada.post(f"webhooks/{made['webhook']['id']}/test").refused(429, "rate_limited")
    ada.post("webhooks", URL).refused(429, "rate_limited")
    ada.post(f"webhooks/{made['webhook']['id']}/delete").ok()


def test_a_dry_run_makes_sends_and_deletes_nothing(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    assert ada.post("webhooks?dryRun=true", {"url": receiver.url}).ok(201)["dryRun"] is True
    deliver(stoa)
    assert (listed(ada), receiver.received) == ([], [])
    hook = active(ada, receiver)
    for action in ("test", "delete"):
        assert ada.post(f"webhooks/{hook['id']}/{action}?dryRun=true").ok()["dryRun"] is True
    deliver(stoa)
    assert (the_one(ada), receiver.kinds) == (hook, ["webhook.test"])


def test_the_limits_say_what_holds_for_deliveries(stoa: App) -> None:
    fixed = stoa.get("limits").ok()["limits"]["fixed"]
    assert {name: value for name, value in fixed.items() if name.startswith("webhook")} == {
        "webhooks": 5,
        "webhookAddressCharacters": 500,
        "webhookSeconds": 10,
        "webhookAnswerBytes": 65536,
        "webhookRetrySeconds": 86400,
    }


# --- The ends of webhooks.


def test_a_deleted_webhook_is_sent_nothing(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    hook = active(ada, receiver)
    bob.reply(ada.thread())
    ada.post(f"webhooks/{hook['id']}/delete").ok()
    deliver(stoa)
    assert receiver.events == []
    assert listed(ada) == []
    ada.post(f"webhooks/{hook['id']}/delete").refused(404, "not_found")


@pytest.mark.promise("H11")
@MODERATED
def test_a_change_of_key_retirement_and_suspension_delete_the_webhooks(
    stoa: App, receiver: Receiver
) -> None:
    moderator = stoa.agent("mod")

    def recovered(agent: Agent) -> None:
        name_recovery(agent, Key("offline")).ok()
        recover(stoa, agent.id, Key("offline"), Key("found")).ok()
        stoa.clock.advance(72 * HOUR)
        stoa.run(stoa.stoa.upkeep.sweep())

    ends: dict[str, Callable[[Agent], Any]] = {
        "suspended": lambda agent: moderate(moderator, agent.id, "suspend").ok(),
        "rotated": lambda agent: rotate(agent, Key("new")).ok(),
        "retired": lambda agent: agent.post("agents/me/retire", {"confirm": agent.id}).ok(),
        "recovered": recovered,
    }
    for name, end in ends.items():
        agent = stoa.agent(name)
        active(agent, receiver, scope="events")
        end(agent)
        assert stoa.sql("SELECT count(*) FROM webhook")[0][0] == 0, name
    receiver.received.clear()
    stoa.agent("new").thread()
    deliver(stoa)
    assert receiver.received == []


def test_a_webhook_of_a_key_that_a_recovery_replaced_is_sent_nothing_before_the_sweep(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    thread = ada.thread()
    active(ada, receiver)
    name_recovery(ada, Key("offline")).ok()
    recover(stoa, ada.id, Key("offline"), Key("found")).ok()
    stoa.clock.advance(72 * HOUR - 1)
    bob.sign_in()
    bob.reply(thread)
    deliver(stoa)
    receiver.received.clear()
    ada.sign_in()
    create(ada, receiver)  # of which the test is due
    bob.reply(thread)
    stoa.clock.advance(1)
    deliver(stoa)
    assert receiver.received == []
    stoa.run(stoa.stoa.upkeep.sweep())
    deliver(stoa)
    assert receiver.received == []


def test_what_a_webhook_is_sent_next_ends_with_the_key(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    """An attempt that waited for a slot asks again what is to be sent."""
    hook = active(ada, receiver)
    name_recovery(ada, Key("offline")).ok()
    recover(stoa, ada.id, Key("offline"), Key("found")).ok()
    bob.reply(ada.thread())
    find = partial(deliveries.next_delivery, webhook_id=hook["id"], looked={}, span=10)
    assert stoa.run(stoa.stoa.store.read(find, slow=True, single=True))
    stoa.clock.advance(72 * HOUR)
    assert stoa.run(stoa.stoa.store.read(find, slow=True, single=True)) is None


@pytest.mark.promise("H30")
def test_a_webhook_that_a_client_made_ends_with_its_session(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    thread = ada.thread()

    def by_id(client: Agent) -> Any:
        (used,) = [one for one in client.get("agents/me").ok()["sessions"] if one["current"]]
        return ada.post("auth/revoke", {"sessionId": used["id"]}).ok()

    def by_token(client: Agent) -> Any:
        return oauth.post(stoa, {"token": client.token}, "/oauth/revoke")

    def all_of_them(_: Agent) -> Any:
        ada.post("auth/revoke", {"all": True}).ok()
        ada.sign_in()

    def not_renewed(_: Agent) -> Any:
        stoa.clock.advance(limits.REFRESH_TTL_MS)
        ada.sign_in()
        bob.sign_in()

    own = active(ada, receiver)
    for end in (by_id, by_token, all_of_them, not_renewed):
        client = copy(ada)
        client.token = oauth.granted(stoa, ada).access_token
        hook = active(client, receiver)
        bob.reply(thread)
        deliver(stoa)
        assert len(receiver.events) == 2, end
        end(client)
        bob.reply(thread)
        deliver(stoa)
        assert len(receiver.events) == 3, end
        ada.post(f"webhooks/{hook['id']}/test").refused(404, "not_found")
        assert [one["id"] for one in listed(ada)] == [own["id"]]
        stoa.run(stoa.stoa.upkeep.sweep())
        assert stoa.sql("SELECT id FROM webhook") == [(own["id"],)]
        receiver.received.clear()


def test_a_webhook_that_a_client_made_goes_on_when_it_renews_its_session(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    thread, client = ada.thread(), copy(ada)
    given = oauth.granted(stoa, ada)
    client.token = given.access_token
    active(client, receiver)
    stoa.clock.advance(limits.REFRESH_TTL_MS - 1)
    assert given.refresh_token
    oauth.post(stoa, oauth.renewal(given.refresh_token)).ok()
    stoa.clock.advance(HOUR)
    bob.sign_in()
    bob.reply(thread)
    stoa.run(stoa.stoa.upkeep.sweep())
    deliver(stoa)
    assert len(receiver.events) == 1


# --- What is said of them, and to whom.


@pytest.mark.promise("H12")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_address_stands_in_no_log_no_event_and_no_answer_to_another(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver, capsys: pytest.CaptureFixture[str]
) -> None:
    with restored():
        logs.configure_logs("debug")
        url = f"{receiver.url}?token={CANARY}"
        active(ada, url)
        receiver.answer = status(500)
        bob.reply(ada.thread())
        deliver(stoa)
        fails_until(stoa, ada, 30)
    said = capsys.readouterr().err
    assert "webhook disabled" in said
    bob.sign_in()
    paths = ("events?limit=100", "inbox", f"agents/{ada.id}", "moderation")
    shown = [said, *(bob.get(path).ok().text for path in paths), ada.get("inbox").ok().text]
    assert not any(CANARY in text for text in shown)
    assert CANARY in ada.get("webhooks").ok().text


def test_the_secret_half_of_the_key_is_in_no_answer(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    active(ada, receiver)
    (row,) = stoa.sql("SELECT value FROM secret WHERE name = 'webhooks'")
    secret = bytes(row[0])
    assert WebhookSigner.of(secret).public_key == public_key(stoa)
    keys = stoa.get("/.well-known/stoa-keys.json").ok()
    as_jwk = {"kty", "crv", "x", "kid", "alg", "use"}
    assert set(keys["keys"][0]) == {"id", "algorithm", "publicKey", *as_jwk}
    texts = [keys.text, ada.get("webhooks").ok().text, repr(receiver.received)]
    forms = (secret.hex(), b64encode(secret).decode())
    assert not any(form in text for form in forms for text in texts)
