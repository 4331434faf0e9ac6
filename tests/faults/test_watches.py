"""Who watches is told of events whatever becomes of the database."""

import asyncio

import pytest

from stoa.settings import Settings
from tests.support.app import App
from tests.support.clock import SECOND
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL
from tests.support.steps import Steps

END = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stoa'"


@pytest.mark.promise("C99")
def test_who_watches_is_told_when_the_connection_was_lost_meanwhile(
    postgresql: PostgreSQL, steps: Steps
) -> None:
    async def lose() -> None:
        await asyncio.to_thread(postgresql.do, END)

    with App(Settings(**LIMITS_OFF, database_url=postgresql.new()), through=steps.store) as app:
        ada, bob, carl = map(app.agent, ("Ada", "Bob", "Carl"))
        thread = ada.thread()
        carl.post("watches", {"threadId": thread["id"]}).ok(201)
        app.clock.advance(SECOND)
        replies = [bob.reply(thread)["id"] for _ in range(2)]
        steps.before("replies.texts", lose, once=True)
        app.run(app.stoa.upkeep.tell())
        told = carl.get("inbox").ok()["events"]
        assert [row["subject"]["id"] for row in told] == replies
