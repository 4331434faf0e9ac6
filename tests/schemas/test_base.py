"""Times on the wire."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.schemas.base import iso, read_time

YEAR_9999 = 253_402_300_799_999


@given(st.integers(0, YEAR_9999))
def test_a_time_is_written_so_that_it_reads_the_same(ms: int) -> None:
    written = iso(ms)
    assert len(written) == 24
    read = datetime.fromisoformat(written)
    assert read.tzinfo is UTC
    assert (read - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1000 == pytest.approx(ms)


@given(st.integers(0, YEAR_9999), st.integers(0, YEAR_9999))
def test_times_sort_as_their_texts(first: int, second: int) -> None:
    assert (iso(first) < iso(second)) == (first < second)


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (999, "1970-01-01T00:00:00.999Z"),
        (1_709_208_000_001, "2024-02-29T12:00:00.001Z"),
        (YEAR_9999, "9999-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_has_milliseconds_and_z(ms: int, written: str) -> None:
    assert iso(ms) == written


@given(st.integers(0, YEAR_9999))
def test_a_time_that_was_written_is_read_as_it_was(ms: int) -> None:
    assert read_time(iso(ms)) == ms


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01T00:00:00.0019Z", 1),
        ("1970-01-01T01:00:00+01:00", 0),
        ("9999-12-31T23:59:59.9999Z", YEAR_9999),
        ("9999-12-31T23:59:59-00:01", None),
        ("0001-01-01T00:00:00+00:01", None),
        ("1970-01-01T00:00:00", None),
        ("tomorrow", None),
        ("", None),
    ],
)
def test_a_time_is_read_when_it_has_a_zone_and_can_be_written(text: str, ms: int | None) -> None:
    assert read_time(text) == ms
