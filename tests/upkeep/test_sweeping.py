"""Due rows are processed in batches of a bounded size. A row that fails does not stop the rest."""

import pytest

from stoa.domain.errors import Refusal
from stoa.operations.parts.run_all import run_all
from stoa.store import applications, authorizations, events, idempotency, sessions, webhooks
from stoa.store.tx import StoreUnavailable
from stoa.upkeep import sweeping
from stoa.upkeep.loops import every
from stoa.upkeep.sweeping import ForgetSome
from tests.contract.test_watches import told, watch
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR
from tests.support.ledger import rows
from tests.support.logs import logged

OVER: dict[str, tuple[ForgetSome, str]] = {
    "challenge_used": (
        sessions.forget,
        "INSERT INTO challenge_used (hash, expires_at) SELECT ?, {n}",
    ),
    "token": (
        sessions.forget,
        (
            "INSERT INTO token (hash, agent_id, expires_at, session_id, via, created_at,"
            " last_used_at, ends_at) SELECT ?, {agent}, {n}, 'old {n}', 'key', 1, 1, {n}"
        ),
    ),
    "refresh_token": (
        sessions.forget,
        (
            "INSERT INTO refresh_token (hash, agent_id, session_id, expires_at)"
            " SELECT ?, {agent}, 'old {n}', {n}"
        ),
    ),
    "kept_answer": (
        idempotency.forget,
        (
            "INSERT INTO kept_answer (agent_id, key, request, answer, created_at)"
            " SELECT {agent}, 'key {n}', ?, ?, {n}"
        ),
    ),
    "authorization_request": (
        authorizations.forget,
        (
            "INSERT INTO authorization_request (handle, pairing_code, client_id, client_name,"
            " redirect_uri, challenge, scopes, expires_at)"
            " SELECT ?, 'code {n}', 'a', 'b', 'c', 'd', 'e', {n}"
        ),
    ),
    "application": (
        applications.forget,
        (
            "INSERT INTO application (job_id, agent_id, message, created_at, expires_at)"
            " SELECT (SELECT max(id) FROM job),"
            " (SELECT id FROM agent ORDER BY id LIMIT 1 OFFSET {n}), '', 1, {n}"
        ),
    ),
    "webhook": (
        webhooks.forget,
        (
            "INSERT INTO webhook (id, agent_id, url, scope, kinds, status, created_at, seq, due_at,"
            " failures, arguments, secret, session_id, expires_at)"
            " SELECT 'wh {n}', {agent}, 'u', 'events', 'null', 'active', 1, 0, 1, 0, '{{}}', 's',"
            " 's', {n}"
        ),
    ),
    "told": (
        lambda tx, most: events.forget(tx, most, -1),
        "INSERT INTO told (agent_id, seq, event_seq, kind) SELECT 'ag {n}', 1, 1, 'mentioned'",
    ),
}
"""What deletes the rows of a table whose time is over, and what adds the row of a number to it."""


def add(stoa: App, statement: str, agent: Agent, number: int) -> None:
    """Add the row of a number, of this agent."""
    key = number.to_bytes(32, "big")
    sql = statement.format(n=number, agent=f"'{agent.id}'")
    stoa.sql(sql, *[key] * statement.count("?"))


@pytest.mark.parametrize("table", OVER)
def test_what_is_over_is_deleted_a_few_rows_at_a_time(stoa: App, ada: Agent, table: str) -> None:
    forget, statement = OVER[table]
    for name in ("bob", "cyd", "dan", "eve"):
        stoa.agent(name)
    jobs.offer(ada)
    stoa.sql(f"DELETE FROM {table}")
    for number in range(5):
        add(stoa, statement, ada, number)
    left: list[int] = []
    for _ in range(3):
        stoa.run(stoa.stoa.store.write(lambda tx: forget(tx, 2)))
        left += rows(stoa, f"SELECT count(*) FROM {table}")[0]
    assert left == [3, 1, 0]


def test_a_sweep_deletes_all_that_is_over(stoa: App, ada: Agent) -> None:
    forget, statement = OVER["kept_answer"]
    for number in range(5):
        add(stoa, statement, ada, number)
    stoa.run(sweeping.forget(stoa.stoa.store, forget, 2))
    assert rows(stoa, "SELECT count(*) FROM kept_answer") == [(0,)]


def overdue(stoa: App, ada: Agent, number: int) -> list[str]:
    """The holds of so many jobs that are past their deadlines, one after the other."""
    ada.sign_in()
    for _ in range(number):
        jobs.offer(ada, deadlineHours=1)
        stoa.clock.advance(1000)
    stoa.clock.advance(2 * HOUR)
    return [row[0] for row in rows(stoa, "SELECT id FROM hold ORDER BY expires_at")]


def sweep(stoa: App) -> str | None:
    """What a sweep fails with."""
    try:
        stoa.run(stoa.stoa.upkeep.sweep())
    except Exception as error:  # noqa: BLE001 - whatever it is
        return type(error).__name__
    return None


@pytest.mark.parametrize("bad", [(0,), (1, 2), (0, 4)])
def test_what_cannot_be_refunded_keeps_no_other_refund_from_being_booked(
    stoa: App, ada: Agent, bad: tuple[int, ...]
) -> None:
    ids = overdue(stoa, ada, 5)
    for place in bad:
        stoa.sql(f"UPDATE account SET balance = 0 WHERE id LIKE 'escrow:%{ids[place]}'")
    assert sweep(stoa) == "Refusal"
    still = "SELECT id FROM hold WHERE status = 'OPEN' ORDER BY expires_at"
    assert [row[0] for row in rows(stoa, still)] == [ids[place] for place in bad]


def test_what_fails_keeps_nothing_else_from_being_done(stoa: App, ada: Agent, bob: Agent) -> None:
    (hold,) = overdue(stoa, ada, 1)
    stoa.sql(f"UPDATE account SET balance = 0 WHERE id LIKE 'escrow:%{hold}'")
    stoa.sql("UPDATE agent SET status = 'suspended', suspended_until = ? WHERE id = ?", 1, bob.id)
    stoa.clock.advance(40 * DAY)
    assert sweep(stoa) == "Refusal"
    assert rows(stoa, "SELECT status FROM agent WHERE status <> 'active'") == []
    assert rows(stoa, "SELECT count(*) FROM event_log") == [(1,)]


def test_no_other_work_is_tried_while_the_store_is_away(stoa: App) -> None:
    tried: list[str] = []

    async def away() -> None:
        tried.append("away")
        raise StoreUnavailable("the disk is full")

    async def next_one() -> None:
        tried.append("next")

    with pytest.raises(StoreUnavailable):
        stoa.run(run_all(away, next_one))
    assert tried == ["away"]


def test_a_defect_is_told_once_until_it_is_mended(stoa: App) -> None:
    tries = 0

    async def broken() -> None:
        nonlocal tries
        tries += 1
        if tries == 10:
            raise KeyboardInterrupt
        if tries != 5:
            raise Refusal("not_found") if tries % 2 else ZeroDivisionError

    with logged() as lines, pytest.raises(KeyboardInterrupt):
        stoa.run(every(0, broken, "sweep", stoa.stoa.counters, lambda: None))
    assert [line["event"] for line in lines].count("upkeep failed") == 4


def paid_by_silence(stoa: App, creator: Agent, worker: Agent) -> None:
    """Let a job be due to be paid, as nobody decides about its work."""
    terms = {"onSilence": "pay", "reviewHours": 1}
    creator.sign_in()
    worker.sign_in()
    jobs.done(worker, jobs.offer(creator, terms=terms), "claim", "submit")
    stoa.clock.advance(HOUR)


def score(stoa: App, agent: Agent) -> int:
    """What the reputation of an agent is for everyone."""
    return stoa.get(f"agents/{agent.id}/reputation").ok()["reputation"]["score"]


def book(stoa: App) -> None:
    """What each process does every few seconds."""
    for process in stoa.processes:
        stoa.run(process.upkeep.book())


def test_what_is_due_is_booked_between_two_sweeps(stoa: App, ada: Agent, bob: Agent) -> None:
    (late,) = overdue(stoa, stoa.agent("carl"), 1)
    paid_by_silence(stoa, ada, bob)
    assert score(stoa, bob) == 0
    book(stoa)
    assert score(stoa, bob) == 20
    found = rows(stoa, "SELECT outcome, hold_id = ? FROM settlement ORDER BY outcome", late)
    assert [(one[0], bool(one[1])) for one in found] == [("payout", False), ("refund", True)]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_could_not_be_booked_waits_for_the_next_sweep(stoa: App, ada: Agent) -> None:
    bad, _ = overdue(stoa, ada, 2)
    stoa.sql(f"UPDATE account SET balance = 0 WHERE id LIKE 'escrow:%{bad}'")
    with pytest.raises(Refusal):
        book(stoa)
    still = "SELECT id FROM hold WHERE status = 'OPEN'"
    assert rows(stoa, still) == [(bad,)]
    stoa.sql(f"UPDATE account SET balance = 1000 WHERE id LIKE 'escrow:%{bad}'")
    book(stoa)
    assert rows(stoa, still) == [(bad,)]
    assert sweep(stoa) is None
    assert rows(stoa, still) == []
    overdue(stoa, ada, 1)
    book(stoa)
    assert rows(stoa, still) == []


def test_a_purge_that_fails_holds_up_no_other(stoa: App, ada: Agent) -> None:
    thread = ada.thread("A secret", "Of mine.")
    asked = "INSERT INTO purge (id, whole, reason, created_at) VALUES (?, 0, 'Private.', ?)"
    for number, subject in enumerate(("zz_unknown", thread["id"])):
        stoa.sql(asked, subject, number)
    with pytest.raises(Refusal):
        stoa.run(stoa.stoa.upkeep.purge())
    assert rows(stoa, "SELECT title, body FROM thread") == [("", "")]
    left = rows(stoa, "SELECT id FROM purge WHERE erased_at IS NULL")
    assert left == [("zz_unknown",)]


def test_who_watches_is_told_of_what_comes_behind_an_event_that_nobody_can_be_told_of(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl, thread = stoa.agent("carl"), ada.thread()
    watch(carl, threadId=thread["id"])
    reply = bob.reply(thread)
    ada.post(f"threads/{thread['id']}/replies/{reply['id']}/accept").ok()
    stoa.sql("UPDATE event_log SET facts = '{' WHERE kind = 'reply.accepted'")
    bob.reply(thread)
    with logged() as lines:
        kinds = [row["kind"] for row in told(carl)]
    assert kinds == ["reply.created", "reply.created"]
    assert {line["event"] for line in lines} >= {"event cannot be told of"}


def test_who_has_something_that_cannot_be_booked_can_still_call(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    (hold,) = overdue(stoa, ada, 1)
    ((job,),) = rows(stoa, "SELECT id FROM job")
    stoa.sql(f"UPDATE account SET balance = 0 WHERE id LIKE 'escrow:%{hold}'")
    for agent in (ada, bob):
        agent.sign_in()
        agent.thread()
        assert jobs.act(agent, {"id": job}, "claim").status in (403, 409)
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == 10
    assert rows(stoa, "SELECT status FROM hold") == [("OPEN",)]
