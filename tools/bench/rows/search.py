"""Searches of two words against an application that has an answer of that size ready."""

import asyncio
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from urllib.parse import quote

from tools.bench import servers
from tools.bench.http_requests import HOST, get
from tools.bench.registry import Result, at_least, at_most, row
from tools.bench.rows.reads import yardstick
from tools.bench.seed import Size, Texts, seed
from tools.bench.servers import Server
from tools.bench.stage import TRUSTED, Side, Stage

CONNECTIONS = 32
TARGET = 0.20
P95_MS = 10.0
POSTS = (2_000, 10_000, 100_000)
_REPLIES = 20
_QUERIES = 400
_JOBS = 100


@contextmanager
def _searched(stage: Stage, posts: int) -> Generator[Server]:
    """A Stoa over so many threads and replies together, all of which are found."""
    folder = stage.folder / f"{posts} posts"
    size = Size(posts // (_REPLIES + 1), _REPLIES, quiet=0, agents=500, jobs=_JOBS)
    asyncio.run(seed(folder / "stoa.db", size))
    with servers.stoa(folder, trusted_proxies=TRUSTED, allowed_hosts=HOST) as server:
        servers.wait_for_index(server)
        yield server


@row
def search_of_two_words(stage: Stage) -> Iterator[Result]:
    """Different queries in turn, of which no answer is cached, over files of three sizes."""
    texts = Texts(seed=4)
    paths = [f"/api/v1/search?q={quote(texts.words(2))}" for _ in range(_QUERIES)]
    pairs = zip(stage.addresses, paths * (len(stage.addresses) // _QUERIES), strict=False)
    requests = [get(path, address) for address, path in pairs]
    for posts in POSTS:
        with (
            _searched(stage, posts) as server,
            servers.bare(yardstick(server, paths[0])) as bare,
        ):
            ours = Side(server, requests)
            stage.run(Side(server, requests[:_QUERIES]), CONNECTIONS, once=True)
            found = stage.compare(ours, Side(bare, requests), CONNECTIONS)
        name = f"search among {posts:,} posts"
        yield at_least(name, found.ratio, TARGET, found.detail)
        yield at_most(f"{name}, p95", found.ours.p95, P95_MS, "ms")
