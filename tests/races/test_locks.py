"""Each lock of a write on PostgreSQL, with and without it: without it a rule is broken.

Where a rule reads and then writes, every call is held up in between until all have read. With the
lock only one can have, so it goes on after a moment and the others follow. Without it all write
what they made of the same rows. Where one statement reads and writes, the first call is held up
before it commits until the others wait for it: with the lock they have not read yet.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import pytest

from stoa.domain import limits
from stoa.entropy import IdGenerator
from stoa.operations.parts import due
from stoa.settings import Settings
from stoa.store import statements, threads
from stoa.store.engines.postgres.tx import numbered
from stoa.store.transfer import audit
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.clock import DAY, HOUR, SECOND, START, VirtualClock
from tests.support.database import rows
from tests.support.jobs import REJECTION, WORK, done, new_job, offer, read
from tests.support.key_changes import name_recovery, recovery, rotation
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.logs import logged
from tests.support.oauth import ask as asked_by_form
from tests.support.oauth import bearer, granted, renewal
from tests.support.postgresql import PostgreSQL, name_of
from tests.support.sessions import begin_sessions, live_sessions
from tests.support.steps import Steps

pytestmark = pytest.mark.parametrize("engine", ["postgresql"])

ALONE_S = 0.3
"""After so long, whoever waits for others that a lock keeps away goes on alone."""

SURE_S = 60
"""So long one waits for others whom nothing keeps away."""

_LOCKS_ROWS = " FOR NO KEY UPDATE"

WAITING = (
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


async def until_waiting(stoa: App, number: int = 1) -> None:
    """Come back once so many transactions wait for a lock."""
    while len(await rows(stoa.settings.database_url, WAITING)) < number:
        continue


class Meeting:
    """Holds up callers until so many are there, or until their patience is at its end."""

    def __init__(self, parties: int, patience_s: float) -> None:
        self._missing = parties
        self._patience_s = patience_s
        self._complete = asyncio.Event()

    async def join(self) -> None:
        """Wait for the others, if they can come."""
        self._missing -= 1
        if self._missing <= 0:
            self._complete.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._complete.wait(), self._patience_s)


@pytest.fixture(params=["locked", "naive"])
def locked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With every lock, and with none."""
    if request.param == "naive":
        take_out_locks(monkeypatch)
    return request.param == "locked"


def take_out_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every lock be taken without waiting, and the sweep take what another took."""
    names = [name for name in numbered() if name.startswith("locks.")]
    assert len(names) > 4
    for name in names:
        naive = "SELECT 1 WHERE CAST($1 AS TEXT[]) IS NULL"
        monkeypatch.setitem(numbered(), name, (naive, ("ids",)))
    for name in ("agents.held", "agents.held_by_key", "jobs.held"):
        locking, values = numbered()[name]
        assert locking.endswith(_LOCKS_ROWS)
        monkeypatch.setitem(numbered(), name, (locking.removesuffix(_LOCKS_ROWS), values))
    shared = statements.positional(statements.load("sqlite")["holds.due"])
    assert shared != numbered()["holds.due"]
    monkeypatch.setitem(numbered(), "holds.due", shared)


@pytest.fixture
def patience_s(locked: bool) -> float:
    """How long to wait for others, who can come where there are no locks."""
    return ALONE_S if locked else SURE_S


@pytest.fixture
def meet(steps: Steps, patience_s: float) -> Callable[[str, int], None]:
    """Lets so many calls meet before a statement, which comes after what is read."""

    return lambda step, parties: steps.before(step, Meeting(parties, patience_s).join)


Meet = Callable[[str, int], None]


def statuses(stoa: App, calls: list[Coroutine[Any, Any, Answer]]) -> Counter[int]:
    """Make calls at the same time; how often each status came. The ledger must be sound."""
    found = Counter(answer.status for answer in stoa.together(*calls))
    findings = stoa.run(stoa.stoa.store.read(audit.run_all))
    assert [finding.differences for finding in findings if finding.differences] == []
    return found


@pytest.mark.settings(limit_open_claims=1)
def test_an_agent_claims_no_more_than_it_may(
    stoa: App, ada: Agent, bob: Agent, locked: bool, meet: Meet
) -> None:
    offered = [offer(ada) for _ in range(3)]
    meet("jobs.claim", 3)
    found = statuses(stoa, [bob.ask("POST", f"jobs/{job['id']}/claim") for job in offered])
    assert found == ({200: 1, 429: 2} if locked else {200: 3})


@pytest.mark.settings(limit_new_agent_holds=1)
def test_a_new_agent_holds_no_more_than_it_may(
    stoa: App, ada: Agent, locked: bool, meet: Meet
) -> None:
    body = {"title": "t", "body": "b", "bountyCredits": 1}
    meet("ledger.take", 3)
    found = statuses(stoa, [ada.ask("POST", "threads", body) for _ in range(3)])
    assert found == ({201: 1, 429: 2} if locked else {201: 3})


@pytest.mark.settings(limit_pair_reputation=1)
def test_two_agents_earn_no_more_of_each_other_than_they_may(
    stoa: App, ada: Agent, bob: Agent, locked: bool, meet: Meet
) -> None:
    asked = [ada.thread() for _ in range(3)]
    paths = [f"threads/{thread['id']}/replies/{bob.reply(thread)['id']}" for thread in asked]
    meet("reputation.insert", 3)
    found = statuses(stoa, [ada.ask("POST", f"{path}/accept") for path in paths])
    assert found == ({200: 1, 429: 2} if locked else {200: 3})


@pytest.mark.settings(limit_registrations=1)
def test_an_address_registers_no_more_keys_than_it_may(stoa: App, locked: bool, meet: Meet) -> None:
    keys = [Key(f"key {number}") for number in range(3)]
    bodies = [signed(key, stoa.challenge(key)) for key in keys]
    meet("sessions.use_challenge", 3)
    found = statuses(stoa, [stoa.ask("POST", "auth/verify", body) for body in bodies])
    assert found == ({200: 1, 429: 2} if locked else {200: 3})


def test_a_key_that_first_signs_in_everywhere_is_one_agent(
    stoa: App, locked: bool, meet: Meet
) -> None:
    key = Key("everywhere")
    bodies = [signed(key, stoa.challenge(key)) for _ in range(3)]
    meet("sessions.use_challenge", 3)
    found = statuses(stoa, [stoa.ask("POST", "auth/verify", body) for body in bodies])
    assert found == ({200: 3} if locked else {200: 1, 500: 2})
    assert stoa.sql("SELECT count(*) FROM agent")[0][0] == 1


def test_replies_of_a_thread_stand_in_a_row(
    stoa: App, ada: Agent, locked: bool, meet: Meet
) -> None:
    thread = ada.thread()
    path = f"threads/{thread['id']}/replies"
    meet("replies.insert", 3)
    found = statuses(stoa, [ada.ask("POST", path, {"body": "b"}) for _ in range(3)])
    assert found == ({201: 3} if locked else {201: 1, 500: 2})
    listed = stoa.get(path).ok()["replies"]
    assert len(listed) == stoa.get(f"threads/{thread['id']}").ok()["thread"]["replyCount"]


def test_a_rejection_is_the_first_or_the_last_of_what_is_there(
    stoa: App,
    ada: Agent,
    bob: Agent,
    locked: bool,
    patience_s: float,
    steps: Steps,
) -> None:
    job = offer(ada)
    done(bob, job, "claim", "submit")
    path = f"jobs/{job['id']}"
    has_read, overtaken = asyncio.Event(), asyncio.Event()

    async def hold_up() -> None:
        has_read.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(overtaken.wait(), patience_s)

    async def overtake() -> Answer:
        await has_read.wait()
        answer = await ada.ask("POST", f"{path}/reject", REJECTION)
        await bob.ask("POST", f"{path}/submit", WORK)
        overtaken.set()
        return answer

    steps.before("jobs.reject", hold_up, once=True)
    stoa.together(ada.ask("POST", f"{path}/reject", REJECTION), overtake())
    found = read(job, ada)
    outcome = found["rejectCount"], found["status"]
    assert outcome == ((1, "SUBMITTED") if locked else (2, "REJECTED_REVISION_ALLOWED"))


def test_a_bounty_beside_the_begin_of_a_recovery_waits_for_its_end(
    stoa: App, ada: Agent, locked: bool, patience_s: float, steps: Steps
) -> None:
    offline, new = Key("the offline key"), Key("the new key")
    name_recovery(ada, offline).ok()
    ada.thread()
    body = recovery(stoa, ada.id, offline, new)
    asks, begun = asyncio.Event(), asyncio.Event()

    async def hold_up() -> None:
        asks.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(begun.wait(), patience_s)

    async def begin() -> Answer:
        await asks.wait()
        answer = await stoa.ask("POST", "auth/recover", body)
        begun.set()
        return answer

    steps.before("ledger.take", hold_up, once=True)
    asked = ada.ask("POST", "threads", {"title": "t", "body": "b", "bountyCredits": 1})
    created, started = stoa.together(asked, begin())
    started.ok()
    bounty = stoa.get(f"threads/{created.ok(201)['thread']['id']}").ok()["thread"]["bounty"]
    assert (bounty["expiresAt"] > started["keyChangeAt"]) is locked


@pytest.mark.settings(limit_new_agent_holds=9)
def test_what_waits_for_another_offer_of_its_agent_has_its_whole_time(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    first_is_in, second_waits = asyncio.Event(), asyncio.Event()

    async def hold_up() -> None:
        first_is_in.set()
        await second_waits.wait()

    async def second(path: str, body: dict[str, Any]) -> Any:
        await first_is_in.wait()
        asked = asyncio.create_task(ada.ask("POST", path, body))
        await until_waiting(stoa)
        stoa.clock.advance(SECOND)
        second_waits.set()
        return (await asked).ok(201)

    steps.before("ledger.take", hold_up, once=True)
    thread = {"title": "t", "body": "b", "bountyCredits": 1}
    _, job = stoa.together(ada.ask("POST", "threads", thread), second("jobs", new_job(1)))
    first_is_in.clear()
    second_waits.clear()
    steps.before("ledger.take", hold_up, once=True)
    _, asked = stoa.together(ada.ask("POST", "threads", thread), second("threads", thread))
    thread = asked["thread"]
    assert span(job["job"]["createdAt"], job["job"]["deadline"]) == timedelta(hours=168)
    assert span(thread["createdAt"], thread["bounty"]["expiresAt"]) == timedelta(hours=72)
    held = "SELECT DISTINCT expires_at - created_at FROM hold WHERE type = 'bounty'"
    assert stoa.sql(held) == [(72 * HOUR,)]


def span(start: str, end: str) -> timedelta:
    """The time between two times."""
    return datetime.fromisoformat(end) - datetime.fromisoformat(start)


def test_two_changes_of_a_profile_are_both_kept(
    stoa: App, ada: Agent, locked: bool, meet: Meet
) -> None:
    changes = ({"description": "Looks after databases."}, {"capabilities": ["sql"]})
    bodies = [signed(ada.key, stoa.challenge(ada.key), change) for change in changes]
    meet("agents.update_profile", 2)
    assert statuses(stoa, [stoa.ask("POST", "auth/verify", body) for body in bodies]) == {200: 2}
    profile = stoa.get(f"agents/{ada.id}").ok()["agent"]
    kept = (profile["description"] != "", profile["capabilities"] != [])
    assert (kept == (True, True)) is locked


def test_an_agent_has_no_more_sessions_than_it_may(
    stoa: App, ada: Agent, locked: bool, steps: Steps
) -> None:
    begin_sessions(stoa, ada, limits.SESSIONS)
    bodies = [signed(ada.key, stoa.challenge(ada.key)) for _ in range(3)]
    steps.before("finish", partial(until_waiting, stoa, 2), once=True)
    assert statuses(stoa, [stoa.ask("POST", "auth/verify", body) for body in bodies]) == {200: 3}
    assert (len(live_sessions(stoa, ada)) == limits.SESSIONS) is locked


def test_a_refresh_token_that_is_revoked_beside_its_use_ends_its_session(
    stoa: App, ada: Agent, locked: bool, steps: Steps
) -> None:
    token = granted(stoa, ada).refresh_token
    assert token
    used = asyncio.Event()

    async def hold_up() -> None:
        used.set()
        await until_waiting(stoa)

    async def revoke() -> Answer:
        await used.wait()
        return await asked_by_form(stoa, {"token": token}, "/oauth/revoke")

    steps.after("sessions.insert_refresh_token", hold_up)
    renewed, revoked = stoa.together(asked_by_form(stoa, renewal(token)), revoke())
    assert revoked.status == 200
    headers = bearer(renewed.ok()["access_token"])
    assert (stoa.get("agents/me", headers=headers).status == 401) is locked


def test_sweeps_at_the_same_time_book_each_refund_once(
    stoa: App, ada: Agent, bob: Agent, locked: bool, meet: Meet
) -> None:
    for number in range(4):
        (ada if number % 2 else bob).thread(bountyCredits=1 + number)
    stoa.clock.advance(4 * DAY)
    meet("ledger.take", 2)

    async def sweep() -> int | str:
        ids = IdGenerator()
        try:
            return await stoa.stoa.store.write(lambda tx: due.sweep(tx, ids, most=9, skip=0))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong without the lock
            return type(error).__name__

    found = Counter(stoa.together(sweep(), sweep()))
    assert (found == {4: 1, 0: 1}) is locked
    assert stoa.sql("SELECT count(*) FROM settlement")[0][0] == 4


@pytest.mark.parametrize("kind", ["job", "bounty"])
def test_calls_that_find_the_same_refund_due_book_it_once(
    stoa: App, ada: Agent, locked: bool, meet: Meet, kind: str
) -> None:
    if kind == "job":
        offer(ada, 2)
    else:
        ada.thread(bountyCredits=2)
    stoa.clock.advance(10 * DAY)
    ada.sign_in()
    meet("ledger.take", 2)
    with logged() as lines:
        found = statuses(stoa, [ada.ask("GET", "credits/balance") for _ in range(2)])
    assert found == {200: 2}
    told = "booking of due refunds and payments failed"
    failed = [line for line in lines if line["event"] == told]
    assert len(failed) == (0 if locked else 1)  # the escrow account is empty
    assert stoa.sql("SELECT count(*) FROM settlement")[0][0] == 1


def test_what_falls_due_behind_the_locks_is_left_for_the_next_call(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    first, second = (ada.thread(bountyCredits=1)["id"] for _ in range(2))
    later = "UPDATE hold SET expires_at = expires_at + {} WHERE subject_id = ?"
    stoa.sql(later.format(DAY), second)
    stoa.clock.advance(3 * DAY)
    ada.sign_in()
    falls_due = partial(rows, stoa.settings.database_url, later.format(-DAY), second)
    steps.after("locks.thread", falls_due, once=True)
    ada.get("credits/balance").ok()
    settled = "SELECT h.subject_id FROM settlement s JOIN hold h ON h.id = s.hold_id"
    assert stoa.sql(settled) == [(first,)]
    ada.get("credits/balance").ok()
    assert set(stoa.sql(settled)) == {(first,), (second,)}


def test_tags_that_catch_up_take_nothing_back_of_a_reply(
    stoa: App, ada: Agent, locked: bool, steps: Steps
) -> None:
    """The reply is at its end, and commits once the other waits for it."""
    thread = ada.thread(tags=["red"])
    stoa.sql("INSERT INTO thread_moved VALUES (?)", thread["id"])  # as a copied database has them
    at_its_end = asyncio.Event()

    async def hold_up() -> None:
        at_its_end.set()
        await until_waiting(stoa)

    async def catch_up() -> int:
        await at_its_end.wait()
        return await stoa.stoa.store.write(partial(threads.catch_up_tags, most=1))

    steps.after("finish", hold_up, once=True)
    stoa.together(ada.ask("POST", f"threads/{thread['id']}/replies", {"body": "b"}), catch_up())
    assert (stoa.sql("SELECT reply_count FROM thread_tag") == [(1,)]) is locked


# --- The order of locks, and of entries.


def test_whatever_agents_do_at_once_they_never_wait_for_each_other_in_a_circle(
    postgresql: PostgreSQL, engine: str
) -> None:
    url = postgresql.new()
    values = {"database_url": url, **LIMITS_OFF, "signup_grant": "1000"}
    with App(msgspec.convert(values, Settings)) as app:
        crowd = [app.agent(f"agent {number}") for number in range(3)]
        for _ in range(4):
            calls = list(storm(crowd))
            app.clock.advance(SECOND)
            app.together(*calls)
        app.clock.advance(4 * DAY)
        for agent in crowd:
            agent.sign_in()
        balances = [agent.ask("GET", "credits/balance") for agent in crowd for _ in range(2)]
        app.together(app.stoa.upkeep.sweep(), *balances, app.stoa.upkeep.sweep())
        findings = app.run(app.stoa.store.read(audit.run_all))
        assert not any(finding.differences for finding in findings)
    assert deadlocks(postgresql, url) == 0


def deadlocks(cluster: PostgreSQL, url: str) -> int:
    """How often transactions waited in a circle; a connection says so once it is closed."""
    connected = "SELECT 1 FROM pg_stat_activity WHERE datname = ?"
    while asyncio.run(rows(cluster.url(), connected, name_of(url))):
        continue
    counted = "SELECT deadlocks FROM pg_stat_database WHERE datname = ?"
    return asyncio.run(rows(cluster.url(), counted, name_of(url)))[0][0]


@pytest.mark.parametrize("waits", [False, True], ids=["passes over", "naive"])
def test_noting_when_an_agent_was_seen_waits_for_nobody(
    postgresql: PostgreSQL,
    monkeypatch: pytest.MonkeyPatch,
    steps: Steps,
    *,
    waits: bool,
    engine: str,
) -> None:
    """Ada has got credits back and comes to what notes that she was seen; the other has locked her
    and wants to pay her."""
    if waits:
        sql, names = numbered()["agents.seen"]
        assert "SKIP LOCKED" in sql
        monkeypatch.setitem(numbered(), "agents.seen", (sql.replace("SKIP LOCKED", ""), names))
    url = postgresql.new()
    values = {"database_url": url, **LIMITS_OFF}
    with App(msgspec.convert(values, Settings), through=steps.store) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        thread = bob.thread(bountyCredits=1)
        path = f"threads/{thread['id']}/replies/{ada.reply(thread)['id']}/accept"
        job = offer(ada, 1)
        worker = app.agent("carol")
        done(worker, job, "claim", "submit")
        done(ada, job, "reject")
        done(worker, job, "submit")
        app.clock.advance(SECOND)
        meeting = Meeting(2, SURE_S)
        steps.before("finish", meeting.join)
        steps.after("locks.thread", meeting.join)
        rejects = ada.ask("POST", f"jobs/{job['id']}/reject", REJECTION)
        statuses(app, [rejects, bob.ask("POST", path)])
    assert (deadlocks(postgresql, url) > 0) is waits


def storm(crowd: list[Agent]) -> Iterator[Coroutine[Any, Any, Answer]]:
    """Calls of which many touch the same agents, accounts, threads and jobs."""
    bounties = [agent.thread(bountyCredits=1) for agent in crowd for _ in range(2)]
    offered = [offer(agent, 1) for agent in crowd for _ in range(2)]
    for thread, author in zip(bounties, [a for a in crowd for _ in range(2)], strict=True):
        for other in crowd:
            if other is not author:
                reply = other.reply(thread)
                yield author.ask("POST", f"threads/{thread['id']}/replies/{reply['id']}/accept")
                yield other.ask("POST", f"threads/{thread['id']}/replies", {"body": "b"})
    for job, creator in zip(offered, [a for a in crowd for _ in range(2)], strict=True):
        worker = next(agent for agent in crowd if agent is not creator)
        done(worker, job, "claim", "submit")
        yield creator.ask("POST", f"jobs/{job['id']}/accept")
        yield creator.ask("POST", f"jobs/{job['id']}/reject", REJECTION)
    for agent in crowd:
        yield agent.ask("POST", "threads", {"title": "t", "body": "b", "bountyCredits": 2})
        yield agent.ask("GET", "credits/balance")


@pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "naive"])
def test_entries_stand_in_the_order_of_their_balances_though_clocks_differ(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch, *, ordered: bool, engine: str
) -> None:
    if not ordered:
        _, names = numbered()["ledger.newest"]
        none = "SELECT NULL WHERE $1 = $2", names
        monkeypatch.setitem(numbered(), "ledger.newest", none)
    values = {"database_url": postgresql.new(), **LIMITS_OFF}
    settings = msgspec.convert(values, Settings)
    body = {"title": "t", "body": "b", "bountyCredits": 10}
    with App(settings, VirtualClock(START + 5000)) as ahead, App(settings) as behind:
        ada = ahead.agent("ada")
        for app in (behind, ahead, behind, behind):
            app.post("threads", body, headers=ada.headers).ok(201)
        entries = ahead.get("credits/ledger", headers=ada.headers).ok()["entries"]
    balances = [entry["balanceAfter"] for entry in entries]
    assert (balances == [60, 70, 80, 90, 100]) is ordered


def test_a_bounty_that_is_offered_again_is_sound_though_clocks_differ(
    postgresql: PostgreSQL, engine: str
) -> None:
    settings = msgspec.convert({"database_url": postgresql.new(), **LIMITS_OFF}, Settings)
    with App(settings, VirtualClock(START + 5000)) as ahead, App(settings) as behind:
        ada = ahead.agent("ada")
        path = f"threads/{ada.thread(bountyCredits=2)['id']}/bounty"
        ada.post(f"{path}/withdraw").ok()
        behind.post(path, {"credits": 3}, headers=ada.headers).ok()
        findings = behind.run(behind.stoa.store.read(audit.run_all))
    assert not any(finding.differences for finding in findings)


def test_a_change_of_keys_is_in_force_though_clocks_differ(
    postgresql: PostgreSQL, engine: str
) -> None:
    settings = msgspec.convert({"database_url": postgresql.new(), **LIMITS_OFF}, Settings)
    with App(settings, VirtualClock(START + 5000)) as ahead, App(settings) as behind:
        ada, helper = ahead.agent("ada"), Key("helper")
        ada.post("auth/rotate", rotation(ahead, ada.id, ada.key, Key("next"))).ok()
        again = rotation(behind, ada.id, ada.key, Key("another"))
        behind.post("auth/rotate", again, headers=ada.headers).refused(
            401, "invalid_or_expired_token"
        )
        ada.key = Key("next")
        ada.sign_in()
        name_recovery(ada, helper).ok()
        begun = recovery(behind, ada.id, helper, Key("last"))
        behind.post("auth/recover", begun).ok()
        chain = behind.get(f"agents/{ada.id}/keys").ok()
    assert [one["change"] for one in chain["changes"]] == ["rotate", "recovery", "recover"]
    assert not any(one["droppedAt"] for one in chain["changes"])
