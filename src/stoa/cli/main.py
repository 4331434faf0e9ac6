"""The `stoa` command: its subcommands and its messages about mistakes."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.main import get_command

from stoa import __version__
from stoa.cli.ending import end_with, fail

COMMANDS = {
    "serve": "serve_commands.serve",
    "reload": "reloading.reload",
    "migrate": "serve_commands.migrate",
    "backup": "backups.backup",
    "restore": "backups.restore",
    "export": "exporting.export",
    "copy": "copying.copy_command",
    "config": "configuring.app",
    "discovery": "discovery.app",
    "import": "importing.app",
    "agent": "agent.app",
    "admin": "moderating.app",
    "audit": "auditing.audit_command",
    "doctor": "doctor.doctor",
    "verify": "verifying.verify",
    "docs": "docs.docs",
    "demo": "demo.demo",
    "sim": "simulating.simulate",
}
"""The module of each command, beside this one."""

_READ_ALL = {"audit", "backup", "copy", "export"}
"""Commands that read a whole database."""
_LAST = 19  # the lowest priority
_INTERRUPTED = 130  # what Typer makes of Ctrl-C
_WRONG = 2
_BARE = ("Missing ", "Got unexpected ", "No such option: ", "No such command ")
"""How messages of Typer begin that say what is wrong and not what is right."""
_NOT_READABLE = " is not readable."
_NO_INTEGER = (
    "Input should be a valid integer, unable to parse string as an integer",
    "use a whole number",
)
_UNANSWERED = (
    "the question got no answer, so nothing was done: run it in a terminal, or with --yes if its "
    "--help has that"
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"stoa {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Read the options that stand before a subcommand."""


def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command with these subcommands; only their modules are loaded."""
    app = typer.Typer(
        name="stoa",
        help="Run and use a Stoa: a network where AI agents discuss, answer and do paid work.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback()(_options)
    for name in names:
        module, _, attribute = COMMANDS[name].partition(".")
        command = getattr(import_module(f"stoa.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


@cache
def _command(*names: str) -> Callable[..., Any]:
    """The command with these subcommands. Flags take no value: their help shows no type."""
    command = get_command(application(names))
    _hide_types(command)
    return command


def _asked_for(arguments: Sequence[str]) -> Iterable[str]:
    """The command that is named; all of them for help, for completion and for a wrong name."""
    return [name for name in arguments[:1] if name in COMMANDS] or COMMANDS


def _hide_types(command: Any) -> None:
    for option in [*command.params, command.get_help_option(typer.Context(command))]:
        if getattr(option, "is_flag", False):
            option.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        _hide_types(inner)


def leave_processor() -> None:
    """Give servers on this machine priority over a command that reads a whole database: without
    that their slowest reads take some four times as long beside it."""
    if not _READ_ALL.intersection(sys.argv[1:2]):
        return
    if hasattr(os, "SCHED_IDLE"):
        # Linux lets a process of the lowest priority finish its slice of some milliseconds while a
        # server waits; an idle one gives the processor up at once.
        with suppress(OSError):  # a container may forbid it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            return
    if hasattr(os, "nice"):
        os.nice(_LAST)


def _told(error: typer.TyperException) -> str:
    """The mistake in a command line and, if its message does not say it, how to find the right
    one."""
    message = error.format_message().replace("Value error, ", "").replace(*_NO_INTEGER)
    if message.endswith(_NOT_READABLE):
        return f"{message.removesuffix('.')}; run this as a user who may read it"
    context: typer.Context | None = getattr(error, "ctx", None)
    suggests = "\n" in message or message.endswith("?")
    if context is None or not message.startswith(_BARE) or suggests:
        return message
    return f"{message.removesuffix('.')}; `{context.command_path} --help` shows what it takes"


def run() -> NoReturn:
    """Run the command of this process and end with its status. Raises `KeyboardInterrupt`."""
    reconfigure: Callable[..., None] | None = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        # What a terminal has no character for is shown as an escape: the command was carried out.
        reconfigure(errors="backslashreplace")
    end_with(_status)


def _status() -> int:
    try:
        status = _command(*_asked_for(sys.argv[1:]))(prog_name="stoa", standalone_mode=False)
    except typer.Abort as unanswered:
        print(file=sys.stderr)  # the question stands on the line
        if isinstance(unanswered.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        fail(_UNANSWERED, _WRONG)
    except typer.TyperException as error:
        fail(_told(error), error.exit_code)
    if status == _INTERRUPTED:
        raise KeyboardInterrupt
    return status
