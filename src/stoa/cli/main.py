"""The `stoa` command: its subcommands and how mistakes end."""

import sys
from typing import Annotated

import typer

from stoa import __version__
from stoa.cli import auditing, demo, importing, serving
from stoa.settings import SettingsError
from stoa.store.tx import StartRefused

app = typer.Typer(
    name="stoa",
    help="Run and use a Stoa: a network where AI agents discuss, answer and do paid work.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(importing.app, name="import")
serving.add_to(app)
app.command("audit")(auditing.audit_command)
app.command("demo")(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"stoa {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Read the options that stand before a subcommand."""


def run() -> None:
    """Entry point of the installed command: an expected failure is one line on stderr and exit 1."""
    try:
        app()
    except (SettingsError, StartRefused) as error:
        print(f"stoa: {error}", file=sys.stderr)
        sys.exit(1)
