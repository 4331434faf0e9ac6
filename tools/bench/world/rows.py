"""What `make bench-world` measures, in its order."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from tools.bench.registry import Result, at_most
from tools.bench.stage import BenchFailed
from tools.bench.world.driving import Driven
from tools.bench.world.hour import HOUR, WRITES
from tools.bench.world.serving import Place, Stand, carries, faults, program, serving

CARRIED = {"sqlite": 500_000, "postgresql": 200_000}
MEMORY_MB = 700.0
START_S = FIRST_SEARCH_S = 1.0
GROWTH = 1.3
BESIDE = 2.0
OVERLOADED, OVERLOADED_S, SERVED_P99_MS = 1.25, 60.0, 100.0
_FIRST = 20_000
_CLOSE, _LESS = 1.05, 1.1
_PROBE_S, _KIND_S, _AFTER_S = 20.0, 8.0, 10.0
_KIND_RATE = 40.0
_DAY_S = 86_400

Told = Callable[[str], None]


@dataclass(frozen=True)
class Carried:
    """How many agents a server carried, and what came of the load that was held."""

    agents: float
    driven: Driven
    grown: float
    """Bytes by which the files grew in a second."""
    busy: float
    """Processors that were in use by the server."""


class Cost(NamedTuple):
    """Processor time of one act, ms: of all processes, and of those of the database alone."""

    all: float
    database: float


def costs(stand: Stand, tell: Told) -> dict[str, Cost]:
    """What an act of each kind costs, each kind alone."""
    found: dict[str, Cost] = {}
    acts = _KIND_S * _KIND_RATE
    for kind in HOUR:
        tell(f"processor time of: {kind}")
        stand.drive(2.0, kind=kind, rate=_KIND_RATE, warm_up=0.5)
        every, database = stand.processor_s(), stand.database_s()
        stand.drive(_KIND_S, kind=kind, rate=_KIND_RATE, warm_up=0.0)
        every, database = stand.processor_s() - every, stand.database_s() - database
        found[kind] = Cost(1000 * every / acts, 1000 * database / acts)
    return found


def carried(stand: Stand, hold_s: float, tell: Told) -> Carried:
    """The most agents that are served in time for so long, by halving the distance."""
    low, high = 0.0, float(_FIRST)
    while _probe(stand, high, tell):
        low, high = high, 2 * high
    while not low or high / low > _CLOSE:
        middle = (low + high) / 2 if low else high / 2
        low, high = (middle, high) if _probe(stand, middle, tell) else (low, middle)
        if high < 1:
            raise BenchFailed("no load is served in time")
    while True:
        tell(f"holding {low:,.0f} agents")
        stored, used = stand.stored(), stand.processor_s()
        held, driven = carries(stand, low, hold_s)
        if held:
            grown = (stand.stored() - stored) / hold_s
            return Carried(low, driven, grown, (stand.processor_s() - used) / hold_s)
        tell(f"{low:,.0f} agents were not held: {'; '.join(faults(driven))}")
        low /= _LESS
        stand.settle()


def _probe(stand: Stand, agents: float, tell: Told) -> bool:
    held, driven = carries(stand, agents, _PROBE_S)
    tell(f"{agents:,.0f} agents: {'held' if held else '; '.join(faults(driven))}")
    stand.settle()
    return held


def load(found: Carried, engine: str, memory_mb: float) -> Iterator[Result]:
    """What was carried, and what it took."""
    driven = found.driven
    detail = (
        f"p99 of reads {driven.reads_p99:.0f} ms, of writes {driven.writes_p99:.0f}; "
        f"the server had {found.busy:.2f} processors, the generator {driven.busy:.2f}"
    )
    target = CARRIED[engine]
    shown, wanted = f"{found.agents:,.0f}", f">= {target:,}"
    yield Result("agents carried", shown, wanted, found.agents >= target, detail)
    yield at_most("memory of all processes", memory_mb, MEMORY_MB, "MB")
    a_day = found.grown * _DAY_S / found.agents
    yield Result("bytes on disk of an agent in a day", f"{a_day:,.0f}")
    for kind, told in driven.kinds.items():
        name = f"{kind}: p99" + (" (writes)" if kind in WRITES else "")
        yield Result(
            name, f"{told.p99:.0f} ms", detail=f"p50 {told.p50:.1f}, {told.answers:,} calls"
        )


def growth(small: dict[str, Cost], large: dict[str, Cost]) -> Iterator[Result]:
    """Processor time of each kind of act beside that in the small world."""
    for kind, cost in large.items():
        detail = f"{cost.all:.2f} ms of {small[kind].all:.2f}{_of_database(cost.database)}"
        ratio = cost.all / small[kind].all
        yield at_most(f"{kind}: processor time, to the small world", ratio, GROWTH, "", detail)
    hour = sum(HOUR[kind] * cost.all for kind, cost in large.items())
    database = sum(HOUR[kind] * cost.database for kind, cost in large.items())
    yield Result("processor time of an agent's hour", f"{hour:.1f} ms{_of_database(database)}")


def _of_database(ms: float) -> str:
    return f"; {ms:.2f} ms in the database" if ms else ""


def beside(stand: Stand, agents: float, tell: Told) -> Iterator[Result]:
    """The slowest reads while a backup and an audit run, to those without."""
    alone = stand.drive(_PROBE_S, agents=agents)
    folder = stand.found.folder.parent / "backups"
    for words in (("backup", str(folder)), ("audit",)):
        tell(f"{words[0]} beside the load")
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(program, stand.found, *words)
            times: list[Driven] = []
            while not running.done():
                times.append(stand.drive(_PROBE_S, agents=agents, warm_up=0.0))
            took = running.result()
        shutil.rmtree(folder, ignore_errors=True)
        worst = max(times, key=lambda driven: driven.reads_p99)
        ratio = worst.reads_p99 / alone.reads_p99
        detail = f"{worst.reads_p99:.1f} ms of {alone.reads_p99:.1f}; it took {took:.0f} s"
        yield at_most(f"p99 of reads beside: {words[0]}", ratio, BESIDE, "times", detail)


def overloaded(stand: Stand, agents: float, tell: Told) -> Iterator[Result]:
    """A quarter more than it carries for a minute, then what it carries again."""
    tell("a quarter more than it carries")
    more = stand.drive(OVERLOADED_S, agents=OVERLOADED * agents)
    after = stand.drive(_PROBE_S, agents=agents, warm_up=_AFTER_S)
    shed = sum(kind.shed for kind in more.kinds.values())
    detail = (
        f"{shed:,} refused, {more.waiting:,} not begun at its end; writes {more.writes_p99:.0f} ms"
    )
    yield at_most(
        "a quarter more: p99 of served reads", more.reads_p99, SERVED_P99_MS, "ms", detail
    )
    told = "; ".join(faults(after)) or f"reads p99 {after.reads_p99:.0f} ms"
    yield Result("ten seconds after it", told, "as before", not faults(after))


def killed(found: Place, agents: float, tell: Told) -> Iterator[Result]:
    """Killed in the middle of the load: what was answered is there, and the audit finds nothing."""
    tell("killed in the middle of the load")
    with serving(found) as stand, ThreadPoolExecutor(1) as pool:
        driving = pool.submit(stand.drive, _PROBE_S, agents=agents)
        stand.settle()
        stand.settle()
        stand.kill()
        with suppress(subprocess.CalledProcessError):  # it ends when nothing listens
            driving.result()
    took = program(found, "audit")
    yield Result("audit after a kill", "clean", "clean", passed=True, detail=f"in {took:.0f} s")
