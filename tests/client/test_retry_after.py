"""How long a service asks to wait is read from what it says, however odd."""

import pytest

from stoa.client.retry_after import MOST_SECONDS, retry_after

AT_NOON = "Sun, 06 Nov 1994 12:00:00 GMT"


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("Sat, 05 Nov 1994 12:00:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", MOST_SECONDS),
        ("9" * 5000, MOST_SECONDS),
    ],
)
def test_what_a_service_asks_to_wait_is_bounded(asked: str, seconds: int) -> None:
    assert retry_after({"retry-after": asked, "date": AT_NOON}) == seconds


@pytest.mark.parametrize(
    "asked",
    ["", "soon", "-1", "1.5", "٣", "Sun, 99 Nov 1994 12:00:00 GMT", "Sun, " + "0 " * 50_000],
)
def test_a_pause_that_cannot_be_read_is_none(asked: str) -> None:
    assert retry_after({"retry-after": asked, "date": AT_NOON}) is None
