"""Faults and hostile texts, mixed and under load, until the time is over.

`SOAK_SECONDS` is how long both engines take together, an hour if it is not set; `SOAK_SEED` repeats
the order of the faults of an earlier run, which prints its seed.

What is held to: everything acknowledged is there once. Writes are answered 201 or 503, pages and
lists 200 or 503, and no connection is refused. `/healthz` is answered within a second on each new
connection, whatever happens to the writer, the disk, the database and the clock, and when SIGHUP
replaces workers. Two kinds of calls may fail or take longer: those that a worker had taken when it
was killed or stopped, and, where there is one worker, those that come before the next one serves.
"""

import asyncio
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from math import inf
from typing import NamedTuple

import httpx
import pytest

from tests.faults.journal import Journal, problems
from tests.faults.soaking import PATHS, SoakLoad, Watch, kept_by
from tests.faults.test_clock_steps import let_clock_be_set, set_clock
from tests.faults.test_writer import fill_and_free, send_to_another_writer, writer_of
from tests.support.command import run_stoa
from tests.support.database import query
from tests.support.postgresql import PostgreSQL
from tests.support.processes import can_limit_files, has_ended, until, workers
from tests.support.server import Server
from tests.support.valkey import Valkey

SECONDS = float(os.environ.get("SOAK_SECONDS") or 3600) / 2
SEED = int(os.environ.get("SOAK_SEED") or random.SystemRandom().randrange(2**32))
BETWEEN = 30
"""Acknowledged writes between two faults."""
PAUSE_S = 4.0
"""The longest pause between two faults."""
STALL_S = 1.0
MOMENT_S = 0.1
"""In which a signal surely reaches a process."""
DAYS = 10

START = {"signup_grant": 1_000_000, "token_ttl_seconds": 7 * 86_400, "program": "settable_clock"}


def tell(line: str) -> None:
    """Show how far a run is, to those who let pytest show it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Fault(NamedTuple):
    """`cause` returns when the server has recovered, at most `within_s` after the fault ended."""

    cause: Callable[[], float]
    within_s: float = inf


class Harm:
    """Faults that a server with `count` workers gets over without help."""

    def __init__(self, server: Server, watch: Watch, count: int) -> None:
        self.server = server
        self.watch = watch
        self.count = count
        self.days = 0
        self.writer = 0

    def worker(self, how: signal.Signals) -> float:
        """Kill or stop a worker that serves."""
        victim = self._answering()
        begun = time.monotonic()
        os.kill(victim, how)
        sent = time.monotonic()
        until(partial(has_ended, victim))
        self._until_all_serve()
        recovered = time.monotonic()
        self.watch.excuse(begun, recovered if self.count == 1 else sent + MOMENT_S)
        return recovered - begun

    def hang_up(self) -> float:
        """Let SIGHUP replace the workers, if there are several."""
        before = workers(self.server)
        begun = time.monotonic()
        self.server.process.send_signal(signal.SIGHUP)
        if self.count > 1:
            for worker in before:
                until(partial(has_ended, worker))
            self._until_all_serve()
        return time.monotonic() - begun

    def write_process(self, how: signal.Signals) -> float:
        """Kill or stop the process that writes."""
        begun = time.monotonic()
        self.writer = send_to_another_writer(self.server, how, self.writer)
        until(lambda: writer_of(self.server) != self.writer)
        return time.monotonic() - begun

    def full_disk(self) -> float:
        """Let the disk be full for a while."""
        fill_and_free(self.server)
        begun = time.monotonic()
        writer_of(self.server)
        return time.monotonic() - begun

    def database(self, cluster: PostgreSQL) -> float:
        """Crash the database and start it again."""
        cluster.crash()
        until(lambda: self._ready().status_code == 503)
        cluster.start()
        begun = time.monotonic()
        self._until_all_serve()
        return time.monotonic() - begun

    def clock(self, set_to: Callable[[int], object]) -> float:
        """Set the clock ahead, or right again."""
        self.days = 0 if self.days else DAYS
        begun = time.monotonic()
        set_to(self.days)
        until(lambda: ("clockStepMs" in self._ready().json()) == bool(self.days))
        return time.monotonic() - begun

    def _ready(self) -> httpx.Response:
        return httpx.get(f"{self.server.url}/readyz", timeout=60)

    def _answering(self) -> int:
        """The worker that takes a new connection; 0 when it is not ready, or ends meanwhile."""
        with suppress(httpx.TransportError):
            answer = self._ready()
            if answer.is_success:
                return answer.json().get("process") or min(workers(self.server))
        return 0

    def _until_all_serve(self) -> None:
        answered: set[int] = set()

        def all_have_answered() -> bool:
            answered.add(self._answering())
            return len(answered & workers(self.server)) >= self.count

        until(all_have_answered)


Faults = dict[str, Fault]


def faults_of_workers(harm: Harm) -> Faults:
    return {
        "worker killed": Fault(partial(harm.worker, signal.SIGKILL)),
        "worker stopped": Fault(partial(harm.worker, signal.SIGSTOP)),
        "hung up": Fault(harm.hang_up),
    }


def faults_of_sqlite(harm: Harm) -> Faults:
    clock = harm.server.data_dir.parent / "clock"
    return faults_of_workers(harm) | {
        "writer killed": Fault(partial(harm.write_process, signal.SIGKILL), within_s=2),
        "writer stopped": Fault(partial(harm.write_process, signal.SIGSTOP), within_s=2),
        "disk full": Fault(harm.full_disk, within_s=10),
        "clock set": Fault(partial(harm.clock, lambda days: clock.write_text(f"{86_400 * days}"))),
    }


def faults_of_postgresql(harm: Harm, cluster: PostgreSQL) -> Faults:
    url = harm.server.database.database_url
    return faults_of_workers(harm) | {
        "database crashed": Fault(partial(harm.database, cluster)),
        "clock set": Fault(partial(harm.clock, partial(set_clock, cluster, url))),
    }


async def mix(load: SoakLoad, faults: Faults, seconds: float, late: list[str]) -> None:
    """Cause all faults, each time in another order, until the time is over; `late` gets those after
    which it took too long."""
    end = time.monotonic() + seconds
    while True:
        for name in load.random.sample(sorted(faults), len(faults)):
            took = await asyncio.to_thread(faults[name].cause)
            tell(f"{name}: {took:.3f} s, {load.journal.acknowledged} writes acknowledged")
            if took > faults[name].within_s:
                late.append(f"{name}: {took:.3f} s")
            await load.more(BETWEEN)
            await asyncio.sleep(load.random.uniform(0, PAUSE_S) if seconds else 0)
        if time.monotonic() > end:
            return


def soak(server: Server, count: int, choose: Callable[[Harm], Faults], seconds: float) -> None:
    """Cause faults for so long, or each once in no time. How long a thing takes counts only in a
    long run."""
    tell(f"SOAK_SEED={SEED}")
    load = SoakLoad(Journal(server.data_dir.with_name("journal")), random.Random(SEED))
    asyncio.run(load.sign_in(server.url))
    late: list[str] = []
    with Watch(server, STALL_S if seconds else inf) as watch:
        faults = choose(Harm(server, watch, count))
        asyncio.run(load.beside(server.url, mix(load, faults, seconds, late)))
    tell(watch.summary())
    assert late == [] or not seconds
    assert watch.problems() == []
    assert load.statuses == {201, 503}
    assert {status for _, status in load.shown} <= {200, 503}
    assert load.shown >= {(path, 200) for path in PATHS}
    check_everything(server, load.journal)


def check_everything(server: Server, journal: Journal) -> None:
    """Nothing is lost, doubled or given back too early, and the server ends as it should."""
    assert server.stop() == 0
    for unwanted in ("given up", '"defect"', '"level": "critical"', "Traceback"):
        assert unwanted not in server.log
    assert problems(journal.entries(), kept_by(server)) == []
    assert query(server.database, "SELECT id FROM hold WHERE status = 'REFUNDED'") == []
    place = {"STOA_DATABASE_URL": server.database.database_url}
    audit = run_stoa("audit", STOA_DATA_DIR=str(server.data_dir), **place)
    assert audit.code == 0, audit.out


@pytest.fixture
def cluster() -> Iterator[PostgreSQL]:
    """A PostgreSQL that the test may crash."""
    running = PostgreSQL(durable=True)
    yield running
    running.stop()


def on_sqlite(request: pytest.FixtureRequest, seconds: float) -> None:
    server = request.getfixturevalue("start_server")(**START)
    soak(server, 1, faults_of_sqlite, seconds)


def on_postgresql(request: pytest.FixtureRequest, seconds: float) -> None:
    cluster: PostgreSQL = request.getfixturevalue("cluster")
    valkey: Valkey = request.getfixturevalue("valkey")
    url = cluster.new()
    let_clock_be_set(cluster, url)
    place = {"database_url": url, "valkey_url": valkey.url}
    server = request.getfixturevalue("start_server")(workers=2, **place, **START)
    soak(server, 2, partial(faults_of_postgresql, cluster=cluster), seconds)


on_each_engine = pytest.mark.parametrize("run", [on_sqlite, on_postgresql])


@can_limit_files
@pytest.mark.promise("P6")
@pytest.mark.long
@pytest.mark.parametrize("run", [pytest.param(on_sqlite, marks=pytest.mark.soak), on_postgresql])
def test_after_every_fault_among_hostile_texts_a_server_goes_on_and_has_lost_nothing(
    request: pytest.FixtureRequest, run: Callable[[pytest.FixtureRequest, float], None]
) -> None:
    run(request, 0)


@can_limit_files
@pytest.mark.soak
@pytest.mark.timeout(SECONDS + 600)
@on_each_engine
def test_faults_and_hostile_texts_for_half_an_hour(
    request: pytest.FixtureRequest, run: Callable[[pytest.FixtureRequest, float], None]
) -> None:
    run(request, SECONDS)


@pytest.mark.soak
def test_a_stall_is_noticed_unless_it_is_excused(start_server: Callable[..., Server]) -> None:
    server = start_server()
    (worker,) = workers(server)
    with Watch(server, stall_s=0.5) as watch:
        begun = time.monotonic()
        os.kill(worker, signal.SIGSTOP)
        until(lambda: time.monotonic() > begun + 1)
        os.kill(worker, signal.SIGCONT)
    assert watch.problems() != []
    watch.excuse(begun, time.monotonic())
    assert watch.problems() == []


@pytest.mark.soak
def test_a_connection_that_is_refused_is_noticed(start_server: Callable[..., Server]) -> None:
    server = start_server()
    with Watch(server, inf) as watch:
        server.stop()
        until(lambda: watch.problems() != [])
    assert "ConnectionRefusedError" in watch.problems()[-1]
