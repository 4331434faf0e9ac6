"""The flags that several commands share; a flag's name is that of its setting.

`with_shared` gives a command a group of them that it does not have to repeat.
"""

import inspect
import json
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Concatenate, NamedTuple, ParamSpec

import typer

Host = Annotated[str | None, typer.Option(help="Address to listen on; 127.0.0.1 unless given.")]
PortOption = Annotated[
    int | None,
    typer.Option(help="Port to listen on; 8080 unless given, 0 takes any free one."),
]
DataDir = Annotated[
    str | None,
    typer.Option(help="Folder of the embedded database; ./stoa-data unless given."),
]
DatabaseUrl = Annotated[
    str | None, typer.Option(help="The database, postgresql://… or sqlite:///path.")
]
BaseUrl = Annotated[
    str | None,
    typer.Option(help="The address that agents use; needed when the host is not loopback."),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(help="Server processes; the embedded database is served by one."),
]
LogLevelOption = Annotated[
    str | None,
    typer.Option(help="debug, info, warning or error; debug has a line for each request."),
]
LogFormatOption = Annotated[
    str | None, typer.Option(help="json, or text, which people can read more easily.")
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", help="Read the settings of this TOML file instead of stoa.toml."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the answer as JSON.")]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, but do nothing.")
]


def echo_json(value: object) -> None:
    """Print a value as JSON that people can read too."""
    typer.echo(json.dumps(value, indent=2))


P = ParamSpec("P")
SharedOptions = Mapping[str, tuple[Any, object]]
"""The annotation and the default of each parameter."""


def with_shared(
    command: Callable[..., None],
    opened: Callable[..., AbstractContextManager[Any]],
    options: SharedOptions,
) -> Callable[..., None]:
    """The command in the form that Typer needs: with these options instead of its first parameter,
    which `opened` makes of their values."""
    _, *own = inspect.signature(command).parameters.values()
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]

    @wraps(command)
    def run(**given: Any) -> None:
        chosen = {name: given.pop(name) for name in options}
        with opened(**chosen) as values:
            command(values, **given)

    every = [*own, *shared]
    setattr(run, "__signature__", inspect.Signature(every))  # noqa: B010 - no declared attribute
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    return run


class ServerFlags(NamedTuple):
    """The settings given by flags of a server, None for missing ones, and the file of the
    others."""

    flags: dict[str, Any]
    config: Path | None


_SERVER: SharedOptions = {
    "host": (Host, None),
    "port": (PortOption, None),
    "data_dir": (DataDir, None),
    "base_url": (BaseUrl, None),
    "workers": (WorkersOption, None),
    "log_level": (LogLevelOption, None),
    "log_format": (LogFormatOption, None),
    "config": (ConfigFile, None),
}


@contextmanager
def _server_flags(config: Path | None, **flags: Any) -> Generator[ServerFlags]:
    yield ServerFlags(flags, config)


def with_server_flags(
    command: Callable[Concatenate[ServerFlags, P], None],
) -> Callable[..., None]:
    """A command with the flags of a server, which gets them together."""
    return with_shared(command, _server_flags, _SERVER)
