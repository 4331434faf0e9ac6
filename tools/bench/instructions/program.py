"""`python -m tools.bench.instructions.program FOLDER [SET ...]`: sends all sets or those with these
names to a service in this process.

Under valgrind each call of `mark` ends a count and begins the next, here and in the process that
writes. For each set there is one call before it is counted and one behind. A line for each set says
its name and its number of requests.
"""

import asyncio
import gc
import os
import sys
from pathlib import Path

import msgspec

from stoa.app import Service
from stoa.server.server import loop_factory
from stoa.settings import Settings
from stoa.store.tx import Tx
from tests.support.clock import VirtualClock
from tools.bench.http_requests import HOST
from tools.bench.instructions.sets import sets
from tools.bench.instructions.wire import Clients
from tools.bench.seed import World
from tools.bench.stage import TRUSTED

WORLD = "world.json"


async def _mark(_: Tx) -> None:
    os.getppid()  # the system call by which valgrind knows it


def _settings(folder: Path) -> Settings:
    """The defaults, but for limits that so few agents would reach, for memory: in more of it so few
    answers would have room without any being evicted, and for time, of which each read takes some
    fifty times as much here."""
    return Settings(
        data_dir=str(folder),
        trusted_proxies=[TRUSTED],
        allowed_hosts=[HOST],
        cache_mb=16,
        database_timeout_seconds=600,
        limit_threads=0,
        limit_accepts=0,
        limit_new_agent_holds=0,
    )


async def _run(folder: Path, *names: str) -> None:
    """Send each set twice, and count the second time."""
    world = msgspec.json.decode((folder / WORLD).read_bytes(), type=World)
    stoa = await Service.open(_settings(folder), VirtualClock(), apart=True)
    try:
        for name, number, send in await sets(Clients(stoa), world):
            if names and name not in names:
                continue
            await send(number)
            await _mark_both(stoa)
            await send(number)
            await _mark_both(stoa)
            print(f"{number} {name}", flush=True)
    finally:
        await stoa.close()


async def _mark_both(stoa: Service) -> None:
    await stoa.store.write(_mark)
    os.getppid()


def main() -> None:
    """Run on the event loop of the server, without collections of garbage: these come at times of
    their own."""
    gc.disable()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_run(Path(sys.argv[1]), *sys.argv[2:]))


if __name__ == "__main__":
    main()
