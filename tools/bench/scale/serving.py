"""What a server over a large file takes: the time until it is ready, memory after many reads."""

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import quote

from stoa.store.engines.sqlite.file import connect
from tests.support.limits_off import LIMITS_OFF
from tools.bench import servers
from tools.bench.http_requests import HOST, get, with_header
from tools.bench.load import Job, Tally
from tools.bench.registry import Result, at_most
from tools.bench.scale.posts import Vocabulary, world_of
from tools.bench.scale.world import TAGS
from tools.bench.servers import Server
from tools.bench.stage import TRUSTED, tally_of

READY_S = 0.9
MEMORY_MB = 200.0
FIRST_SEARCH_MS = 50.0
SEARCHES_P95_MS = 25.0
GROWN_MB = 60.0
"""By so much the processes may grow for a million texts, once words were looked for."""
READS = 1_000_000
_SEARCHES = 2_000
_A_ROUND = 50_000
_STARTS = 5
_CONNECTIONS = 32
_CLIENTS = 50_000


# Rows that were not made by operations differ from what these would have booked.
_SETTLED = """
DELETE FROM reputation_event;
UPDATE thread SET status = 'open', accepted_reply_id = NULL WHERE status = 'answered';
UPDATE agent SET adjustment = reputation;
DELETE FROM stop
"""


def settle(path: Path) -> None:
    """Let a file of searches pass the audit, or a server that finds differences is not ready."""
    connection = connect(path, writer=True)
    with connection:
        connection.execute(_SETTLED)
    connection.close()


def ready(path: Path) -> Result:
    """The time from a start to the first answer of `/readyz`."""
    times = [_ready_s(path) for _ in range(_STARTS)]
    detail = f"median of {_STARTS}, {min(times):.2f}-{max(times):.2f}"
    return at_most("ready over it", statistics.median(times), READY_S, "s", detail)


def memory(path: Path, posts: int, reads: int) -> Iterator[Result]:
    """The memory of a server with the default settings that answers reads of all sorts."""
    requests = _requests(posts)
    with _serving(path) as server:
        for done in range(0, reads, _A_ROUND):
            sent = [next(requests) for _ in range(min(_A_ROUND, reads - done))]
            tally_of(Job(server.port, sent, _CONNECTIONS, 0, once=True))
        name = f"memory after {reads:,} reads"
        yield at_most(name, server.memory_mb(), MEMORY_MB, "MB", "threads, pages, lists, searches")


def searches(path: Path, posts: int) -> Iterator[Result]:
    """How a server over a file with its index starts, answers its first search and many at once,
    each of other words, and what memory that takes beside a server without texts."""
    vocabulary = Vocabulary(seed=14)
    paths = [f"/api/v1/search?limit=1&q={quote(vocabulary.text(2))}" for _ in range(_SEARCHES)]
    yield ready(path)
    with _serving(path) as server:
        start = time.perf_counter()
        answer = server.get(paths[0]).read()
        first_ms = 1000 * (time.perf_counter() - start)
        detail = "of a part of the texts" if b'"partial":true' in answer else ""
        yield at_most("first search over it", first_ms, FIRST_SEARCH_MS, "ms", detail)
        whole = _memory_mb(server, paths)
        p95 = _tally(server, [path.replace("limit=1&", "") for path in paths]).p95
        yield at_most(f"searches over {_CONNECTIONS} connections, p95", p95, SEARCHES_P95_MS, "ms")
    with tempfile.TemporaryDirectory() as empty, _serving(Path(empty) / "stoa.db") as server:
        grown = whole - _memory_mb(server, paths)
    yield at_most(f"memory for {posts:,} texts", grown, GROWN_MB, "MB", f"{whole:.0f} MB with them")


def _memory_mb(server: Server, paths: list[str]) -> float:
    """The memory of a server that answered these reads."""
    _tally(server, paths)
    return server.memory_mb()


def _tally(server: Server, paths: list[str]) -> Tally:
    """Reads of all these, each of another client."""
    sent = [get(path, f"9.9.{n >> 8}.{n & 255}") for n, path in enumerate(paths)]
    return tally_of(Job(server.port, sent, _CONNECTIONS, 0, once=True))


def _ready_s(path: Path) -> float:
    with _serving(path) as server:
        return server.ready_s


def _serving(path: Path) -> AbstractContextManager[Server]:
    given = {"trusted_proxies": TRUSTED, "allowed_hosts": HOST, **LIMITS_OFF}
    return servers.stoa(path.parent, database_url=f"sqlite:///{path}", **given)


def _requests(posts: int) -> Iterator[bytes]:
    """Reads of random things for ever: most are of threads, one in ten a page, one in twenty a
    search and as many a list."""
    chance, world, vocabulary = random.Random(6), world_of(posts), Vocabulary(seed=13)
    clients = [f"{chance.randrange(1, 224)}.0.{n >> 8}.{n & 255}" for n in range(_CLIENTS)]
    while True:
        client, kind = chance.choice(clients), chance.randrange(20)
        thread = world.thread(chance.randrange(world.threads))
        if kind == 0:
            yield get(f"/api/v1/search?q={quote(vocabulary.text(2))}", client)
        elif kind == 1:
            rows = f"tag={chance.choice(TAGS)}&limit={chance.randrange(1, 101)}"
            yield get(f"/api/v1/threads?{rows}", client)
        elif kind <= 3:
            page = get(f"/forum/threads/{thread}", client)
            yield with_header(page, "Accept: text/html")
        else:
            yield get(f"/api/v1/threads/{thread}", client)
