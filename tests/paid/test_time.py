"""Deadlines: readers see a refund when it is due, and it is booked once."""

from collections.abc import Callable
from typing import Any

import pytest

from stoa.store import holds
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, SECOND, START
from tests.support.jobs import STATUSES
from tests.support.ledger import broken, rows
from tests.support.steps import Steps

TABLES = ("account", "posting", "ledger_transaction", "hold", "settlement", "job", "job_event")
MORE_TABLES = ("thread", "opportunity", "reputation_event", "receipt", "agent")


class Town:
    """Jobs in every state and threads with bounties, all of which are due at `due`."""

    due = START + 72 * HOUR

    def __init__(self, app: App) -> None:
        self.app = app
        self.ada, self.bob = (app.agent(name, capabilities=["beer"]) for name in ("ada", "bob"))
        self.jobs = {
            status: jobs.job_in(
                status, self.ada, self.bob, rewardCredits=2, tags=["beer"], deadlineHours=72
            )
            for status in STATUSES[:6]
        }
        self.asked = self.ada.thread(bountyCredits=3, tags=["beer"])
        self.answered = self.ada.thread(bountyCredits=4, tags=["beer"])
        self.bob.reply(self.asked)
        self.ada.accept(self.answered, self.bob.reply(self.answered)).ok()

    def wait(self, late: int = 0) -> None:
        """Let everything become due, and some more time pass."""
        self.app.clock.now = self.due + late
        for agent in (self.ada, self.bob):
            agent.sign_in()

    def paths(self) -> list[str]:
        """Public reads of everything."""
        return [
            *(f"jobs/{job['id']}" for job in self.jobs.values()),
            *(f"jobs?status={status}" for status in STATUSES),
            *(f"jobs?sort={sort}&limit=3" for sort in ("recent", "reward", "deadline")),
            f"jobs?creator={self.ada.id}&status=REFUNDED_EXPIRED",
            f"jobs?claimedBy={self.bob.id}&status=SUBMITTED",
            "jobs?tag=beer&status=OPEN",
            f"threads/{self.asked['id']}",
            f"threads/{self.asked['id']}?include=replies",
            f"threads/{self.answered['id']}",
            "threads?tag=beer",
            "unanswered",
            "search?q=question",
            "search?tags=beer",
            "opportunities",
            "opportunities?tags=beer&types=job",
            f"agents/{self.ada.id}/reputation",
            f"agents/{self.bob.id}/reputation",
            f"agents/{self.bob.id}",
            "agents",
        ]

    def seen(self) -> dict[str, tuple[bytes, str]]:
        """What a public reader gets, with its ETag."""
        answers = {path: self.app.get(path).ok() for path in self.paths()}
        return {path: (got.content, got.headers["etag"]) for path, got in answers.items()}


@pytest.fixture
def town(stoa: App) -> Town:
    return Town(stoa)


def kept(app: App) -> list[Any]:
    """Every row that a refund could touch."""
    return [rows(app, f"SELECT * FROM {table}") for table in (*TABLES, *MORE_TABLES)]


def test_reads_of_what_is_due_show_the_refund_and_write_nothing(stoa: App, town: Town) -> None:
    town.wait()
    before = kept(stoa)
    for reader in (stoa, town.ada, town.bob):
        for path in [*town.paths(), "market"]:
            reader.get(path).ok()
    town.bob.get("opportunities/recommended").ok()
    town.ada.get(f"jobs/{town.jobs['SUBMITTED']['id']}/submissions").ok()
    assert kept(stoa) == before
    for status in STATUSES[:4]:
        job = jobs.read(town.jobs[status], stoa)
        assert (job["status"], job["actions"]) == ("REFUNDED_EXPIRED", [])
        assert job["timeline"][-1] == {
            "event": "expired",
            "agentId": None,
            "at": "2027-01-18T08:00:00.000Z",
        }
    thread = stoa.get(f"threads/{town.asked['id']}").ok()["thread"]
    assert (thread["status"], thread["bountyCredits"], thread["reward"]["amount"]) == ("open", 0, 0)
    assert thread["bounty"]["status"] == "REFUNDED"
    assert thread["updatedAt"] == "2027-01-18T08:00:00.000Z"


def test_booking_what_is_due_changes_nothing_that_readers_see(stoa: App, town: Town) -> None:
    town.wait(late=90 * SECOND)
    before = town.seen()
    jobs.sweep(stoa)
    assert rows(stoa, "SELECT count(*) FROM hold WHERE status = 'OPEN'") == [(0,)]
    assert town.seen() == before
    assert broken(stoa.settings) == {}


def test_booking_what_is_due_changes_nothing_in_the_market_but_its_time(
    stoa: App, town: Town
) -> None:
    town.wait()
    before = stoa.get("market").ok().json
    jobs.sweep(stoa)
    stoa.clock.advance(6 * SECOND)
    after = stoa.get("market").ok().json
    assert before["market"].pop("asOf") != after["market"].pop("asOf")
    assert after == before
    assert after["market"]["credits"]["reserved"] == 0


def test_refunds_are_booked_agent_by_agent_and_the_oldest_first(stoa: App) -> None:
    """So transactions lock accounts in one order and never wait for each other in a circle."""
    ada = stoa.agent("ada")
    stoa.clock.advance(1)
    bob = stoa.agent("bob")
    for creator, hours in ((bob, 1), (ada, 4), (ada, 2), (bob, 3), (ada, 3)):
        jobs.offer(creator, 1, deadlineHours=hours)
    stoa.clock.advance(HOUR * 5)
    jobs.sweep(stoa)
    booked = rows(
        stoa,
        "SELECT h.agent_id, h.expires_at FROM settlement s JOIN hold h ON h.id = s.hold_id"
        " ORDER BY s.transaction_id",
    )
    assert len(booked) == 5
    assert booked == sorted(booked)


def test_a_millisecond_before_its_time_nothing_is_due(stoa: App, town: Town) -> None:
    town.wait(late=-1)
    jobs.sweep(stoa)
    assert jobs.funds(town.ada) == (100 - 4 - 2 * 5 - 3, 2 * 4 + 3)
    assert jobs.read(town.jobs["SUBMITTED"], stoa)["status"] == "SUBMITTED"
    assert stoa.get(f"threads/{town.asked['id']}").ok()["thread"]["bountyCredits"] == 3


BOOKERS: dict[str, Callable[[Town], object]] = {
    "the own balance": lambda town: jobs.balance(town.ada),
    "the own ledger": lambda town: jobs.entries(town.ada),
    "a write of the agent": lambda town: town.ada.thread(),
    "a refused write of the agent": lambda town: town.ada.post("jobs", jobs.new_job(1000)),
    "a write that is not found": lambda town: town.ada.post(
        "threads/th_01arz3ndektsv4rrffq69g5fav/replies", {"body": "b"}
    ),
    "the sweep": lambda town: jobs.sweep(town.app),
}


@pytest.mark.promise("C3")
@pytest.mark.parametrize("first", BOOKERS)
def test_a_refund_is_booked_once_by_the_first_of_several_processes(
    stoa: App, town: Town, first: str
) -> None:
    town.wait(late=5 * SECOND)
    BOOKERS[first](town)
    assert rows(stoa, "SELECT count(*) FROM hold WHERE status = 'OPEN'") == [(0,)]
    booked = rows(stoa, "SELECT DISTINCT created_at FROM ledger_transaction WHERE kind = 'refund'")
    assert (START,) in booked
    assert (town.due + 5 * SECOND,) in booked
    refunds = rows(stoa, "SELECT count(*) FROM ledger_transaction WHERE kind = 'refund'")
    for book in BOOKERS.values():
        stoa.clock.advance(SECOND)
        book(town)
    assert rows(stoa, "SELECT count(*) FROM ledger_transaction WHERE kind = 'refund'") == refunds
    assert jobs.funds(town.ada) == (100 - 4 - 2, 0)
    assert broken(stoa.settings) == {}


def test_who_writes_books_only_what_is_their_own_or_what_they_write_to(
    stoa: App, town: Town
) -> None:
    other = town.ada.thread(bountyCredits=5)
    stoa.clock.now = town.due
    town.bob.sign_in()
    town.bob.reply(other)
    open_holds = "SELECT subject_id FROM hold WHERE status = 'OPEN'"
    assert len(rows(stoa, open_holds)) == 5
    assert (other["id"],) not in rows(stoa, open_holds)
    job = town.jobs["CLAIMED"]
    jobs.act(town.bob, job, "submit").refused(409, "job_expired")
    assert (job["id"],) not in rows(stoa, open_holds)


@pytest.mark.parametrize("name", ["threadId", "bountyId"])
def test_who_claims_a_bounty_books_its_refund(stoa: App, town: Town, name: str) -> None:
    (row,) = stoa.get("opportunities?types=bounty_question").ok()["opportunities"]
    town.wait()
    refused = town.bob.post(f"jobs/{row[name]}/claim").refused(409, "wrong_opportunity_type")
    assert refused["urlPath"] == row["url"]
    booked = "SELECT h.subject_id FROM settlement s JOIN hold h ON h.id = s.hold_id"
    assert (row["threadId"],) in rows(stoa, f"{booked} WHERE s.outcome = 'refund'")


def test_the_server_sweeps_by_itself(stoa: App, town: Town) -> None:
    town.wait()
    stoa.run(stoa.stoa.upkeep.sweep())
    assert rows(stoa, "SELECT count(*) FROM settlement WHERE outcome = 'refund'") == [(6,)]


@pytest.mark.costly
def test_many_refunds_are_swept_in_one_go(shared: Any) -> None:
    ada = shared.agent("ada")
    for _ in range(2):
        many = [ada.ask("POST", "jobs", jobs.new_job(1, deadlineHours=1)) for _ in range(125)]
        shared.app.together(*many)
    shared.app.clock.advance(HOUR)
    jobs.sweep(shared.app)
    assert rows(shared.app, "SELECT count(*) FROM settlement") == [(250,)]
    assert holds.SWEEP_MOST < 250


@pytest.mark.costly
@pytest.mark.settings(signup_grant="1000")
@pytest.mark.parametrize("call", ["balance", "thread"])
def test_a_call_first_books_what_is_due_with_no_more_in_a_transaction_than_a_sweep(
    stoa: App, ada: Agent, steps: Steps, call: str
) -> None:
    job, count = jobs.new_job(1, deadlineHours=1), holds.SWEEP_MOST + 1
    stoa.together(*(ada.ask("POST", "jobs", job) for _ in range(count)))
    stoa.clock.advance(HOUR)
    ada.sign_in()
    steps.taken.clear()
    if call == "balance":
        assert jobs.balance(ada)["reserved"]["total"] == 0
    else:
        ada.thread()
    transactions = f" {' '.join(steps.taken)} ".split(" write ")[1:]
    booked = [one.split().count("ledger.take") for one in transactions]
    assert [number for number in booked if number] == [holds.SWEEP_MOST, 1]
    assert rows(stoa, "SELECT count(*) FROM hold WHERE status = 'OPEN'") == [(0,)]


@pytest.mark.parametrize("sort", ["recent", "reward", "deadline"])
@pytest.mark.parametrize("paging", ["cursor", "offset"])
def test_expired_jobs_are_listed_in_order_booked_or_not(
    stoa: App, ada: Agent, bob: Agent, sort: str, paging: str
) -> None:
    offered: list[Any] = []
    for number in range(12):
        stoa.clock.advance(SECOND)
        agent = (ada, bob)[number % 3 == 0]
        reward, hours = 1 + (number * 7) % 5, 1 + (number * 5) % 7
        offered.append(jobs.offer(agent, reward, deadlineHours=hours))
    jobs.offer(ada, reward=9)
    stoa.clock.advance(9 * HOUR)
    ada.sign_in()
    jobs.balance(ada)
    assert rows(stoa, "SELECT count(*) FROM hold WHERE status = 'REFUNDED'") == [(8,)]
    keys: dict[str, Callable[[Any], Any]] = {
        "recent": lambda job: job["id"],
        "reward": lambda job: (job["rewardCredits"], job["id"]),
        "deadline": lambda job: (job["deadline"], job["id"]),
    }
    offered.sort(key=keys[sort], reverse=sort != "deadline")
    path = f"jobs?status=REFUNDED_EXPIRED&sort={sort}&limit=3"
    pages = [stoa.get(path).ok()]
    while pages[-1]["nextCursor"]:
        place = pages[-1]["nextCursor"] if paging == "cursor" else len(pages) * 3
        pages.append(stoa.get(f"{path}&{paging}={place}").ok())
    listed = [job["id"] for page in pages for job in page["jobs"]]
    assert stoa.get(f"{path}&offset=999999999999").ok()["jobs"] == []
    assert listed == [job["id"] for job in offered]
    assert {job["status"] for page in pages for job in page["jobs"]} == {"REFUNDED_EXPIRED"}


def test_jobs_are_listed_by_the_status_that_readers_see(stoa: App, town: Town) -> None:
    def listed(status: str) -> set[str]:
        return {job["id"] for job in stoa.get(f"jobs?status={status}").ok()["jobs"]}

    ids = {status: job["id"] for status, job in town.jobs.items()}
    assert {status: listed(status) for status in ids} == {s: {ids[s]} for s in ids}
    town.wait()
    ended = {"COMPLETED", "REJECTED_TERMINAL"}
    assert {status: listed(status) for status in ids} == {
        status: {ids[status]} if status in ended else set() for status in ids
    }
    assert listed("REFUNDED_EXPIRED") == {ids[status] for status in set(ids) - ended}


def test_a_thread_read_from_memory_loses_its_bounty_in_time(stoa: App, ada: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    path = f"threads/{thread['id']}"
    stoa.clock.advance(72 * HOUR - 1)
    first = stoa.get(path).ok()
    assert first["thread"]["bountyCredits"] == 5
    stoa.clock.advance(1)
    again = stoa.get(path, headers={"If-None-Match": first.headers["etag"]}).ok()
    assert again["thread"]["bountyCredits"] == 0


def test_a_refund_moves_no_activity_and_a_later_accept_is_unpaid(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread(bountyCredits=5)
    reply = bob.reply(thread)
    stoa.clock.advance(4 * DAY)
    ada.sign_in()
    jobs.balance(ada)
    now = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (now["updatedAt"], now["lastActivityAt"]) == (
        "2027-01-18T08:00:00.000Z",
        thread["lastActivityAt"],
    )
    answer = ada.accept(thread, reply).ok()
    assert answer["settlement"]["creditChanges"] == []
    assert answer["thread"]["status"] == "answered"
    assert answer["thread"]["bounty"]["status"] == "REFUNDED"
    assert (answer["thread"]["bountyCredits"], answer["thread"]["updatedAt"]) == (
        0,
        "2027-01-19T08:00:00.000Z",
    )


def test_a_job_that_expired_unbooked_leaves_the_feeds_at_once(stoa: App, town: Town) -> None:
    eve = stoa.agent("eve", capabilities=["beer"])
    assert len(stoa.get("opportunities").ok()["opportunities"]) == 2
    assert len(eve.signed_in["recommendedOpportunities"]) == 2
    town.wait()
    assert stoa.get("opportunities").ok()["opportunities"] == []
    assert eve.sign_in()["recommendedOpportunities"] == []
    assert eve.get("opportunities/recommended").ok()["opportunities"] == []
    assert stoa.get("search?tags=beer").ok()["relatedOpportunities"] == []
