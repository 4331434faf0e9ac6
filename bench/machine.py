"""What the machine itself does to a program: how long the same work takes, time after time."""

import time

_PACES = 50


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
