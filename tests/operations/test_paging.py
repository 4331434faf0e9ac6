"""Where a page ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.limits import PAGE_BYTES
from stoa.operations import paging
from stoa.schemas.base import Page, encode
from stoa.schemas.content import UntrustedContent

LENGTHS = st.lists(st.integers(0, 300_000), max_size=30)


def rows_of(lengths: list[int]) -> list[UntrustedContent]:
    return [UntrustedContent(body="x" * length) for length in lengths]


@given(LENGTHS)
def test_a_page_takes_all_the_rows_that_fit_and_at_least_one(lengths: list[int]) -> None:
    rows = rows_of(lengths)
    count = paging.fitting(rows, sum(lengths))
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
    cut = paging.cut(rows_of([1] * there), there, Page(limit=limit, offset=offset))
    assert (len(cut.rows), cut.next_offset) == (shown, following)
    assert cut.more is (following is not None)
    assert cut.limit == min(limit, 100)
