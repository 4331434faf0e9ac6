"""Reads while others write: the share of writes that a forum has, and writers at full speed."""

import statistics
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from tools.bench import servers
from tools.bench.registry import Result, at_least, at_most, row
from tools.bench.rows.reads import CONNECTIONS, each_once, thread_path, thread_requests, yardstick
from tools.bench.rows.writes import answer_to_reply, replies
from tools.bench.stage import Side, Stage

MIXED_TARGET = 0.60
P99_TARGET = 3.0
_READS_FOR_A_WRITE = 19
_READS_A_SECOND = 200
_P99_S = 5.0


@row
def spread_reads_among_replies(stage: Stage) -> Iterator[Result]:
    """Reads of all threads in turn, of which each twentieth request is a durable reply. Each thread
    was read twice before: an answer is kept from the second time on that it is made."""
    reads = thread_requests(stage, stage.world.threads)
    for _ in range(2):
        each_once(stage, Side(stage.stoa, reads))
    writes = replies(stage, stage.world.threads)
    requests = list(_mixed(reads, writes))
    spec = yardstick(stage.stoa, thread_path(stage.world.threads[0]))
    spec.post, spec.tokens = answer_to_reply(stage), stage.world.tokens
    with servers.bare(spec) as bare:
        ours, theirs = Side(stage.stoa, requests, (200, 201)), Side(bare, requests, (200, 201))
        found = stage.compare(ours, theirs, CONNECTIONS[0])
    yield at_least("spread reads, 5 % replies", found.ratio, MIXED_TARGET, found.detail)


def _mixed(reads: list[bytes], writes: list[bytes]) -> Iterator[bytes]:
    parts = (
        (*reads[place * _READS_FOR_A_WRITE :][:_READS_FOR_A_WRITE], write)
        for place, write in enumerate(writes)
    )
    return chain.from_iterable(parts)


@row
def reads_beside_writers(stage: Stage) -> Iterator[Result]:
    """How late the slowest reads are while as many replies as can be are written, and alone."""
    reads = Side(stage.stoa, thread_requests(stage, stage.world.threads[:1]))
    writes = Side(stage.stoa, replies(stage, stage.world.quiet), (201,))
    first, pairs = 0, list[tuple[float, float]]()
    for _ in range(stage.rounds):
        alone = _p99(stage, reads)
        with ThreadPoolExecutor(1) as pool:
            writing = pool.submit(stage.run, writes, CONNECTIONS[0], first, seconds=_P99_S)
            pairs.append((_p99(stage, reads), alone))
            first += writing.result().sent
    slower = statistics.median(beside / alone for beside, alone in pairs)
    detail = ", ".join(f"{beside:.1f} ms of {alone:.1f}" for beside, alone in pairs)
    yield at_most("p99 of reads beside writers", slower, P99_TARGET, "times", detail)


def _p99(stage: Stage, side: Side) -> float:
    return stage.run(side, CONNECTIONS[0], rate=_READS_A_SECOND, seconds=_P99_S).p99
