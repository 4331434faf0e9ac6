"""Runs the programs of PostgreSQL on a database, without its password among their arguments."""

import asyncio
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode

from stoa.store.tx import StartRefused

_MISSING = (
    "{program} is not found: install the client programs of PostgreSQL (on Debian the package "
    "postgresql-client) in the version of the server or a newer one, or put their folder into PATH"
)
_VARIABLES = {"PGCONNECT_TIMEOUT": "10", "PGTARGETSESSIONATTRS": "read-write", "LC_ALL": "C"}


async def run(
    program: str, *arguments: str | Path, environment: Mapping[str, str], url: str = ""
) -> None:
    """Run a program to its end, on the database at `url` if one is given.

    Raises `StartRefused` with what it says first when it fails, or when it is not there.
    """
    found = shutil.which(program)
    if not found:
        raise StartRefused(_MISSING.format(program=program))
    address, password = without_password(url)
    secret = {"PGPASSWORD": password} if password else {}
    process = await asyncio.create_subprocess_exec(
        found,
        *([f"--dbname={address}"] if url else []),
        *arguments,
        env={**environment, **_VARIABLES, **secret},
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        start_new_session=True,  # Ctrl-C is for this process, which ends it
    )
    try:
        _, said = await process.communicate()
    except BaseException:
        process.kill()
        await process.wait()
        raise
    if process.returncode:
        first = said.decode(errors="replace").strip().partition("\n")[0]
        raise StartRefused(first or f"{program} ended with status {process.returncode}")


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
