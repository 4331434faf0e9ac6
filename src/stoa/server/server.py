"""The server: uvicorn with Stoa's protocol and connection caps, ended by SIGTERM or SIGINT."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import cast

import uvicorn

from stoa.domain import limits
from stoa.http.wire import Application, Ready
from stoa.server.connections import Connections
from stoa.server.protocol import HttpConnection, RefusedCallback

_TICKS_PER_SWEEP = 5
"""uvicorn ticks ten times a second."""

_ENDING = (signal.SIGTERM, signal.SIGINT)

_DRAIN_CHECK_S = 0.05
_GRACE_S = (limits.SHUTDOWN_GRACE_MS - limits.LAST_REQUEST_MS) // 1000


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """What makes event loops: uvloop if it is installed, otherwise asyncio."""
    return uvicorn.Config("", log_config=None).get_loop_factory() or asyncio.new_event_loop


def cancel_on_signals() -> None:
    """Let SIGTERM and SIGINT cancel this task, until `end_on_signals` is called."""
    task = asyncio.current_task()
    assert task
    for name in _ENDING:
        asyncio.get_running_loop().add_signal_handler(name, task.cancel)


class Server(uvicorn.Server):
    """Serves `app` until it is asked to end, or until `lost` returns true because only a restart
    helps. A request with a cached answer in `ready` does not reach `app`; `refused` is told
    what is refused before it is a request. When the server begins to end it calls `ending`."""

    def __init__(
        self,
        app: Application,
        connections: Connections,
        origin: str,
        ready: Ready | None = None,
        lost: Callable[[], bool] = lambda: False,
        refused: RefusedCallback = lambda _kind, _refusal, _address: None,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        self._connections = connections
        self._ending = ending
        self._lost = lost
        protocol = partial(HttpConnection, connections, origin, ready, refused)
        config = uvicorn.Config(
            app,
            http=cast(type[asyncio.Protocol], protocol),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
        )
        super().__init__(config)

    def end_on_signals(self) -> None:
        """From now on SIGTERM and SIGINT start a graceful shutdown."""
        for name in _ENDING:
            asyncio.get_running_loop().add_signal_handler(name, self.handle_exit, name, None)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Do nothing. The base method captures signals and raises them again after the shutdown,
        which would end the process before the store is closed."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no new connections, finish running requests, then close. A client that was just
        answered may be sending its next request: it is answered before its connection closes."""
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        self._connections.draining = True
        self._ending()
        await self._drain()
        await super().shutdown(sockets)

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._connections.timeouts.last_request + _DRAIN_CHECK_S
        while not self.force_exit and loop.time() < end:
            for connection in list(self.server_state.connections):
                connection.shutdown()
            await asyncio.sleep(_DRAIN_CHECK_S)  # lets requests arrive that were sent before
            if not self.server_state.connections:
                return

    async def on_tick(self, counter: int) -> bool:
        """Sweep the connections on every fifth tick; end the server once `lost` returns true."""
        if counter % _TICKS_PER_SWEEP == 0:
            self._connections.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter) or self._lost()
