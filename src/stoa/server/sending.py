"""Sends a response with a single body message in one write; others use uvicorn's `send`."""

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from stoa.http.wire import HeaderList, Message, Send, header_lines
from stoa.server import raw

_LINE_END = b"\r\n"


class Sender:
    """The ASGI `send` of one request, around uvicorn's. A start message that ends with a
    `content-length` is held back until the body message."""

    __slots__ = ("_cycle", "_send", "_start")

    def __init__(self, cycle: RequestResponseCycle, send: Send) -> None:
        self._cycle = cycle
        self._send = send
        self._start: Message | None = None

    async def __call__(self, message: Message) -> None:
        start, self._start = self._start, None
        if start is not None:
            if self._sent_whole(start, message):
                return
            await self._send(start)
        elif message["type"] == "http.response.start" and _names_length(message.get("headers")):
            self._start = message
            return
        await self._send(message)

    def _sent_whole(self, start: Message, message: Message) -> bool:
        """Send the response in one write, if that is safe; returns whether it was sent."""
        cycle, headers, body = self._cycle, start["headers"], message.get("body", b"")
        is_head = cycle.scope["method"] == "HEAD"
        if (
            message.get("more_body", False)
            or cycle.flow.write_paused
            or cycle.disconnected
            or cycle.response_started
            or not cycle.keep_alive
            or (int(headers[-1][1]) != len(body) and not is_head)
        ):
            return False
        head = raw.head(start["status"], cycle.default_headers, header_lines(headers))
        lines = len(cycle.default_headers) + len(headers) + 2
        # uvicorn's `send` rejects line breaks in values and handles `connection: close`.
        if head.count(_LINE_END) != lines or b"\r\nconnection:" in head:
            return False
        cycle.transport.write(head if is_head else head + body)
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()
        cycle.on_response()
        return True


def _names_length(headers: HeaderList | None) -> bool:
    return bool(headers) and headers[-1][0] == b"content-length"
