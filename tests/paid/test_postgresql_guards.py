"""PostgreSQL itself keeps the ledger sound, as the embedded engine does."""

import asyncio
from collections.abc import Iterator

import asyncpg
import msgspec
import pytest

from stoa.settings import Settings
from tests.support import jobs
from tests.support.app import App
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL

FORBIDDEN = {
    "a posting is changed": ("UPDATE posting SET amount = amount", "only ever added"),
    "a posting is deleted": ("DELETE FROM posting", "only ever added"),
    "all postings are removed": ("TRUNCATE posting, ledger_transaction CASCADE", "only ever added"),
    "a posting is added to a sealed transaction": (
        "INSERT INTO posting SELECT 'issuer', id, 5, 0 FROM ledger_transaction WHERE kind = 'hold'",
        "sealed",
    ),
    "a posting is left without a transaction": (
        "INSERT INTO posting VALUES ('issuer', 'tx_1', 5, 0)",
        "sum to zero|foreign key",
    ),
    "a posting moves nothing": ("INSERT INTO posting VALUES ('issuer', 'tx_1', 0, 0)", "amount"),
    "a posting has no account": (
        "INSERT INTO posting VALUES ('agent:nobody', 'tx_1', 5, 5)",
        "foreign key",
    ),
    "a transaction does not sum to zero": (
        (
            "INSERT INTO posting VALUES ('issuer', 'tx_1', -5, 0);"
            "INSERT INTO ledger_transaction VALUES ('tx_1', 'hold', 'job', 'job_1', 0)"
        ),
        "sum to zero",
    ),
    "a transaction has no postings": (
        "INSERT INTO ledger_transaction VALUES ('tx_1', 'hold', 'job', 'job_1', 0)",
        "sum to zero",
    ),
    "a transaction is changed": ("UPDATE ledger_transaction SET kind = kind", "only ever added"),
    "a transaction is deleted": ("DELETE FROM ledger_transaction", "only ever added"),
    "a transaction is replaced": (
        "INSERT INTO ledger_transaction SELECT * FROM ledger_transaction LIMIT 1",
        "only ever added",
    ),
    "a second grant is booked for a key": (
        (
            "INSERT INTO posting VALUES ('issuer', 'tx_1', -5, 0);"
            "INSERT INTO posting SELECT 'agent:' || id, 'tx_1', 5, 0 FROM agent LIMIT 1;"
            "INSERT INTO ledger_transaction SELECT 'tx_1', 'signup_grant', 'agent', id, 0 "
            "FROM agent LIMIT 1"
        ),
        "one_grant_each",
    ),
    "an account goes below zero": (
        "UPDATE account SET balance = -1 WHERE id LIKE 'agent:%'",
        "check constraint",
    ),
    "a hold is settled twice": (
        (
            "INSERT INTO settlement SELECT hold_id, 'refund', agent_id, amount, "
            "(SELECT id FROM ledger_transaction WHERE kind = 'hold' LIMIT 1), 0 "
            "FROM settlement LIMIT 1"
        ),
        "settlement_pkey",
    ),
    "an agent claims its own job": (
        "UPDATE job SET claimer_id = creator_id, claimed_at = 0",
        "check constraint",
    ),
}


@pytest.fixture(scope="module")
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """A database with a completed job and an open bounty."""
    url = postgresql.new()
    values = {"database_url": url, **LIMITS_OFF}
    with App(msgspec.convert(values, Settings)) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        jobs.job_in("COMPLETED", ada, bob, rewardCredits=20)
        ada.thread(bountyCredits=3)
    yield url
    postgresql.drop(url)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_database_refuses_that(url: str, what: str) -> None:
    statements, message = FORBIDDEN[what]

    async def attempt() -> None:
        connection = await asyncpg.connect(url)
        try:
            async with connection.transaction():
                await connection.execute(statements)
        finally:
            await connection.close()

    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match=message):
        asyncio.run(attempt())


SEALED = """
INSERT INTO account VALUES ('escrow:a', 0), ('escrow:b', 0) ON CONFLICT DO NOTHING;
INSERT INTO posting VALUES ('escrow:a', 'tx_2', -5, 0), ('escrow:b', 'tx_2', 5, 5);
INSERT INTO ledger_transaction VALUES ('tx_2', 'hold', 'job', 'job_1', 0)
"""
ONE = "INSERT INTO posting VALUES ('issuer', 'tx_2', 5, 0)"
BALANCED = """
INSERT INTO account VALUES ('escrow:c', 0) ON CONFLICT DO NOTHING;
INSERT INTO posting VALUES ('issuer', 'tx_2', -5, 0), ('escrow:c', 'tx_2', 5, 5)
"""


@pytest.mark.parametrize(
    ("slipped", "transaction", "message"),
    [(ONE, "tx_2", "sum to zero"), (BALANCED, "tx_3", "another has sealed")],
    ids=["one posting", "two that balance"],
)
def test_nobody_adds_to_a_transaction_that_another_is_sealing(
    url: str, slipped: str, transaction: str, message: str
) -> None:
    async def attempt() -> None:
        sealing, adding = [await asyncpg.connect(url) for _ in range(2)]
        first, second = sealing.transaction(), adding.transaction()
        await first.start()
        await sealing.execute(SEALED.replace("tx_2", transaction))
        await second.start()
        await adding.execute(slipped.replace("tx_2", transaction))
        await first.commit()
        try:
            await second.commit()
        finally:
            await sealing.close()
            await adding.close()

    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match=message):
        asyncio.run(attempt())
