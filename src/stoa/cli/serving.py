"""`stoa serve` after its flags are read.

The library of the commands is not loaded here: a server would keep it in memory for nothing.
"""

import asyncio
import ctypes
import errno
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoa import configuration
from stoa.cli.notifying import inherited_listener
from stoa.cli.running_settings import RunningSettings
from stoa.settings import Settings, environment_name
from stoa.settings_checks import check
from stoa.store.tx import StartRefused

if TYPE_CHECKING:
    from stoa.app import Service
    from stoa.cli.worker_process import SupervisorLink
    from stoa.clock import SystemClock
    from stoa.metrics import AllCounters
    from stoa.server.server import Server

_BACKLOG = 2048
_SWITCH_S = 0.0005
"""How long a thread waits for another one that holds the interpreter. A quick read may wait for a
slow one at each of its statements, so Python's own 5 ms would add up."""

_NEW_OBJECTS = 5_000
"""The garbage collector runs after so many more live objects. Python's own 700 are those of a dozen
requests under way, none of them garbage: looking through them took a tenth of a sign-in."""

_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3  # names in <malloc.h> of the GNU library
_LARGE_BYTES = 128 * 1024
"""Blocks of this size on go back to the system as soon as they are freed."""

_OTHER_FILES = 1000  # connections about to be refused, the database, the program's own


def serve(flags: Mapping[str, Any], config: Path | None = None, *, new: bool = False) -> int:
    """Serve with these settings and those of the file `config` until SIGTERM or Ctrl-C; returns the
    exit status. With `new` make the database. Raises `StartRefused` and SettingsError."""
    read = partial(configuration.from_process, flags, config)
    settings = read()
    running = RunningSettings(settings, read)
    with ExitStack() as opened:
        listener = inherited_listener()
        if listener:
            settings = _at(settings, listener)
        else:
            listener = _listen(settings.host, settings.port, "--host", "--port")
        opened.enter_context(listener)
        metrics = None
        if settings.metrics:
            name = environment_name("metrics")
            metrics = opened.enter_context(_listen(*settings.metrics_address, name, name))
        return _run(settings, listener, metrics, running, new=new)


def _at(settings: Settings, listener: socket.socket) -> Settings:
    """The settings of a server with this listener. Raises SettingsError if they do not match its
    address."""
    import msgspec

    host, port = listener.getsockname()[:2]
    settings = msgspec.structs.replace(settings, host=host, port=port)
    check(settings)
    return settings


def _listen(host: str, port: int, host_named_by: str, named_by: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except socket.gaierror as error:
        listener.close()
        raise StartRefused(
            f"cannot listen on {host}: {error.strerror}; correct the name in {host_named_by}, or "
            "give an address of this machine"
        ) from error
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        wrong = host_named_by if error.errno == errno.EADDRNOTAVAIL else named_by
        raise StartRefused(
            f"cannot listen on {host} port {port}: {reason}; choose another {wrong}"
        ) from error
    return listener


def _run(
    settings: Settings,
    listener: socket.socket,
    metrics: socket.socket | None,
    running: RunningSettings,
    *,
    new: bool,
) -> int:
    with _collecting_nothing():
        return_freed_memory()
        # Loaded here, once the settings are known to be right: a mistake is told at once.
        import msgspec

        from stoa.app import new_counters  # once, for all workers: they are forks of this process
        from stoa.cli import starting
        from stoa.cli.supervising import Supervisor, places
        from stoa.clock import SystemClock
        from stoa.domain import limits
        from stoa.logs import configure_logs, log
        from stoa.server.server import loop_factory
        from stoa.store import statements
        from stoa.store.engines import engine_of

        configure_logs(settings.log_level, settings.log_format)
        sys.setswitchinterval(_SWITCH_S)
        _allow_files(limits.CONNECTIONS + _OTHER_FILES)
        most = _most_connections()
        if most < limits.CONNECTIONS:
            log.warning("the limit of open files is low", connections=most)
        settings = msgspec.structs.replace(settings, port=listener.getsockname()[1])
        running.settings = settings
        clock = SystemClock()
        all_counters = new_counters(places(settings.workers))

        place = engine_of(settings).place(settings)
        statements.load(settings.engine)
        if done := asyncio.run(starting.prepare(settings, new=new)):  # workers never do that
            log.info("database migrated", done=done)
    loops = loop_factory()

    def work(link: "SupervisorLink") -> None:
        with asyncio.Runner(loop_factory=loops) as runner, suppress(asyncio.CancelledError):
            now = running.settings
            if not runner.run(_serve(now, listener, clock, link, all_counters, metrics, most)):
                raise SystemExit(os.EX_SOFTWARE)

    gc.set_threshold(_NEW_OBJECTS)
    gc.freeze()  # what is never collected is never written to, and so shared by all
    supervisor = Supervisor(settings.workers, listener, work, clock, running.reload)
    address = metrics and metrics.getsockname()
    return supervisor.run(lambda: _announce(settings, place, address))


@contextmanager
def _collecting_nothing() -> Generator[None]:
    """While the program is loaded, none of which is garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def return_freed_memory() -> None:
    """Tell the C library, where it can be told, to share freed memory among threads and to return
    large blocks to the system. Its default, to keep both, took a sixth of all memory after many
    reads."""
    with suppress(AttributeError):
        set_option = ctypes.CDLL(None).mallopt
        set_option(_M_ARENA_MAX, 1)
        set_option(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def _allow_files(wanted: int) -> None:
    """Raise this process's limit of open files, which is often just below what a server needs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))


def _most_connections() -> int:
    """How many connections may be open at once. If the limit of files is low, half of it at most: a
    connection without a file would be closed without an answer."""
    from stoa.domain import limits

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return limits.CONNECTIONS
    return min(limits.CONNECTIONS, max(files - _OTHER_FILES, files // 2))


async def _serve(
    settings: Settings,
    listener: socket.socket,
    clock: "SystemClock",
    link: "SupervisorLink",
    all_counters: "AllCounters",
    metrics: socket.socket | None,
    most: int,
) -> bool:
    """Serve until the process is asked to end; whether it could work until then."""
    from stoa.app import Service
    from stoa.logs import loop_fault
    from stoa.server import control
    from stoa.server.server import cancel_on_signals
    from stoa.server.tracing import new_provider

    asyncio.get_running_loop().set_exception_handler(loop_fault)
    cancel_on_signals()
    _end_with_supervisor(link)
    counters = all_counters.each[link.place]
    async with await Service.open(settings, clock, apart=True, counters=counters) as stoa:
        provider = new_provider(settings)  # has a thread, so not before the writer was forked
        server = stoa.server(provider and provider.get_tracer("stoa"), most)
        server.end_on_signals()
        gc.collect()
        gc.freeze()  # the loaded program stays in memory: the collector need not look through it
        link.ready()
        _beat(link, stoa)
        async with AsyncExitStack() as beside:
            if metrics:
                serving = _serving(stoa.metrics_server(all_counters), metrics)
                await beside.enter_async_context(serving)
            if settings.engine == "sqlite":  # no other program can write to the database
                commands = control.listening(settings.database_path, stoa.operate)
                await beside.enter_async_context(commands)
            await server.serve(sockets=[listener])
        if provider:
            await asyncio.to_thread(provider.shutdown)
        return not stoa.store.lost


@asynccontextmanager
async def _serving(server: "Server", listener: socket.socket) -> AsyncGenerator[None]:
    """Serve the metrics during the block."""
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = server.force_exit = True
        await task


def _beat(link: "SupervisorLink", stoa: "Service") -> None:
    """Tell the supervisor and the metrics once a second that the event loop turns."""
    from stoa.domain import limits

    link.beat()
    stoa.beat()
    asyncio.get_running_loop().call_later(limits.HEARTBEAT_MS / 1000, _beat, link, stoa)


def _end_with_supervisor(link: "SupervisorLink") -> None:
    loop = asyncio.get_running_loop()

    def end() -> None:
        loop.remove_reader(link.supervisor_gone)
        signal.raise_signal(signal.SIGTERM)

    loop.add_reader(link.supervisor_gone, end)


def _announce(settings: Settings, data: str, metrics: tuple[Any, ...] | None) -> None:
    origin = settings.origin
    lines = [
        f"Stoa is open at {origin}",
        f"  pages    {origin}/",
        f"  API      {origin}/api/v1   (description: {origin}/openapi.json)",
        f"  MCP      {origin}/mcp   (clients that sign in themselves: {origin}/mcp/oauth)",
        f"  data     {data}",
        f"  sign in  POST {origin}/api/v1/auth/challenge with your Ed25519 public key,",
        f"           sign the challenge, POST {origin}/api/v1/auth/verify",
    ]
    if metrics:
        host = f"[{metrics[0]}]" if ":" in metrics[0] else metrics[0]
        lines.insert(0, f"Metrics are at http://{host}:{metrics[1]}/metrics")
    try:
        print("\n".join(lines), flush=True)
    except OSError:  # nobody reads this any more; what Python flushes at the end must not fail too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
