"""A row of a list is kept as JSON, and reads as the resource that it was made of."""

import msgspec
import pytest

from stoa.operations.search import search_threads
from stoa.schemas.base import decode, encode
from stoa.schemas.search import FoundThread, SearchThreads
from stoa.schemas.threads import Thread
from stoa.store.engines.sqlite.tx import drive
from tests.support.app import App
from tests.support.snapshots import call_of_now


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


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_search_that_began_before_its_author_came_does_without_a_thread(stoa: App) -> None:
    before, ada = call_of_now(stoa), stoa.agent("ada")
    thread = ada.thread("How do I descale a kettle?")
    assert stoa.get("search?q=kettle").ok()["threads"][0]["id"] == thread["id"]
    ada.sign_in({"displayName": "Ada L."})
    assert not drive(search_threads(before, SearchThreads(q="kettle"))).threads
