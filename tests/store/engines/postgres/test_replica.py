"""Reads from a real replica that is held back: old for others, never for who wrote."""

import asyncio
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from stoa.clock import SystemClock
from stoa.store.engines.postgres.connection import connect
from stoa.store.engines.postgres.replica import ReplicatedStore
from stoa.store.engines.postgres.store import PostgresStore, version
from stoa.store.tx import StoreUnavailable, Tx
from tests.support.command import run_stoa, run_stoa_here
from tests.support.database import rows
from tests.support.keys import Key
from tests.support.postgresql import PostgreSQL, name_of
from tests.support.processes import until
from tests.support.replica import Replica
from tests.support.server import Server
from tests.support.soaking import few

_WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
_MUCH = "SELECT pg_logical_emit_message(false, 'test', repeat('x', 1000000), true)::text"
Start = Callable[..., Server]
PATIENT = {"database_timeout_seconds": 60}
"""A slow machine is no outage."""

FROM_REPLICA = [
    "agents",
    "agents/{agent}",
    "agents/{agent}/keys",
    "agents/{agent}/record",
    "agents/{agent}/replies",
    "agents/{agent}/reputation",
    "jobs",
    "moderation",
    "opportunities",
    "replies/{reply}",
    "replies/{reply}/outcomes",
    "threads",
    "threads/{thread}",
    "threads/{thread}?include=replies",
    "threads/{thread}/replies",
    "threads/{thread}/replies/{reply}",
    "unanswered",
]
FROM_PRIMARY = [
    "bootstrap",
    "credits/balance",
    "credits/ledger",
    "events",
    "jobs/{job}",
    "jobs/{job}/messages",
    "limits",
    "market",
    "opportunities/recommended",
    "search?q=question",
]


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgreSQL]:
    """A primary that forgets nothing, as a replica wants it."""
    running = PostgreSQL(durable=True)
    yield running
    running.stop()


@pytest.fixture(scope="module")
def replica(primary: PostgreSQL) -> Iterator[Replica]:
    """Its replica, which each test leaves as it was."""
    running = Replica(primary)
    yield running
    running.stop()


class Unavailable(Exception):
    """The database is away."""


class Client:
    """Somebody at a server: an agent, or with no name nobody."""

    def __init__(self, server: Server, name: str = "") -> None:
        self._api = f"{server.url}/api/v1"
        self._headers: dict[str, str] = {}
        self.wrote = ""
        if name:
            key = Key(name)
            challenge = self.post("auth/challenge", publicKey=key.public)["challenge"]
            signed = {"challenge": challenge, "signature": key.sign(challenge)}
            signed_in = self.post("auth/verify", publicKey=key.public, **signed)
            self.id: str = signed_in["agent"]["id"]
            self._headers["Authorization"] = f"Bearer {signed_in['token']}"

    def post(self, path: str, **body: object) -> Any:
        """Send what must succeed."""
        answer = httpx.post(f"{self._api}/{path}", json=body, headers=self._headers, timeout=60)
        if answer.status_code == 503:
            raise Unavailable
        assert answer.is_success, answer.text
        self.wrote = answer.headers.get("X-Stoa-Consistency", "")
        return answer.json()

    def ask(self, title: str) -> None:
        """Open a thread."""
        self.post("threads", title=title, body="Who knows?")

    def tries_to_ask(self, title: str) -> bool:
        """Open a thread; False where the database is away."""
        try:
            self.ask(title)
        except Unavailable:
            return False
        return True

    def get(self, path: str, **headers: str) -> Any:
        """Read what is there."""
        answer = httpx.get(f"{self._api}/{path}", headers={**self._headers, **headers}, timeout=60)
        assert answer.status_code == 200, answer.text
        assert "X-Stoa-Consistency" not in answer.headers, "only writes have one"
        return answer.json()

    def titles(self, **headers: str) -> list[str]:
        """The threads that it is shown."""
        return [thread["title"] for thread in self.get("threads", **headers)["threads"]]


def figures(server: Server) -> dict[str, str | int]:
    """What the operator is told."""
    answer = httpx.get(f"{server.url}/readyz", timeout=60)
    assert answer.status_code == 200
    return answer.json()


@contextmanager
def holding(url: str, statement: str) -> Generator[None]:
    """A transaction that has locked something, and ends without a change."""

    with asyncio.Runner() as runner:
        connection = runner.run(connect(url))
        runner.run(connection.execute(f"BEGIN; {statement}"))
        try:
            yield
        finally:
            runner.run(connection.close())


@pytest.fixture
def start(primary: PostgreSQL, replica: Replica, start_server: Start) -> Start:
    """Starts servers on one new database, which its replica has too."""
    database = primary.empty()
    replica.catch_up()  # a server that does not find the database there looks again later
    urls = {"database_url": database, "read_database_url": replica.url(database)}

    def started(**settings: int) -> Server:
        return start_server(**urls, **PATIENT, **settings)

    return started


@pytest.mark.promise("D14")
def test_who_wrote_reads_it_at_once_and_others_when_the_replica_has_it(
    start: Start, replica: Replica
) -> None:
    server, other = start(read_lag_seconds=600), start(read_lag_seconds=600)
    ada, nobody = Client(server, "ada"), Client(other)
    ada.ask("Old")
    with replica.held():
        ada.ask("New")
        assert ada.titles() == ["New", "Old"]
        assert nobody.titles() == ["Old"]
        assert figures(other)["replicaReads"] == 1
        assert nobody.titles(**{"X-Stoa-Consistency": ada.wrote}) == ["New", "Old"]
        assert nobody.titles(**{"X-Stoa-Consistency": "whatever"}) == ["New", "Old"]
        assert nobody.titles() == ["Old"]
        home = httpx.get(f"{other.url}/forum", timeout=60).text
        assert (">Old<" in home, ">New<" in home) == (True, False)
    before = figures(other)["replicaReads"]
    assert nobody.titles() == ["New", "Old"]
    assert nobody.titles(**{"X-Stoa-Consistency": ada.wrote}) == ["New", "Old"]
    assert figures(other)["replicaReads"] == int(before) + 2


def test_who_is_told_of_something_by_an_event_finds_it_before_the_replica_has_it(
    start: Start, replica: Replica
) -> None:
    server = start(read_lag_seconds=600)
    ada, nobody = Client(server, "ada"), Client(server)
    replica.catch_up()
    cursor = nobody.get("events?cursor=now")["nextCursor"]
    with replica.held():
        ada.ask("New")
        (event,) = nobody.get(f"events?cursor={cursor}")["events"]
        path = event["url"].removeprefix("/api/v1/")
        assert nobody.get(path)["thread"]["title"] == "New"


def test_the_replica_answers_public_reads_and_nothing_else(start: Start, replica: Replica) -> None:
    server = start(read_lag_seconds=600)
    ada = Client(server, "ada")
    thread = ada.post("threads", title="A question", body="Who knows?")["thread"]["id"]
    reply = ada.post(f"threads/{thread}/replies", body="I.")["reply"]["id"]
    job = ada.post("jobs", title="t", description="d", rewardCredits=1)["job"]["id"]
    places = {"thread": thread, "reply": reply, "agent": ada.id, "job": job}
    replica.catch_up()

    def by_replica(path: str) -> bool:
        before = int(figures(server)["replicaReads"])
        # The primary answers an agent that has just written: public reads come from another client.
        reader = ada if path.startswith(("credits", "opportunities/rec")) else Client(server)
        reader.get(path.format(**places))
        return int(figures(server)["replicaReads"]) > before

    assert [path for path in FROM_REPLICA if not by_replica(path)] == []
    assert [path for path in FROM_PRIMARY if by_replica(path)] == []


def test_the_page_of_searches_is_read_from_the_primary(start: Start, replica: Replica) -> None:
    server = start(read_lag_seconds=600)
    ada = Client(server, "ada")
    ada.ask("Old")
    with replica.held():
        ada.ask("New")
        assert ada.get("search?q=knows")["total"] == 2
        found = httpx.get(f"{server.url}/forum/search?q=knows", timeout=60).text
    # A replica that knows less than the index would have that made anew.
    assert (">Old<" in found, ">New<" in found) == (True, True)


@pytest.mark.promise("D17")
def test_an_agent_with_two_clients_reads_with_each_what_the_other_wrote(
    start: Start, replica: Replica
) -> None:
    server, other = start(read_lag_seconds=600), start(read_lag_seconds=600)
    desk, phone = Client(server, "ada"), Client(other, "ada")
    desk.ask("Old")
    with replica.held():
        phone.ask("New")
        assert desk.titles(**{"X-Stoa-Consistency": desk.wrote}) == ["New", "Old"]
        assert desk.titles() == ["New", "Old"]
    before = int(figures(other)["replicaReads"])
    assert phone.titles(**{"X-Stoa-Consistency": phone.wrote}) == ["New", "Old"]
    assert figures(other)["replicaReads"] == before + 1
    assert desk.titles(**{"X-Stoa-Consistency": desk.wrote}) == ["New", "Old"]
    assert figures(server)["replicaReads"] == 0


@pytest.mark.promise("M23")
def test_what_was_hidden_is_not_read_from_a_replica_that_still_shows_it(
    start: Start, replica: Replica
) -> None:
    server = start(read_lag_seconds=600)
    ada, nobody = Client(server, "ada"), Client(server)
    thread = ada.post("threads", title="Spam", body="Buy!")["thread"]["id"]
    page = f"{server.url}/api/v1/threads/{thread}"
    database = server.database.database_url
    with replica.held():
        ada.ask("New")
        assert nobody.titles() == ["Spam"]
        hide = ("hide", thread, "--reason", "Advertising.", "--database-url", database)
        assert run_stoa_here("admin", *hide).code == 0
        until(lambda: nobody.titles() == ["New"])
        assert httpx.get(page, timeout=60).status_code == 410
        assert "Buy!" not in httpx.get(f"{server.url}/forum", timeout=60).text
        assert asyncio.run(rows(replica.url(database), "SELECT id FROM thread")) == [(thread,)]
    before = int(figures(server)["replicaReads"])
    assert nobody.titles() == ["New"]
    assert figures(server)["replicaReads"] == before + 1
    assert httpx.get(page, timeout=60).status_code == 410


@pytest.mark.soak
def test_a_write_is_recorded_while_another_transaction_locks_the_agent(
    start: Start, primary: PostgreSQL, replica: Replica
) -> None:
    server = start(read_lag_seconds=600)
    ada = Client(server, "ada")
    ada.ask("Old")
    url = server.database.database_url
    primary.do("UPDATE agent SET last_seen_at = 0", url)
    with replica.held():
        with ThreadPoolExecutor(1) as pool, holding(url, "SELECT FROM agent FOR NO KEY UPDATE"):
            asked = pool.submit(ada.ask, "New")
            until(lambda: bool(asyncio.run(rows(url, _WAITING))[0][0]))
            assert not asked.done()
        asked.result()
        assert ada.titles() == ["New", "Old"]


@pytest.mark.promise("D15")
def test_a_replica_that_is_too_far_behind_is_not_asked(start: Start, replica: Replica) -> None:
    server = start(read_lag_seconds=1)
    ada, nobody = Client(server, "ada"), Client(server)
    ada.ask("Old")
    with replica.held():
        ada.ask("New")
        # On a slow machine it may first be unknown for too long where the primary is.
        until(lambda: nobody.titles() == ["New", "Old"] and figures(server)["replica"] == "behind")
        assert server.log.count("replica not used") == 1
    until(lambda: bool(nobody.titles()) and figures(server)["replica"] == "used")


def test_a_replica_that_has_no_tables_yet_is_not_asked(start: Start, replica: Replica) -> None:
    with replica.held():
        server = start(read_lag_seconds=600)
        ada, nobody = Client(server, "ada"), Client(server)
        ada.ask("Here")
        assert nobody.titles() == ["Here"]
        assert figures(server)["replica"] == "gone"
    until(lambda: nobody.titles() == ["Here"] and figures(server)["replica"] == "used")


@pytest.mark.promise("D27")
@pytest.mark.long
def test_a_replica_that_has_more_than_the_new_primary_is_not_asked(
    primary: PostgreSQL, replica: Replica, start_server: Start
) -> None:
    database, second = primary.empty(), Replica(primary, "second")
    hosts = f"{primary.socket.parent},{second.host}"
    server = start_server(
        database_url=f"postgresql://postgres@/{name_of(database)}?host={hosts}",
        read_database_url=replica.url(database),
        read_lag_seconds=600,
        **PATIENT,
    )
    ada, nobody = Client(server, "ada"), Client(server)
    ada.ask("Kept")
    second.catch_up()
    second.stop()
    ada.ask("Lost")
    primary.do(_MUCH)  # after which the new primary is behind for the whole test
    replica.catch_up()
    assert nobody.titles() == ["Lost", "Kept"]
    primary.crash()
    try:
        second.start()
        second.promote()
        until(lambda: ada.tries_to_ask("New"))
        assert nobody.titles(**{"X-Stoa-Consistency": ada.wrote}) == ["New", "Kept"]
        until(lambda: httpx.get(f"{server.url}/readyz", timeout=60).is_success)
        until(lambda: nobody.titles() == ["New", "Kept"] and figures(server)["replica"] == "behind")
    finally:
        second.stop()
        primary.start()


@pytest.mark.soak
def test_what_a_replica_cancels_for_what_was_cleaned_up_is_read_from_the_primary(
    primary: PostgreSQL, replica: Replica
) -> None:
    url = primary.new()
    replica.catch_up()
    replica.set("max_standby_streaming_delay = 0")

    async def twice(tx: Tx) -> bool:
        """Whether a replica answers; a cleaning comes between two statements there."""
        by_replica = await tx.one("replication.replayed") is not None
        if by_replica:
            await asyncio.to_thread(primary.do, "DELETE FROM lease", url)
            await asyncio.to_thread(primary.do, "VACUUM lease", url)
            await asyncio.to_thread(replica.catch_up)
        await tx.one("replication.replayed")
        return by_replica

    async def run() -> None:
        second = PostgresStore(replica.url(url), SystemClock(), 2, 60, replica=True)
        store = await ReplicatedStore(second, 600, url, SystemClock(), 2, 60).start()
        await asyncio.to_thread(replica.catch_up)
        assert not await store.read(twice, at_least="")
        assert store.figures() == {"replica": "gone", "replicaReads": 0, "primaryReads": 1}
        await store.close()

    try:
        asyncio.run(run())
    finally:
        replica.set("max_standby_streaming_delay = DEFAULT")


def test_a_primary_that_became_a_standby_behind_a_pool_is_unavailable(
    primary: PostgreSQL, replica: Replica
) -> None:
    """It is asked where its log is on a connection that began before."""
    url = replica.url(primary.new())
    replica.catch_up()

    async def run() -> None:
        store = PostgresStore(url, SystemClock(), 1, 10, replica=True)
        with pytest.raises(StoreUnavailable):
            await store.read(where_the_log_is, single=True)
        await store.close()

    asyncio.run(run())


async def where_the_log_is(tx: Tx) -> None:
    await tx.one("replication.written", agent_id="")


@pytest.mark.soak
def test_what_one_reader_asks_for_is_no_outage_of_the_replica(
    start: Start, replica: Replica
) -> None:
    server = start(read_lag_seconds=600)
    ada, nobody = Client(server, "ada"), Client(server)
    ada.ask("Old")
    with replica.held():
        ada.ask("New")
        for shown in (ada.wrote, "zz") * 10:
            assert nobody.titles(**{"X-Stoa-Consistency": shown}) == ["New", "Old"]
            assert figures(server)["replica"] == "used"
            assert nobody.titles() == ["Old"]
    assert "replica not used" not in server.log


@pytest.mark.soak
def test_a_replica_that_comes_and_goes_is_told_of_once(start: Start, replica: Replica) -> None:
    server = start(read_lag_seconds=1)
    ada, nobody = Client(server, "ada"), Client(server)
    for number in range(3):
        with replica.held():
            ada.ask(f"Thread {number}")
            until(lambda: len(nobody.titles()) == number + 1)  # noqa: B023 - asked in this turn
        nobody.titles()
    assert server.log.count("replica not used") == 1
    until(lambda: bool(nobody.titles()) and figures(server)["replica"] == "used")
    assert server.log.count("replica used again") == 1


@pytest.mark.soak
def test_a_replica_that_refuses_connections_is_reported_as_the_replica(
    primary: PostgreSQL, start_server: Start
) -> None:
    primary.demand_password("replicator", "right")
    database = primary.new()
    wrong = primary.url(name_of(database), user="replicator", password="wr0ng")
    server = start_server(database_url=database, read_database_url=wrong)
    until(lambda: '"replica lost"' in server.log)
    assert "the replica cannot be used: password authentication failed" in server.log
    assert "wr0ng" not in server.log
    assert '"database lost"' not in server.log
    assert Client(server).titles() == []


@pytest.mark.parametrize(
    "url",
    few(
        [
            "postgresql://stoa:pa55/word@127.0.0.1:1/stoa",
            "postgresql://stoa:pa55@127.0.0.1:abc/stoa",
            "postgresql://stoa:pa55@127.0.0.1:1/stoa?sslmode=sometimes",
            "postgresql://stoa:pa55@[::1/stoa",
            "postgresql://stoa:pa55@127.0.0.1:1,/stoa",
            "postgresql://stoa:pa55@127.0.0.1:1",
        ]
    ),
)
def test_an_address_of_a_replica_that_cannot_be_read_is_refused(
    primary: PostgreSQL, url: str
) -> None:
    database = primary.empty()
    given = {"STOA_DATABASE_URL": database, "STOA_READ_DATABASE_URL": url}
    ended = run_stoa("serve", "--port", "0", **given)
    assert ended.code == 1
    assert ended.err.startswith("stoa: STOA_READ_DATABASE_URL ")
    assert "postgresql://user:password@host:5432/" in ended.err
    assert "pa55" not in ended.err
    assert ended.err.count("\n") == 1
    assert not asyncio.run(version(database))  # nothing was written


@pytest.mark.soak
def test_without_its_replica_a_server_reads_from_the_primary(
    start: Start, replica: Replica
) -> None:
    server = start()
    ada, nobody = Client(server, "ada"), Client(server)
    ada.ask("Here")
    until(lambda: nobody.titles() == ["Here"])
    replica.stop()
    try:
        assert [nobody.titles() for _ in range(5)] == [["Here"]] * 5
        assert figures(server)["replica"] == "gone"
        again = start()
        assert Client(again).titles() == ["Here"]
    finally:
        replica.start()
    until(lambda: nobody.titles() == ["Here"] and figures(server)["replica"] == "used")


@pytest.mark.soak
def test_without_a_replica_nothing_is_said_of_one(start_server: Start) -> None:
    server = start_server()
    ada = Client(server, "ada")
    ada.ask("A question")
    assert ada.wrote == ""
    assert "replica" not in figures(server)
