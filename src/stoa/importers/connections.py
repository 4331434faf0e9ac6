"""The transport of an import: persistent HTTP connections to one server, used by threads.

It carries out the steps of `stoa.client`. An import is thousands of small calls that share the
machine with the server, and `http.client` in threads takes a quarter of the CPU time per call that
an asynchronous HTTP library takes.
"""

import asyncio
import http.client
import select
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from stoa.client.errors import Unreachable
from stoa.client.protocol import HttpReply, SendRequest

TIMEOUT_S = 60


class ConnectionPool:
    """Up to `count` connections to `url`, opened when needed and kept."""

    def __init__(self, url: str, count: int) -> None:
        parts = urlsplit(url)
        self._address = parts.netloc
        self._prefix = parts.path
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._own = threading.local()
        self._open: list[http.client.HTTPConnection] = []
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="stoa-import")

    async def send(self, send: SendRequest) -> HttpReply:
        """The reply to a request. Raises Unreachable."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._send, send)

    def close(self) -> None:
        """Close all connections once the calls under way are over."""
        self._threads.shutdown(cancel_futures=True)
        for connection in self._open:
            connection.close()

    def _send(self, send: SendRequest) -> HttpReply:
        connection = self._connection()
        connected = False
        try:
            if connection.sock is None:
                connection.connect()
            connected = True
            connection.request(send.method, self._prefix + send.path, send.body, {**send.headers})
            response = connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            reason = f"{type(error).__name__} {error}".strip()
            raise Unreachable(reason, maybe_done=connected) from None
        headers = {name.lower(): value for name, value in response.getheaders()}
        return HttpReply(response.status, headers, content)

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
