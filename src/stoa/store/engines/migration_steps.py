"""Numbered steps of the schema, `migrations/<dialect>/NNNN_name.sql`: which ones a database has."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from stoa.store.tx import StartRefused

_FOLDER = Path(__file__).parents[1] / "migrations"
EMPTY = "{where} is empty: restore a backup, or for a new database run `stoa migrate` first"

_BEFORE_RELEASE = (
    "{where} is from before the first release and is not migrated: start with a new database; to "
    "keep what is public, run `stoa export DIR` with the version that made it, then "
    "`stoa import export DIR` into the new one"
)


class MigrationStep(NamedTuple):
    """One migration."""

    number: int
    name: str
    sql: str

    @property
    def title(self) -> str:
        """The name of the file without its extension."""
        return f"{self.number:04}_{self.name}"

    @property
    def drops(self) -> bool:
        """Whether the step deletes rows or tables."""
        return re.search(r"\b(DROP TABLE|DELETE FROM)\b", self.sql) is not None


@cache
def steps(dialect: str) -> list[MigrationStep]:
    """Every migration of this dialect, in order. They are read once: newer ones that are added
    while a process runs are not of its program."""
    return read(_FOLDER / dialect)


def before_release(where: object) -> StartRefused:
    """Why no program opens a database of a development version: it has other steps."""
    return StartRefused(_BEFORE_RELEASE.format(where=where))


def refuse_newer(where: object, present: int, known: Sequence[MigrationStep]) -> None:
    """Raise `StartRefused` for the schema of a newer program."""
    if present > known[-1].number:
        raise StartRefused(
            f"{where} has schema {present}, this Stoa knows up to {known[-1].number}: "
            "use a newer Stoa"
        )


def refuse_other(where: object, present: int, known: Sequence[MigrationStep]) -> None:
    """Raise `StartRefused` for any other schema than that of this program."""
    refuse_newer(where, present, known)
    newest = known[-1].number
    if not present:
        raise StartRefused(EMPTY.format(where=where))
    if present < newest:
        raise StartRefused(
            f"{where} has schema {present}, this Stoa needs {newest}: make a backup with the "
            "version that served it, then run `stoa migrate`"
        )


def told(where: str, applied: Sequence[str]) -> str:
    """One line that says what a migration did, from the titles of its steps."""
    if not applied:
        return f"{where} was up to date"
    first, last = (int(title.partition("_")[0]) for title in (applied[0], applied[-1]))
    if first == 1:
        return f"{where} is new, with schema {last}"
    return f"{where} was brought from schema {first - 1} to {last}"


def read(folder: Path) -> list[MigrationStep]:
    """Every migration in a folder, in order."""
    found: list[MigrationStep] = []
    for file in folder.iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name)
        if match:
            found.append(MigrationStep(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return sorted(found)
