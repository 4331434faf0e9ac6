"""The file of the search index: it survives a kill, and is made anew when it is damaged."""

import shutil
from pathlib import Path

import pytest

from stoa.search.index import LogPlace, SearchIndex
from stoa.store.search import SearchText

PLACE = LogPlace(0, 7, "ev_a")


def text(number: int, *, shown: bool = True) -> SearchText:
    """The only text of a thread, with a word of its own."""
    words = f"common own{number}"
    return SearchText(number, number, number, "Title", words, "ag_a", ("t",), False, False, shown)


def opened(path: Path) -> SearchIndex:
    """An index that has read the log."""
    index = SearchIndex(path)
    index.open()
    if index.place is None:
        index.clear(PLACE)
        index.scanned = None
    return index


def having(index: SearchIndex, word: str) -> set[int]:
    """The texts with a word that can be found."""
    return {*(index.find([word])[word].anywhere & index.live)}


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoa.search.index.FLUSHED_TEXTS", 10)
    monkeypatch.setattr("stoa.search.segments.MERGED_AT_ONCE", 3)
    monkeypatch.setattr("stoa.search.segments._STEP_WORDS", 7)


@pytest.mark.promise("Q32")
def test_an_index_that_is_killed_between_any_two_steps_has_all_that_was_written(
    tmp_path: Path,
) -> None:
    index, step = opened(tmp_path / "search"), 0
    for first in range(1, 61, 10):
        index.put(map(text, range(first, first + 10)))
        index.put([text(first, shown=False)])
        working = True
        while working:
            working, step = index.work(), step + 1
            folder = tmp_path / str(step)
            folder.mkdir()
            for file in tmp_path.glob("search*"):
                shutil.copy(file, folder / file.name)
            again = opened(folder / "search")
            while again.work():
                pass
            count = len(again.thread_of) and max(again.openings, default=0)
            assert count in (first - 1, first + 9)
            shown = {n for n in range(1, count + 1) if n % 10 != 1}
            assert {*again.live} == having(again, "common") == having(again, "title") == shown
            assert all(having(again, f"own{n}") == {n} & shown for n in (1, 2, 11, 30, count))
            assert again.place == (PLACE if count else again.place)
            again.close()
    assert step > 30
    index.close()


@pytest.mark.parametrize("damage", [b"", b"no database" * 1000, None])
def test_a_file_that_is_damaged_or_missing_is_made_anew(
    tmp_path: Path, damage: bytes | None
) -> None:
    path = tmp_path / "search"
    index = opened(path)
    index.put(map(text, range(1, 11)))
    while index.work():
        pass
    index.close()
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    again = SearchIndex(path)
    again.open()
    assert again.place is None, "it has read nothing of the log"
    assert not again.live
    again.close()


def test_a_second_process_has_a_file_of_its_own(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "search"), opened(tmp_path / "search")
    first.put([text(1)])
    assert (having(first, "own1"), having(second, "own1")) == ({1}, set())
    assert (tmp_path / "search-1").exists()
    for index in (first, second):
        index.close()


def test_what_cannot_be_written_stays_in_memory_until_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoa.search.index.KEPT_TEXTS", 25)
    index = opened(tmp_path / "search")
    index.put(map(text, range(1, 11)))
    index._segments._execute("PRAGMA query_only = ON")  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    assert not index.work()
    index.put(map(text, range(11, 26)))
    assert not index.work()
    assert having(index, "common") == {*range(1, 26)}
    assert index.is_full
    index._segments._execute("PRAGMA query_only = OFF")  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    while index.work():
        pass
    assert not index.is_full
    assert having(index, "common") == {*range(1, 26)}
    index.close()
