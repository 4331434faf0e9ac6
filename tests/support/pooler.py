"""A pool before PostgreSQL that hands connections on after each transaction and knows nothing of
what was prepared on them, as PgBouncer did before 1.21."""

import asyncio
import threading
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from pathlib import Path

from tests.support.loops import cancel_others

Server = tuple[StreamReader, StreamWriter]

_IDLE = b"I"
_READY = b"Z"
_ENDS = {b"Q": _READY, b"S": _READY, b"H": b"TnE"}
"""With what the answer to a query, a Sync and a Flush ends; the last comes behind a description."""


class Pooler:
    """Listens on `port` of this machine, for clients that use no TLS, until it is closed."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._idle: list[Server] = []
        self._loop = asyncio.new_event_loop()
        self._listener = self._loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0)
        )
        self.port: int = self._listener.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()

    def close(self) -> None:
        """End it with all connections."""
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._listener.close()
        await cancel_others()
        for _, writer in self._idle:
            writer.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, EOFError):
            # Each client brings a connection of its own, which then is everybody's.
            server = await asyncio.open_unix_connection(str(self._target))
            length = await reader.readexactly(4)
            server[1].write(length + await reader.readexactly(int.from_bytes(length) - 4))
            await self._answer(server, writer, _READY)
            self._idle.append(server)
            while await self._transaction(reader, writer):
                pass
        writer.close()

    async def _transaction(self, reader: StreamReader, writer: StreamWriter) -> bool:
        """Let a client use the connection that was used last; whether it wants another."""
        kind, message = await _message(reader)
        if kind == b"X":
            return False
        server = self._idle.pop()
        server[1].write(message)
        while not (kind in _ENDS and await self._answer(server, writer, _ENDS[kind])):
            kind, message = await _message(reader)
            server[1].write(message)
        self._idle.append(server)
        return True

    async def _answer(self, server: Server, writer: StreamWriter, ends: bytes) -> bool:
        """Pass on all up to one of these; whether the server is in no transaction then."""
        while True:
            kind, message = await _message(server[0])
            writer.write(message)
            if kind in ends:
                return kind == _READY and message.endswith(_IDLE)


async def _message(reader: StreamReader) -> tuple[bytes, bytes]:
    """The kind of a message, and all of it."""
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(int.from_bytes(head[1:]) - 4)
