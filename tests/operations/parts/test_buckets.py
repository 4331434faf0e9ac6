"""The headers of a charge, in the two forms that they are sent in."""

import pytest

from stoa.http import wire
from stoa.operations.parts.buckets import Charge, RateBucket, header_lines, headers

NOW = 1_795_437_335_000
READS = RateBucket("reads", "1.2.3.4", 120, 60_000)


@pytest.mark.parametrize(
    "charge",
    [
        Charge(READS, remaining=119, reset=1_795_437_395, taken_at=NOW),
        Charge(READS, allowed=False, reset=1_795_437_395, retry_after=60),
        Charge(RateBucket("reads", "1.2.3.4", 0, 60_000)),
    ],
    ids=["allowed", "refused", "unlimited"],
)
def test_lines_of_headers_are_the_headers(charge: Charge) -> None:
    assert header_lines(charge) == wire.header_lines(headers(charge))
