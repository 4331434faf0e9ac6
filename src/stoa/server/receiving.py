"""Takes a body that has arrived completely in one step; otherwise uvicorn's `receive` is used."""

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from stoa.http.wire import Message, Receive


class Receiver:
    """The ASGI `receive` of one request, around uvicorn's."""

    __slots__ = ("_cycle", "_receive")

    def __init__(self, cycle: RequestResponseCycle, receive: Receive) -> None:
        self._cycle = cycle
        self._receive = receive

    async def __call__(self) -> Message:
        return await self._receive()

    def take(self) -> bytes | None:
        """The whole body; None if it has not all arrived, or the client has disconnected."""
        cycle = self._cycle
        if cycle.more_body or cycle.disconnected or cycle.response_complete:
            return None
        body = bytes(cycle.body)
        cycle.body = bytearray()
        cycle.message_event.clear()
        cycle.flow.resume_reading()
        return body
