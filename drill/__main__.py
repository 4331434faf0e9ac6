"""`make drill`: runs the rounds, prints one table, and exits with 1 when a promise is not kept."""

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import asyncpg
from rich.console import Console

from drill import balancer, needs, patroni, report, witness
from drill.cluster import Cluster
from drill.harm import CUTS, KILLS, Harm
from drill.paid import PaidLoad
from drill.rounds import Round, Stage
from stoa.settings import Settings
from tests.support.server import Server, environment

_INSIDE = "STOA_DRILL_INSIDE"
_NAME = "stoa"
_WHOLE_S = 120.0
_MARKS = {True: "kept", False: "BROKEN"}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m drill", description=__doc__)
    parser.add_argument("--kills", type=int, default=10, help="how often the primary is killed")
    parser.add_argument("--cuts", type=int, default=3, help="how often it is cut off")
    parser.add_argument("--workers", type=int, default=2, help="processes of Stoa")
    parser.add_argument("--clients", type=int, default=8, help="clients that do paid work")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two steps")
    parser.add_argument("--pgbouncer", action="store_true", help="with a pool before HAProxy")
    parser.add_argument("--folder", type=Path, help="keep data and logs in this new folder")
    return parser.parse_args()


def _harms(kills: int, cuts: int) -> list[Harm]:
    """So many of both, every kind in turn."""
    return [
        *(KILLS[number % len(KILLS)] for number in range(kills)),
        *(CUTS[number % len(CUTS)] for number in range(cuts)),
    ]


def _database(port: int) -> str:
    return f"postgresql://{balancer.USER}:{patroni.PASSWORD}@127.0.0.1:{port}/{_NAME}"


async def _make_database(administrator: str) -> None:
    connection = await asyncpg.connect(administrator)
    await connection.execute(f"CREATE ROLE {balancer.USER} LOGIN PASSWORD '{patroni.PASSWORD}'")
    await connection.execute(f"CREATE DATABASE {_NAME} OWNER {balancer.USER}")
    await connection.close()


def _settings(given: argparse.Namespace) -> dict[str, Any]:
    limits_off = {name: 0 for name in Settings.__struct_fields__ if name.startswith("limit_")}
    port = balancer.POOLED if given.pgbouncer else balancer.WRITES
    return {
        **limits_off,
        "database_url": _database(port),
        "workers": given.workers,
        "signup_grant": 1_000_000,
    }


def _audit() -> str:
    """What `stoa audit` prints when it finds a difference."""
    done = subprocess.run(
        [sys.executable, "-m", "stoa", "audit"],
        env=environment({"database_url": _database(balancer.WRITES)}),
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout}{done.stderr}" if done.returncode else ""


async def _drill(given: argparse.Namespace, folder: Path, console: Console) -> list[Round]:
    cluster = Cluster(folder)
    balancer.start_haproxy(folder)
    if given.pgbouncer:
        balancer.start_pgbouncer(folder)
    await asyncio.to_thread(cluster.await_whole, _WHOLE_S)
    administrator = witness.administrator(balancer.WRITES)
    await _make_database(administrator)
    await witness.prepare(administrator)
    server = await asyncio.to_thread(Server, folder / "server", _settings(given))
    load = PaidLoad(server.url, given.clients, given.pause)
    await load.sign_in()
    stage = Stage(cluster, load, _database(balancer.WRITES), administrator, _audit)
    rounds: list[Round] = []
    for harm in _harms(given.kills, given.cuts):
        with console.status(f"round {len(rounds) + 1}: {harm.name}"):
            rounds.append(await stage.round(harm))
        back = f"{rounds[-1].old}: {harm.name}, writes back after {rounds[-1].back_s:.1f} s"
        console.print(f"round {len(rounds)}, {back}", *report.troubles(rounds[-1]), sep="\n    ")
    server.stop()
    return rounds


def _inside(given: argparse.Namespace) -> int:
    """The drill itself, in namespaces of its own."""
    if given.folder:
        given.folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="stoa-drill-", ignore_cleanup_errors=True) as own:
        rounds = asyncio.run(_drill(given, given.folder or Path(own), Console(stderr=True)))
    console = Console(width=None if sys.stdout.isatty() else 140)
    console.print(report.table(rounds))
    verdicts = report.verdicts(rounds)
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
