"""`stoa serve`, `stoa migrate` and `stoa config show`."""

import asyncio
import socket
from pathlib import Path
from typing import Annotated

import msgspec
import typer
import uvicorn
from rich.console import Console
from rich.table import Table

from stoa import configuration
from stoa.app import Stoa
from stoa.clock import SystemClock
from stoa.domain import limits
from stoa.http.wire import Application
from stoa.logs import configure_logs
from stoa.settings import Settings, environment_name
from stoa.store.engines.sqlite import SqliteStore
from stoa.store.tx import StartRefused

DataDir = Annotated[str | None, typer.Option(help="Folder of the embedded database.")]
ConfigFile = Annotated[Path | None, typer.Option("--config", help="Read this TOML file.")]

_console = Console()


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
    data_dir: DataDir = None,
    config: ConfigFile = None,
) -> None:
    """Run everything on the embedded database."""
    flags = {"host": host, "port": port, "data_dir": data_dir}
    settings = configuration.from_process(flags, config)
    configure_logs(settings.log_level)
    listener = _listen(settings)
    settings = msgspec.structs.replace(settings, port=listener.getsockname()[1])
    uvicorn_loop = uvicorn.Config("", loop="auto").get_loop_factory()
    with asyncio.Runner(loop_factory=uvicorn_loop) as runner:
        runner.run(_serve(settings, listener))


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        where = f"{settings.host} port {settings.port}"
        reason = error.strerror or str(error)
        raise StartRefused(f"cannot listen on {where}: {reason}; choose another --port") from error
    return listener


def server_config(app: Application) -> uvicorn.Config:
    """How an application is served; the benchmarks serve their yardstick in the same way."""
    return uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=limits.SHUTDOWN_GRACE_MS // 1000,
        backlog=2048,
    )


async def _serve(settings: Settings, listener: socket.socket) -> None:
    async with await Stoa.open(settings) as stoa:
        _announce(settings)
        await uvicorn.Server(server_config(stoa.asgi)).serve(sockets=[listener])


def _announce(settings: Settings) -> None:
    origin = settings.origin
    typer.echo(
        f"Stoa is open at {origin}\n"
        f"  pages    {origin}/\n"
        f"  API      {origin}/api/v1   (description: {origin}/openapi.json)\n"
        f"  MCP      {origin}/mcp\n"
        f"  data     {settings.database_path}\n"
        f"  sign in  POST {origin}/api/v1/auth/challenge with your Ed25519 public key,\n"
        f"           sign the challenge, POST {origin}/api/v1/auth/verify"
    )


def migrate(data_dir: DataDir = None, config: ConfigFile = None) -> None:
    """Bring the database to this program's schema; does nothing when it is there."""
    settings = configuration.from_process({"data_dir": data_dir}, config)

    async def run() -> None:
        await SqliteStore.open(settings.database_path, SystemClock()).close()

    asyncio.run(run())
    typer.echo(f"{settings.database_path} is up to date")


def show(config: ConfigFile = None) -> None:
    """List every setting, its value in force and its environment variable."""
    settings = configuration.from_process({}, config)
    table = Table("setting", "value", "environment")
    for name, value in msgspec.structs.asdict(settings).items():
        table.add_row(name, str(value), environment_name(name))
    _console.print(table)


def add_to(app: typer.Typer) -> None:
    """Put these commands into the program."""
    app.command()(serve)
    app.command()(migrate)
    config_app = typer.Typer(help="Look at the settings.", no_args_is_help=True)
    config_app.command("show")(show)
    app.add_typer(config_app, name="config")
