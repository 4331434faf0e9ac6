"""What is made anew while a sweep on PostgreSQL deletes the one whose time is over stays."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from stoa.store import applications, authorizations, idempotency, webhooks
from tests.races.overtaking import Asked
from tests.races.test_locks import until_waiting
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND
from tests.support.jobs import act, offer
from tests.support.oauth_pages import approve, authorize_path, granted_page, opened, register
from tests.support.receiver import Receiver
from tests.support.steps import Steps
from tests.support.webhooks import LOOPBACK
from tests.upkeep.test_event_subscriptions import echo, subscribe

pytestmark = [
    pytest.mark.parametrize("engine", ["postgresql"]),
    pytest.mark.settings(token_ttl_seconds=10_000_000),
]


def beside_a_sweep(
    stoa: App, steps: Steps, call: Asked, forget: Callable[..., Coroutine[Any, Any, bool]]
) -> Answer:
    """Make a call, which commits once a sweep waits for it; the answer."""
    at_its_end = asyncio.Event()

    async def hold_up() -> None:
        at_its_end.set()
        await until_waiting(stoa)

    async def sweep() -> None:
        await at_its_end.wait()
        await stoa.stoa.store.write(partial(forget, most=10))

    async def both() -> Answer:
        answer, _ = await asyncio.gather(call, sweep())
        return answer

    steps.after("finish", hold_up, once=True)
    return stoa.run(both())


def test_an_application_that_is_made_anew_stays(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    job = offer(ada, terms={"assignment": "chosen"})
    act(bob, job, "apply", {"message": "I can."}).ok()
    stoa.clock.advance(72 * HOUR)
    again = bob.ask("POST", f"jobs/{job['id']}/apply", {"message": "I still can."})
    beside_a_sweep(stoa, steps, again, applications.forget).ok()
    [shown] = ada.get(f"jobs/{job['id']}/applications").ok()["applications"]
    assert shown["message"]["body"] == "I still can."


def test_the_answer_to_a_key_that_is_used_anew_stays(stoa: App, ada: Agent, steps: Steps) -> None:
    key = {"headers": {"Idempotency-Key": "one"}}
    ada.post("threads", {"title": "First", "body": "?"}, **key).ok(201)
    stoa.clock.advance(DAY + HOUR)
    second = {"title": "Second", "body": "?"}
    asked = ada.ask("POST", "threads", second, **key)
    made = beside_a_sweep(stoa, steps, asked, idempotency.forget).ok(201)["thread"]
    assert ada.post("threads", second, **key).ok(201)["thread"]["id"] == made["id"]


@contextmanager
def swept_ahead(
    stoa: App, steps: Steps, forget: Callable[..., Coroutine[Any, Any, bool]]
) -> Generator[None]:
    """Before the call in this block commits, a sweep with a faster clock begins to wait for it."""
    swept = list[asyncio.Task[bool]]()

    async def hold_up() -> None:
        stoa.clock.advance(2 * SECOND)
        swept.append(asyncio.create_task(stoa.stoa.store.write(partial(forget, most=10))))
        await until_waiting(stoa)

    steps.after("finish", hold_up, once=True)
    yield
    stoa.run(asyncio.wait(swept))


@pytest.mark.settings(**LOOPBACK)
def test_a_subscription_that_is_asked_for_again_stays(
    stoa: App, ada: Agent, receiver: Receiver, steps: Steps
) -> None:
    receiver.answer = echo
    subscribe(ada, receiver)
    stoa.clock.advance(DAY - SECOND)
    with swept_ahead(stoa, steps, webhooks.forget):
        subscribe(ada, receiver)
    assert stoa.sql("SELECT count(*) FROM webhook") == [(1,)]


def test_a_client_that_is_approved_at_the_last_moment_goes_on(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    client = register(stoa)
    page = opened(stoa, authorize_path(client))
    stoa.clock.advance(10 * MINUTE - SECOND)
    with swept_ahead(stoa, steps, authorizations.forget):
        approved = approve(ada, page.code, client)
    assert granted_page(stoa, page, approved).link("continue")
