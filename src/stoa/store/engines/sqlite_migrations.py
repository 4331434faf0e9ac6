"""Brings a SQLite file to the schema of this program: numbered steps, forward only."""

import re
from importlib.resources import files

import apsw

from stoa.store.tx import StartRefused


def steps() -> list[tuple[int, str, str]]:
    """Every migration as `(number, name, sql)`, in order."""
    folder = files("stoa.store") / "migrations" / "sqlite"
    found: list[tuple[int, str, str]] = []
    for file in folder.iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name)
        if match:
            found.append((int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return sorted(found)


def version(connection: apsw.Connection) -> int:
    """The number of the last migration that the file has seen."""
    return connection.pragma("user_version")


def migrate(connection: apsw.Connection) -> list[str]:
    """Apply what is missing, each step in a transaction; returns the names of the steps applied.

    Raises `StartRefused` when the file was written by a newer program.
    """
    known = steps()
    present, newest = version(connection), known[-1][0]
    if present > newest:
        raise StartRefused(
            f"the database has schema {present}, this Stoa knows up to {newest}: use a newer Stoa"
        )
    applied: list[str] = []
    for number, name, sql in known:
        if number > present:
            with connection:
                connection.execute(sql)
                connection.pragma("user_version", number)
            applied.append(f"{number:04}_{name}")
    return applied
