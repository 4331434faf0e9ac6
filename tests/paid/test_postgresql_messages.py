"""How many messages the transactions of a paid job send to PostgreSQL: each is a wait."""

from typing import Any

import asyncpg
import msgspec
import pytest
from asyncpg.connection import LoggedQuery

from stoa.settings import Settings
from tests.support.app import App
from tests.support.jobs import done, offer
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL


def test_each_call_of_a_job_sends_few_messages(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, sent = asyncpg.connect, list[list[str]]()

    async def connect(*values: Any, **more: Any) -> Any:
        connection = await real(*values, **more)
        own = list[str]()

        def note(query: LoggedQuery) -> None:
            own.append(query.query)
            if query.query.startswith("BEGIN"):
                del own[:-1]
            elif query.query.endswith("COMMIT"):
                sent.append(own.copy())

        connection.add_query_logger(note)
        return connection

    monkeypatch.setattr(asyncpg, "connect", connect)
    values = {"database_url": postgresql.new(), **LIMITS_OFF}
    with App(msgspec.convert(values, Settings)) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        sent.clear()
        job = offer(ada)
        done(bob, job, "claim", "submit")
        done(ada, job, "accept")
    calls = [one for one in sent if any("INSERT INTO event_log" in sql for sql in one)]
    assert [len(one) for one in calls] == [7, 7, 7, 11]
