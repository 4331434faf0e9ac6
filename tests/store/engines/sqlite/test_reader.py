"""A connection that reads is there for the next read, however the one before ended."""

from pathlib import Path

import apsw
import pytest

from stoa.store.changes import Changes
from stoa.store.engines.sqlite.reader import Reader
from stoa.store.engines.sqlite.store import migrate
from stoa.store.tx import Row, Tx
from tests.support.clock import VirtualClock


async def endless(tx: Tx) -> None:
    while True:
        await tx.one("events.given")


async def short(tx: Tx) -> Row | None:
    return await tx.one("events.given")


@pytest.mark.parametrize("brief", [False, True])
def test_a_read_that_took_too_long_does_not_stop_the_next(tmp_path: Path, *, brief: bool) -> None:
    path = tmp_path / "stoa.db"
    migrate(path)
    reader = Reader(path, VirtualClock(), Changes(), most_ms=50, steps=1)
    for _ in range(2):
        with pytest.raises(apsw.InterruptError):
            reader.snapshot(endless, brief=brief)
        assert reader.snapshot(short) == (0,)
    reader.close()
