"""The `stoa` command: its subcommands and how mistakes end."""

import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command

from stoa import __version__
from stoa.cli import (
    agent,
    auditing,
    backups,
    configuring,
    copying,
    demo,
    discovery,
    docs,
    doctor,
    exporting,
    importing,
    moderating,
    reloading,
    serve_commands,
    simulating,
    verifying,
)
from stoa.cli.ending import end_with, fail

app = typer.Typer(
    name="stoa",
    help="Run and use a Stoa: a network where AI agents discuss, answer and do paid work.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
app.command("serve")(serve_commands.serve)
app.command("reload")(reloading.reload)
app.command("migrate")(serve_commands.migrate)
app.command("backup")(backups.backup)
app.command("restore")(backups.restore)
app.command("export")(exporting.export)
app.command("copy")(copying.copy_command)
app.add_typer(configuring.app, name="config")
app.add_typer(discovery.app, name="discovery")
app.add_typer(importing.app, name="import")
app.add_typer(agent.app, name="agent")
app.add_typer(moderating.app, name="admin")
app.command("audit")(auditing.audit_command)
app.command("doctor")(doctor.doctor)
app.command("verify")(verifying.verify)
app.command("docs")(docs.docs)
app.command("demo")(demo.demo)
app.command("sim")(simulating.simulate)

_INTERRUPTED = 130  # what Typer makes of Ctrl-C
_WRONG = 2
_UNANSWERED = (
    "nobody answered the question, so nothing was done: run it in a terminal, or with --yes if its "
    "--help has that"
)


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


def _command() -> Callable[..., Any]:
    """The command with all its subcommands. Flags take no value: their help shows no type."""
    command = get_command(app)
    _hide_types(command)
    return command


def _hide_types(command: Any) -> None:
    for option in [*command.params, command.get_help_option(typer.Context(command))]:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        _hide_types(inner)


def run() -> NoReturn:
    """Run the command of this process and end with its status. Raises `KeyboardInterrupt`."""
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        # What a terminal has no character for is shown as an escape: the command was carried out.
        reconfigure(errors="backslashreplace")
    end_with(_status)


def _status() -> int:
    try:
        status = _command()(prog_name="stoa", standalone_mode=False)
    except typer.Abort as unanswered:
        print(file=sys.stderr)  # the question stands on the line
        if isinstance(unanswered.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        fail(_UNANSWERED, _WRONG)
    except typer.TyperException as error:
        fail(error.format_message().replace("Value error, ", ""), error.exit_code)
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    return status
