"""Runs the programs of PostgreSQL on a database, without its password among their arguments."""

import asyncio
import shutil
from asyncio import StreamReader
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, NamedTuple
from urllib.parse import parse_qsl, unquote, urlencode

from stoa.store.engines.postgres.connection import patience_s
from stoa.store.tx import StartRefused

_INSTALL = (
    "install the client programs of PostgreSQL (on Debian the package postgresql-client) in the "
    "version of the server or a newer one, or put their folder first into PATH"
)
_OLDER = "server version mismatch"
"""How the message of pg_dump begins when the server is newer than itself."""
_VARIABLES = {"PGTARGETSESSIONATTRS": "read-write", "LC_ALL": "C"}
_PART_BYTES = 1 << 16
_NEWER_SETTING = b"SET transaction_timeout = 0;\n"
"""A setting that pg_restore writes, and a server knows, from version 17 on."""


class _Running(NamedTuple):
    program: str
    process: Process
    said: IO[bytes]

    async def end(self) -> None:
        """Wait for its end. Raises `StartRefused` with its first message when it failed."""
        if not await self.process.wait():
            return
        self.said.seek(0)
        first = self.said.readline().decode(errors="replace").strip()
        if _OLDER in first:
            raise StartRefused(f"{first}: {_INSTALL}")
        raise StartRefused(first or f"{self.program} ended with status {self.process.returncode}")


async def run(
    program: str, *arguments: str | Path, environment: Mapping[str, str], url: str = ""
) -> None:
    """Run a program to its end, on the database at `url` if one is given.

    Raises `StartRefused` with its first message when it fails, or when it does not exist.
    """
    async with _started(program, *arguments, environment=environment, url=url) as running:
        await running.end()


async def fill(source: Path, *, environment: Mapping[str, str], url: str) -> None:
    """Fill the database at `url` with a dump, in one transaction.

    psql runs what pg_restore writes, because pg_restore itself cannot fill a server that is older
    than version 17 once it is newer. Raises `StartRefused` with nothing filled in.
    """
    read = ("--no-owner", "--file=-", source)
    write = ("--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=-")
    async with (
        _started("pg_restore", *read, environment=environment, stdout=PIPE) as reading,
        _started("psql", *write, environment=environment, url=url, stdin=PIPE) as writing,
    ):
        script, target = reading.process.stdout, writing.process.stdin
        assert script
        assert target
        with suppress(BrokenPipeError, ConnectionResetError):  # psql has ended, and says why below
            part = await _head(script)
            while part:
                target.write(part)
                await target.drain()
                part = await script.read(_PART_BYTES)
            await reading.end()  # else psql would commit half a dump
        target.close()
        await writing.end()


async def _head(script: StreamReader) -> bytes:
    """The settings at the begin of a script, without the one that only newer servers know."""
    lines = list[bytes]()
    while line := await script.readline():
        if line != _NEWER_SETTING:
            lines.append(line)
        if line.startswith(b"SELECT"):
            break
    return b"".join(lines)


@asynccontextmanager
async def _started(
    program: str,
    *arguments: str | Path,
    environment: Mapping[str, str],
    url: str = "",
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
) -> AsyncGenerator[_Running]:
    """A running program, killed at the end of the block unless it has ended."""
    found = shutil.which(program)
    if not found:
        raise StartRefused(f"{program} is not found: {_INSTALL}")
    address, password = without_password(url)
    secret = {"PGPASSWORD": password} if password else {}
    with TemporaryFile() as said:
        process = await asyncio.create_subprocess_exec(
            found,
            *([f"--dbname={address}"] if url else []),
            *arguments,
            env={**environment, **_VARIABLES, **secret, "PGCONNECT_TIMEOUT": str(patience_s())},
            stdin=stdin,
            stdout=stdout,
            stderr=said,
            start_new_session=True,  # Ctrl-C is for this process, which ends it
        )
        try:
            yield _Running(program, process, said)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def without_password(url: str) -> tuple[str, str]:
    """An address without the password in it, and the password; arguments are seen by all users."""
    scheme, separator, rest = url.partition("://")
    location, asked, query = rest.partition("?")
    before, at, hosts = location.partition("@")
    user, _, password = before.partition(":") if at else ("", "", "")
    pairs = parse_qsl(query, keep_blank_values=True)
    given = [value for name, value in pairs if name == "password"]
    kept = urlencode([pair for pair in pairs if "pass" not in pair[0].lower()], safe="/,")
    address = f"{scheme}{separator}{user}{at}{hosts if at else before}"
    return f"{address}?{kept}" if asked and kept else address, unquote(password) or "".join(
        given[-1:]
    )
