"""Pages of lists: where a page starts, when it ends early, and what leads to the next one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from msgspec import UNSET, UnsetType

from stoa.domain import cursors, limits
from stoa.domain.cursors import Form
from stoa.schemas.base import Page, Resource, encode

T = TypeVar("T", bound=Resource)

_ESCAPED_CHARACTER_BYTES = 6
_ROW_BYTES = 30_000  # of everything but the long text: author, title, labels, all escaped
_BESIDE_BYTES = 64 * 1024  # of what stands beside the rows: a thread, related rows, warnings


def place(form: Form, page: Page) -> tuple[int | str, ...] | None:
    """The place that the cursor of a request that was read names, or None for the start."""
    return None if page.cursor is None else cursors.decode(*form, page.cursor)


def fitting(rows: Sequence[T], characters: int, most_bytes: int = limits.PAGE_BYTES) -> int:
    """How many of `rows` fit into an answer of `most_bytes` of JSON, at least one.

    `characters` is the length of the long texts in them: while these cannot fill the answer even
    if all were escaped, nothing is measured.
    """
    largest = _BESIDE_BYTES + characters * _ESCAPED_CHARACTER_BYTES + len(rows) * _ROW_BYTES
    if largest < most_bytes:
        return len(rows)
    size = _BESIDE_BYTES
    for count, row in enumerate(rows):
        size += len(encode(row)) + 1
        if size > most_bytes and count:
            return count
    return len(rows)


@dataclass(frozen=True, slots=True)
class Cut(Generic[T]):
    """The rows of a page and the members that lead to the next one."""

    rows: list[T]
    more: bool
    limit: int
    offset: int | UnsetType
    next_offset: int | UnsetType | None


def cut(rows: Sequence[T], characters: int, page: Page) -> Cut[T]:
    """Cut rows, fetched with one more than wanted, to the page.

    With a cursor there is no offset to speak of, so its two members are left out.
    """
    count = min(fitting(rows, characters), page.size)
    more = len(rows) > count
    if page.cursor is not None:
        return Cut(list(rows[:count]), more, page.size, UNSET, UNSET)
    offset = page.offset or 0
    return Cut(list(rows[:count]), more, page.size, offset, offset + count if more else None)
