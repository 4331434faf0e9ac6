"""A socket in the data folder, by which the operator's commands reach the server that uses it.

Only the user that the server runs as, and root, can open it. Folders may have longer names than an
address of a socket can have, so the folder is named by an open descriptor.
"""

import asyncio
import errno
import os
import socket
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path

from stoa.store.tx import StartRefused

MOST_BYTES = 16 * 1024 * 1024
_ANSWER_S = 60.0

Operate = Callable[[bytes], Awaitable[bytes]]
"""Carries out one command, one line, and answers in one line."""


@asynccontextmanager
async def listening(file: Path, operate: Operate) -> AsyncGenerator[None]:
    """Take commands for the database in this file, which no other server uses."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError):
            writer.write(await operate(await reader.readline()) + b"\n")
            await writer.drain()

    with _address(file) as address:
        _forget(address)  # that of a server that was killed
        mask = os.umask(0o177)
        try:
            server = await asyncio.start_unix_server(serve, address, limit=MOST_BYTES)
        finally:
            os.umask(mask)
        try:
            yield
        finally:
            server.close()
            _forget(address)


def _forget(address: str) -> None:
    Path(address).unlink(missing_ok=True)


def ask(file: Path, command: bytes, most_s: float = _ANSWER_S) -> bytes | None:
    """The answer of the server that uses the database in this file; None when there is no server,
    and nothing (`b""`) from one that failed, ended or did not answer in `most_s`. Raises
    `StartRefused` when the server cannot be asked."""
    if not file.parent.is_dir():
        return None
    with (
        _address(file) as address,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection,
    ):
        connection.settimeout(most_s)
        try:
            connection.connect(address)
        except (FileNotFoundError, ConnectionRefusedError):
            return None
        except OSError as error:
            hint = "; run this as its user or as root" if error.errno == errno.EACCES else ""
            told = f"the server that uses {file} cannot be asked: {error.strerror or error}{hint}"
            raise StartRefused(told) from None
        with suppress(OSError), connection.makefile("rb") as answers:
            connection.sendall(command + b"\n")
            return answers.readline()
    return b""


@contextmanager
def _address(file: Path) -> Generator[str]:
    """The address of the socket of a database, which may have some hundred bytes; on Linux a short
    one, whatever folder it is in."""
    if sys.platform != "linux":
        yield f"{file}.control"
        return
    folder = os.open(file.resolve().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{file.name}.control"
    finally:
        os.close(folder)
