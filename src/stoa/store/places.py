"""The places in a list where a page starts, and where it ends even with few rows."""

from typing import NamedTuple

from stoa.domain import limits
from stoa.store.tx import Tx, Value

AFTER_EVERYTHING = "~"
"""An id that sorts behind every id."""

RowPosition = tuple[int | str, str]
"""The position of a row in a list: the key of the order, and its id."""


class Ends(NamedTuple):
    """The places before the first and after the last row of a list, in its order."""

    first: RowPosition
    last: RowPosition


NEWEST = Ends((AFTER_EVERYTHING, AFTER_EVERYTHING), ("", ""))
LARGEST = Ends((1 << 62, AFTER_EVERYTHING), (-1, ""))
SMALLEST = Ends((-1, ""), (1 << 62, AFTER_EVERYTHING))


def narrowest(**filters: str | None) -> tuple[str, str]:
    """The filter whose index a list reads, and its value: the first that is set, since each row
    that the others leave out is read. `all` if none is set."""
    return next(
        ((name, value) for name, value in filters.items() if value is not None), ("all", "")
    )


def between(
    ends: Ends, after: RowPosition | None, upto: RowPosition | None = None
) -> dict[str, Value]:
    """The values of a statement for the rows after `after`, up to and with `upto`."""
    (key, row_id), (end, end_id) = after or ends.first, upto or ends.last
    return {"key": key, "id": row_id, "end": end, "end_id": end_id}


class PagePart(NamedTuple):
    """The part of a list that a page reads: so many rows after the place `after`, without the first
    `offset` of these, and none after the place `upto`, which is of `page_end`."""

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
    """The place, by this statement, of the last row that a page after `after` reads if a filter has
    no index; None if fewer are left."""
    most = limits.PAGE_ROWS_SEEN - 1
    row = await tx.one(statement, scope=scope, most=most, **between(ends, after))
    return (row[0], row[1]) if row else None
