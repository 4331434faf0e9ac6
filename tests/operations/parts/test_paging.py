"""Where a page ends."""

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from stoa.domain.cursors import CursorFormat
from stoa.domain.limits import PAGE_BYTES
from stoa.operations.parts import paging
from stoa.schemas.base import Page, encode
from stoa.schemas.content import UntrustedContent
from stoa.schemas.options import FULL

LENGTHS = st.lists(st.integers(0, 300_000), max_size=30)
NUMBERS = CursorFormat("numbers", (int,))


class Numbers(Page, kw_only=True):
    """A page of numbers."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": NUMBERS}


def rows_of(lengths: list[int]) -> list[UntrustedContent]:
    return [UntrustedContent(body="x" * length) for length in lengths]


@given(LENGTHS)
def test_a_page_takes_all_the_rows_that_fit_and_at_least_one(lengths: list[int]) -> None:
    rows = rows_of(lengths)
    count = paging.fitting(rows, sum(lengths), FULL)
    assert (count >= 1) == bool(rows)
    size = sum(len(encode(row)) + 1 for row in rows[:count])
    assert count <= 1 or size <= PAGE_BYTES
    # What stands beside the rows has its share; but for that the page is full.
    assert count == len(rows) or size + len(encode(rows[count])) > PAGE_BYTES - 70_000


@pytest.mark.parametrize(
    ("there", "limit", "offset", "shown", "following"),
    [
        (0, 5, None, 0, None),
        (5, 5, None, 5, None),
        (6, 5, None, 5, 5),
        (6, 5, 10, 5, 15),
        (1, 1, 3, 1, None),
        (101, 500, None, 100, 100),
    ],
)
def test_a_page_says_what_follows(
    there: int, limit: int, offset: int | None, shown: int, following: int | None
) -> None:
    page, views = Numbers(limit=limit, offset=offset), rows_of([1] * there)
    cut = paging.cut(FULL, page, range(there), views, lambda row: (row,), characters=there)
    cursor = None if following is None else NUMBERS.encode(shown - 1)
    assert len(cut.rows) == shown
    assert cut.members == {
        "limit": min(limit, 100),
        "offset": offset or 0,
        "next_offset": following,
        "next_cursor": cursor,
    }


def test_a_page_of_a_cursor_has_no_offsets() -> None:
    page = Numbers(limit=1, cursor=NUMBERS.encode(7))
    cut = paging.cut(FULL, page, [8, 9], rows_of([1, 1]), lambda row: (row,))
    assert (cut.members["offset"], cut.members["next_offset"]) == (UNSET, UNSET)
    assert cut.members["next_cursor"] == NUMBERS.encode(8)
