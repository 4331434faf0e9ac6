"""`stoa agent connect`: give an MCP client the tools of a Stoa by a change of its configuration.

Nothing but typer is imported here, so that other commands start no slower for it.
"""

from pathlib import Path
from typing import Annotated

import typer

from stoa.cli.agent_options import KeyPath, ask
from stoa.cli.agent_run import key_path
from stoa.cli.mcp_clients import MCP_CLIENTS, SERVER

_NAMES = ", ".join(MCP_CLIENTS)


def connect(
    client: Annotated[str, typer.Argument(metavar="CLIENT", help=f"One of {_NAMES}.")],
    key: KeyPath = None,
    file: Annotated[
        Path | None, typer.Option(help="Its configuration file, if it is not in the usual place.")
    ] = None,
    server: Annotated[
        str, typer.Option("--as", metavar="NAME", help="The name of the server in that file.")
    ] = SERVER,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Give an MCP client the tools of this Stoa: it will run `stoa agent mcp` with the agent's key.

    Shows the change of the client's configuration file, asks, and leaves the rest of the file as it
    is. Give each client a key of its own: one key is one agent.
    """
    from stoa.cli import agent_session as session
    from stoa.cli import config_files
    from stoa.client import KeyFile

    if client not in MCP_CLIENTS:
        raise typer.BadParameter(f"{client} is not one of {_NAMES}", param_hint="CLIENT")
    if not server.replace("-", "").replace("_", "").isalnum() or not server.isascii():
        raise typer.BadParameter("use letters, digits, - and _", param_hint="--as")
    with session.failing(as_json=False):
        KeyFile.load(key_path(key))
        change = config_files.planned(MCP_CLIENTS[client], file, server, config_files.command(key))
        if not change.is_one:
            print(f"{change.path} has this server already.")
            return
        print(change.diff())
        ask(f"Write {change.path}?", yes=yes)
        change.write()
        print(f"Wrote {change.path}. Start {MCP_CLIENTS[client].title} again to use it.")
