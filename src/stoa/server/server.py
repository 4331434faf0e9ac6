"""The server: uvicorn with our connections, which may be ended by SIGTERM and SIGINT."""

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
from stoa.server.protocol import HttpConnection

_TICKS_PER_SWEEP = 5
"""uvicorn ticks ten times a second."""

_ENDING = (signal.SIGTERM, signal.SIGINT)

_DRAIN_LOOK_S = 0.05
_GRACE_S = (limits.SHUTDOWN_GRACE_MS - limits.LAST_REQUEST_MS) // 1000


def new_loop() -> asyncio.AbstractEventLoop:
    """An event loop of the fastest kind there is here."""
    factory = uvicorn.Config("", log_config=None).get_loop_factory()
    return factory() if factory else asyncio.new_event_loop()


def cancel_on_signals() -> None:
    """Let SIGTERM and SIGINT cancel this task, for as long as there is no server to end."""
    task = asyncio.current_task()
    assert task
    for name in _ENDING:
        asyncio.get_running_loop().add_signal_handler(name, task.cancel)


class Server(uvicorn.Server):
    """Serves `app` over `connections` until it is asked to end or `lost` says that it cannot do its
    work any more. A request that `ready` has an answer for does not reach `app`."""

    def __init__(
        self,
        app: Application,
        connections: Connections,
        documentation: str,
        ready: Ready | None = None,
        lost: Callable[[], bool] = lambda: False,
    ) -> None:
        self._connections = connections
        self._lost = lost
        protocol = partial(HttpConnection, connections, documentation, ready)
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
        """From now on SIGTERM and SIGINT let what runs finish and end the server."""
        for name in _ENDING:
            asyncio.get_running_loop().add_signal_handler(name, self.handle_exit, name, None)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals alone. The base would take them, and raise them again afterwards, which
        ends the process before the store is closed."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no new connections, finish what runs, and close. A client that has just been served
        may be sending its next request: it still gets the answer, as the last of its connection."""
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        self._connections.draining = True
        await self._drain()
        await super().shutdown(sockets)

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._connections.patience.last_request + _DRAIN_LOOK_S
        while not self.force_exit and loop.time() < end:
            for connection in list(self.server_state.connections):
                connection.shutdown()
            await asyncio.sleep(_DRAIN_LOOK_S)  # in which what was accepted before arrives
            if not self.server_state.connections:
                return

    async def on_tick(self, counter: int) -> bool:
        """Let the house look after its connections now and then."""
        if counter % _TICKS_PER_SWEEP == 0:
            self._connections.sweep(asyncio.get_running_loop().time())
        return await super().on_tick(counter) or self._lost()
