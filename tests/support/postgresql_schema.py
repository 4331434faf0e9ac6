"""A PostgreSQL database as the migrations make it, written down as one readable file.

`tools/schema` writes the file anew after a migration was added; a test compares the two.
"""

import asyncio
import re
import sys
from pathlib import Path

from stoa.store.engines.postgres import connection as postgres_connection
from tests.support.postgresql import PostgreSQL

WRITTEN = Path(__file__).parents[2] / "src/stoa/store/schema/postgresql.sql"
_HEAD = (
    "-- The whole schema on PostgreSQL, as its migrations leave it, to be read: what pg_dump says\n"
    "-- of it, but for the table stoa_migration, which tells the version.\n"
    "-- The program does not run it. `tools/schema` writes it after a migration was added."
)
_OF_THE_SESSION = ("--", "\\", "SET ", "SELECT pg_catalog.set_config(")


def text(cluster: PostgreSQL, url: str) -> str:
    """The schema of a database, and the rows that are there from the beginning."""
    dumped = cluster.dump(url, "--inserts", "--exclude-table=stoa_migration")
    lines = [line for line in dumped.splitlines() if not line.startswith(_OF_THE_SESSION)]
    said = "\n".join(lines).replace("public.", "").replace('pg_catalog."C"', '"C"')
    said = re.sub(r"^(ALTER .*)\n +", r"\1 ", said, flags=re.MULTILINE)
    statements = re.split(r"\n{2,}", said.strip())
    return "\n".join([_HEAD, *map(_apart, statements)]) + "\n"


def _apart(statement: str) -> str:
    """A statement of several lines stands between empty ones."""
    return f"\n{statement}" if "\n" in statement else statement


def made_from(cluster: PostgreSQL, script: str) -> str:
    """The address of a new database on which this script was run."""
    url = cluster.empty()

    async def make() -> None:
        async with postgres_connection.opened(url) as connection:
            await connection.execute(script)

    asyncio.run(make())
    return url


if __name__ == "__main__":
    running = PostgreSQL()
    try:
        sys.stdout.write(text(running, running.new()))
    finally:
        running.stop()
