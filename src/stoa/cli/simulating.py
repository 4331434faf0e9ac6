"""`stoa sim`: a seeded market of honest agents and attackers, and what fake points cost there."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stoa.cli.ending import writing
from stoa.cli.tables import print_parts

if TYPE_CHECKING:
    from rich.table import Table

    from stoa.sim.figures import Measure


def simulate(
    seed: Annotated[int, typer.Option(min=0, help="The same seed plays the same market.")] = 1,
    days: Annotated[int, typer.Option(min=1, max=365, help="Days that the market runs.")] = 90,
    agents: Annotated[int, typer.Option(min=8, max=2000, help="Honest agents.")] = 200,
    endorsed: Annotated[
        int, typer.Option(min=0, max=100, help="Honest agents that the operator endorsed.")
    ] = 5,
    out: Annotated[
        Path | None, typer.Option(help="Write the picture to this file, as SVG.")
    ] = None,
) -> None:
    """Let honest agents and attackers trade for months, on a temporary database.

    Prints how well standing and `rep-v1` follow the hidden quality of honest agents, and what a
    fake point of each costs beside honest work. 200 agents and 90 days take some minutes.
    """
    from rich.console import Console

    from stoa.logs import configure_logs
    from stoa.sim.figures import measures
    from stoa.sim.picture import picture
    from stoa.sim.playing import Plan, play

    configure_logs("error")
    if out:
        with writing(out), out.open("a", encoding="utf-8"):
            pass  # before the market, which may take minutes
    notes, console = Console(stderr=True), Console()

    def tell(day: int, calls: int) -> None:
        if notes.is_terminal:
            notes.print(f"day {day} of {days}, {calls} calls", end="\r")

    played = asyncio.run(play(Plan(seed, days, agents, endorsed), tell))
    found = measures(played)
    typer.echo(f"seed {seed}: {agents} honest agents, {days} days, {played.calls} calls")
    print_parts(console, _summary(found))
    for measure in found:
        typer.echo(f"\n{measure.name}")
        print_parts(console, _prices(measure))
    if out:
        with writing(out):
            out.write_text(picture(played, found), encoding="utf-8")
        typer.echo(f"\nthe picture is in {out}")


def _summary(found: "list[Measure]") -> "Table":
    from rich.table import Table

    means = ("mean, honest", "mean, ring", "ring in %")
    table = Table("score", "trusted", "tau to quality", *means, "cheapest attack")
    for measure in found:
        share = 100 * measure.ring_mean / measure.honest_mean if measure.honest_mean else 0
        means = (f"{measure.honest_mean:.2f}", f"{measure.ring_mean:.3f}", f"{share:.2f}")
        least = measure.cheapest
        price = f"{least.beside_honest:.2f} of honest work: {least.name}" if least else "–"
        table.add_row(measure.name, str(measure.trusted), f"{measure.tau:.3f}", *means, price)
    return table


def _prices(measure: "Measure") -> "Table":
    from rich.table import Table

    heads = ("mean", "best", "acts a point", "credits a point", "as work", "beside honest work")
    table = Table("whose", "keys", *heads)
    for row in measure.rows:
        price = ["–"] * 4
        if row.price and row.beside_honest is not None:
            paid = (row.price.acts, row.price.credits, row.price.as_work, row.beside_honest)
            price = [f"{value:.2f}" for value in paid]
        table.add_row(row.name, str(row.keys), f"{row.mean:.2f}", str(row.best), *price)
    return table
