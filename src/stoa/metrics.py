"""The counters of a server, in memory that all its processes share.

Each worker has counters of its own, and so has the process that writes for it. Every cell has one
writer, so that counting takes no lock; a reader in any worker adds the counters of all up. The
counts of a worker that has ended stay, and the worker that takes its place continues them.
"""

import mmap
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from stoa.clock import elapsed_ms
from stoa.domain import limits

UNKNOWN = "unknown"
"""Answers for which no operation was found: an unknown path, method or host name."""
UNREADABLE = "unreadable"
"""Refusals without a readable request: bytes that are not HTTP, a timeout, too many connections."""
OVERLOAD = "overload"
"""Refusals of calls that waited too long, since more arrives than can be done."""
HEALTH = "health"
MCP = "mcp"
A2A = "a2a"
PAGE = "page"
PREFLIGHT = "preflight"
OAUTH = "oauth"
CONNECTIONS = "connections"
"""The limit of open connections for an address, beside the buckets of calls."""

LOOPS = (
    "sweep",
    "book",
    "catch_up",
    "count_outcomes",
    "tell",
    "index",
    "move_log",
    "unindex",
    "notice_acts",
    "purge",
    "watch",
    "note_used",
    "audit",
    "standing",
    "webhooks",
)
"""The background work that is done again and again, each in a loop of its own."""

_BESIDES = (UNKNOWN, UNREADABLE, OVERLOAD, HEALTH, MCP, A2A, PAGE, PREFLIGHT, OAUTH)
_OTHER = "other"
_FIRST_STATUS = 100
_STATUSES = 500
_CELL_BYTES = 8

TIMES_US = tuple(
    round(factor * 10**power) for power in range(3, 7) for factor in (1, 2.5, 5)
)  # 1 ms to 5 s
WAIT_CELLS = 2 + 2 * limits.WAITS
SIZES = (1, 2, 4, 8, 16, 32, 64)


class Distribution(NamedTuple):
    """What a histogram has counted: how many values are at most each bound, then how many there are
    in all; and their sum."""

    at_most: list[int]
    total: int


class Histogram:
    """Counts values by size. `bounds` are the largest values of all buckets but the last."""

    def __init__(self, cells: "_Cells", bounds: tuple[int, ...]) -> None:
        self._cells = cells.cut(len(bounds) + 2)
        self._bounds = bounds

    def observe(self, value: int) -> None:
        """Count one value."""
        self._cells[bisect_left(self._bounds, value)] += 1
        self._cells[-1] += value

    def observe_least(self) -> None:
        """Count one value that is in the first bucket and adds nothing to the sum."""
        self._cells[0] += 1

    def counts(self) -> list[int]:
        """The number of values in each bucket, and their sum at the end."""
        return self._cells.tolist()


class Commits(NamedTuple):
    """The commits of one writer: microseconds, and transactions in a group."""

    times: Histogram
    sizes: Histogram


class LoopState(NamedTuple):
    """What a worker last wrote about one of its loops: how many runs failed, and the time of
    `elapsed_ms` at which one succeeded or the first began, 0 while the worker leaves it to
    another."""

    failures: int
    well_at: int


class WorkerState(NamedTuple):
    """What a worker last wrote about itself. Times are those of `elapsed_ms`, 0 for never;
    `valkey_away` is 1 while Valkey does not answer it, `connections` are those to the database that
    it uses."""

    beat_at: int
    waiting: int
    audited_at: int
    differences: int
    valkey_away: int
    connections: int


class Counters:
    """The counts of one worker: `answers` by operation and status from 100, `durations` in
    microseconds until they began, refusals by bucket that is `full`. `commits` are those of the
    process that writes for it. Its times are those of `elapsed`, ms."""

    def __init__(
        self,
        free: "_Cells",
        operations: tuple[str, ...],
        buckets: tuple[str, ...],
        elapsed: Callable[[], int],
    ) -> None:
        self._elapsed = elapsed
        self.answers = {name: free.cut(_STATUSES) for name in operations}
        self.durations = {name: Histogram(free, TIMES_US) for name in operations}
        self.full = free.cut(len(buckets))
        self._places = {name: place for place, name in enumerate(buckets)}
        self.commits = Commits(Histogram(free, TIMES_US), Histogram(free, SIZES))
        self._state = free.cut(len(WorkerState._fields))
        self._loops = {name: free.cut(len(LoopState._fields)) for name in LOOPS}
        self.waits = free.cut(WAIT_CELLS)
        self.waits_elsewhere: Sequence[memoryview] = ()
        """Those of the other workers; `calls/following/shared_waits.py` says what they hold."""

    def answered(self, operation: str, status: int, ns: int) -> None:
        """Count an answer that took so many nanoseconds to begin."""
        self.answers[operation][status - _FIRST_STATUS] += 1
        self.durations[operation].observe(ns // 1000)

    def answered_at_once(self, operation: str, status: int) -> None:
        """Count an answer that took too little time to be measured."""
        self.answers[operation][status - _FIRST_STATUS] += 1
        self.durations[operation].observe_least()

    def limited(self, bucket: str) -> None:
        """Count a call that was refused because this bucket is full."""
        self.full[self._places.get(bucket, self._places[_OTHER])] += 1

    def beat(self, waiting: int, *, valkey_away: bool = False, connections: int = 0) -> None:
        """The worker lives, so many transactions wait, so many connections to the database are in
        use, and Valkey may not answer it."""
        told = self.state()._replace(
            waiting=waiting, valkey_away=int(valkey_away), connections=connections
        )
        self._tell(told._replace(beat_at=self._elapsed()))

    def audited(self, differences: int) -> None:
        """The worker has just audited."""
        self._tell(self.state()._replace(audited_at=self._elapsed(), differences=differences))

    def loop_failed(self, loop: str) -> None:
        """A run of this loop failed."""
        self._loops[loop][0] += 1

    def loop_well(self, loop: str) -> None:
        """A run of this loop succeeded, or its first one begins."""
        self._loops[loop][1] = self._elapsed()

    def loop_left(self, loop: str) -> None:
        """Another worker does what this loop would do."""
        self._loops[loop][1] = 0

    def state(self) -> WorkerState:
        """What the worker last wrote about itself."""
        return WorkerState(*self._state)

    def _tell(self, state: WorkerState) -> None:
        for place, value in enumerate(state):
            self._state[place] = value

    def loop(self, name: str) -> LoopState:
        """What the worker last wrote about this loop."""
        return LoopState(*self._loops[name])


class AllCounters:
    """The counters of all workers of a server, made before the workers are forked."""

    def __init__(
        self,
        operations: Iterable[str],
        buckets: Iterable[str],
        count: int = 1,
        elapsed: Callable[[], int] = elapsed_ms,
    ) -> None:
        self._elapsed = elapsed
        self.operations = (*operations, *_BESIDES)
        self.buckets = (*buckets, CONNECTIONS, _OTHER)
        measure = _Cells(memoryview(b""))
        # Over none, to know how many it cuts.
        Counters(measure, self.operations, self.buckets, elapsed)
        free = _Cells(memoryview(mmap.mmap(-1, _CELL_BYTES * measure.used * count)).cast("q"))
        self.each = [Counters(free, self.operations, self.buckets, elapsed) for _ in range(count)]
        for counters in self.each:
            counters.waits_elsewhere = [one.waits for one in self.each if one is not counters]

    def answers(self) -> Iterator[tuple[str, int, int]]:
        """Operation, status and number of the answers that were given."""
        for name in self.operations:
            totals = _sums(counters.answers[name].tolist() for counters in self.each)
            for place, number in enumerate(totals):
                if number:
                    yield name, _FIRST_STATUS + place, number

    def durations(self) -> Iterator[tuple[str, Distribution]]:
        """The times of the answers, by operation, of those that were given any."""
        for name in self.operations:
            found = _distribution(counters.durations[name] for counters in self.each)
            if found.at_most[-1]:
                yield name, found

    def limited(self) -> dict[str, int]:
        """The number of calls that were refused because a bucket was full."""
        columns = zip(*(counters.full for counters in self.each), strict=True)
        return dict(zip(self.buckets, map(sum, columns), strict=True))

    def commit_times(self) -> Distribution:
        """The times of commits."""
        return _distribution(counters.commits.times for counters in self.each)

    def group_sizes(self) -> Distribution:
        """The sizes of the groups that were committed together."""
        return _distribution(counters.commits.sizes for counters in self.each)

    def loop_failures(self) -> dict[str, int]:
        """The number of runs that failed, by loop."""
        return {name: sum(one.loop(name).failures for one in self.each) for name in LOOPS}

    def loop_ages(self) -> dict[str, int]:
        """Milliseconds since a run succeeded, by loop, in the living worker where that is longest
        ago. A loop that no worker has begun is left out."""
        now, living = self._elapsed(), self._living()
        begun = {name: [at for one in living if (at := one.loop(name).well_at)] for name in LOOPS}
        return {name: now - min(times) for name, times in begun.items() if times}

    def living(self) -> list[WorkerState]:
        """The states of the workers whose event loops turn."""
        return [counters.state() for counters in self._living()]

    def _living(self) -> list[Counters]:
        since = self._elapsed() - limits.HEARTBEATS_MISSED * limits.HEARTBEAT_MS
        return [counters for counters in self.each if counters.state().beat_at > since]

    def last_audit(self) -> WorkerState | None:
        """The state of the worker that audited last, if any has."""
        last = max((counters.state() for counters in self.each), key=lambda state: state.audited_at)
        return last if last.audited_at else None


class _Cells:
    """Deals out cells in order."""

    def __init__(self, cells: memoryview) -> None:
        self._cells = cells
        self.used = 0

    def cut(self, count: int) -> memoryview:
        """The next cells."""
        first = self.used
        self.used += count
        return self._cells[first : self.used]


def _sums(rows: Iterable[list[int]]) -> list[int]:
    """The sums of the columns. Rows without any count, which are most, cost nothing to add."""
    counted = [row for row in rows if any(row)]
    return [sum(column) for column in zip(*counted, strict=True)] if counted else []


def _distribution(histograms: Iterable[Histogram]) -> Distribution:
    columns = zip(*(histogram.counts() for histogram in histograms), strict=True)
    *buckets, total = (sum(column) for column in columns)
    return Distribution(list(accumulate(buckets)), total)
