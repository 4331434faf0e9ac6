"""The file of the search index: it survives a kill, and is made anew when it is damaged."""

import os
import resource
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, cast

import apsw
import pytest
from pyroaring import BitMap

from stoa.clock import elapsed_ms
from stoa.search.index import LogPlace, SearchIndex, SearchSizes, remove_unused
from stoa.search.postings import PART, Postings
from stoa.store.search import SearchText
from tests.support.clock import HOUR
from tests.support.logs import logged

FEW = SearchSizes(flushed=10, kept=25, words=7)
PLACE = LogPlace(0, 7, "ev_a")

OPEN = """
import sys
from pathlib import Path
from stoa.search.postings import Postings

Postings.open(Path(sys.argv[1])).close()
"""


def text(number: int, own: str = "", *, shown: bool = True) -> SearchText:
    """The only text of a thread, with a word of its own."""
    words = f"common {own or f'own{number}'}"
    return SearchText(number, number, number, "Title", words, "ag_a", ("t",), False, False, shown)


def opened(path: Path, sizes: SearchSizes = FEW) -> SearchIndex:
    """An index that has read the log."""
    index = SearchIndex(path, sizes)
    index.open()
    if index.place is None:
        index.clear(PLACE)
        index.scanned = None
    index.behind = False
    return index


def having(index: SearchIndex, word: str) -> set[int]:
    """The texts with a word that can be found."""
    return {*(index.find([word])[word].anywhere & index.live)}


def work(index: SearchIndex) -> None:
    """Do all that is due in the file."""
    while index.work():
        continue


def made(path: Path) -> None:
    """The file of an index of ten texts, which no process uses."""
    index = opened(path)
    index.put(map(text, range(1, 11)))
    work(index)
    index.close()


def written(folder: Path) -> bytes:
    """All that is in the files of an index."""
    return b"".join(file.read_bytes() for file in folder.glob("search*"))


@pytest.mark.promise("Q32")
def test_an_index_that_is_killed_between_any_two_steps_has_all_that_was_written(
    tmp_path: Path,
) -> None:
    index, step = opened(tmp_path / "search"), 0
    for first in range(1, 61, 10):
        index.put(map(text, range(first, first + 10)))
        index.put([text(first, shown=False)])
        index.remove_hidden()
        working = True
        while working:
            working, step = index.work(), step + 1
            folder = tmp_path / str(step)
            folder.mkdir()
            for file in tmp_path.glob("search*"):
                shutil.copy(file, folder / file.name)
            again = opened(folder / "search")
            work(again)
            count = max(again.openings, default=0)
            assert count in (first - 1, first + 9)
            shown = {n for n in range(1, count + 1) if n % 10 != 1}
            assert {*again.live} == having(again, "common") == having(again, "title") == shown
            assert all(having(again, f"own{n}") == {n} & shown for n in (1, 2, 11, 30, count))
            assert again.place == (PLACE if count else again.place)
            again.close()
    assert step > 30
    index.close()


def test_no_search_is_quick_while_the_file_is_synced(tmp_path: Path) -> None:
    """So none waits for the disk on the event loop."""
    index, seen = opened(tmp_path / "search"), list[tuple[bool, bool]]()

    def note() -> bool:
        seen.append((index.is_busy, index.is_light(1)))
        return False

    cast(Any, index)._postings._connection.set_commit_hook(note)
    index.put(map(text, range(1, 11)))
    work(index)
    index.put([text(1, shown=False)])
    index.remove_hidden()
    work(index)
    assert seen[:3] == [(True, False)] * 3, "texts are written, none with words to remove, removed"
    assert (index.is_busy, index.is_light(1)) == (False, True)
    index.close()


def test_words_that_were_looked_up_have_what_was_written_since(tmp_path: Path) -> None:
    index = opened(tmp_path / "search")
    index.put(map(text, range(1, 11)))
    work(index)
    assert having(index, "common") == {*range(1, 11)}
    index.put(map(text, range(11, 21)))
    work(index)
    assert having(index, "common") == {*range(1, 21)}
    index.close()


def test_nothing_of_a_hidden_text_is_left_in_the_file_and_a_restored_one_is_found(
    tmp_path: Path,
) -> None:
    index = opened(tmp_path / "search")
    index.put(map(text, range(101, 131)))
    work(index)
    assert b"own111" in written(tmp_path)
    index.put(text(number, shown=False) for number in (111, 112, 131))
    index.put([text(131)])
    index.put([text(131, shown=False)])
    index.remove_hidden()
    index.work()
    index.put([text(112)])
    work(index)
    left = written(tmp_path)
    assert (b"own111" in left, b"own131" in left, b"own113" in left) == (False, False, True)
    assert (having(index, "own111"), having(index, "own112")) == (set(), {112})
    index.close()
    again = opened(tmp_path / "search")
    assert having(again, "common") == {*range(101, 131)} - {111, 112}, "112 follows from the log"
    again.close()


def test_no_copy_is_left_where_words_were_moved_to_another_page(tmp_path: Path) -> None:
    index, random = opened(tmp_path / "search"), Random(1)
    for first in range(0, 6_000, 1_000):
        numbers = range(first, first + 1_000)
        ends = ((n, "gone" if n % 3 else "stays") for n in numbers)
        index.put(text(n, f"w{random.getrandbits(40)}{end}") for n, end in ends)
        work(index)
    index.put(text(number, shown=False) for number in range(6_000) if number % 3)
    index.remove_hidden()
    work(index)
    left = written(tmp_path)
    assert (left.count(b"gone"), b"stays" in left) == (0, True)
    index.close()


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_file_that_is_damaged_while_it_is_used_is_made_anew(tmp_path: Path, place: int) -> None:
    path = tmp_path / "search"
    index = opened(path)
    index.put(map(text, range(1, 2_000)))
    work(index)
    index.close()
    size = path.stat().st_size // 4
    with path.open("r+b") as file:
        file.seek(max(4096, place * size))
        file.write(b"\xff" * size)
    again = SearchIndex(path)
    again.open()
    for number in range(1, 2_000):
        assert having(again, f"own{number}") <= {number}
    work(again)
    assert again.place is None, "it has read nothing of the log"
    assert not again.live
    again.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE posting SET anywhere = (SELECT anywhere FROM posting WHERE word = 'common')",
        "UPDATE posting SET title = (SELECT title FROM posting WHERE word = 'title')",
        "UPDATE posting SET word = 'own7x' WHERE word = 'own7'",
        "UPDATE fact SET threads = zeroblob(length(threads))",
        "UPDATE state SET value = zeroblob(length(value)) WHERE name = 'live'",
    ],
)
def test_wrong_bytes_that_sqlite_takes_for_whole_rows_are_noticed(
    tmp_path: Path, change: str
) -> None:
    path = tmp_path / "search"
    made(path)
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(change)
    again = SearchIndex(path)
    again.open()
    assert having(again, "own7") == set()
    assert again.place is None, "it has read nothing of the log"
    again.close()


def test_a_file_of_another_format_is_made_anew(tmp_path: Path) -> None:
    made(tmp_path / "search")
    again = opened(tmp_path / "search")
    assert having(again, "common") == having(again, "t") == {*range(1, 11)}
    again.close()
    with closing(apsw.Connection(str(tmp_path / "search"))) as connection:
        connection.execute("UPDATE state SET value = x'00' WHERE name = 'format'")
    other = SearchIndex(tmp_path / "search")
    other.open()
    assert other.place is None, "it has read nothing of the log"
    other.close()


@pytest.mark.parametrize("damage", [b"", b"no database" * 1000, None])
def test_a_file_that_is_damaged_or_missing_is_made_anew(
    tmp_path: Path, damage: bytes | None
) -> None:
    path = tmp_path / "search"
    made(path)
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage)
    again = SearchIndex(path)
    again.open()
    assert again.place is None, "it has read nothing of the log"
    assert not again.live
    again.close()


def test_a_file_that_ends_before_its_log_says_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    index, left = opened(tmp_path / "search"), tmp_path / "left" / "search"
    index.put(map(text, range(1, 2_000)))
    index.put([text(1, shown=False)])
    index.remove_hidden()
    work(index)
    for file in tmp_path.glob("search*"):  # as a kill leaves them
        shutil.copy(file, left.parent / file.name)
    index.close()
    os.truncate(left, left.stat().st_size // 2)
    again = SearchIndex(left)
    again.open()
    assert again.place is None, "it has read nothing of the log"
    assert not again.live
    again.close()
    assert not (tmp_path / "left" / "search-1").exists()


def test_a_second_process_has_a_file_of_its_own(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "search"), opened(tmp_path / "search")
    first.put([text(1)])
    assert (having(first, "own1"), having(second, "own1")) == ({1}, set())
    assert (tmp_path / "search-1").exists()
    for index in (first, second):
        index.close()


def test_what_cannot_be_written_stays_in_memory_until_there_is_too_much(tmp_path: Path) -> None:
    index = opened(tmp_path / "search")
    index.put(map(text, range(1, 11)))
    index._postings._execute("PRAGMA query_only = ON")  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    assert not index.work()
    index.put(map(text, range(11, 26)))
    assert not index.work()
    assert having(index, "common") == {*range(1, 26)}
    assert index.is_full
    index._postings._execute("PRAGMA query_only = OFF")  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    work(index)
    assert not index.is_full
    assert having(index, "common") == {*range(1, 26)}
    index.close()


def test_a_disk_that_is_nearly_full_is_left_to_others(tmp_path: Path) -> None:
    index = opened(tmp_path / "search", FEW._replace(free=1 << 62))
    with logged() as lines:
        for first in (1, 11):
            index.put(map(text, range(first, first + 10)))
            work(index)
    assert [line["reason"] for line in lines] == ["the disk is nearly full"]
    assert b"own1" not in written(tmp_path)
    assert having(index, "common") == {*range(1, 21)}
    index.put([text(1, shown=False)])
    index.remove_hidden()
    work(index)
    assert b"own2" in written(tmp_path), "what is hidden is removed from the file nevertheless"
    index.close()


def test_a_write_that_fails_gives_back_its_room(tmp_path: Path) -> None:
    index = opened(tmp_path / "search")
    index.put(map(text, range(1, 2_000)))
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most[1]))
    try:
        work(index)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert having(index, "common") == {*range(1, 2_000)}
    assert index.is_full
    assert not (tmp_path / "search-wal").stat().st_size
    work(index)
    assert having(index, "common") == {*range(1, 2_000)}
    assert not index.is_full
    index.close()


@pytest.mark.parametrize("place", ["search", "search/index"])
def test_an_index_that_can_have_no_file_is_in_memory(tmp_path: Path, place: str) -> None:
    if place == "search":
        (tmp_path / place).mkdir()
    else:
        (tmp_path / "search").write_text("no folder")
    with logged() as lines, closing(opened(tmp_path / place)) as index:
        index.put(map(text, range(1, 12)))
        work(index)
        assert having(index, "own1") == {1}
    assert {line["event"] for line in lines} == {"search index has no file"}


def test_a_flush_writes_what_is_shown_or_stops_in_time_with_a_whole_file(tmp_path: Path) -> None:
    index = opened(tmp_path / "search")
    index.put(map(text, range(1, 4)))
    index.flush(elapsed_ms())
    index.close()
    again = SearchIndex(tmp_path / "search", FEW)
    again.open()
    assert (again.place, again.live) == (None, BitMap())
    again.close()
    index = opened(tmp_path / "search")
    index.put(map(text, range(1, 4)))
    index.put([text(2, shown=False)])
    index.flush(elapsed_ms() + HOUR)
    index.close()
    assert (b"own2" in written(tmp_path), b"own3" in written(tmp_path)) == (False, True)
    again = SearchIndex(tmp_path / "search", FEW)
    again.open()
    assert (again.place, again.scanned, having(again, "common")) == (PLACE, None, {1, 3})
    again.close()


def test_an_index_that_is_behind_is_written_less_often(tmp_path: Path) -> None:
    index = opened(tmp_path / "search")
    index.behind = True
    index.put(map(text, range(1, 25)))
    assert not index.work()
    index.put([text(25)])
    assert index.is_full
    assert index.work()
    work(index)
    assert not index.is_full
    index.close()


def test_long_texts_are_written_before_they_take_too_much_memory(tmp_path: Path) -> None:
    index = SearchIndex(tmp_path / "search", FEW._replace(bytes=1_000_000))
    index.clear(PLACE)
    long = " ".join(f"word{number}" for number in range(2_000))
    index.put([text(1, long)])
    assert not index.is_full
    index.put([text(2, long.replace("word", "other"))])
    assert index.is_full
    work(index)
    assert not index.is_full
    assert having(index, "other7") == {2}
    index.close()


@pytest.mark.promise("Q42")
def test_an_index_that_is_being_opened_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "search"
    index = opened(path)
    index.put(text(part * PART + 1) for part in range(40))  # many facts take a while to read
    work(index)
    index.close()
    again = SearchIndex(path, FEW)
    opening = Thread(target=again.open)
    opening.start()
    while not again.is_open:
        continue
    read = again.place, len(again.openings), len(again.thread_of)
    opening.join()
    assert read == (PLACE, 40, 40 * PART), "others would take it for empty, and make it anew"
    again.close()


def test_an_index_is_made_anew_by_the_first_only_of_those_who_find_it_unfit(tmp_path: Path) -> None:
    index = opened(tmp_path / "search")
    index.put([text(1)])
    index.clear(LogPlace(1, 9, "ev_b"), PLACE)
    assert having(index, "own1") == set()
    index.put([text(2)])
    index.clear(LogPlace(1, 9, "ev_b"), PLACE)
    assert having(index, "own2") == {2}
    index.close()


def test_an_index_that_is_made_anew_holds_nothing_that_another_process_left(tmp_path: Path) -> None:
    first, second = opened(tmp_path / "search"), opened(tmp_path / "search")
    first.put(map(text, range(1, 11)))
    work(first)
    first.close()
    second.clear(LogPlace(1, 9, "ev_b"), PLACE)
    assert having(second, "common") == set()
    second.close()


def test_a_file_stays_locked_when_those_that_nobody_uses_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "search"
    index = opened(path)
    index.put(map(text, range(1, 11)))
    index.put([text(1, shown=False)])
    index.remove_hidden()
    work(index)
    command = [sys.executable, "-c", OPEN, str(path)]
    another = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "apsw.BusyError" in another.stderr
    index.close()
    assert subprocess.run(command, check=False).returncode == 0


def test_an_empty_file_is_kept_when_an_index_begins(tmp_path: Path) -> None:
    """Between its end and the next one another process could take it, and lose it."""
    path = tmp_path / "search"
    index = SearchIndex(path, FEW)
    index.open()
    before = path.stat().st_ino
    index.clear(PLACE)
    assert path.stat().st_ino == before
    index.behind = False
    index.put(map(text, range(1, 11)))
    work(index)
    index.close()
    assert having(opened(path), "own1") == {1}


@pytest.mark.parametrize("how", ["unused", "anew"])
def test_a_file_that_is_removed_is_opened_by_no_other_process_and_the_next_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    path, unlink, others = tmp_path / "search", os.unlink, list[Postings]()
    index = opened(path)
    index.put(map(text, range(1, 11)))
    work(index)
    if how == "unused":
        index.close()

    def unlink_beside_another(file: Path) -> None:
        with pytest.raises(apsw.BusyError):
            Postings.open(path)
        unlink(file)
        if file == path:
            monkeypatch.undo()
            others.append(Postings.open(path))

    monkeypatch.setattr(os, "unlink", unlink_beside_another)
    if how == "unused":
        remove_unused(path)
    else:
        index.clear(LogPlace(1, 9, "ev_b"), PLACE)
    (other,) = others
    assert all((tmp_path / name).exists() for name in ("search", "search-wal"))
    other.close()
    index.close()


def test_a_damaged_file_is_removed_by_one_process_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, unlink = tmp_path / "search", os.unlink
    path.write_bytes(b"no database" * 1000)

    def unlink_beside_another(file: Path) -> None:
        command = [sys.executable, "-c", OPEN, str(path)]
        another = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "apsw.BusyError" in another.stderr
        monkeypatch.undo()
        unlink(file)

    monkeypatch.setattr(os, "unlink", unlink_beside_another)
    Postings.open(path).close()


@pytest.mark.parametrize("is_followed", [True, False])
def test_a_file_that_is_removed_while_it_is_opened_counts_as_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_followed: bool
) -> None:
    path, connect, others = tmp_path / "search", apsw.Connection, list[Postings]()

    def connect_while_it_is_removed(file: str) -> apsw.Connection:
        monkeypatch.undo()
        made = connect(file)
        path.unlink()
        if is_followed:
            others.append(Postings.open(path))
        return made

    monkeypatch.setattr(apsw, "Connection", connect_while_it_is_removed)
    with closing(opened(path)) as index:
        assert index.is_open
    assert (tmp_path / "search-1").exists()
    for other in others:
        other.close()
