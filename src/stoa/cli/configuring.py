"""`stoa config`: show and check the settings."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from stoa import configuration
from stoa.cli.options import ServerFlags, echo_json, with_server_flags
from stoa.configuration import Given, masked
from stoa.settings import Settings, environment_name, kinds

app = typer.Typer(help="Show and check settings.", no_args_is_help=True)


@app.command()
@with_server_flags
def show(
    server: ServerFlags,
    as_json: Annotated[
        bool, typer.Option("--json", help="As JSON, with what each setting is for.")
    ] = False,
) -> None:
    """Show every setting, its value in force and its source.

    A flag overrides a variable STOA_…, a variable overrides stoa.toml, which overrides the default.
    Passwords in addresses are masked.
    """
    given = configuration.given_to_process(server.flags, server.config)
    settings = configuration.settle(given)
    if as_json:
        echo_json(_described(settings, given))
    else:
        typer.echo("\n".join(_table(settings, given)))


@app.command("check")
def check_file(
    file: Annotated[
        Path | None, typer.Argument(help="The file of settings; without one, stoa.toml.")
    ] = None,
) -> None:
    """Check a file of settings before a server takes it, and list all mistakes.

    Settings from the environment count too, as they do for the server.
    """
    mistakes = configuration.all_mistakes(file)
    if not mistakes:
        looked_at = file or configuration.FILE
        told = "no mistake" if looked_at.exists() else "there is none here; no mistake elsewhere"
        typer.echo(f"{looked_at}: {told}")
        return
    typer.echo("\n".join(mistakes), err=True)
    raise typer.Exit(1)


def _described(settings: Settings, given: dict[str, Given]) -> dict[str, Any]:
    return {
        name: {
            "value": _plain(getattr(settings, name)),
            "source": given[name].source if name in given else "default",
            "place": given[name].place if name in given else None,
            "environment": environment_name(name),
            "values": kind.values,
            "description": kind.description,
        }
        for name, kind in kinds().items()
    }


def _plain(value: object) -> int | str | list[str] | None:
    match value:
        case None | int():
            return value
        case list():
            return [masked(item) for item in cast(list[object], value)]
        case _:
            return masked(value)


def _table(settings: Settings, given: dict[str, Given]) -> list[str]:
    rows: list[tuple[str, ...]] = [("setting", "value", "from", "variable")]
    for name in kinds():
        source = given[name].place if name in given else "default"
        rows.append((name, _text(getattr(settings, name)), source, environment_name(name)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _text(value: object) -> str:
    plain = _plain(value)
    if isinstance(plain, list):
        plain = ", ".join(plain)
    return "-" if plain in (None, "") else str(plain)
