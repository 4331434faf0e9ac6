"""An agent is forgotten beside others who lock the threads that it wrote in, without a deadlock."""

import asyncio
from functools import partial

import msgspec
import pytest

from stoa.settings import Settings
from stoa.store.tx import Tx
from tests.races.test_locks import deadlocks, until_waiting
from tests.support.app import App
from tests.support.limits_off import LIMITS_OFF
from tests.support.moderation import act
from tests.support.postgresql import PostgreSQL
from tests.support.steps import Steps

pytestmark = pytest.mark.parametrize("engine", ["postgresql"])


async def lock_all(tx: Tx, ids: list[str]) -> None:
    await tx.lock("thread", *ids)


def test_texts_that_are_erased_together_are_locked_in_one_order(
    postgresql: PostgreSQL, steps: Steps, engine: str
) -> None:
    url = postgresql.new()
    settings = msgspec.convert({"database_url": url, **LIMITS_OFF}, Settings)
    with App(settings, through=steps.store) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        threads = [ada.thread() for _ in range(2)]
        for thread in reversed(threads):
            app.clock.advance(1000)
            bob.reply(thread, "Mine.")
        act(app, bob.id, "forget")
        locked = asyncio.Event()

        async def hold_up() -> None:
            locked.set()
            await until_waiting(app)

        async def other() -> None:
            await locked.wait()
            ids = sorted(thread["id"] for thread in threads)
            await app.stoa.store.write(partial(lock_all, ids=ids))

        steps.after("locks.thread", hold_up, once=True)
        app.together(app.stoa.upkeep.purge(), other())
        assert app.sql("SELECT count(*) FROM reply WHERE body <> ''") == [(0,)]
    assert deadlocks(postgresql, url) == 0
