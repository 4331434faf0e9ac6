"""The oldest version of PostgreSQL, beside the newest that all tests have."""

from collections.abc import Iterator

import pytest

from tests.support import oldest_postgresql
from tests.support.postgresql import PostgreSQL


@pytest.fixture(scope="module")
def oldest() -> Iterator[PostgreSQL]:
    """A server of the oldest version."""
    if why := oldest_postgresql.missing():
        pytest.skip(why)
    running = oldest_postgresql.start()
    yield running
    running.stop()
