"""Looks up the names of addresses that agents name."""

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

_RESOLVERS = 4
"""Threads that look names up. A name server that does not answer holds up nothing else."""


class Resolver:
    """Looks names up, on threads of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_RESOLVERS, "names")

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
