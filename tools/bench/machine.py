"""What the machine does to a program: how long the same work takes, where it runs, what it used."""

import os
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

_PACES = 50


def processor_s(process: int) -> float:
    """Seconds of processor time that a process has had, with all of its threads, 0 where there is
    none. Linux alone tells them (proc(5); `schedstat` beside it is of the first thread)."""
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return 0.0
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def own_p99(work_ms: float, rate: float, seconds: float) -> float:
    """The 99th percentile, ms, of arithmetic that takes `work_ms` at the median, done `rate` times
    a second by a program that does nothing else."""
    steps = _steps(work_ms)
    times: list[float] = []
    due = time.perf_counter()
    for _ in range(round(rate * seconds)):
        time.sleep(max(0.0, due - time.perf_counter()))
        times.append(_timed(steps))
        due += 1 / rate
    return sorted(times)[len(times) * 99 // 100]


def own_times(work_ms: float, rounds: int) -> list[float]:
    """How long such arithmetic takes, ms, when it is done so many times one after the other."""
    steps = _steps(work_ms)
    return [_timed(steps) for _ in range(rounds)]


@contextmanager
def one_processor(processes: Iterable[int]) -> Generator[None]:
    """Keep this thread and these processes on one processor while they answer each other, where the
    system can (Linux). To wake a process on another processor takes as long as a short query, and
    whether it has to be done is chance."""
    if sys.platform != "linux":
        yield
        return
    before = {process: os.sched_getaffinity(process) for process in (0, *processes)}
    first = min(before[0])
    try:
        for process in before:
            os.sched_setaffinity(process, {first})
        yield
    finally:
        for process, processors in before.items():
            os.sched_setaffinity(process, processors)


def _steps(work_ms: float) -> int:
    paces = sorted(_timed(1000) for _ in range(_PACES))
    return round(1000 * work_ms / paces[_PACES // 2])


def _timed(steps: int) -> float:
    """How long so many steps took, ms."""
    start = time.perf_counter()
    total = 0
    for step in range(steps):
        total += step * step
    return 1000 * (time.perf_counter() - start)
