"""The database itself keeps the ledger sound, and the checks of these tests can fail."""

import shutil
from pathlib import Path

import apsw
import msgspec
import pytest

from stoa.settings import Settings
from tests.support import jobs
from tests.support.app import App
from tests.support.database import opened
from tests.support.ledger import INVARIANTS, broken
from tests.support.limits_off import LIMITS_OFF


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a paid bounty, a completed job, a refunded one and two open holds."""
    values = {"data_dir": str(tmp_path_factory.mktemp("used")), **LIMITS_OFF}
    with App(msgspec.convert(values, Settings)) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        thread = ada.thread(bountyCredits=10)
        ada.accept(thread, bob.reply(thread)).ok()
        jobs.job_in("COMPLETED", ada, bob, rewardCredits=20)
        jobs.job_in("REJECTED_TERMINAL", ada, bob, rewardCredits=5)
        jobs.job_in("SUBMITTED", ada, bob, rewardCredits=7)
        ada.thread(bountyCredits=3)
    return app.settings.database_path


@pytest.fixture
def file(used: Path, tmp_path: Path) -> Path:
    """A copy of such a file."""
    return Path(shutil.copy(used, tmp_path))


def stored(file: Path) -> Settings:
    """The settings that name such a file."""
    return Settings(database_url=f"sqlite:///{file}")


FORBIDDEN = {
    "a posting is changed": ("UPDATE posting SET amount = amount + 1", "only ever added"),
    "a posting is changed to the same": ("UPDATE posting SET amount = amount", "only ever added"),
    "a posting is deleted": ("DELETE FROM posting", "only ever added"),
    "a posting is replaced": (
        """
        INSERT OR REPLACE INTO posting
        SELECT account_id, transaction_id, amount + 1, 0 FROM posting LIMIT 1
        """,
        "sealed",
    ),
    "a posting is added to a sealed transaction": (
        "INSERT INTO posting SELECT 'issuer', id, 5, 0 FROM ledger_transaction WHERE kind = 'hold'",
        "sealed",
    ),
    "a posting is left without a transaction": (
        "INSERT INTO posting VALUES ('issuer', 'tx_nowhere', 5, 0)",
        "FOREIGN KEY",
    ),
    "a posting moves nothing": ("INSERT INTO posting VALUES ('issuer', 'tx_1', 0, 0)", "amount"),
    "a posting is a fraction": (
        "INSERT INTO posting VALUES ('issuer', 'tx_1', 0.5, 0)",
        "cannot store REAL",
    ),
    "a posting is text": (
        "INSERT INTO posting VALUES ('issuer', 'tx_1', 'much', 0)",
        "cannot store TEXT",
    ),
    "a posting has no account": (
        "INSERT INTO posting VALUES ('agent:nobody', 'tx_1', 5, 5)",
        "FOREIGN KEY",
    ),
    "a transaction does not sum to zero": (
        """
        INSERT INTO posting VALUES ('issuer', 'tx_1', -5, 0);
        INSERT INTO ledger_transaction VALUES ('tx_1', 'hold', 'job', 'job_1', 0)
        """,
        "sum to zero",
    ),
    "a transaction has no postings": (
        "INSERT INTO ledger_transaction VALUES ('tx_1', 'hold', 'job', 'job_1', 0)",
        "sum to zero",
    ),
    "a transaction is changed": ("UPDATE ledger_transaction SET kind = 'hold'", "only ever added"),
    "a transaction is deleted": ("DELETE FROM ledger_transaction", "only ever added"),
    "a transaction is replaced": (
        """
        INSERT OR REPLACE INTO ledger_transaction
        SELECT id, 'refund', reference_type, reference_id, 0 FROM ledger_transaction LIMIT 1
        """,
        "only ever added",
    ),
    "a second grant is booked for a key": (
        """
        INSERT INTO posting VALUES ('issuer', 'tx_1', -5, 0);
        INSERT INTO posting
        SELECT 'agent:' || id, 'tx_1', 5, 0 FROM agent LIMIT 1;
        INSERT INTO ledger_transaction
        SELECT 'tx_1', 'signup_grant', 'agent', id, 0 FROM agent LIMIT 1
        """,
        "UNIQUE",
    ),
    "an agent's account goes below zero": (
        "UPDATE account SET balance = -1 WHERE id LIKE 'agent:%'",
        "CHECK",
    ),
    "an escrow account goes below zero": (
        "UPDATE account SET balance = -1 WHERE id LIKE 'escrow:%'",
        "CHECK",
    ),
    "a hold is settled twice": (
        """
        INSERT INTO settlement
        SELECT hold_id, 'refund', agent_id, amount,
          (SELECT id FROM ledger_transaction WHERE kind = 'hold' LIMIT 1), 0
        FROM settlement LIMIT 1
        """,
        "UNIQUE",
    ),
    "a transaction settles two holds": (
        """
        INSERT INTO settlement
        SELECT (SELECT id FROM hold WHERE status = 'OPEN' LIMIT 1), 'refund',
          agent_id, amount, transaction_id, 0 FROM settlement LIMIT 1
        """,
        "UNIQUE",
    ),
    "a hold is for nothing": (
        "INSERT INTO hold SELECT 'job_1', 'job', 'job_1', id, 0, 'OPEN', 0, 1, 0 FROM agent",
        "CHECK",
    ),
    "two holds are for one thing": (
        "INSERT INTO hold SELECT 'job_1', type, subject_id, agent_id, 5, 'OPEN', 0, 1, 0 FROM hold",
        "UNIQUE",
    ),
    "a creator claims the own job": (
        "UPDATE job SET claimer_id = creator_id WHERE claimer_id IS NOT NULL",
        "CHECK",
    ),
    "a job counts twice": (
        """
        INSERT INTO reputation_event
        SELECT 'ev_1', agent_id, type, reference_type, reference_id, counterparty_id,
          pair, escrowed, 0 FROM reputation_event LIMIT 1
        """,
        "UNIQUE",
    ),
    "a thread is answered without a reply": (
        "UPDATE thread SET status = 'answered' WHERE status = 'open'",
        "CHECK",
    ),
}


TABLES = ("account", "posting", "ledger_transaction", "settlement", "hold", "job", "thread")


@pytest.mark.promise("C2")
@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_database_refuses_it_when(file: Path, what: str) -> None:
    sql, reason = FORBIDDEN[what]
    with opened(file) as connection:
        before = [connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN")
        with pytest.raises(apsw.Error, match=reason):
            connection.execute(f"{sql}; COMMIT")
        connection.execute("ROLLBACK")
        after = [connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]
    assert after == before
    assert broken(stored(file)) == {}


TAMPERINGS = {
    "each transaction sums to zero": "UPDATE posting SET amount = amount + 1 WHERE amount = 2000",
    "each transaction is sealed and moves something from one account to another": (
        "DELETE FROM ledger_transaction WHERE kind = 'refund'"
    ),
    "all balances sum to zero": "UPDATE account SET balance = balance + 1 WHERE id = 'issuer'",
    "no account but the issuer's is below zero": (
        "PRAGMA ignore_check_constraints = ON; "
        "UPDATE account SET balance = -1 WHERE id LIKE 'agent:%'"
    ),
    "a record counts each ended job of a requester": (
        "UPDATE record SET number = number + 1 WHERE kind = 'requester'"
    ),
    "a record counts each completed job of a worker": (
        "UPDATE record SET number = number + 1 WHERE kind = 'worker'"
    ),
    "each balance is the sum of its postings": (
        "UPDATE account SET balance = balance + 1 WHERE id LIKE 'agent:%'"
    ),
    "each posting says the balance behind it": "UPDATE posting SET balance_after = 1",
    "each open hold lies in its escrow account, and nothing else does": (
        "UPDATE hold SET amount = amount + 1 WHERE status = 'OPEN'"
    ),
    "a hold is booked once": "UPDATE ledger_transaction SET kind = 'refund' WHERE kind = 'hold'",
    "a hold is settled at most once": (
        "INSERT INTO ledger_transaction SELECT 'tx_1', 'refund', reference_type, reference_id, 0 "
        "FROM ledger_transaction WHERE kind = 'payout' LIMIT 1"
    ),
    "a hold shows the outcome that was booked": "UPDATE hold SET status = 'OPEN'",
    "credits come from one signup grant for each key": (
        "UPDATE account SET balance = balance - 5000 WHERE id = 'issuer'"
    ),
    "a job ends as its hold does": "UPDATE job SET status = 'OPEN' WHERE status = 'COMPLETED'",
    "a completed job pays its claimer, once, and counts once": (
        "DELETE FROM reputation_event WHERE type = 'job_completed'"
    ),
    "a paid bounty went to the author of the accepted reply": (
        "UPDATE thread SET status = 'open', accepted_reply_id = NULL"
    ),
    "an answered thread counts once, for the author of the accepted reply": (
        "UPDATE reputation_event SET counterparty_id = agent_id WHERE type = 'answer_accepted'"
    ),
    "a score is what it should be": "UPDATE agent SET reputation = reputation + 10",
    "the feeds hold what can be earned, and nothing else": "DELETE FROM opportunity",
    "a hold is booked, and booked again as often as its reward was raised": (
        "UPDATE ledger_transaction SET kind = 'refund' WHERE kind = 'hold'"
    ),
    "a hold is as large as what was set aside for it": "UPDATE hold SET amount = amount + 1",
    "a job that is not decided is looked at when it changes by itself": (
        "UPDATE job SET due_at = NULL, due_to = NULL"
    ),
    "each claim that was given back or lost is counted once": (
        "UPDATE job_event SET event = 'released' WHERE event = 'claimed'"
    ),
    "a job's last event fits its status": "DELETE FROM job_event WHERE event = 'accepted'",
}


@pytest.mark.parametrize("invariant", INVARIANTS)
def test_the_invariants_of_these_tests_are_found_broken_when_they_are(
    file: Path, invariant: str
) -> None:
    assert broken(stored(file)) == {}
    with opened(file) as connection:
        triggers = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        for (name,) in triggers.fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(TAMPERINGS[invariant])
    assert invariant in broken(stored(file))
