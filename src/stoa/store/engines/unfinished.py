"""The mark of an unfinished copy of a database, which no server opens."""

from typing import NamedTuple


class Mark(NamedTuple):
    """The source of this copy (see `Target.begin`), and its address."""

    identity: str
    source: str


MARK = "stoa_copy"
"""The table that marks an unfinished copy."""

MAKE = "CREATE TABLE stoa_copy (identity TEXT NOT NULL, source TEXT NOT NULL)"
ADD = "INSERT INTO stoa_copy (identity, source) VALUES ($1, $2)"
READ = "SELECT identity, source FROM stoa_copy"
DROP = "DROP TABLE stoa_copy"
_EXPORT = "export "
"""The prefix of an export's identity."""
RESTORE = "restore "
"""The prefix of a backup's identity."""
_UNFINISHED = (
    "{place} is an unfinished copy of {source}: stop what serves that, then run the same "
    "`stoa copy` again"
)
_PART = (
    "{place} holds only a part of {source}: import the export into a new database, which "
    "`stoa migrate` makes"
)
_UNRESTORED = (
    "{place} was not filled to the end from {source}: make an empty database, and restore the "
    "backup into that"
)


def unfinished(place: object, mark: Mark) -> str:
    """Why no server opens a database with this mark."""
    kinds = ((_EXPORT, _PART), (RESTORE, _UNRESTORED), ("", _UNFINISHED))
    text = next(text for beginning, text in kinds if mark.identity.startswith(beginning))
    return text.format(place=place, source=mark.source)
