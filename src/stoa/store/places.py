"""Where a page of a list starts, and where it ends however few rows it has found."""

from typing import NamedTuple

from stoa.domain import limits
from stoa.store.tx import Tx, Value

AFTER_EVERYTHING = "~"
"""An id that sorts behind every id."""

RowPosition = tuple[int | str, str]
"""Where a row stands in a list: the key of the order, and its id."""


class Ends(NamedTuple):
    """The places before the first and behind the last row of a list, in its order."""

    first: RowPosition
    last: RowPosition


NEWEST = Ends((AFTER_EVERYTHING, AFTER_EVERYTHING), ("", ""))
LARGEST = Ends((1 << 62, AFTER_EVERYTHING), (-1, ""))
SMALLEST = Ends((-1, ""), (1 << 62, AFTER_EVERYTHING))


def narrowest(**filters: str | None) -> tuple[str, str]:
    """The filter whose index a list walks, and its value: the first that is set, since each row is
    looked at that the others leave out. `all` where none is set."""
    return next(
        ((name, value) for name, value in filters.items() if value is not None), ("all", "")
    )


def between(
    ends: Ends, after: RowPosition | None, upto: RowPosition | None = None
) -> dict[str, Value]:
    """What a statement takes for the rows behind `after`, up to and with `upto`."""
    (key, row_id), (end, end_id) = after or ends.first, upto or ends.last
    return {"key": key, "id": row_id, "end": end, "end_id": end_id}


class PagePart(NamedTuple):
    """What a page reads of a list: so many rows behind the place `after`, but for the first
    `offset` of these, and none behind the place `upto`, which is of `page_end`."""

    after: RowPosition | None
    limit: int
    offset: int = 0
    upto: RowPosition | None = None

    def values(self, ends: Ends) -> dict[str, Value]:
        """As a statement takes it."""
        rows: dict[str, Value] = {"limit": self.limit, "offset": self.offset}
        return rows | between(ends, self.after, self.upto)


async def page_end(
    tx: Tx, statement: str, scope: str, ends: Ends, after: RowPosition | None
) -> RowPosition | None:
    """The place, by this statement, of the last row that a page behind `after` looks at where a
    filter has no index; None where fewer are left."""
    most = limits.PAGE_ROWS_SEEN - 1
    row = await tx.one(statement, scope=scope, most=most, **between(ends, after))
    return (row[0], row[1]) if row else None
