"""`stoa audit`: check the ledger."""

import asyncio
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stoa.cli import database
from stoa.cli.database import NamedDatabase
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir
from stoa.clock import SystemClock
from stoa.store import ledger
from stoa.store.transfer import audit
from stoa.store.transfer.audit import Finding
from stoa.store.tx import Tx

if TYPE_CHECKING:
    from rich.table import Table


def audit_command(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="When all is well, let settlements go on again.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Recompute every balance and compare it with the stored one; exit 1 on any difference.

    May run beside a server; with the embedded database, --resume needs the server to be stopped.
    """
    named = database.chosen(config, data_dir, database_url)
    with named.refusing():
        findings, stopped = _audit(named, say=not as_json)
        sound = not any(finding.differences for finding in findings)
        if not as_json:
            _print(findings, stopped)
        resumed = sound and stopped is not None and resume
        if resumed:
            _resume(named)
    if as_json:
        typer.echo(json.dumps(_described(named, findings, None if resumed else stopped), indent=2))
    elif resumed:
        typer.echo("settlements go on")
    if not sound:
        raise typer.Exit(1)


def _audit(named: NamedDatabase, *, say: bool) -> tuple[list[Finding], str | None]:
    from stoa.store.engines import engine_of

    async def work(tx: Tx) -> tuple[list[Finding], str | None]:
        if say:
            typer.echo(f"database: {named.address}")
        return await audit.run_all(tx), await ledger.stopped(tx)

    return asyncio.run(engine_of(named.settings).read_once(named.settings, SystemClock(), work))


def _resume(named: NamedDatabase) -> None:
    from stoa.store.engines import engine_of

    engine = engine_of(named.settings)
    asyncio.run(engine.write_once(named.settings, SystemClock(), ledger.resume))


def _described(
    named: NamedDatabase, findings: list[Finding], stopped: str | None
) -> dict[str, Any]:
    return {
        "database": named.address,
        "checks": [
            {
                "name": finding.check.name,
                "meaning": finding.check.meaning,
                "rows": finding.checked,
                "differences": [difference._asdict() for difference in finding.differences],
            }
            for finding in findings
        ],
        "settlementsStopped": stopped,
    }


def _print(findings: list[Finding], stopped: str | None) -> None:
    from rich.console import Console

    from stoa.cli.tables import print_table

    console = Console(soft_wrap=True)
    print_table(console, table(findings))
    for finding in findings:
        for difference in finding.differences:
            console.print(
                f"{difference.subject}: expected {difference.expected}, found {difference.found}",
                markup=False,
            )
    if stopped:
        console.print(f"settlements are stopped: {stopped}", markup=False)


def table(findings: list[Finding]) -> "Table":
    """The findings as a table."""
    from rich.table import Table

    shown = Table("check", "rows", "differences")
    for finding in findings:
        shown.add_row(
            finding.check.meaning, str(finding.checked), str(len(finding.differences) or "none")
        )
    return shown
