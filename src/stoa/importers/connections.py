"""Kept HTTP connections to one server, worked by threads.

An import is thousands of small calls that share the machine with the server. `http.client` in
threads takes a quarter of the CPU time per call that an asynchronous client takes.
"""

import asyncio
import http.client
import select
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

TIMEOUT_S = 60


class NoAnswer(Exception):
    """The connection failed: what was sent may or may not have arrived."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; `retry_after` is the header's seconds, 0 without it."""

    status: int
    reason: str
    content: bytes
    retry_after: int


class Connections:
    """Up to `count` connections to `url`, opened when needed and kept."""

    def __init__(self, url: str, count: int) -> None:
        parts = urlsplit(url)
        self._address = parts.netloc
        self._prefix = parts.path
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._own = threading.local()
        self._open: list[http.client.HTTPConnection] = []
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="stoa-import")

    async def request(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> Answer:
        """One call. Raises NoAnswer."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, self._request, method, self._prefix + path, body, headers
        )

    def close(self) -> None:
        """Close all connections once the calls under way are over."""
        self._threads.shutdown(cancel_futures=True)
        for connection in self._open:
            connection.close()

    def _request(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> Answer:
        connection = self._connection()
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise NoAnswer(f"{type(error).__name__} {error}".strip()) from None
        return Answer(response.status, response.reason, content, _seconds(response))

    def _connection(self) -> http.client.HTTPConnection:
        """This thread's own connection."""
        connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = self._own.connection = self._new()
            self._open.append(connection)
        # Between calls nothing is due, so what can be read is the end that an idle time brought.
        if connection.sock and select.select([connection.sock], [], [], 0)[0]:
            connection.close()
        return connection

    def _new(self) -> http.client.HTTPConnection:
        if self._tls:
            return http.client.HTTPSConnection(self._address, timeout=TIMEOUT_S, context=self._tls)
        return http.client.HTTPConnection(self._address, timeout=TIMEOUT_S)


def _seconds(response: http.client.HTTPResponse) -> int:
    text = response.getheader("Retry-After", "")
    return int(text) if text.isascii() and text.isdigit() else 0
