"""Paid work with a hundred thousand jobs in the file: the full cycle, balance and market reads."""

import asyncio
import statistics
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import cycle

from tests.support.limits_off import LIMITS_OFF
from tools.bench import servers
from tools.bench.bare import Answer, Spec
from tools.bench.http_requests import HOST, get, post, signed
from tools.bench.machine import own_p99
from tools.bench.paid_seed import PaidWorld, seed_paid
from tools.bench.registry import Result, at_least, at_most, row
from tools.bench.rows.reads import yardstick
from tools.bench.servers import Server
from tools.bench.stage import TRUSTED, Side, Stage

CYCLE_TARGET = 0.20
READ_P99_MS = 5.0
READS_A_SECOND = 200
_CONNECTIONS = 32
_JOBS_A_ROUND = 1_000
_P99_S = 8.0  # 1,600 reads; a connection that is not needed in ten seconds is closed
_STEPS = {"claim": 200, "submit": 201, "accept": 200}


@contextmanager
def _paid(stage: Stage) -> Generator[tuple[Server, PaidWorld]]:
    folder = stage.folder / "paid"
    world = asyncio.run(seed_paid(folder / "stoa.db"))
    with servers.stoa(folder, trusted_proxies=TRUSTED, allowed_hosts=HOST, **LIMITS_OFF) as server:
        yield server, world


@row
def paid_work(stage: Stage) -> Iterator[Result]:
    """Durable job cycles a second, and what reading costs beside so many jobs."""
    with _paid(stage) as (server, world):
        yield _cycles(stage, server, world)
        token = world.tokens[0]
        for name, path in (("balance", "/api/v1/credits/balance"), ("market", "/api/v1/market")):
            request = signed(get(path, stage.addresses[0]), token)
            side = Side(server, [request])
            stage.run(side, _CONNECTIONS, rate=READS_A_SECOND)
            tally = stage.run(side, _CONNECTIONS, rate=READS_A_SECOND, seconds=_P99_S)
            own = own_p99(tally.p50, READS_A_SECOND, _P99_S)
            detail = (
                f"{tally.answers:,} reads at {READS_A_SECOND} a second, median {tally.p50:.1f} ms; "
                f"p99 of arithmetic with that median, alone: {own:.1f} ms"
            )
            yield at_most(f"{name} read p99, 100,000 jobs", tally.p99, READ_P99_MS, "ms", detail)


def _cycles(stage: Stage, server: Server, world: PaidWorld) -> Result:
    """Rounds of the cycle and of four bare POSTs in turn."""
    jobs = Jobs(world)
    with servers.bare(_posts(server, world)) as bare:
        requests = _bare_requests(world)
        ratios: list[float] = []
        cycles = posts = 0.0
        for _ in range(stage.rounds):
            cycles = jobs.cycles_a_second(stage, server)
            posts = stage.run(Side(bare, requests), _CONNECTIONS).per_second
            ratios.append(4 * cycles / posts)
    detail = (
        f"{min(ratios):.2f}-{max(ratios):.2f}, {cycles:,.0f} durable cycles a second "
        f"beside {posts:,.0f} bare POSTs"
    )
    name = "job cycle to four bare POSTs"
    return at_least(name, statistics.median(ratios), CYCLE_TARGET, detail)


class Jobs:
    """The open jobs, used up round by round."""

    def __init__(self, world: PaidWorld, a_round: int = _JOBS_A_ROUND) -> None:
        self._world = world
        self._first = 0
        self._a_round = a_round

    def cycles_a_second(self, stage: Stage, server: Server) -> float:
        """All steps for so many jobs, step by step; a cycle takes as long as one of each."""
        places = range(self._first, self._first + self._a_round)
        self._first += self._a_round
        offers = [_creation(self._world, place) for place in places]
        seconds = _seconds(stage, Side(server, offers, (201,)))
        for step, status in _STEPS.items():
            requests = [_step(self._world, step, place) for place in places]
            seconds += _seconds(stage, Side(server, requests, (status,)))
        return self._a_round / seconds


def _seconds(stage: Stage, side: Side) -> float:
    return stage.run(side, _CONNECTIONS, once=True).seconds


def _creation(world: PaidWorld, place: int) -> bytes:
    body = {"title": "Measure it", "description": "Say how fast.", "rewardCredits": 1}
    return post("/api/v1/jobs", "8.8.8.8", world.tokens[place % len(world.tokens)], body)


def _step(world: PaidWorld, step: str, place: int) -> bytes:
    """The request of the job's creator or, to claim and submit, of its worker."""
    count = len(world.tokens)
    who = place % count if step == "accept" else (place + 1) % count
    body = {"body": "As fast as it gets."} if step == "submit" else {}
    return post(f"/api/v1/jobs/{world.jobs[place]}/{step}", "8.8.8.8", world.tokens[who], body)


def _posts(server: Server, world: PaidWorld) -> Spec:
    """An application that keeps nothing, with an answer like a job's."""
    spec = yardstick(server, f"/api/v1/jobs/{world.jobs[-1]}")
    headers = [pair for pair in spec.get.headers if pair[0] != b"content-length"]
    spec.post = Answer(spec.get.status, headers, spec.get.body)
    spec.tokens = world.tokens
    return spec


def _bare_requests(world: PaidWorld) -> list[bytes]:
    return [
        post("/", "8.8.8.8", token, {"body": "As fast as it gets."})
        for token, _ in zip(cycle(world.tokens), range(1000), strict=False)
    ]
