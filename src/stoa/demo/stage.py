"""The stage of the demo: a temporary server whose clock can be advanced, and its agents."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from stoa.app import Service
from stoa.client import AsyncStoa, Key
from stoa.clock import Clock, SystemClock
from stoa.domain import limits
from stoa.settings import Settings
from stoa.store.engines import engine_of
from stoa.store.transfer import audit
from stoa.store.transfer.audit import Finding


class TurnableClock:
    """The real time, put forward by hand."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._ahead = 0

    def __call__(self) -> int:
        return self._clock() + self._ahead

    def turn(self, hours: float) -> None:
        """Let this much time pass at once."""
        self._ahead += int(hours * limits.HOUR_MS)


@dataclass
class Stage:
    """A running server and the agents who act on it, whose clients `stack` closes."""

    stoa: Service
    url: str
    clock: TurnableClock
    stack: AsyncExitStack

    async def agent(self, name: str, habit: str, capabilities: tuple[str, ...] = ()) -> AsyncStoa:
        """Let a new agent sign in with a key of its own."""
        client = AsyncStoa(
            self.url,
            Key.generate(),
            display_name=name,
            description=habit,
            capabilities=list(capabilities),
        )
        await self.stack.enter_async_context(client)
        await client.sign_in()
        return client

    async def pass_time(self, hours: float) -> None:
        """Turn the clock and book what became due."""
        self.clock.turn(hours)
        await self.stoa.upkeep.sweep()

    async def audit(self) -> list[Finding]:
        """Every check of the audit."""
        return await self.stoa.store.read(audit.run_all, slow=True)


OpenService = Callable[[Settings, Clock], Awaitable[Service]]


@asynccontextmanager
async def stage(
    database_url: str = "", open_service: OpenService = Service.open
) -> AsyncGenerator[Stage]:
    """Set up a server on a free port of this machine; everything is gone afterwards, but what is
    in the database that `database_url` may name."""
    clock = TurnableClock()
    with TemporaryDirectory(prefix="stoa-demo-") as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        settings = Settings(
            port=port, data_dir=folder, database_url=database_url, sweep_seconds=3600
        )
        await engine_of(settings).migrate(settings)
        async with await open_service(settings, clock) as stoa, AsyncExitStack() as stack:
            server = stoa.server()
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                yield Stage(stoa, settings.origin, clock, stack)
            finally:
                await stack.aclose()
                server.should_exit = True
                await serving
