"""Starts a server over the database of a world, sends it load, and reads what it uses: memory,
processor time, bytes on disk."""

import asyncio
import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import msgspec

from stoa.settings import Settings
from tools.bench import servers
from tools.bench.http_requests import HOST
from tools.bench.machine import processor_s
from tools.bench.scale import cluster
from tools.bench.servers import Server
from tools.bench.stage import TRUSTED, BenchFailed
from tools.bench.world import making
from tools.bench.world.driving import Drive, Driven
from tools.bench.world.making import Size, World

READS_P99_MS, WRITES_P99_MS = 50.0, 150.0
_LOOK_S = 0.5
_PAUSE_S = 5.0
_QUIET_S, _IDLE = 10.0, 0.05
_WORD = "ka"
_CACHE_MB = "336"
"""What the page about speed tells an operator of so many agents to set."""


@dataclass
class Place:
    """Where a world is, and the settings of the server over it."""

    folder: Path
    settings: dict[str, str]
    backends: "tuple[cluster.Cluster, str] | None" = None

    @property
    def command(self) -> list[str]:
        """The options that name the database to the program."""
        named = self.settings.get("database_url")
        return ["--database-url", named] if named else ["--data-dir", str(self.folder)]


@contextmanager
def place(folder: Path, engine: str, agents: int) -> Generator[Place]:
    """The world of so many agents on an engine, made where there is none."""
    folder = folder / f"{engine}-{agents}"
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        if engine == "postgresql":
            folder.chmod(0o755)  # the server of the wheel runs as another user
            running = stack.enter_context(cluster.running(folder))
            url = running.url("world")
            counting = stack.enter_context(servers.valkey())
            given = {"database_url": url, "workers": "2", "valkey_url": counting}
            found = Place(folder, given, (running, "world"))
        else:
            found = Place(folder, {})
        yield found


def made(found: Place, agents: int) -> World:
    """The world of a place, made when it is not there: on SQLite by the operations, on PostgreSQL
    as a copy of that, which takes a fraction of the time."""
    world = making.kept(found.folder)
    if world is None:
        world = _copied(found, agents) if found.backends else _new(found, agents)
        making.keep(found.folder, world)
    return world


def _new(found: Place, agents: int) -> World:
    settings = Settings(data_dir=str(found.folder))
    return asyncio.run(making.make(settings, Size(agents), time.time_ns() // 10**6))


def _copied(found: Place, agents: int) -> World:
    assert found.backends
    running, name = found.backends
    with place(found.folder.parent, "sqlite", agents) as original:
        world = made(original, agents)
        program(original, "copy", "--to", asyncio.run(running.create(name)))
    return world


@dataclass
class Stand:
    """A running server over a world."""

    found: Place
    server: Server
    seeds: Iterator[int] = field(default_factory=lambda: count(int(time.time())))
    """Others in each run: in a world that is kept the agents of earlier ones have paid already."""

    def drive(self, seconds: float, **wanted: object) -> Driven:
        """Some load. Raises `BenchFailed` when an answer was not what it should be."""
        drive = Drive(str(self.found.folder), self.server.port, seconds, seed=next(self.seeds))
        drive = msgspec.structs.replace(drive, **wanted)
        command = [sys.executable, "-m", "tools.bench.world.driving"]
        sent = msgspec.msgpack.encode(drive)
        done = subprocess.run(command, input=sent, stdout=subprocess.PIPE, check=True)
        driven = msgspec.msgpack.decode(done.stdout, type=Driven)
        if driven.wrong:
            raise BenchFailed(f"{driven.wrong} wrong answers, such as {driven.sample!r}")
        return driven

    def settle(self) -> None:
        """Wait until what was left undone is done."""
        time.sleep(_PAUSE_S)

    def processor_s(self) -> float:
        """Seconds of processor time of all processes that serve."""
        own = sum(map(processor_s, servers.tree(self.server.process.pid)))
        return own + self.database_s()

    def database_s(self) -> float:
        """Seconds of processor time of the database's processes, 0 where it has none of its own."""
        running, name = self.found.backends or (None, "")
        return sum(map(processor_s, running.backends(name))) if running else 0.0

    def stored(self) -> int:
        """Bytes on disk."""
        files = (path for path in self.found.folder.rglob("*") if path.is_file())
        return sum(path.stat().st_size for path in files)

    def kill(self) -> None:
        """End all its processes at once, as a fault of the machine would."""
        for process in servers.tree(self.server.process.pid):
            os.kill(process, signal.SIGKILL)

    def search_s(self) -> float:
        """Until a search is answered."""
        start = time.perf_counter()
        self._search()
        return time.perf_counter() - start

    def await_index(self) -> float:
        """Wait until all texts can be found; how long it took, s."""
        start = time.perf_counter()
        while b'"partial":true' in self._search():
            time.sleep(_LOOK_S)
        return time.perf_counter() - start

    def await_quiet(self) -> float:
        """Wait until it has done what was left to it by the making of the world; how long that
        took, s."""
        start = time.perf_counter()
        while True:
            before = self.processor_s()
            time.sleep(_QUIET_S)
            if self.processor_s() - before < _IDLE * _QUIET_S:
                return time.perf_counter() - start

    def _search(self) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        with closing(connection):
            connection.request("GET", f"/api/v1/search?q={_WORD}", headers={"Host": HOST})
            return connection.getresponse().read()


@contextmanager
def serving(found: Place) -> Generator[Stand]:
    """A server with the default limits behind a trusted proxy."""
    usual = {"trusted_proxies": TRUSTED, "allowed_hosts": HOST, "cache_mb": _CACHE_MB}
    given = {**usual, **found.settings}
    with servers.stoa(found.folder, **given) as server:
        yield Stand(found, server)


def faults(driven: Driven) -> list[str]:
    """Why a load was too much, or nothing."""
    shed = sum(kind.shed for kind in driven.kinds.values())
    told = {
        f"{shed} refused": shed,
        f"{driven.waiting} not begun": driven.waiting,
        f"reads p99 {driven.reads_p99:.0f} ms": driven.reads_p99 > READS_P99_MS,
        f"writes p99 {driven.writes_p99:.0f} ms": driven.writes_p99 > WRITES_P99_MS,
    }
    return [text for text, is_so in told.items() if is_so]


def carries(stand: Stand, agents: float, seconds: float) -> tuple[bool, Driven]:
    """Whether so many agents are served in time."""
    driven = stand.drive(seconds, agents=agents)
    return not faults(driven), driven


def program(found: Place, *words: str) -> float:
    """Run a command of the operator; how long it took, s."""
    start, environment = time.perf_counter(), dict(os.environ)
    if found.backends:  # pg_dump must be of the version of the server
        environment["PATH"] = f"{found.backends[0].programs}:{environment['PATH']}"
    command = [sys.executable, "-m", "stoa", *words, *found.command]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    if done.returncode:
        raise BenchFailed(f"stoa {words[0]}: {(done.stdout + done.stderr).decode()[-500:]}")
    return time.perf_counter() - start
