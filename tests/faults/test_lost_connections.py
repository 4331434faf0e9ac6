"""A connection that is lost in the background, or a read that takes too long, is taken for the
fault of no event."""

import asyncio
from collections.abc import Callable, Iterator

import apsw
import pytest
from asyncpg.exceptions import QueryCanceledError

from stoa.settings import Settings
from stoa.store.tx import StoreUnavailable
from tests.support.app import App
from tests.support.clock import SECOND
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.receiver import Receiver
from tests.support.steps import Steps
from tests.support.webhooks import LOOPBACK, active, deliver

END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stoa'"


TOO_LONG = {"sqlite": apsw.InterruptError, "postgresql": QueryCanceledError}
"""What a statement raises that takes too long."""


@pytest.fixture
def late(steps: Steps, engine: str) -> Callable[[str], None]:
    """Lets the next statement of a name take too long."""

    async def end() -> None:
        raise TOO_LONG[engine]

    return lambda statement: steps.before(statement, end, once=True)


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


def test_who_watches_is_told_when_a_read_took_too_long(
    stoa: App, late: Callable[[str], None]
) -> None:
    ada, bob, carl = map(stoa.agent, ("Ada", "Bob", "Carl"))
    thread = ada.thread()
    carl.post("watches", {"threadId": thread["id"]}).ok(201)
    stoa.clock.advance(SECOND)
    replies = [bob.reply(thread)["id"] for _ in range(2)]
    late("replies.texts")
    with pytest.raises(StoreUnavailable):
        stoa.run(stoa.stoa.upkeep.tell())
    stoa.run(stoa.stoa.upkeep.tell())
    told = carl.get("inbox").ok()["events"]
    assert [row["subject"]["id"] for row in told] == replies


@pytest.mark.settings(**LOOPBACK)
def test_no_webhook_is_held_back_when_a_read_took_too_long(
    stoa: App, receiver: Receiver, late: Callable[[str], None]
) -> None:
    ada = stoa.agent("Ada")
    active(ada, receiver, scope="events")
    ada.thread()
    late("events.page_all_any_all")
    with pytest.raises(StoreUnavailable):
        deliver(stoa)
    deliver(stoa)
    assert receiver.kinds[-1] == "thread.created"
