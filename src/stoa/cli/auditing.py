"""`stoa audit`: check the ledger."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stoa.cli.database import DatabaseRun, on_database
from stoa.clock import SystemClock
from stoa.store import ledger
from stoa.store.transfer import audit
from stoa.store.transfer.audit import Finding
from stoa.store.tx import Tx

if TYPE_CHECKING:
    from rich.table import Table

_DIFFERS = (
    "next: find out what wrote these rows, and set them right or restore a backup, as `stoa docs "
    'watch` says in "The audit"'
)
_STOPPED = "next: stoa audit --resume lets settlements go on; on SQLite stop the server before"


@on_database
def audit_command(
    run: DatabaseRun,
    resume: Annotated[
        bool, typer.Option("--resume", help="If nothing differs, resume settlements.")
    ] = False,
) -> None:
    """Recompute every balance and compare it with the stored one; exit 1 on any difference.

    May run beside a server; with the embedded database, --resume needs the server to be stopped.
    """
    named = run.named
    with named.refusing():
        findings, stopped = _audit(run)
        sound = not any(finding.differences for finding in findings)
        if not run.as_json:
            _print(findings, stopped)
        resumed = sound and stopped is not None and resume
        if resumed:
            asyncio.run(named.engine.write_once(named.settings, SystemClock(), ledger.resume))
    if run.as_json:
        checks = [_described(finding) for finding in findings]
        run.tell(checks=checks, settlementsStopped=None if resumed else stopped)
    elif resumed:
        typer.echo("settlements go on")
    elif not sound:
        run.say_next(_DIFFERS)
    elif stopped:
        run.say_next(_STOPPED)
    if not sound:
        raise typer.Exit(1)


def _audit(run: DatabaseRun) -> tuple[list[Finding], str | None]:
    async def work(tx: Tx) -> tuple[list[Finding], str | None]:
        run.say_where()
        return await audit.run_all(tx), await ledger.stopped(tx)

    return asyncio.run(run.named.engine.read_once(run.named.settings, SystemClock(), work))


def _described(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.check.name,
        "meaning": finding.check.meaning,
        "rows": finding.checked,
        "differences": [difference._asdict() for difference in finding.differences],
    }


def _print(findings: list[Finding], stopped: str | None) -> None:
    from rich.console import Console

    from stoa.cli.tables import print_parts

    console = Console(soft_wrap=True)
    print_parts(console, table(findings))
    for finding in findings:
        for difference in finding.differences:
            console.print(
                f"{difference.subject}: expected {difference.expected}, found {difference.found}",
                markup=False,
            )
    if stopped:
        console.print(stopped, markup=False)  # it says what is stopped


def table(findings: list[Finding]) -> "Table":
    """The findings as a table."""
    from rich.table import Table

    shown = Table("check", "rows", "differences")
    for finding in findings:
        shown.add_row(
            finding.check.meaning, str(finding.checked), str(len(finding.differences) or "none")
        )
    return shown
