"""What the rows share: a seeded database, the Stoa that serves it, runs of the load generator."""

import asyncio
import random
import statistics
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address
from pathlib import Path

import msgspec

from tools.bench import servers
from tools.bench.http_requests import HOST
from tools.bench.load import Job, Tally
from tools.bench.seed import Size, World, seed
from tools.bench.servers import Server

TRUSTED = "127.0.0.1"
_ADDRESSES = 50_000
_UNCACHED_THREADS = 1_000
_REPLIES = 10_000  # of one agent in an hour


class BenchFailed(Exception):
    """A measurement went wrong; the message says how."""


def tally_of(job: Job) -> Tally:
    """The tally of a load generator, a process of its own. Raises `BenchFailed` when an answer was
    not what it should be."""
    command = [sys.executable, "-m", "tools.bench.load"]
    done = subprocess.run(
        command, input=msgspec.msgpack.encode(job), stdout=subprocess.PIPE, check=True
    )
    tally = msgspec.msgpack.decode(done.stdout, type=Tally)
    if tally.wrong or not tally.answers:
        raise BenchFailed(f"{tally.wrong} wrong answers, such as {tally.sample.decode()}")
    return tally


@dataclass(frozen=True)
class Side:
    """A server and the requests to send to it."""

    server: Server
    requests: list[bytes]
    statuses: tuple[int, ...] = (200,)


@dataclass(frozen=True)
class Comparison:
    """Ratios of answers a second, ours to the yardstick's, one for each pair of rounds."""

    ratios: list[float]
    ours: Tally
    theirs: Tally

    @property
    def ratio(self) -> float:
        """The median."""
        return statistics.median(self.ratios)

    @property
    def detail(self) -> str:
        """The spread, and the figures behind the last pair."""
        return (
            f"{min(self.ratios):.2f}-{max(self.ratios):.2f}, {self.ours.per_second:,.0f} of "
            f"{self.theirs.per_second:,.0f} a second, generator busy {self.theirs.busy:.0%}"
        )


class Stage:
    """Makes what a row asks for, once; use as a context manager, since servers end with it."""

    def __init__(self, folder: Path, rounds: int, seconds: float, size: Size) -> None:
        self.folder = folder
        self.rounds = rounds
        self.seconds = seconds
        self._size = size
        self._open = ExitStack()

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def data(self) -> Path:
        """The data folder of the seeded database."""
        return self.folder / "data"

    @cached_property
    def world(self) -> World:
        """What the seeded database holds."""
        return asyncio.run(seed(self.data / "stoa.db", self._size))

    @cached_property
    def stoa(self) -> Server:
        """A Stoa over the seeded database, behind a trusted proxy and with default limits, but for
        that of replies: a fast machine reaches it within the rows."""
        assert self.world
        given = {"trusted_proxies": TRUSTED, "allowed_hosts": HOST, "limit_replies": _REPLIES}
        return self._open.enter_context(servers.stoa(self.data, **given))

    @cached_property
    def uncached(self) -> tuple[Server, World]:
        """A Stoa that caches no answers, over a smaller database of its own."""
        folder = self.folder / "uncached"
        world = asyncio.run(seed(folder / "stoa.db", Size(_UNCACHED_THREADS, quiet=0)))
        server = servers.stoa(folder, trusted_proxies=TRUSTED, allowed_hosts=HOST, cache_mb=0)
        opened = self._open.enter_context(server)
        servers.wait_for_index(opened)
        return opened, world

    @cached_property
    def addresses(self) -> list[str]:
        """Client addresses, so many that each one stays below its limits."""
        source = random.Random(2)
        first, last = int(IPv4Address("1.0.0.0")), int(IPv4Address("223.255.255.255"))
        return [str(IPv4Address(source.randint(first, last))) for _ in range(_ADDRESSES)]

    def run(
        self,
        side: Side,
        connections: int,
        first: int = 0,
        *,
        rate: float = 0.0,
        once: bool = False,
        seconds: float = 0.0,
    ) -> Tally:
        """One round of load. Raises `BenchFailed` when an answer was not what it should be."""
        job = Job(
            side.server.port,
            side.requests,
            connections,
            seconds or self.seconds,
            side.statuses,
            first,
            rate=rate,
            once=once,
        )
        return tally_of(job)

    def compare(self, ours: Side, theirs: Side, connections: int) -> Comparison:
        """Rounds of both in turn, so that what else the machine does falls on both."""
        ratios: list[float] = []
        place = 0
        while True:
            yardstick = self.run(theirs, connections)
            tally = self.run(ours, connections, place)
            place += tally.sent  # what is good once is never sent again
            ratios.append(tally.per_second / yardstick.per_second)
            if len(ratios) == self.rounds:
                return Comparison(ratios, tally, yardstick)
