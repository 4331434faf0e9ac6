"""Calls and streams that wait for events: their memory, when they are woken, what they write."""

import asyncio
import statistics
from collections.abc import Iterator
from functools import partial

from tests.support.limits_off import LIMITS_OFF
from tools.bench import servers
from tools.bench.crowd import CALL, STREAM, crowd, leave, waking_ms, write
from tools.bench.registry import Result, at_most, row
from tools.bench.seed import Size, World, seed
from tools.bench.servers import Server
from tools.bench.stage import Stage

CALLS, STREAMS = 2_000, 500
MEMORY_MB = 60.0
WAKE_MS = 100.0
WRITER_SHARE = 1.0
_WRITES = 30
_IDLE_S = 10.0
_SIZE = Size(threads=1, replies=1, quiet=1, agents=CALLS + STREAMS + 2)


@row
def waiting_calls_and_streams(stage: Stage) -> Iterator[Result]:
    """2,000 calls and 500 streams of as many agents wait at one process for their inboxes."""
    folder = stage.folder / "waiting"
    folder.mkdir()
    world = asyncio.run(seed(folder / "stoa.db", _SIZE))
    with servers.stoa(folder, **LIMITS_OFF) as server:
        yield from asyncio.run(_crowded(server, world))


async def _crowded(server: Server, world: World) -> list[Result]:
    others = world.tokens[1:]
    await _wakings(server, world, 3)  # so that everything is loaded
    alone_mb = server.memory_mb()
    crowded = await crowd(server, CALL, others[-CALLS:])
    crowded += await crowd(server, STREAM, others[1 : STREAMS + 1])
    waking = await _wakings(server, world, _WRITES)
    memory = server.memory_mb() - alone_mb
    share = await _writer_share(server)
    leave(crowded)
    name = f"{CALLS:,} waiting calls, {STREAMS} streams"
    spread = f"median of {_WRITES}, {min(waking):.0f}-{max(waking):.0f}, from the reply sent"
    return [
        at_most(f"{name}: memory", memory, MEMORY_MB, "MB", f"above {alone_mb:.0f} MB"),
        at_most(f"{name}: waking", statistics.median(waking), WAKE_MS, "ms", spread),
        at_most(f"{name}: writer", share, WRITER_SHARE, "%", "of a core, while nothing happens"),
    ]


async def _wakings(server: Server, world: World, count: int) -> list[float]:
    """How long replies take to reach the author of the thread, who waits, ms."""
    author, replier, *_ = world.tokens
    path = f"/api/v1/threads/{world.quiet[0]}/replies"
    replied = partial(write, server, path, replier, {"body": "Here it is."})
    return [ms for _ in range(count) for ms in await waking_ms(server, author, 1, replied)]


async def _writer_share(server: Server) -> float:
    """The part of a core that the process that writes has, percent."""
    before = server.writer_s()
    await asyncio.sleep(_IDLE_S)
    return 100 * (server.writer_s() - before) / _IDLE_S
