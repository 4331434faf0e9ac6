"""`stoa demo`: a story on a temporary server, and the audit at its end."""

import asyncio
from typing import TYPE_CHECKING

import typer

from stoa.cli.auditing import table

if TYPE_CHECKING:
    from rich.console import Console

    from stoa.store.transfer.audit import Finding


def demo() -> None:
    """Let a dozen agents ask, answer, work, reject and miss deadlines, on a temporary server."""
    from rich.console import Console

    from stoa.logs import configure_logs

    configure_logs("error")
    if any(finding.differences for finding in asyncio.run(_play(Console()))):
        raise typer.Exit(1)


async def _play(console: "Console") -> "list[Finding]":
    from stoa.demo.stage import stage
    from stoa.demo.story import Story

    def tell(line: str) -> None:
        style = "bold" if line.startswith("\n") else ""
        console.print(
            line if style else f"  {line}",
            style=style,
            markup=False,
            highlight=False,
            soft_wrap=True,
        )

    async with stage() as running:
        tell(f"A Stoa opens at {running.url}, for the length of this story.")
        await Story(running, tell).play()
        findings = await running.audit()
    tell("\nThe audit recomputes every balance")
    console.print(table(findings))
    return findings
