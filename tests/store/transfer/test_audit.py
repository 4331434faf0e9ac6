"""The audit finds whatever does not fit, and stops settlements when it does."""

import asyncio
from pathlib import Path

import apsw
import asyncpg
import pytest

from stoa.domain import limits
from stoa.domain.ids import encode_ulid
from stoa.store.transfer import audit
from stoa.store.tx import StoreUnavailable, Tx
from stoa.upkeep.auditor import Auditor
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import START
from tests.support.command import Finished, run_stoa_here
from tests.support.database import query
from tests.support.steps import Steps


async def fail() -> None:
    raise StoreUnavailable


def tamper(app: App, *statements: str) -> None:
    """Change the data behind the service's back, triggers and foreign keys out of the way."""
    if app.settings.engine == "postgresql":
        asyncio.run(tamper_postgresql(app.settings.database_url, statements))
        return
    connection = apsw.Connection(str(app.settings.database_path))
    connection.set_busy_timeout(5000)
    for (trigger,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'"):
        connection.execute(f'DROP TRIGGER "{trigger}"')
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def tamper_postgresql(url: str, statements: tuple[str, ...]) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("SET session_replication_role = replica")
    for statement in statements:
        await connection.execute(statement)
    await connection.close()


def audit_command(app: App, *options: str) -> Finished:
    """`stoa audit` on the database of this service."""
    settings = app.settings
    if settings.engine == "postgresql":
        return run_stoa_here("audit", *options, STOA_DATABASE_URL=settings.database_url)
    return run_stoa_here("audit", "--data-dir", settings.data_dir, *options)


def differing(app: App) -> set[str]:
    """The names of the checks that find differences."""
    findings = app.run(app.stoa.store.read(audit.run_all))
    return {finding.check.name for finding in findings if finding.differences}


@pytest.fixture
def paid(stoa: App) -> tuple[Agent, Agent]:
    """Two agents with two accepted answers, one of them paid, and jobs: paid, claimed, rejected."""
    asker, worker = stoa.agent("asker"), stoa.agent("worker", capabilities=["python"])
    for bounty in (10, 0):
        thread = asker.thread(bountyCredits=bounty)
        asker.accept(thread, worker.reply(thread)).ok()
    for reward in (20, 5, 4):
        job = {"title": "Work", "description": "Do it.", "rewardCredits": reward}
        job_id = asker.post("jobs", job).ok(201)["job"]["id"]
        worker.post(f"jobs/{job_id}/claim").ok()
        if reward == 20:
            worker.post(f"jobs/{job_id}/submit", {"body": "Done."}).ok(201)
            asker.post(f"jobs/{job_id}/accept").ok()
        for _ in range(2 if reward == 4 else 0):
            worker.post(f"jobs/{job_id}/submit", {"body": "Done."}).ok(201)
            asker.post(f"jobs/{job_id}/reject", {"reasonCode": "low_quality"}).ok()
    asker.thread(bountyCredits=7)
    return asker, worker


@pytest.mark.usefixtures("paid")
def test_a_ledger_that_was_only_used_through_the_api_is_clean(stoa: App) -> None:
    assert differing(stoa) == set()


WORKER = "(SELECT claimer_id FROM job WHERE status = 'COMPLETED')"
ASKER = "(SELECT creator_id FROM job WHERE status = 'COMPLETED')"


def booked(kind: str, reference: str, giver: str, taker: str) -> str:
    """SQL that books one credit as the service would, sealed and with right balances."""
    moves = "".join(
        f"INSERT INTO posting SELECT id, 'tx_Z', {amount}, balance + {amount} FROM account"
        f" WHERE id = {account}; "
        f"UPDATE account SET balance = balance + {amount} WHERE id = {account}; "
        for account, amount in ((giver, -100), (taker, 100))
    )
    return f"{moves} INSERT INTO ledger_transaction VALUES ('tx_Z', '{kind}', {reference}, 0)"


def points(agent: str, amount: int) -> str:
    """SQL that adds to the score of an agent wherever it is kept."""
    return (
        f"UPDATE agent SET reputation = reputation + {amount} WHERE id = {agent}; "
        f"UPDATE agent_capability SET reputation = reputation + {amount} WHERE agent_id = {agent}"
    )


TAMPERINGS: dict[str, tuple[str, set[str]]] = {
    "a posting changed": (
        "UPDATE posting SET amount = amount + 1 WHERE account_id LIKE 'agent:%' AND amount = 2000",
        {"transactions", "running", "bookings", "accounts", "movements"},
    ),
    "a balance changed": (
        "UPDATE account SET balance = balance + 100 WHERE id LIKE 'agent:%'",
        {"accounts"},
    ),
    "credits out of nothing": (
        "UPDATE account SET balance = balance - 5000 WHERE id = 'issuer'",
        {"accounts", "minted"},
    ),
    "a hold paid without an outcome": (
        "UPDATE hold SET status = 'PAID' WHERE status = 'OPEN' AND type = 'bounty'",
        {"escrow", "settlements", "threads", "records"},
    ),
    "an outcome to somebody else": (
        "UPDATE settlement SET agent_id = (SELECT agent_id FROM hold WHERE id = hold_id)",
        {"bookings", "movements", "completions", "answers"},
    ),
    "a completed job reopened": (
        "UPDATE job SET status = 'SUBMITTED' WHERE status = 'COMPLETED'",
        {"jobs", "completions", "records"},
    ),
    "a score made up": ("UPDATE agent SET reputation = reputation + 10", {"scores"}),
    "a seal removed": (
        "DELETE FROM ledger_transaction WHERE kind = 'hold'",
        {"seals"},
    ),
    "a balance after a posting changed": (
        (
            "UPDATE posting SET balance_after = balance_after + 1"
            " WHERE account_id LIKE 'agent:%' AND amount = 2000"
        ),
        {"running"},
    ),
    "a payout of no hold": (
        booked("payout", "'job', 'job_1'", f"'agent:' || {ASKER}", f"'agent:' || {WORKER}"),
        {"bookings"},
    ),
    "a second payout of a hold": (
        booked(
            "payout",
            "'job', (SELECT id FROM job WHERE status = 'COMPLETED')",
            f"'agent:' || {ASKER}",
            f"'agent:' || {WORKER}",
        ),
        {"bookings"},
    ),
    "a second grant under a made-up name": (
        booked("signup_grant", "'agent', 'ag_1'", "'issuer'", f"'agent:' || {WORKER}"),
        {"bookings"},
    ),
    "a grant of nobody": (
        (
            "UPDATE ledger_transaction SET reference_id = 'ag_1'"
            f" WHERE kind = 'signup_grant' AND reference_id = {WORKER}"
        ),
        {"bookings"},
    ),
    "grants exchanged": (
        (
            "DROP INDEX one_grant_each; UPDATE ledger_transaction SET reference_id ="
            f" CASE reference_id WHEN {WORKER} THEN {ASKER} ELSE {WORKER} END"
            " WHERE kind = 'signup_grant'"
        ),
        {"bookings"},
    ),
    "the job of an open hold removed": (
        "DELETE FROM job WHERE status = 'CLAIMED'",
        {"subjects"},
    ),
    "a bounty that its thread does not know of": (
        "UPDATE thread SET bounty_id = NULL WHERE status = 'open'",
        {"subjects"},
    ),
    "the reward of a job reserved by somebody else": (
        f"UPDATE hold SET agent_id = {WORKER} WHERE type = 'job' AND status = 'OPEN'",
        {"bookings", "jobs"},
    ),
    "a bounty reserved by somebody else": (
        f"UPDATE hold SET agent_id = {WORKER} WHERE type = 'bounty' AND status = 'OPEN'",
        {"bookings", "threads"},
    ),
    "a job offered by somebody else": (
        "UPDATE job SET creator_id = 'ag_1' WHERE status = 'CLAIMED'",
        {"jobs"},
    ),
    "a completed job claimed by somebody else": (
        "UPDATE job SET claimer_id = 'ag_1' WHERE status = 'COMPLETED'",
        {"completions", "records"},
    ),
    "a paid answer by somebody else": (
        (
            "UPDATE reply SET author_id = 'ag_1' WHERE id IN"
            " (SELECT accepted_reply_id FROM thread WHERE bounty_id IS NOT NULL)"
        ),
        {"answers"},
    ),
    "an accepted answer that does not count": (
        "DELETE FROM reputation_event WHERE type = 'answer_accepted' AND escrowed = 0; "
        + points(WORKER, -10),
        {"answers"},
    ),
    "an accepted answer that counts for somebody else": (
        (
            f"UPDATE reputation_event SET agent_id = {ASKER}"
            " WHERE type = 'answer_accepted' AND escrowed = 0; "
            f"{points(WORKER, -10)}; {points(ASKER, 10)}"
        ),
        {"answers"},
    ),
    "a completed job that counts for somebody else": (
        (
            f"UPDATE reputation_event SET agent_id = {ASKER} WHERE type = 'job_completed'; "
            f"{points(WORKER, -20)}; {points(ASKER, 20)}"
        ),
        {"completions"},
    ),
    "an accepted answer taken back": (
        "UPDATE thread SET status = 'open', accepted_reply_id = NULL WHERE bounty_id IS NULL",
        {"answers"},
    ),
    "an event of nothing": (
        (
            "INSERT INTO reputation_event SELECT 'ev_1', agent_id, type, reference_type, 'job_1',"
            " counterparty_id, pair, escrowed, created_at FROM reputation_event"
            f" WHERE type = 'job_completed'; {points(WORKER, 20)}"
        ),
        {"events"},
    ),
    "a deadline moved": (
        "UPDATE job SET deadline = deadline + 1 WHERE status = 'CLAIMED'",
        {"jobs"},
    ),
    "a rejection called an expiry": (
        "UPDATE job SET status = 'REFUNDED_EXPIRED' WHERE status = 'REJECTED_TERMINAL'",
        {"jobs", "records"},
    ),
    "a record that counts too much": (
        "UPDATE record SET number = number + 1 WHERE kind = 'worker'",
        {"records"},
    ),
    "a record that is gone": ("DELETE FROM record WHERE kind = 'decision'", {"records"}),
    "a score that is another in lists": (
        "UPDATE agent_capability SET reputation = reputation + 1",
        {"scores"},
    ),
}


@pytest.mark.promise("C14")
@pytest.mark.usefixtures("paid")
@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_the_audit_finds(stoa: App, tampering: str) -> None:
    statement, expected = TAMPERINGS[tampering]
    tamper(stoa, statement)
    assert differing(stoa) == expected


@pytest.mark.usefixtures("paid")
def test_what_is_summed_of_all_grants_is_summed_for_one_part_of_the_agents(stoa: App) -> None:
    tamper(stoa, TAMPERINGS["credits out of nothing"][0])
    (minted,) = [check for check in audit.CHECKS if check.name == "minted"]

    async def findings(tx: Tx) -> list[bool]:
        first = await audit.chunk(tx, minted.subject, "", 1)
        rest = await audit.chunk(tx, minted.subject, first[1], 1)
        return [bool((await audit.run(tx, minted, ids)).differences) for ids in (first, rest)]

    assert stoa.run(stoa.stoa.store.read(findings)) == [True, False]


def test_credits_whose_time_has_passed_are_no_difference(
    stoa: App, paid: tuple[Agent, Agent]
) -> None:
    asker, worker = paid
    bounty = asker.thread(bountyCredits=3)
    reply = worker.reply(bounty)
    stoa.clock.advance(80 * 3_600_000)
    assert differing(stoa) == set()
    asker.sign_in()
    asker.accept(bounty, reply).ok()
    due = "SELECT count(*) FROM hold WHERE status = 'OPEN' AND type = 'bounty'"
    assert query(stoa.settings, due) == [(0,)]
    stoa.clock.advance(200 * 3_600_000)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert differing(stoa) == set()


@pytest.mark.promise("C5")
def test_one_corrupted_posting_stops_settlements_and_leaves_reads(
    stoa: App, paid: tuple[Agent, Agent]
) -> None:
    asker, worker = paid
    thread = asker.thread(bountyCredits=3)
    reply = worker.reply(thread)
    tamper(stoa, "UPDATE posting SET amount = amount + 1 WHERE amount = 2000")
    stoa.run(stoa.stoa.upkeep.audit())
    refused = asker.accept(thread, reply)
    assert (refused.status, refused.code) == (503, "temporarily_unavailable")
    assert asker.get("credits/balance").status == 200
    for process in stoa.processes:
        stoa.run(process.upkeep.watch())
    ready = stoa.get("/readyz")
    assert ready.status == 503
    assert "transactions" in ready.json["reason"]
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"]["status"] == "open"


def test_due_refunds_wait_while_settlements_are_stopped(
    stoa: App, paid: tuple[Agent, Agent]
) -> None:
    asker, _ = paid
    tamper(stoa, "UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    stoa.run(stoa.stoa.upkeep.audit())
    stoa.clock.advance(80 * 3_600_000)
    stoa.run(stoa.stoa.upkeep.sweep())
    asker.sign_in()
    assert asker.get("credits/balance").ok()["balance"]["reserved"]["total"] == 12


def test_a_second_rejection_refunds_nothing_while_settlements_are_stopped(
    stoa: App, paid: tuple[Agent, Agent]
) -> None:
    creator, worker = paid
    job = jobs.offer(creator, 3)
    jobs.done(worker, job, "claim", "submit")
    jobs.done(creator, job, "reject")
    jobs.done(worker, job, "submit")
    before = jobs.funds(creator)
    tamper(stoa, "UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    stoa.run(stoa.stoa.upkeep.audit())
    jobs.act(creator, job, "reject").refused(503, "temporarily_unavailable")
    assert jobs.funds(creator) == before
    assert jobs.read(job, creator)["status"] == "SUBMITTED"


@pytest.mark.usefixtures("paid")
def test_a_large_ledger_is_audited_by_what_is_new_and_all_of_it_in_turn(
    stoa: App,
) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0, rows=2)
    assert stoa.run(auditor.minute()) == []
    tamper(stoa, "UPDATE settlement SET amount = amount + 1 WHERE outcome = 'payout'")
    stoa.clock.advance(6 * 3_600_000)
    stoa.run(auditor.minute())
    stoa.clock.advance(6 * 3_600_000)
    found = stoa.run(auditor.minute())
    assert {difference.subject.split("_")[0] for difference in found} == {"bty", "job"}


@pytest.mark.usefixtures("paid")
def test_a_transaction_that_commits_behind_a_later_one_is_audited_all_the_same(
    stoa: App,
) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0)
    early = f"tx_{encode_ulid(stoa.clock(), 0)}"
    stoa.clock.advance(60_000)
    stoa.agent("later")
    assert stoa.run(auditor.minute()) == []
    # Sealed with an earlier id than what is audited already, and nothing it moved.
    tamper(
        stoa,
        f"INSERT INTO posting VALUES ('issuer', '{early}', -5, 0), ('agent:x', '{early}', 5, 5)",
        f"INSERT INTO ledger_transaction VALUES ('{early}', 'hold', 'job', 'job_1', {START})",
        "INSERT INTO account VALUES ('agent:x', 0)",
    )
    stoa.clock.advance(60_000)
    assert "agent:x" in {difference.subject for difference in stoa.run(auditor.minute())}


@pytest.mark.usefixtures("paid")
def test_a_new_transaction_of_a_large_ledger_is_audited_within_the_minute(
    stoa: App,
) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0)
    stoa.run(auditor.minute())
    late = stoa.agent("late")
    late.thread(bountyCredits=9)
    tamper(stoa, "UPDATE account SET balance = 901 WHERE balance = 900 AND id LIKE 'escrow:%'")
    stoa.clock.advance(1000)
    found = stoa.run(auditor.minute())
    assert {(difference.expected, difference.found) for difference in found} == {("900", "901")}


@pytest.mark.usefixtures("paid")
def test_new_transactions_of_a_large_ledger_are_audited_behind_a_read_that_failed(
    stoa: App, steps: Steps
) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0)
    stoa.run(auditor.minute())
    stoa.agent("late").thread(bountyCredits=9)
    tamper(stoa, "UPDATE account SET balance = 901 WHERE balance = 900 AND id LIKE 'escrow:%'")
    stoa.clock.advance(2 * limits.AUDIT_AGAIN_MS)
    steps.before("audit.following", fail, once=True)
    with pytest.raises(StoreUnavailable):
        stoa.run(auditor.minute())
    found = stoa.run(auditor.minute())
    assert {(difference.expected, difference.found) for difference in found} == {("900", "901")}


@pytest.mark.usefixtures("paid")
@pytest.mark.parametrize("step", ["ledger.stop", "audit.chunk_accounts"])
def test_a_difference_stops_settlements_though_what_comes_behind_it_failed(
    stoa: App, steps: Steps, step: str
) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0)
    tamper(stoa, "UPDATE ledger_transaction SET kind = 'payout' WHERE kind = 'hold'")
    stoa.clock.advance(limits.AUDIT_ROUND_MS // 4)
    steps.before(step, fail, once=True)
    with pytest.raises(StoreUnavailable):
        stoa.run(auditor.minute())
    stoa.run(auditor.minute())
    assert query(stoa.settings, "SELECT count(*) FROM stop") == [(1,)]
    assert auditor.trouble is None


@pytest.mark.usefixtures("paid")
def test_all_new_transactions_are_audited_some_at_a_time(stoa: App) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0, postings=3)
    assert stoa.run(auditor.minute()) == []
    late = stoa.agent("late")
    for bounty in (7, 8, 9):
        late.thread(bountyCredits=bounty)
    amounts = "balance IN (700, 800, 900) AND id LIKE 'escrow:%'"
    tamper(stoa, f"UPDATE account SET balance = balance + 1 WHERE {amounts}")
    found = stoa.run(auditor.minute())
    assert {difference.found for difference in found} == {"701", "801", "901"}


LATE = "(SELECT max(transaction_id) FROM posting)"


@pytest.mark.usefixtures("paid")
@pytest.mark.parametrize(
    ("tampering", "expected"),
    {
        f"UPDATE posting SET balance_after = balance_after + 1 WHERE transaction_id = {LATE}": {
            "following"
        },
        "UPDATE settlement SET agent_id = hold.agent_id FROM hold WHERE hold.id = hold_id"
        f" AND transaction_id = {LATE}": {"bookings", "movements", "answers"},
        "UPDATE thread SET bounty_id = NULL WHERE title = 'Late'": {"subjects"},
        "DELETE FROM reputation_event WHERE reference_id ="
        " (SELECT id FROM thread WHERE title = 'Late')": {"answers"},
        f"UPDATE ledger_transaction SET kind = 'refund' WHERE id = {LATE}": {
            "bookings",
            "movements",
        },
    }.items(),
)
def test_what_a_new_transaction_of_a_large_ledger_touched_is_audited_within_the_minute(
    stoa: App,
    paid: tuple[Agent, Agent],
    tampering: str,
    expected: set[str],
) -> None:
    auditor = Auditor(stoa.stoa.store, stoa.clock, small=0)
    stoa.run(auditor.minute())
    asker, worker = paid
    thread = asker.thread("Late", bountyCredits=9)
    asker.accept(thread, worker.reply(thread)).ok()
    tamper(stoa, tampering)
    stoa.clock.advance(1000)
    stoa.run(auditor.minute())
    (reason,) = query(stoa.settings, "SELECT reason FROM stop")[0]
    found = reason.partition("(")[2].partition(")")[0]
    assert set(found.split(", ")) == expected


@pytest.mark.usefixtures("paid")
def test_the_command_prints_a_table_and_ends_with_1_on_a_difference(
    stoa: App,
) -> None:
    clean = audit_command(stoa)
    assert (clean.code, "differences" in clean.out) == (0, True)
    whole = "each transaction is a grant to its agent, moves its hold or empties a retired agent"
    assert f"\n{whole}\t" in clean.out  # which is no terminal, so nothing is wrapped or cut
    tamper(stoa, "UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    broken = audit_command(stoa)
    assert broken.code == 1
    assert "issuer: expected" in broken.out
    assert "next: find out what wrote these rows" in broken.out


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("nothing", "there is no database at"),
        ("text/stoa.db", "cannot use the database"),
        ("text", "cannot open the database {path}/stoa.db: file is not a database"),
    ],
)
def test_a_database_that_cannot_be_audited_is_one_line(
    tmp_path: Path, folder: str, said: str
) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "stoa.db").write_text("Not a database, but long enough to be one. " * 99)
    done = run_stoa_here("audit", "--data-dir", str(tmp_path / folder))
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"stoa: {said.format(path=tmp_path / folder)}")
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("paid")
def test_after_a_mended_difference_the_command_lets_settlements_go_on(stoa: App) -> None:
    tamper(stoa, "UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    stoa.run(stoa.stoa.upkeep.audit())
    tamper(stoa, "UPDATE account SET balance = balance - 1 WHERE id = 'issuer'")
    if stoa.settings.engine == "sqlite":  # whose data many programs may use at once
        busy = audit_command(stoa, "--resume")
        assert (busy.code, "another Stoa" in busy.err) == (1, True)
        stoa.close()
    stopped = audit_command(stoa).out
    assert stopped.count("settlements are stopped") == 1
    assert "--resume lets settlements go on" in stopped
    assert "settlements go on" in audit_command(stoa, "--resume").out
    assert query(stoa.settings, "SELECT count(*) FROM stop") == [(0,)]
