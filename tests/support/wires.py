"""Connections of a server without a network: what they send is kept."""

import asyncio
from collections.abc import Sequence
from typing import Any

from stoa.http import answering
from stoa.http.wire import Receive, Scope, Send
from stoa.server.connections import Connections
from stoa.server.protocol import RefusedCallback
from stoa.server.server import Server
from stoa.server.turns import Turns
from tests.support.raw import ORIGIN, Begins


class Wire(asyncio.Transport):
    """A transport that keeps what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = False

    def write(self, data: Any) -> None:
        self.sent += data

    def writelines(self, list_of_data: Any) -> None:
        self.sent += b"".join(list_of_data)

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


async def _path(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the path, at once."""
    await answering.send_answer(send, 200, [], scope["path"].encode())


def get(path: str) -> bytes:
    """A request."""
    return b"GET %b HTTP/1.1\r\nHost: stoa.test\r\n\r\n" % path.encode()


def connected(
    wires: Sequence[Wire],
    calls_ns: int = 2_000_000,
    refused: RefusedCallback = lambda _kind, _refusal, _address: None,
) -> list[Any]:
    """Connections of one server over these, in whose turns calls begin for so long. `refused` is
    told each refusal without the application."""
    connections = Connections(lambda _: True)
    connections.calls = Turns(calls_ns)
    server = Server(_path, connections, ORIGIN, Begins(), refused=refused)
    server.config.load()
    protocol: Any = server.config.http_protocol_class
    made = [
        protocol(config=server.config, server_state=server.server_state, app_state={})
        for _ in wires
    ]
    for connection, wire in zip(made, wires, strict=True):
        connection.connection_made(wire)
    return made
