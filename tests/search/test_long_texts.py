"""Long texts, and those with more characters in their words: nobody waits for who reads them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from stoa.domain.querylang import parse
from stoa.search.finding import TextsWanted, find
from stoa.search.index import SearchIndex, SearchSizes
from stoa.store.engines.sqlite.tx import BriefTx, TakesLonger, drive
from stoa.store.search import Narrowing, SearchText
from tests.support.app import App
from tests.support.composing import Composed, with_parts

PHRASE = '"za zymurgy"'
LIGATURE = "\ufdfa"
"""One character that stands for four words."""


@pytest.fixture
def index(tmp_path: Path) -> SearchIndex:
    sizes = SearchSizes(checked_characters=30_000, ahead_characters=100_000, followed=2)
    return SearchIndex(tmp_path / "search", sizes)


@pytest.fixture
def composed(index: SearchIndex) -> Composed:
    """Lets `stoa` have the index."""
    return with_parts(index=lambda _: index)


def searched(stoa: App, index: SearchIndex, q: str) -> int:
    """How many threads are found on the event loop. Raises `TakesLonger` if it needs a thread."""
    with closing(apsw.Connection(str(stoa.settings.database_path))) as connection:
        tx = BriefTx(connection.cursor(), now=0)
        wanted = TextsWanted(index.newest, 5)
        return len(drive(find(tx, index, parse(q), Narrowing(), wanted)).texts)


@pytest.mark.promise("Q40")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_long_texts_are_read_for_phrases_beside_the_event_loop(
    stoa: App, index: SearchIndex
) -> None:
    ada = stoa.agent("Ada")
    for _ in range(2):
        ada.thread("t", f"{'za zb ' * 700} za zymurgy")
    assert stoa.get(f"search?q={PHRASE}").ok()["total"] == 2
    assert searched(stoa, index, PHRASE) == 2
    ada.thread("t", f"{'za zb ' * 700} za zymurgy")
    assert stoa.get(f"search?q={PHRASE}").ok()["total"] == 3
    with pytest.raises(TakesLonger):
        searched(stoa, index, PHRASE)


@pytest.mark.parametrize("long", ["za zb " * 8_000, LIGATURE * 2_000])
def test_of_texts_that_are_read_at_once_a_search_looks_through_so_many(
    stoa: App, long: str
) -> None:
    ada = stoa.agent("Ada")
    for number in (1, 2, 3):
        ada.thread(f"t{number}", f"{long} za zymurgy")
    found = stoa.get(f"search?q={PHRASE}").ok()["threads"]
    assert [row["title"] for row in found] == ["t3"]


@pytest.mark.promise("Q41")
def test_a_search_reads_new_texts_of_so_many_characters_before_it_answers(
    stoa: App, index: SearchIndex
) -> None:
    ada = stoa.agent("Ada")
    threads = [ada.thread() for _ in range(6)]
    assert stoa.get("search?q=zymurgy").ok()["total"] == 0
    for thread in threads:
        ada.reply(thread, "zymurgy " * 5_000)
    for _ in range(2):
        answer = stoa.get("search?q=zymurgy").ok()
        assert (answer["total"], answer["partial"]) == (4, True)
        stoa.run(stoa.processes[0].upkeep.index())
        answer = stoa.get("search?q=zymurgy").ok()
        assert (answer["total"], "partial" in answer.json) == (6, False)
        assert index.place
        index.clear(index.place, index.place)  # the same holds of one that is made anew


def test_the_index_can_be_read_while_words_of_texts_are_found(index: SearchIndex) -> None:
    free: list[bool] = []

    def is_free() -> bool:
        got = index.lock.acquire(blocking=False)
        if got:
            index.lock.release()
        return got

    class Tags(list[str]):
        def __iter__(self) -> Iterator[str]:
            free.append(others.submit(is_free).result())
            return super().__iter__()

    index.open()
    with ThreadPoolExecutor(1) as others:
        tags = Tags(["beer"])
        texts = (
            SearchText(number, number, 0, "Title", "body", "ag_a", tags, False, False, True)
            for number in (1, 2)
        )
        assert index.put(texts)
        assert free
        assert all(free)
        with index.lock:
            assert not others.submit(is_free).result()
