"""Reads the numbered steps of a schema, `migrations/<dialect>/NNNN_name.sql`."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parents[1] / "migrations"


class Step(NamedTuple):
    """One migration."""

    number: int
    name: str
    sql: str

    @property
    def title(self) -> str:
        """The name of the file without its extension."""
        return f"{self.number:04}_{self.name}"


@cache
def steps(dialect: str) -> list[Step]:
    """Every migration of this dialect, in order."""
    return read(_FOLDER / dialect)


def read(folder: Path) -> list[Step]:
    """Every migration in a folder, in order."""
    found: list[Step] = []
    for file in folder.iterdir():
        match = re.fullmatch(r"(\d{4})_(\w+)\.sql", file.name)
        if match:
            found.append(Step(int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return sorted(found)
