"""Pages of lists: where a page starts, when it ends early, and the cursor of the next one."""

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, NotRequired, TypedDict, TypeVar, cast

from msgspec import UNSET, UnsetType

from stoa.domain import limits
from stoa.domain.errors import invalid_field
from stoa.operations.parts.budget import Budget
from stoa.schemas.base import Page, Resource, encode
from stoa.schemas.options import Options
from stoa.schemas.shaping import shaped

Row = TypeVar("Row")
View = TypeVar("View", bound=Resource)
Place = TypeVar("Place")
ListPosition = tuple[int | str, ...]

_TOO_FAR = (
    f"Must be at most {limits.OFFSET_MOST} in a list as long as this: go on with `cursor`, the "
    "`nextCursor` of the page before."
)
_ESCAPED_CHARACTER_BYTES = 6
_ROW_BYTES = 30_000  # of everything but the long text: author, title, labels, all escaped
_BESIDE_BYTES = 64 * 1024  # of what stands beside the rows: a thread, related rows, warnings


def place(page: Page, start: Place) -> Place:
    """The place that the cursor of a request names, or the `start` without a cursor. Its values
    have the types that the request gives in `orders`."""
    return start if page.cursor is None else cast("Place", page.form.decode(page.cursor))


def fitting(
    rows: Sequence[Resource],
    characters: int,
    options: Options,
    most_bytes: int = limits.PAGE_BYTES,
) -> int:
    """How many of `rows`, in the form that the options want, fit into an answer of `most_bytes` of
    JSON, at least one.

    `characters` is the length of the long texts in them: while these cannot fill the answer even
    if all were escaped, no row is measured (bytes).
    """
    largest = _BESIDE_BYTES + characters * _ESCAPED_CHARACTER_BYTES + len(rows) * _ROW_BYTES
    if largest < most_bytes:
        return len(rows)
    size = _BESIDE_BYTES
    for count, row in enumerate(rows):
        size += len(encode(shaped(row, options))) + 1
        if size > most_bytes and count:
            return count
    return len(rows)


class Members(TypedDict):
    """The members of `ListAnswer`; with a cursor both offsets are left out."""

    limit: int
    offset: int | UnsetType
    next_offset: int | UnsetType | None
    next_cursor: str | None
    omitted: NotRequired[int]


class Cut(NamedTuple, Generic[View]):
    """The rows of a page, as they travel, the paging members of its answer, and the budget without
    what the rows have taken of it."""

    rows: list[View]
    members: Members
    budget: Budget


def cut(
    options: Options,
    page: Page,
    rows: Sequence[Row],
    views: Sequence[View],
    place_of: Callable[[Row], ListPosition],
    characters: int = 0,
    *,
    end: ListPosition | None = None,
) -> Cut[View]:
    """Cut `rows`, fetched with one more than wanted, and their `views` to the page and to the
    budget of the options.

    `place_of` gives the place of a row in the order of the page; `characters` is for `fitting`.
    With an `end` there may be more behind that place, which `rows` do not reach.
    """
    budget = Budget.of(options)
    whole = min(fitting(views, characters, options), page.size, len(views))
    count = budget.fitting(views[:whole])
    last = place_of(rows[count - 1]) if len(rows) > count else None
    members = _members(page, count, last, end)
    if count < whole:
        members["omitted"] = whole - count
    return Cut(list(views[:count]), members, budget)


def _members(
    page: Page, count: int, last: ListPosition | None, end: ListPosition | None
) -> Members:
    """The paging members of a page with `count` rows. `last` is the place of the last one if there
    are more, `end` that after which there may be more. Raises 400 for an offset so large that fewer
    rows were skipped: each row that is skipped by number is read."""
    place, offset = last or end, page.offset or 0
    if page.skip < offset and (count or place):
        raise invalid_field("offset", _TOO_FAR)
    next_offset = None if last is None else offset + count
    return Members(
        limit=page.size,
        offset=offset if page.cursor is None else UNSET,
        next_offset=next_offset if page.cursor is None else UNSET,
        next_cursor=None if place is None else page.form.encode(*place),
    )
