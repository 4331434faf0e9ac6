"""A connection to PostgreSQL that is lost in the background is taken for the fault of no event."""

import asyncio
from collections.abc import Iterator

import pytest

from stoa.settings import Settings
from tests.support.app import App
from tests.support.clock import SECOND
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.receiver import Receiver
from tests.support.steps import Steps
from tests.support.webhooks import LOOPBACK, active, deliver

END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stoa'"


@pytest.fixture
def app(postgresql: PostgreSQL, steps: Steps) -> Iterator[App]:
    allowed = LOOPBACK["webhooks_allow"]
    settings = Settings(**LIMITS_OFF, webhooks_allow=allowed, database_url=postgresql.new())
    with App(settings, through=steps.store) as app:
        yield app


@pytest.mark.promise("C99")
def test_who_watches_is_told_when_the_connection_was_lost_meanwhile(
    app: App, postgresql: PostgreSQL, steps: Steps
) -> None:
    async def lose() -> None:
        await asyncio.to_thread(postgresql.do, END)

    ada, bob, carl = map(app.agent, ("Ada", "Bob", "Carl"))
    thread = ada.thread()
    carl.post("watches", {"threadId": thread["id"]}).ok(201)
    app.clock.advance(SECOND)
    replies = [bob.reply(thread)["id"] for _ in range(2)]
    steps.before("replies.texts", lose, once=True)
    app.run(app.stoa.upkeep.tell())
    told = carl.get("inbox").ok()["events"]
    assert [row["subject"]["id"] for row in told] == replies


def test_no_webhook_is_held_back_when_the_connection_was_lost(
    app: App, postgresql: PostgreSQL, steps: Steps, receiver: Receiver
) -> None:
    async def lose() -> None:
        await asyncio.to_thread(postgresql.do, END)

    ada = app.agent("Ada")
    active(ada, receiver, scope="events")
    ada.thread()
    steps.after("webhooks.due", lose, once=True)
    for _ in range(2):
        deliver(app)
    assert receiver.kinds[-1] == "thread.created"
