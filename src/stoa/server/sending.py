"""Sends an answer that is one piece with one write; any other goes uvicorn's own way."""

from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from stoa.http.wire import HeaderList, Message, Send
from stoa.server import raw

_LINE_END = b"\r\n"


class Sender:
    """The `send` of one request, over uvicorn's. A start that names the length of its body waits
    for that."""

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
        """Send it, if nothing stands against it."""
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
        head = raw.head(start["status"], cycle.default_headers, headers)
        lines = len(cycle.default_headers) + len(headers) + 2
        # A value that would be read as a further header, or an answer that ends the connection.
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
