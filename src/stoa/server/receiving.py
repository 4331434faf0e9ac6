"""Receives a body that is here already in one go; any other comes uvicorn's own way."""

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from stoa.http.wire import Message, Receive


class Receiver:
    """The `receive` of one request, over uvicorn's."""

    __slots__ = ("_cycle", "_receive")

    def __init__(self, cycle: RequestResponseCycle, receive: Receive) -> None:
        self._cycle = cycle
        self._receive = receive

    async def __call__(self) -> Message:
        return await self._receive()

    def take(self) -> bytes | None:
        """The whole body; None when there is more to wait for, or nobody to answer."""
        cycle = self._cycle
        if cycle.more_body or cycle.disconnected or cycle.response_complete:
            return None
        body = bytes(cycle.body)
        cycle.body = bytearray()
        cycle.message_event.clear()
        cycle.flow.resume_reading()
        return body
