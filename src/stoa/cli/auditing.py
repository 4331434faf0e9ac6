"""`stoa audit`: check the ledger."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from stoa import configuration
from stoa.clock import SystemClock
from stoa.store import audit, ledger
from stoa.store.audit import Finding
from stoa.store.tx import Tx

if TYPE_CHECKING:
    from rich.table import Table


def audit_command(
    data_dir: Annotated[str | None, typer.Option(help="Folder of the embedded database.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="When all is well, let settlements go on again.")
    ] = False,
) -> None:
    """Recompute every balance and compare it with the stored one; exit 1 on any difference.

    May run beside a server; with the embedded database, --resume needs the server to be stopped.
    """
    from stoa.store.engines import engine_of

    settings = configuration.from_process({"data_dir": data_dir})
    engine = engine_of(settings)
    findings, stopped = asyncio.run(engine.read_once(settings, SystemClock(), _audit))
    _print(findings, stopped)
    if any(finding.differences for finding in findings):
        raise typer.Exit(1)
    if stopped and resume:
        asyncio.run(engine.write_once(settings, SystemClock(), ledger.resume))
        typer.echo("settlements go on")


async def _audit(tx: Tx) -> tuple[list[Finding], str | None]:
    return await audit.run_all(tx), await ledger.stopped(tx)


def _print(findings: list[Finding], stopped: str | None) -> None:
    from rich.console import Console

    console = Console()
    console.print(table(findings))
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
