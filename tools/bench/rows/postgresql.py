"""Paid work on PostgreSQL: a Stoa over HTTP beside the same statements from `pgbench`."""

import asyncio
import os
import statistics
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from stoa.clock import SystemClock
from stoa.domain.digests import digest_of
from stoa.settings import Settings
from stoa.store.engines.postgres.store import PostgresStore
from tests.support.limits_off import LIMITS_OFF
from tools.bench import pgbench, servers
from tools.bench.crowd import waking_ms, write
from tools.bench.http_requests import HOST
from tools.bench.paid_seed import PaidWorld, fill
from tools.bench.registry import Result, at_least, at_most, row
from tools.bench.rows.paid import Jobs
from tools.bench.scale import cluster
from tools.bench.scale.cluster import Cluster
from tools.bench.servers import Server
from tools.bench.stage import TRUSTED, BenchFailed, Stage

CYCLE_TARGET = 0.75
WORKERS_TARGET = 1.6
ENOUGH_CORES = 8
_CONNECTIONS = Settings().database_connections
ACROSS_MS = 500.0
_JOBS_A_ROUND = 300
_WAITING = 16
_CLAIMS = 10
_CORES = os.cpu_count() or 1
_STEPS = (("claim", 1), ("submit", 1), ("accept", 0))


@dataclass(frozen=True)
class _Paid:
    """A database with agents and open jobs."""

    cluster: Cluster
    folder: Path
    url: str
    jobs: Jobs
    world: PaidWorld


@contextmanager
def _paid(stage: Stage, name: str, rounds: int) -> Generator[_Paid]:
    """A server of its own in the folder `name`, with jobs for so many rounds."""
    folder = stage.folder / name
    folder.mkdir()
    for parent in (folder, stage.folder):
        parent.chmod(0o755)  # the server of the wheel runs as another user
    with cluster.running(folder, pgbench.LOG) as running:
        url = asyncio.run(running.create("stoa"))
        world = asyncio.run(_fill(url, rounds * _JOBS_A_ROUND))
        asyncio.run(_do(url, "ANALYZE"))
        yield _Paid(running, folder, url, Jobs(world, _JOBS_A_ROUND), world)


async def _fill(url: str, jobs: int) -> PaidWorld:
    store = PostgresStore(url, SystemClock(), connections=1, timeout_s=60)
    try:
        return await fill(store, jobs)
    finally:
        await store.close()


async def _do(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statements)
    finally:
        await connection.close()


@contextmanager
def _serving(paid: _Paid, **settings: object) -> Generator[Server]:
    common = {"trusted_proxies": TRUSTED, "allowed_hosts": HOST, **LIMITS_OFF}
    with servers.stoa(paid.folder, database_url=paid.url, **common, **settings) as server:
        yield server


@row
def paid_work_on_postgresql(stage: Stage) -> Iterator[Result]:
    """Durable job cycles a second over HTTP, beside what `pgbench` makes of their statements."""
    with _paid(stage, "pgbench", stage.rounds) as paid:
        script = _recorded(paid)
        with _serving(paid) as server:
            pairs = _in_turn(
                stage.rounds,
                lambda: script.cycles_a_second(_CONNECTIONS, 3 * stage.seconds),
                lambda: paid.jobs.cycles_a_second(stage, server),
            )
    more = f"of pgbench, {_CONNECTIONS} connections each, {_CORES} cores"
    yield _result("job cycle on PostgreSQL to pgbench", pairs, CYCLE_TARGET, more)


@row
def workers_on_postgresql(stage: Stage) -> Iterator[Result]:
    """Job cycles of two processes to those of one. What that is depends on the cores, which the
    database, the load and everything else share, so it is judged only where there are enough."""
    with (
        _paid(stage, "workers", 2 * stage.rounds) as paid,
        servers.valkey() as url,
        _serving(paid, valkey_url=url) as one,
        _serving(paid, valkey_url=url, workers=2) as two,
    ):
        pairs = _in_turn(
            stage.rounds,
            lambda: paid.jobs.cycles_a_second(stage, one),
            lambda: paid.jobs.cycles_a_second(stage, two),
        )
    more = f"of one process, judged from {ENOUGH_CORES} cores on, here {_CORES}"
    result = _result("2 workers to 1", pairs, WORKERS_TARGET, more)
    yield result if _CORES >= ENOUGH_CORES else replace(result, passed=None)


@row
def waking_across_processes(stage: Stage) -> Iterator[Result]:
    """Calls that wait at two processes are told by LISTEN and NOTIFY of what one of them writes."""
    with (
        _paid(stage, "waking", 1) as paid,
        servers.valkey() as url,
        _serving(paid, valkey_url=url, workers=2) as server,
    ):
        waking = asyncio.run(_wakings(server, paid.world))
    detail = f"{_WAITING} calls, {_CLAIMS} writes, median {statistics.median(waking):.0f}"
    yield at_most("waking across processes, slowest", max(waking), ACROSS_MS, "ms", detail)


async def _wakings(server: Server, world: PaidWorld) -> list[float]:
    """How long claims of jobs take to reach their creator, who waits with many calls, ms."""
    *creators, worker = world.tokens
    times: list[float] = []
    for creator, job in zip(creators[:_CLAIMS], world.jobs, strict=False):  # each offered one
        claim = partial(write, server, f"/api/v1/jobs/{job}/claim", worker, {})
        times += await waking_ms(server, creator, _WAITING, claim)
    return times


def _in_turn(
    rounds: int, yardstick: Callable[[], float], ours: Callable[[], float]
) -> list[tuple[float, float]]:
    """What both reach, round by round, so that what else the machine does falls on both."""
    return [(yardstick(), ours()) for _ in range(rounds)]


def _result(name: str, pairs: list[tuple[float, float]], target: float, more: str) -> Result:
    ratios = [ours / theirs for theirs, ours in pairs]
    theirs, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    detail = (
        f"{min(ratios):.2f}-{max(ratios):.2f}, {ours:,.0f} durable cycles a second "
        f"beside {theirs:,.0f} {more}"
    )
    return at_least(name, statistics.median(ratios), target, detail)


def _recorded(paid: _Paid) -> pgbench.Script:
    """What one cycle sends, to be repeated on a copy of the database as it is then."""
    asyncio.run(paid.cluster.do("ALTER DATABASE stoa SET log_statement = 'all'"))
    with _serving(paid) as server:
        job = _cycle(server, paid.world.tokens)
    asyncio.run(paid.cluster.do("ALTER DATABASE stoa RESET log_statement"))
    signed = [digest_of(token) for token in paid.world.tokens[:2]]
    creator, worker = job["creatorAgentId"], job["claimedByAgentId"]
    values = pgbench.Values((creator, signed[0]), (worker, signed[1]), len(paid.world.tokens))
    script = values.script(pgbench.about(pgbench.logged(paid.folder), job["id"]))
    asyncio.run(paid.cluster.do("CREATE DATABASE pgbench TEMPLATE stoa"))
    asyncio.run(_do(paid.cluster.url("pgbench"), pgbench.AGENTS))
    return pgbench.Script(paid.cluster, "pgbench", script)


def _cycle(server: Server, signed: list[str]) -> Any:
    """One job from its offer to its payment; the job."""
    offer = {"title": "Measure it", "description": "Say how fast.", "rewardCredits": 1}
    job = _post(server, "/api/v1/jobs", signed[0], offer)
    for step, who in _STEPS:
        body = {"body": "As fast as it gets."} if step == "submit" else {}
        job = _post(server, f"/api/v1/jobs/{job['id']}/{step}", signed[who], body)
    return job


def _post(server: Server, path: str, token: str, body: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Host": HOST}
    answer = server.ask("POST", path, msgspec.json.encode(body), headers)
    said = msgspec.json.decode(answer.read())
    if "job" not in said:
        raise BenchFailed(f"{path}: {said}")
    return said["job"]
