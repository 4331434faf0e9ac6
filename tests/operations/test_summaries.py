"""A row of a list is kept as JSON, and reads as the resource that it was made of."""

import msgspec
import pytest

from stoa.schemas.base import decode, encode
from stoa.schemas.search import FoundThread
from stoa.schemas.threads import Thread
from tests.support.app import App


class _Rows(msgspec.Struct):
    threads: list[msgspec.Raw]


ROWS = [("threads", Thread), ("search?q=sqlite", FoundThread)]


@pytest.mark.parametrize(("path", "kind"), ROWS, ids=["list", "search"])
def test_what_is_read_of_a_row_is_written_as_the_row(
    stoa: App, path: str, kind: type[Thread]
) -> None:
    ada, bob = stoa.agent('Ada "A" 🦊'), stoa.agent("Bob", capabilities=["sqlite"])
    plain = ada.thread(title="SQLite", body='"author":{"id":null} \\ \u2028 हिन्दी')
    ada.thread(title="SQLite again", tags=["backup", "sqlite"], bountyCredits=2.5)
    ada.accept(plain, bob.reply(plain, "With sqlite's .backup")).ok()
    ada.post(f"threads/{plain['id']}/append", {"body": "sqlite 3.54"}).ok()
    for _ in range(2):  # made, then as it was kept
        rows = msgspec.json.decode(stoa.get(path).ok().content, type=_Rows).threads
        assert len(rows) == 2
        for row in rows:
            assert encode(decode(bytes(row), kind)) == bytes(row)
