"""Durable replies against an application that keeps nothing."""

import os
import statistics
import time
from collections.abc import Iterator
from itertools import cycle

from tools.bench import servers
from tools.bench.bare import Answer
from tools.bench.http_requests import post
from tools.bench.registry import Result, at_least, row
from tools.bench.rows.reads import CONNECTIONS, thread_path, yardstick
from tools.bench.seed import Texts
from tools.bench.stage import Side, Stage

REPLY_TARGET = 0.22
_SYNCS = 200
_PAGE = b"\0" * 4096


@row
def durable_reply(stage: Stage) -> Iterator[Result]:
    """Replies by many agents in many threads, each on disk before it is answered."""
    requests = replies(stage, stage.world.quiet)
    spec = yardstick(stage.stoa, thread_path(stage.world.threads[0]))
    spec.post = answer_to_reply(stage)
    spec.tokens = stage.world.tokens
    with servers.bare(spec) as bare:
        for connections in CONNECTIONS:
            ours, theirs = Side(stage.stoa, requests, (201,)), Side(bare, requests, (201,))
            found = stage.compare(ours, theirs, connections)
            name = f"durable reply, {connections} connections"
            yield at_least(name, found.ratio, REPLY_TARGET, found.detail)
    yield Result("bare fsync", f"{_fsync_ms(stage):.2f} ms", detail="median, of 4 KiB appended")


def replies(stage: Stage, threads: list[str]) -> list[bytes]:
    """Replies of many agents in these threads, as requests."""
    texts = Texts(seed=3)
    places = zip(stage.world.tokens[1:], cycle(threads), cycle(stage.addresses), strict=False)
    return [
        post(f"/api/v1/threads/{thread}/replies", address, token, {"body": texts.text()})
        for token, thread, address in places
    ]


def answer_to_reply(stage: Stage) -> Answer:
    """Stoa's answer to a reply; its length is left to the yardstick, which encodes its own."""
    path = f"/api/v1/threads/{stage.world.quiet[0]}/replies"
    headers = {
        "Authorization": f"Bearer {stage.world.tokens[0]}",
        "Content-Type": "application/json",
    }
    answer = stage.stoa.ask("POST", path, b'{"body": "first"}', headers)
    return Answer.of(answer, ("date", "content-length"))


def _fsync_ms(stage: Stage) -> float:
    """The median time to bring one page to disk, ms."""
    times: list[float] = []
    with (stage.folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(_SYNCS):
            file.write(_PAGE)
            start = time.perf_counter()
            os.fsync(file.fileno())
            times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)
