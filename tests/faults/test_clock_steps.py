"""Clocks that are set while a server runs: deadlines, grants and times are as if they were not."""

import os
import signal
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import httpx
import pytest

from stoa.clock import SystemClock
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND, Machine, VirtualClock
from tests.support.keys import Key
from tests.support.postgresql import PostgreSQL
from tests.support.processes import one_client_each, until, workers
from tests.support.remote import Remote
from tests.support.server import Server
from tests.support.valkey import Valkey

Step = Callable[[int], None]

TEN_DAYS = 10 * DAY


@pytest.fixture
def machine() -> Machine:
    """The machine of `stoa`."""
    return Machine()


@pytest.fixture
def clock(machine: Machine) -> VirtualClock:
    """The clock of `stoa`, which follows that of its machine until a test lets it do otherwise."""
    return cast(VirtualClock, machine.clock())


def ms(time: str) -> int:
    """A time of an answer in milliseconds since 1970."""
    return int(datetime.fromisoformat(time).timestamp() * 1000)


def sweep(stoa: App) -> None:
    """Refund what has expired, in each process."""
    for process in stoa.processes:
        stoa.run(process.upkeep.sweep())


every_clock = pytest.mark.parametrize(
    ("engine", "step"),
    [("sqlite", "machine"), ("postgresql", "machine"), ("postgresql", "database")],
    indirect=["step"],
)
"""The test sets each clock there is. That of the database counts where there is one."""


@pytest.fixture
def step(request: pytest.FixtureRequest, stoa: App, machine: Machine) -> Step:
    """Sets a clock forward or back; the application is told of the database's as by its watch."""
    clock = cast(SystemClock, stoa.clock)
    ahead = 0

    def set_database(more: int) -> None:
        nonlocal ahead
        ahead += more
        clock.follow(1000 * (machine.true_ms + ahead), machine.elapsed_us)

    if stoa.settings.engine == "postgresql":
        set_database(0)
    return set_database if request.param == "database" else machine.step


class Offers:
    """A job and a bounty of Ada's that are due in three days, and the time they were offered."""

    def __init__(self, stoa: App, machine: Machine) -> None:
        self.ada, self.bob = stoa.agent("ada"), stoa.agent("bob")
        self.offered_at = machine.true_ms
        self.job = jobs.offer(self.ada, 5, deadlineHours=72)
        self.thread = self.ada.thread(bountyCredits=3)

    def states(self, reader: Agent) -> tuple[str, str]:
        """How both stand."""
        job = jobs.read(self.job, reader)
        thread = reader.get(f"threads/{self.thread['id']}").ok()["thread"]
        return job["status"], thread["bounty"]["status"]


@pytest.mark.promise("P4")
@every_clock
@pytest.mark.parametrize("ahead", [TEN_DAYS, -TEN_DAYS, 61 * SECOND])
def test_a_step_refunds_nothing_early_or_late_and_no_time_is_wrong(
    stoa: App, machine: Machine, step: Step, ahead: int
):
    offers = Offers(stoa, machine)
    for set_by in (ahead, -ahead):
        step(set_by)
        machine.pass_time(MINUTE)
        sweep(stoa)
        offers.bob.sign_in()
        assert offers.states(offers.bob) == ("OPEN", "OPEN")
        assert ms(offers.bob.thread()["createdAt"]) == machine.true_ms
    step(ahead)
    machine.pass_time(offers.offered_at + 72 * HOUR - machine.true_ms - SECOND)
    offers.bob.sign_in()
    sweep(stoa)
    assert offers.states(offers.bob) == ("OPEN", "OPEN")
    machine.pass_time(SECOND)
    sweep(stoa)
    assert offers.states(offers.bob) == ("REFUNDED_EXPIRED", "REFUNDED")
    entries = offers.ada.sign_in() and offers.ada.get("credits/ledger").ok()["entries"]
    assert [entry["kind"] for entry in entries].count("refund") == 2
    refunds = {ms(entry["createdAt"]) for entry in entries if entry["kind"] == "refund"}
    assert refunds == {machine.true_ms}


@every_clock
def test_a_token_and_a_challenge_live_as_long_as_they_should(
    stoa: App, machine: Machine, step: Step
):
    ada, key = stoa.agent("ada"), Key("bob")
    challenge = stoa.challenge(key)
    step(TEN_DAYS)
    assert ada.get("agents/me").status != 401
    signed = {"publicKey": key.public, "challenge": challenge, "signature": key.sign(challenge)}
    assert stoa.post("auth/verify", signed).status == 200
    step(-2 * TEN_DAYS)
    machine.pass_time(HOUR)
    assert ada.get("credits/balance").status == 401


@pytest.mark.settings(limit_threads=1)
@pytest.mark.parametrize(("engine", "step"), [("sqlite", "machine")], indirect=["step"])
def test_a_step_begins_no_new_window_of_a_limit(stoa: App, machine: Machine, step: Step):
    ada = stoa.agent("ada")
    ada.thread()
    step(TEN_DAYS)
    assert ada.post("threads", {"title": "t", "body": "b"}).status == 429
    step(-TEN_DAYS)
    machine.pass_time(HOUR)
    ada.sign_in()
    ada.thread()


@pytest.mark.parametrize(
    ("engine", "step"), [("sqlite", "machine"), ("postgresql", "database")], indirect=["step"]
)
@pytest.mark.parametrize("ahead", [59 * SECOND, -59 * SECOND])
def test_a_small_step_is_followed(stoa: App, machine: Machine, step: Step, ahead: int):
    ada = stoa.agent("ada")
    step(ahead)
    machine.pass_time(MINUTE)
    assert ms(ada.thread()["createdAt"]) == machine.true_ms + ahead
    assert "clockStepMs" not in stoa.get("/readyz").ok().json


@every_clock
def test_readyz_tells_the_operator_of_the_step(stoa: App, step: Step):
    assert "clockStepMs" not in stoa.get("/readyz").ok().json
    step(TEN_DAYS)
    for _ in stoa.processes:
        assert stoa.get("/readyz").ok().json["clockStepMs"] == TEN_DAYS
    assert "clockStepMs" not in stoa.get("/readyz", client="192.0.2.1").ok().json
    step(-TEN_DAYS)
    assert "clockStepMs" not in stoa.get("/readyz").ok().json


# --- Real servers.


def told(server: Server) -> dict[str, Any]:
    """What `/readyz` tells."""
    return httpx.get(f"{server.url}/readyz", timeout=60).raise_for_status().json()


def is_right(time: str) -> bool:
    """Whether a time of an answer is of the last hour."""
    return -HOUR < ms(time) - SystemClock()() <= MINUTE


@pytest.mark.promise("P5")
@pytest.mark.long
def test_a_server_keeps_its_time_over_a_step_and_so_does_its_next_worker(
    start_server: Callable[..., Server], tmp_path: Path
):
    server = start_server(program="settable_clock")
    (tmp_path / "clock").write_text(str(10 * 86_400))
    until(lambda: "clock stepped" in server.log)
    (ended,) = workers(server)
    assert abs(told(server)["clockStepMs"] - TEN_DAYS) < HOUR
    os.kill(ended, signal.SIGKILL)
    until(lambda: bool(workers(server) - {ended}))
    with Remote(server.url) as remote:
        assert is_right(remote.sign_in(Key("ada"))["agent"]["createdAt"])
        written = remote.post("threads", {"title": "t", "body": "b"}).json()["thread"]
        assert is_right(written["createdAt"])
    assert abs(told(server)["clockStepMs"] - TEN_DAYS) < HOUR
    (tmp_path / "clock").write_text("0")
    until(lambda: "clock stepped back" in server.log)
    assert "clockStepMs" not in told(server)
    assert server.log.count('"clock stepped"') == server.log.count('"clock stepped back"') == 1


@pytest.mark.soak
def test_a_server_follows_the_clock_it_finds_when_it_starts(
    start_server: Callable[..., Server], tmp_path: Path
):
    (tmp_path / "clock").write_text(str(10 * 86_400))
    server = start_server(program="settable_clock")
    assert "clockStepMs" not in told(server)
    with Remote(server.url) as remote:
        assert not is_right(remote.sign_in(Key("ada"))["agent"]["createdAt"])


_SETTABLE = (
    "CREATE SCHEMA machine",
    "CREATE TABLE machine.ahead AS SELECT interval '0' AS by",
    """CREATE FUNCTION machine.clock_timestamp() RETURNS timestamptz LANGUAGE sql
       AS 'SELECT pg_catalog.clock_timestamp() + by FROM machine.ahead'""",
)
"""Gives a database a clock that a test sets, for programs that look here first."""


def let_clock_be_set(postgresql: PostgreSQL, url: str) -> None:
    """Give a database a clock that a test sets; connections that are opened from now on see it."""
    for statement in _SETTABLE:
        postgresql.do(statement, url)
    name = urlsplit(url).path.removeprefix("/")
    postgresql.do(f"ALTER DATABASE {name} SET search_path = public, machine, pg_catalog")


def set_clock(postgresql: PostgreSQL, url: str, days: int) -> None:
    """Set the clock of such a database to so many days ahead."""
    postgresql.do(f"UPDATE machine.ahead SET by = interval '{days} days'", url)


@pytest.mark.soak
@pytest.mark.long
def test_workers_keep_their_time_when_the_database_steps_and_so_does_the_next_one(
    start_server: Callable[..., Server], postgresql: PostgreSQL, valkey: Valkey
):
    url = postgresql.new()
    let_clock_be_set(postgresql, url)
    server = start_server(workers=2, database_url=url, valkey_url=valkey.url)
    before = workers(server)
    set_clock(postgresql, url, days=10)
    until(lambda: server.log.count('"clock stepped"') == 2)
    os.kill(min(before), signal.SIGKILL)
    with one_client_each(server, 2) as clients:
        assert min(before) not in clients
        until(lambda: server.log.count('"clock stepped"') == 3)
        for number, client in enumerate(clients.values()):
            assert client.get("/readyz").json()["clockStepMs"] > TEN_DAYS - HOUR
            with Remote(server.url, client) as remote:
                assert is_right(remote.sign_in(Key(f"agent {number}"))["agent"]["createdAt"])
