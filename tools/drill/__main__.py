"""`make drill`: runs the rounds, prints one table, and exits with 1 when a promise is not kept."""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from tests.support.valkey import Valkey
from tools.drill import balancer, needs, report, service, witness
from tools.drill.cluster import Cluster
from tools.drill.harm import CUTS, KILLS, Harm
from tools.drill.rounds import Round
from tools.drill.service import Service

_INSIDE = "STOA_DRILL_INSIDE"
_WHOLE_S = 120.0
_MARKS = {True: "kept", False: "BROKEN"}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.drill", description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="how often the primary is killed")
    parser.add_argument("--cuts", type=int, default=3, help="how often it is cut off")
    parser.add_argument("--pooled", type=int, default=1, help="kills with PgBouncer in front")
    parser.add_argument("--workers", type=int, default=2, help="processes of Stoa")
    parser.add_argument("--clients", type=int, default=8, help="clients that do paid work")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two steps")
    parser.add_argument("--folder", type=Path, help="keep data and logs in this new folder")
    return parser.parse_args()


class Drill:
    """The cluster and what has happened on it so far."""

    def __init__(self, given: argparse.Namespace, folder: Path, console: Console) -> None:
        self._given = given
        self._folder = folder
        self._console = console
        self.rounds: list[Round] = []

    async def run(self) -> None:
        """Build the cluster, then harm it under load."""
        cluster = Cluster(self._folder)
        balancer.start_haproxy(self._folder)
        await asyncio.to_thread(cluster.await_whole, _WHOLE_S)
        await service.make_role()
        await witness.prepare(witness.administrator(balancer.WRITES))
        with Valkey() as valkey:
            await self._harm(cluster, valkey.url)

    async def _harm(self, cluster: Cluster, valkey: str) -> None:
        """With Stoa straight behind HAProxy, then behind a pool."""
        harms = [*_in_turn(KILLS, self._given.kills), *_in_turn(CUTS, self._given.cuts)]
        straight = Service(cluster, self._folder, "straight", balancer.WRITES, valkey)
        await self._serve(straight, harms)
        pooled = _in_turn(KILLS, self._given.pooled)
        if pooled and self._can_pool():
            balancer.start_pgbouncer(self._folder)
            behind = Service(cluster, self._folder, "pooled", balancer.POOLED, valkey)
            await self._serve(behind, pooled)

    def _can_pool(self) -> bool:
        try:
            needs.pooler()
        except needs.Missing as missing:
            self._console.print(f"left out: {missing}", markup=False)
            return False
        return True

    async def _serve(self, stoa: Service, harms: list[Harm]) -> None:
        stage = await stoa.start(self._given.workers, self._given.clients, self._given.pause)
        for harm in harms:
            with self._console.status(f"round {len(self.rounds) + 1}: {harm.name}"):
                done = await stage.round(harm)
            self.rounds.append(done)
            told = f"round {len(self.rounds)}: {harm.name}, writes back after {done.back_s:.1f} s"
            self._console.print("\n    ".join([told, *report.troubles(done)]), markup=False)
        await stoa.stop()


def _in_turn(harms: Sequence[Harm], count: int) -> list[Harm]:
    return [harms[number % len(harms)] for number in range(count)]


def _inside(given: argparse.Namespace) -> int:
    """The drill itself, in namespaces of its own."""
    if given.folder:
        given.folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="stoa-drill-", ignore_cleanup_errors=True) as own:
        drill = Drill(given, given.folder or Path(own), Console(stderr=True))
        asyncio.run(drill.run())
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(report.table(drill.rounds))
    verdicts = report.verdicts(drill.rounds)
    for verdict in verdicts:
        console.print(f"{_MARKS[verdict.kept]}: {verdict.promise}: {verdict.measured}")
    return int(not all(verdict.kept for verdict in verdicts))


def main() -> int:
    """Provide what is needed, then run the drill in namespaces of its own and judge."""
    given = _arguments()
    try:
        needs.provide()
        if _INSIDE not in os.environ:
            os.environ[_INSIDE] = "1"
            needs.enter(sys.argv[1:])
    except needs.Missing as missing:
        Console(stderr=True).print(f"no drill: {missing}", markup=False)
        return 1
    return _inside(given)


if __name__ == "__main__":
    sys.exit(main())
