"""The metrics' own listener: what it tells adds up to what clients have seen."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.app import new_counters
from stoa.clock import SystemClock
from stoa.metrics import LOOPS, AllCounters, Counters
from stoa.monitoring.exposition import Exposition
from stoa.outgoing.certificate import Certificate
from stoa.store import ledger
from stoa.store.transfer import backups
from stoa.store.tx import StoreUnavailable, Tx
from stoa.upkeep.loops import every
from tests.support import oauth
from tests.support.app import Agent, App
from tests.support.backups import make_backup
from tests.support.clock import DAY, HOUR
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.logs import logged
from tests.support.mcp import Mcp
from tests.support.metrics import METRICS, by_label, samples, scrape, values
from tests.support.moderation import act, report, suspend
from tests.support.oauth_pages import REDIRECT
from tests.support.postgresql import PostgreSQL
from tests.support.processes import one_client_each, until, workers
from tests.support.receiver import Receiver, status
from tests.support.server import Server, environment, free_port
from tests.support.valkey import Valkey
from tests.support.webhooks import LOOPBACK, active, deliver

StartServer = Callable[..., Server]

ON = "127.0.0.1:0"
REQUESTS = "stoa_requests_total"
FAILURES = "stoa_upkeep_failures_total"
SUCCESS_AGES = "stoa_upkeep_success_age_seconds"
CLIENTS = 4  # a, b, c and d
ROUNDS = 1


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest) -> str:
    """Both, as each worker of PostgreSQL counts for itself."""
    return request.param


@pytest.fixture(scope="module")
def servers(
    postgresql: PostgreSQL, valkey: Valkey, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Server]]:
    """A server with metrics for each engine, which starts when the first test asks for it: with one
    worker on SQLite, with two on PostgreSQL."""
    running: dict[str, Server] = {}

    def one(engine: str) -> Server:
        if engine not in running:
            several: dict[str, Any] = {}
            if engine == "postgresql":
                several = {"workers": 2, "database_url": postgresql.new(), "valkey_url": valkey.url}
            folder = tmp_path_factory.mktemp("metrics") / "server"
            running[engine] = Server(folder, {**LIMITS_OFF, "metrics": ON, **several})
        return running[engine]

    yield one
    for server in running.values():
        server.stop()


@pytest.fixture
def started(servers: Callable[[str], Server], engine: str) -> Server:
    """The server of the engine, with what the tests before this one have left there."""
    return servers(engine)


def counts(server: Server) -> Counter[str]:
    """The number of answers by status."""
    return by_label(scrape(server), REQUESTS, "status")


# --- A load of all that there is.


def unreadable(server: Server) -> int:
    """Send what is not HTTP; the status of the answer."""
    with socket.create_connection(server.address, timeout=60) as connection:
        connection.sendall(b"not http at all\r\n\r\n")
        answer = b""
        while part := connection.recv(4096):
            answer += part
    return int(answer.split()[1])


def readings(client: httpx.Client) -> Iterator[httpx.Response]:
    """Calls of the API, pages and health, with and without an answer from the cache."""
    first = client.get("/api/v1/threads")
    yield first
    yield client.get("/api/v1/threads")
    yield client.get("/api/v1/threads", headers={"If-None-Match": first.headers["etag"]})
    yield client.head("/api/v1/threads")
    yield client.options("/api/v1/threads")
    yield client.get("/api/v1/nothing")
    yield client.delete("/api/v1/threads")
    yield client.get("/api/v1/threads", headers={"Host": "other.example"})
    yield client.get("/api/v1/threads?limit=none")
    yield client.get("/api/v1/agents/me", headers={"Authorization": "Bearer stoa_wrong"})
    for path in ("/", "/forum", "/forum", "/nothing", "/feeds/forum.atom", "/bootstrap"):
        yield client.get(path)
    for path in ("/healthz", "/readyz", "/openapi.json", "/llms.txt"):
        yield client.get(path)


def messages(client: httpx.Client) -> Iterator[httpx.Response]:
    """Messages of MCP."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("ping", {}),
        ("tools/list", {}),
        ("tools/call", {"name": "get_market_stats", "arguments": {}}),
        ("tools/call", {"name": "get_thread", "arguments": {"threadId": "th_none"}}),
        ("no/such", {}),
    ]
    for method, params in calls:
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        yield client.post("/mcp", json=message, headers={"Accept": "application/json"})
    yield client.get("/mcp")
    yield client.get("/mcp/deeper")


def load(server: Server, name: str) -> Counter[str]:
    """The statuses that one client sees."""
    seen: Counter[str] = Counter()

    def note(answer: httpx.Response) -> None:
        seen[str(answer.status_code)] += 1

    with httpx.Client(base_url=server.url, timeout=60, event_hooks={"response": [note]}) as client:
        for _ in range(ROUNDS):
            for _ in (*readings(client), *messages(client)):
                pass
            seen[str(unreadable(server))] += 1
        token = sign_in(client, name)
        thread: Any = {"title": "A question", "body": "Who knows?"}
        client.post("/api/v1/threads", json=thread, headers=token)
        client.post("/api/v1/threads", json={"title": ""}, headers=token)
    return seen


def sign_in(client: httpx.Client, name: str) -> dict[str, str]:
    """Register the key of this name; the header for its calls."""
    key = Key(name)
    challenge = client.post("/api/v1/auth/challenge", json={"publicKey": key.public}).json()
    signed = {"challenge": challenge["challenge"], "signature": key.sign(challenge["challenge"])}
    answer = client.post("/api/v1/auth/verify", json={"publicKey": key.public, **signed})
    return {"Authorization": f"Bearer {answer.raise_for_status().json()['token']}"}


@pytest.mark.costly
@pytest.mark.promise("O1")
def test_the_counts_of_all_workers_add_up_to_what_clients_have_seen(started: Server) -> None:
    earlier = scrape(started)
    with ThreadPoolExecutor(CLIENTS) as pool:
        seen = sum(pool.map(partial(load, started), "abcd"), Counter[str]())
    after = scrape(started)
    assert by_label(after, REQUESTS, "status") - by_label(earlier, REQUESTS, "status") == seen
    assert {"200", "201", "204", "304", "308", "400", "401", "404", "405", "421"} <= set(seen)
    by_operation = by_label(after, REQUESTS, "operation")
    assert by_label(after, "stoa_request_duration_seconds_count", "operation") == by_operation
    by_operation -= by_label(earlier, REQUESTS, "operation")
    assert by_operation["get_recent_threads"] >= 4 * ROUNDS * CLIENTS
    assert by_operation["unreadable"] == ROUNDS * CLIENTS
    assert by_operation["get_thread"] == ROUNDS * CLIENTS  # as a tool
    assert by_operation["create_thread"] == 2 * CLIENTS


@pytest.mark.promise("O2")
def test_counts_stay_when_a_worker_is_killed_or_replaced(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(metrics=ON, workers=2, **together)
    seen = counts(server)
    with one_client_each(server, 2) as clients:
        for client in clients.values():
            client.get("/api/v1/nothing")
        before = counts(server)
        assert before["404"] == seen["404"] + 2
        os.kill(next(iter(clients)), signal.SIGKILL)
    until(lambda: len(workers(server)) == 2)
    known = workers(server)
    server.process.send_signal(signal.SIGHUP)
    until(lambda: len(workers(server)) == 2 and not workers(server) & known)
    assert counts(server)["404"] == before["404"]
    assert counts(server)["200"] >= before["200"]


@pytest.mark.soak
def test_a_full_bucket_is_counted_by_its_name(start_server: StartServer) -> None:
    limited = {"limit_threads": 1, "limit_uncharged": 2, "limit_registrations": 1}
    server = start_server(metrics=ON, **limited)
    thread = {"title": "A question", "body": "Who knows?"}
    with httpx.Client(base_url=server.url, timeout=60) as client:
        token = sign_in(client, "first")
        posted = [client.post("/api/v1/threads", json=thread, headers=token) for _ in range(3)]
        assert [answer.status_code for answer in posted] == [201, 429, 429]
        with pytest.raises(httpx.HTTPStatusError):
            sign_in(client, "second")
        pages = [client.get("/about/safety").status_code for _ in range(4)]
        assert pages == [200, 200, 429, 429]
        arguments = {**thread, "authorization": token["Authorization"]}
        call = {"name": "create_thread", "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        client.post("/mcp", json=message, headers={"Accept": "application/json"})
    full = by_label(scrape(server), "stoa_rate_limited_total", "bucket")
    assert full == {"threads": 3, "registrations": 1, "uncharged": 2}


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(
    limit_clients=1, limit_uncharged=3, limit_registrations=1, limit_reads_anonymous=4
)
def test_a_full_bucket_is_counted_where_no_operation_is_called(stoa: App) -> None:
    keys = [Key("first"), Key("second")]
    told = [oauth.post(stoa, oauth.by_key(oauth.assertion(key, stoa.clock()))) for key in keys]
    told += [oauth.post(stoa, {"grant_type": "none"}) for _ in range(3)]
    assert [one.status for one in told] == [200, 429, 400, 400, 429]
    told = [stoa.post("/oauth/register", {"redirect_uris": [REDIRECT]}) for _ in range(2)]
    told += [Mcp(stoa, path="/mcp/oauth").ask("tools/list") for _ in range(2)]
    assert [one.status for one in told] == [201, 429, 401, 429]
    full = by_label(exposed(stoa), "stoa_rate_limited_total", "bucket")
    assert full == {"registrations": 1, "reads": 1, "clients": 1, "uncharged": 1}


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_reads_agent=1)
def test_a_full_bucket_is_counted_where_events_are_subscribed_to(stoa: App) -> None:
    ada = stoa.agent("ada")
    asked = {"name": "stoa.event", "delivery": {"url": "https://agent.example/hook"}}
    for _ in range(2):
        Mcp(stoa).ask("events/unsubscribe", asked, ada.headers)
    full = by_label(exposed(stoa), "stoa_rate_limited_total", "bucket")
    assert full == {"reads": 1}


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_listener_is_its_own_and_serves_nothing_else(started: Server) -> None:
    server = started
    assert httpx.get(f"{server.url}/metrics", timeout=60).status_code == 404
    before = counts(server)
    (address,) = re.findall(r"Metrics are at (\S+)/metrics", server.printed)
    assert httpx.get(f"{address}/api/v1/threads", timeout=60).status_code == 404
    assert counts(server) == before


def test_there_is_no_listener_unless_it_is_asked_for(server: Server) -> None:
    assert "Metrics" not in server.printed


def test_a_port_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        result = subprocess.run(
            [sys.executable, "-m", "stoa", "serve", "--port", str(free_port())],
            env=environment({"metrics": address, "data_dir": tmp_path / "data"}),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert result.returncode == 1
    assert re.fullmatch(r"stoa: cannot listen on [^\n]*STOA_METRICS\n", result.stderr)


@pytest.mark.costly
def test_every_metric_is_told_by_a_server_with_all_that_it_has(
    started: Server, engine: str
) -> None:
    with httpx.Client(base_url=started.url, timeout=60) as client:
        sign_in(client, "ada")

    def told() -> set[str]:
        return set(re.findall(r"^# TYPE (\w+)", scrape(started), re.MULTILINE))

    of_sqlite = {"stoa_wal_bytes", "stoa_database_bytes", "stoa_disk_free_bytes"}
    of_sqlite |= {"stoa_commit_group_size"}
    connections = {f"stoa_database_connections_{what}" for what in ("used", "most")}
    absent = of_sqlite if engine == "postgresql" else {"stoa_valkey_away", *connections}
    absent |= {"stoa_backup_age_seconds", "stoa_backup_failed", "stoa_certificate_seconds"}
    until(lambda: "stoa_audit_age_seconds" in told())
    named = {metric.name for metric in METRICS}
    assert told() == named - absent
    found = values(scrape(started))
    assert found["stoa_workers"] == found["stoa_workers_configured"] == len(workers(started))
    assert found["stoa_commit_duration_seconds_count"] >= 3
    assert found["stoa_ready"] == 1

    def done() -> set[str]:
        told = samples(scrape(started))
        return {labels["loop"] for name, labels, _ in told if name == SUCCESS_AGES}

    until(lambda: done() == set(LOOPS))
    if engine == "sqlite":
        assert found["stoa_commit_group_size_count"] == found["stoa_commit_duration_seconds_count"]
        assert found["stoa_wal_bytes"] > 0
        assert found["stoa_disk_free_bytes"] > 0


# --- What is looked up for a scrape.


def exposed(app: App) -> str:
    """What a worker of this application would tell."""
    all_counters = new_counters()
    all_counters.each[:] = [process.counters for process in app.processes]
    stoa = app.stoa
    parts = all_counters, stoa.store, stoa.upkeep, app.clock, app.settings
    return app.run(Exposition(*parts, Certificate(app.settings.origin, app.clock)).text())


def test_open_and_overdue_holds_are_counted(stoa: App) -> None:
    assert values(exposed(stoa))["stoa_holds_open"] == 0
    asker = stoa.agent("asker")
    asker.thread(bountyCredits=3)
    found = values(exposed(stoa))
    assert (found["stoa_holds_open"], found["stoa_holds_overdue"]) == (1, 0)
    stoa.clock.advance(1000 * stoa.settings.bounty_ttl_seconds)
    found = values(exposed(stoa))
    assert (found["stoa_holds_open"], found["stoa_holds_overdue"]) == (1, 1)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert values(exposed(stoa))["stoa_holds_open"] == 0


def of_loops(app: App, metric: str) -> dict[str, float]:
    """What the metric tells, by loop."""
    told = samples(exposed(app))
    return {labels["loop"]: value for name, labels, value in told if name == metric}


def test_failures_of_background_work_are_counted_and_its_last_success_has_an_age(
    stoa: App,
) -> None:
    counters = stoa.stoa.counters
    counters.beat(0)
    works: list[Callable[[], None]] = []

    async def work() -> None:
        if not works:
            raise KeyboardInterrupt
        works.pop()()

    def run(*todo: Callable[[], None]) -> None:
        works[:] = todo
        with logged(), pytest.raises(KeyboardInterrupt):
            stoa.run(every(0, work, "sweep", counters, lambda: None))

    def fail() -> None:
        raise StoreUnavailable("The disk is full.")

    def defect() -> None:
        raise ZeroDivisionError

    assert of_loops(stoa, FAILURES) == dict.fromkeys(LOOPS, 0)
    assert of_loops(stoa, SUCCESS_AGES) == {}
    run(fail, defect, fail)
    found = of_loops(stoa, FAILURES)
    assert (found["sweep"], found["book"]) == (3, 0)
    assert of_loops(stoa, SUCCESS_AGES).keys() == {"sweep"}


def test_the_age_is_that_of_the_living_worker_that_waits_longest_for_a_success() -> None:
    now = 1_000_000
    every_one = AllCounters([], [], 3, lambda: now)
    ends, fails, works = every_one.each

    def at(ms: int, *workers: Counters) -> None:
        nonlocal now
        now += ms
        for worker in workers:
            worker.beat(0)

    at(0, *every_one.each)
    for worker in every_one.each:
        worker.loop_well("index")
    fails.loop_well("audit")
    at(60_000, fails, works)
    ends.loop_failed("index")
    works.loop_well("index")
    works.loop_well("audit")
    assert every_one.loop_ages() == {"index": 60_000, "audit": 60_000}
    fails.loop_left("audit")
    assert every_one.loop_ages() == {"index": 60_000, "audit": 0}
    fails.loop_well("index")
    assert every_one.loop_ages() == {"index": 0, "audit": 0}
    assert every_one.loop_failures()["index"] == 1


def test_the_age_of_the_audit_and_what_it_found_are_told(stoa: App) -> None:
    assert "stoa_audit_age_seconds" not in values(exposed(stoa))
    stoa.run(stoa.stoa.upkeep.audit())
    found = values(exposed(stoa))
    assert 0 <= found["stoa_audit_age_seconds"] < 60
    assert (found["stoa_audit_differences"], found["stoa_settlements_stopped"]) == (0, 0)
    stoa.agent("asker")
    stoa.sql("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    stoa.run(stoa.stoa.upkeep.audit())
    found = values(exposed(stoa))
    assert found["stoa_audit_differences"] >= 1
    assert (found["stoa_settlements_stopped"], found["stoa_ready"]) == (1, 0)
    stoa.run(stoa.stoa.store.write(ledger.resume))


@pytest.mark.settings(**LOOPBACK)
def test_webhooks_that_did_not_take_the_last_delivery_are_counted(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    active(ada, receiver, scope="events")
    found = values(exposed(stoa))
    assert (found["stoa_webhooks_active"], found["stoa_webhooks_failing"]) == (1, 0)
    receiver.answer = status(500)
    ada.thread()
    deliver(stoa)
    found = values(exposed(stoa))
    assert (found["stoa_webhooks_active"], found["stoa_webhooks_failing"]) == (1, 1)


@pytest.mark.settings(hold_first=1, hold_hours=24)
def test_reports_and_held_posts_are_told_with_the_age_of_the_oldest(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    early = ada.thread()
    stoa.clock.advance(HOUR // 2)
    late = bob.thread()
    report(bob, ada.id).ok(201)
    stoa.clock.advance(HOUR)
    found = values(exposed(stoa))
    assert (found["stoa_held_posts"], found["stoa_held_age_seconds"]) == (2, 5400)
    assert (found["stoa_reports_open"], found["stoa_report_age_seconds"]) == (1, 3600)
    suspend(stoa, ada)  # so the clock does not release what it posted
    found = values(exposed(stoa))
    assert (found["stoa_held_posts"], found["stoa_held_age_seconds"]) == (2, 3600)
    for post in (early, late):
        act(stoa, post, "hide")
    found = values(exposed(stoa))
    assert (found["stoa_held_posts"], found["stoa_held_age_seconds"]) == (0, 0)


@pytest.mark.parametrize("action", ["purge", "forget"])
def test_a_purge_is_told_until_the_files_have_none_of_it(stoa: App, action: str) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread()
    assert values(exposed(stoa))["stoa_purge_age_seconds"] == 0
    act(stoa, thread if action == "purge" else ada.id, action)
    stoa.clock.advance(HOUR)
    assert values(exposed(stoa))["stoa_purge_age_seconds"] == 3600
    stoa.run(stoa.stoa.upkeep.purge())
    assert values(exposed(stoa))["stoa_purge_age_seconds"] == 0


def test_connections_to_postgresql_are_told_with_their_most(stoa: App) -> None:
    for process in stoa.processes:
        process.beat()
    found = values(exposed(stoa))
    if stoa.settings.engine == "sqlite":
        assert "stoa_database_connections_used" not in found
        return
    most = len(stoa.processes) * stoa.settings.database_connections
    assert found["stoa_database_connections_most"] == most
    assert found["stoa_database_connections_used"] == 0

    async def held() -> str:
        async with asyncio.timeout(60):
            reading = asyncio.create_task(stoa.stoa.store.read(hold))
            await entered.wait()
            stoa.stoa.beat()
            leave.set()
            await reading
        return ""

    entered, leave = asyncio.Event(), asyncio.Event()

    async def hold(_: Tx) -> None:
        entered.set()
        await leave.wait()

    stoa.run(held())
    assert values(exposed(stoa))["stoa_database_connections_used"] == 1


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_database_that_does_not_answer_leaves_only_its_own_metrics_out(stoa: App) -> None:
    stoa.run(stoa.stoa.store.close())
    found = values(exposed(stoa))
    assert "stoa_holds_open" not in found
    assert "stoa_workers" in found


def test_the_age_of_the_newest_backup_is_told(stoa: App, tmp_path: Path) -> None:
    settings = stoa.settings
    folder = tmp_path / "backups"
    stoa.settings = type(settings)(
        data_dir=settings.data_dir, database_url=settings.database_url, backup_dir=str(folder)
    )
    assert values(exposed(stoa))["stoa_backup_age_seconds"] == inf  # there is none: alerts fire
    folder.mkdir()
    backups.note_failure(folder, "The disk is full.")
    assert values(exposed(stoa))["stoa_backup_failed"] == 1
    backups.forget_failure(folder)
    assert values(exposed(stoa))["stoa_backup_failed"] == 0
    now = SystemClock()()  # of the machine, which names them; that of the service may differ
    for age in (5 * DAY, 2 * DAY):
        make_backup(folder, now - age)
    unfinished = make_backup(folder, now)
    unfinished.rename(folder / f".{unfinished.name}.partial")
    make_backup(folder, now + DAY)
    (folder / "notes.txt").touch()
    age_days = values(exposed(stoa))["stoa_backup_age_seconds"] * 1000 / DAY
    assert 2 <= age_days < 3


def test_a_scrape_is_in_the_format_of_prometheus(stoa: App) -> None:
    text = exposed(stoa)
    assert text.endswith("\n")
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    for name, labels, _ in samples(text):
        family = re.sub(r"_(bucket|sum|count)$", "", name)
        assert name in kinds or kinds[family] == "histogram"
        assert ("le" in labels) == name.endswith("_bucket")
