"""Reads, writes and memory beside strangers who ask for the dearest texts that can be posted."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import cycle
from typing import Any

import msgspec

from stoa.rendering.html import render
from tests.support.hostile import build, shapes
from tests.support.limits_off import LIMITS_OFF
from tools.bench import servers
from tools.bench.http_requests import HOST, get, post
from tools.bench.load import Job, Tally
from tools.bench.registry import Result, at_most, row
from tools.bench.rows.reads import thread_path
from tools.bench.seed import Size
from tools.bench.servers import Server
from tools.bench.stage import TRUSTED, BenchFailed, Stage, tally_of

LENGTH = 50_000
RENDER_MS = 50.0
HEALTH_P99_MS = 100.0
READ_P99_MS = 250.0
WRITE_MS = 500.0
MEMORY_MB = 300.0
_SIZE = Size(threads=500)
_STRANGERS_A_SECOND = 20.0
_SECONDS = 2.0
_TRIES = 3
_LONGEST = 6
"""Every shape is rendered here; so many of those that take longest are served."""

_SERVED = ("marks of two classes", "reference used again and again", "zero width", "mcschema")
"""Shapes that are served too, since they are dear elsewhere or were."""


@row
def hostile_texts(stage: Stage) -> Iterator[Result]:
    """How long the dearest texts take to render, and what others see while they are asked for."""
    times = {name: _render_ms(build(shape, LENGTH)) for name, shape in shapes().items()}
    dearest = sorted(times, key=times.__getitem__, reverse=True)
    detail = f"of {len(times)} shapes: {dearest[0]}"
    yield at_most("rendering 50,000 characters", times[dearest[0]], RENDER_MS, "ms", detail)
    names = list(dict.fromkeys((*_SERVED, *dearest[:_LONGEST])))
    own = Stage(stage.folder / "hostile", stage.rounds, stage.seconds, _SIZE)
    first = own.world.threads[0]
    with servers.stoa(
        own.data, trusted_proxies=TRUSTED, allowed_hosts=HOST, **LIMITS_OFF
    ) as server:
        found, alone = _Found(), _Found()
        for path in _paths(first):  # what is made once is made now
            server.get(path, {"Host": HOST}).read()
        _others(own, server, "A short reply.", "no text", alone)
        for name in names:
            _beside(own, server, name, found)
        yield from found.results(alone)
        yield at_most("hostile texts, memory", server.memory_mb(), MEMORY_MB, "MB")


def _render_ms(text: str) -> float:
    def once() -> float:
        started = time.thread_time()
        render(text, 3)
        return 1000 * (time.thread_time() - started)

    return min(once() for _ in range(_TRIES))


@dataclass
class _Found:
    """The worst figures in ms, each with the shape beside which it was measured."""

    worst: dict[str, tuple[float, str]] = field(default_factory=dict[str, tuple[float, str]])

    def note(self, what: str, value: float, shape: str) -> None:
        self.worst[what] = max(self.worst.get(what, (0.0, "")), (value, shape))

    def results(self, alone: "_Found") -> Iterator[Result]:
        for what, target in (
            ("p99 of /healthz", HEALTH_P99_MS),
            ("p99 of other reads", READ_P99_MS),
            ("p99 of writes of others", WRITE_MS),
        ):
            value, shape = self.worst[what]
            detail = f"beside {shape}; {alone.worst[what][0]:,.1f} ms without strangers"
            yield at_most(f"hostile texts, {what}", value, target, "ms", detail)


def _beside(stage: Stage, server: Server, name: str, found: _Found) -> None:
    """Post the text as a thread and its replies, and measure while strangers ask for it."""
    text = "zebrafish " + build(shapes()[name], LENGTH - 10)
    thread_id = _posted(stage, server, text, replies=30)
    paths = cycle(_paths(thread_id))
    strangers = [get(path, address) for path, address in zip(paths, stage.addresses, strict=False)]
    with _repeating(lambda: _run(server, strangers[:5_000], rate=_STRANGERS_A_SECOND)):
        _others(stage, server, text, name, found)


def _others(stage: Stage, server: Server, text: str, name: str, found: _Found) -> None:
    """What others see while the text is asked for, and their writes while it is posted too."""
    health = _run(server, [get("/healthz", TRUSTED)], rate=50.0)
    found.note("p99 of /healthz", health.p99, name)
    others = [get(thread_path(thread), "9.9.9.9") for thread in stage.world.threads]
    found.note("p99 of other reads", _run(server, others, rate=50.0).p99, name)
    found.note("p99 of writes of others", _slowest_write(stage, server, text), name)


def _paths(thread_id: str) -> tuple[str, ...]:
    """The pages, searches and feeds that show a thread and its replies."""
    return (
        f"/forum/threads/{thread_id}",
        f"/api/v1/threads/{thread_id}?include=replies",
        "/api/v1/search?q=zebrafish+a&limit=100",
        "/forum/search?q=zebrafish",
        "/feeds/newest.atom",
        "/opportunities",
    )


def _posted(stage: Stage, server: Server, text: str, replies: int) -> str:
    tokens = stage.world.tokens
    body = msgspec.json.encode({"title": "Hostile zebrafish", "body": text})
    thread = _ask(server, "/api/v1/threads", body, tokens[0])["thread"]["id"]
    body = msgspec.json.encode({"body": text})
    for token in tokens[1 : replies + 1]:
        _ask(server, f"/api/v1/threads/{thread}/replies", body, token)
    return thread


def _ask(server: Server, path: str, body: bytes, token: str) -> dict[str, Any]:
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Host": HOST,
    }
    answer = server.ask("POST", path, body, headers)
    content = answer.read()
    if answer.status != HTTPStatus.CREATED:
        raise BenchFailed(f"{path} is {answer.status}: {content[:500]!r}")
    return msgspec.json.decode(content, type=dict[str, Any])


def _slowest_write(stage: Stage, server: Server, text: str) -> float:
    """Replies of others, while one more agent posts the text itself again and again."""
    quiet, tokens = stage.world.quiet, stage.world.tokens
    body = {"body": "A short reply."}
    writes = [
        post(f"/api/v1/threads/{thread}/replies", "9.9.9.9", token, body)
        for thread, token in zip(quiet, tokens[40:], strict=False)
    ]
    hostile = post(f"/api/v1/threads/{quiet[0]}/replies", "8.8.8.8", tokens[0], {"body": text})
    with _repeating(lambda: _run(server, [hostile], status=201, rate=4.0)):
        return _run(server, writes, status=201, rate=20.0).p99


def _run(server: Server, requests: list[bytes], *, rate: float, status: int = 200) -> Tally:
    return tally_of(Job(server.port, requests, 16, _SECONDS, (status,), rate=rate))


@contextmanager
def _repeating(work: Callable[[], object]) -> Generator[None]:
    """The work done again and again beside the block, which raises what the work raised."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.is_set():
            work()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(repeat)
        try:
            yield
        finally:
            ended.set()
        done.result()
