"""The flags that several commands share; a flag's name is that of its setting."""

from pathlib import Path
from typing import Annotated

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
