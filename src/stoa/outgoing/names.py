"""Resolves the host names of URLs that agents supply."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor


class Resolver:
    """Looks names up, on threads of its own, which are made as they are needed: one for each
    connection, since a name server that does not answer takes a thread for longer than the
    connection may take."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "names")

    async def addresses(self, host: str, port: int) -> list[str]:
        """The addresses of a name, or of a literal in any form. Raises OSError."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, _looked_up, host, port)
        return list(dict.fromkeys(found))


def _looked_up(host: str, port: int) -> list[str]:
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError("the name cannot be looked up") from error
    return [str(row[4][0]) for row in rows]
