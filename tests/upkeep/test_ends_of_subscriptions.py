"""What ends a subscription of MCP Events beside its session's own end, what does not, and what one
is charged."""

from collections.abc import Callable
from functools import partial

import pytest

from stoa.domain import limits
from stoa.domain.webhooks import Failure
from stoa.entropy import IdGenerator
from stoa.operations.parts import deliveries
from tests.support.app import Agent, App
from tests.support.clock import HOUR, SECOND
from tests.support.database import rows
from tests.support.moderation import act
from tests.support.receiver import Receiver, status
from tests.support.steps import Steps
from tests.support.webhooks import LOOPBACK, deliver
from tests.upkeep.test_event_subscriptions import ask, echo, occurrences, subscribe

pytestmark = pytest.mark.settings(**LOOPBACK)


@pytest.fixture
def hook(receiver: Receiver) -> Receiver:
    """A receiver of a client that subscribes."""
    receiver.answer = echo
    return receiver


@pytest.mark.settings(limit_reads_agent=99, limit_replies=9, **LOOPBACK)
def test_subscribing_says_what_it_is_charged(stoa: App, ada: Agent, hook: Receiver) -> None:
    assert ask(ada, "subscribe", hook).rate == ("replies", 9, 8)
    left = ada.get("threads").rate[2]
    assert ask(ada, "subscribe", hook).rate == ("reads", 99, left - 1)
    assert ask(ada, "unsubscribe", hook).rate == ("reads", 99, left - 2)


def all_end(ada: Agent, _: str) -> None:
    ada.post("auth/revoke", {"all": True}).ok()


def the_operator_ends_all(ada: Agent, _: str) -> None:
    act(ada.app, ada.id, "revoke-sessions")


def one_ends(ada: Agent, session: str) -> None:
    ada.post("auth/revoke", {"sessionId": session}).ok()


@pytest.mark.parametrize("end", [all_end, the_operator_ends_all, one_ends])
def test_a_subscription_ends_with_the_revocation_of_a_session_that_expired_before(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver, end: Callable[[Agent, str], None]
) -> None:
    """Of a stolen token this is all that is left: no list shows it, and it would last 30 days."""
    thread = ada.thread()
    subscribe(ada, hook, ttlMs=None)
    (session,) = ada.get("agents/me").ok()["sessions"]
    stoa.clock.advance(2 * HOUR)
    for agent in (ada, bob):
        agent.sign_in()
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    end(ada, session["id"])
    bob.reply(thread)
    deliver(stoa)
    assert len(occurrences(hook)) == 1
    assert stoa.sql("SELECT id FROM webhook") == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_attempt_that_fails_beside_a_refresh_leaves_the_subscription_on(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver
) -> None:
    """A day of failures ends with the refresh, though the attempt under way began before it."""
    thread = ada.thread()
    subscribe(ada, hook, ttlMs=None)
    hook.answer = status(500)
    reply = bob.reply(thread)
    deliver(stoa)
    stoa.clock.advance(limits.WEBHOOK_GIVE_UP_MS)
    ada.sign_in()
    store = stoa.stoa.store
    (row,) = stoa.sql("SELECT id FROM webhook")
    find = partial(deliveries.next_delivery, webhook_id=row[0], looked={}, span=10)
    sent = stoa.run(store.read(find, slow=True, single=True))
    assert sent
    subscribe(ada, hook, ttlMs=None)
    failed = partial(
        deliveries.failed, ids=IdGenerator(), sent=sent, failure=Failure("", "http_5xx")
    )
    assert not stoa.run(store.write(failed))
    hook.answer = echo
    deliver(stoa)
    assert occurrences(hook)[-1]["data"]["subject"]["id"] == reply["id"]


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_subscription_that_another_process_deletes_beside_its_refresh_goes_on(
    stoa: App, ada: Agent, bob: Agent, hook: Receiver, steps: Steps
) -> None:
    """By the clock of the other, which is ahead, it has ended."""
    thread = ada.thread()
    subscribe(ada, hook, ttlMs=HOUR)
    reply = bob.reply(thread)
    stoa.clock.advance(HOUR - SECOND)
    url, ahead = stoa.settings.database_url, stoa.clock() + 2 * SECOND
    end = partial(rows, url, "DELETE FROM webhook WHERE expires_at <= ?", ahead)
    steps.before("webhooks.renew", end)
    for agent in (ada, bob):
        agent.sign_in()
    subscribe(ada, hook, ttlMs=HOUR)
    deliver(stoa)
    assert occurrences(hook)[-1]["data"]["subject"]["id"] == reply["id"]
