"""Back pressure of a connection as in uvicorn, in a tenth of the memory."""

import asyncio
from typing import Any, Literal

from uvicorn.protocols.http.flow_control import FlowControl


class Signal(asyncio.Event):
    """An event that one task at most waits for. asyncio's has room for 64, which are 700 bytes."""

    _waiters: Any = ()  # the number of which `repr` tells

    def __init__(self) -> None:
        self._value = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """See `asyncio.Event.set`."""
        self._value = True
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    async def wait(self) -> Literal[True]:
        """See `asyncio.Event.wait`."""
        if not self._value:
            assert self._waiter is None or self._waiter.done()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        return True


class Flow(FlowControl):
    """uvicorn's, with such an event."""

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__(transport)
        self._is_writable_event = Signal()
        self._is_writable_event.set()
