"""The file of the search index beside a service: what leaves it, and what a damaged one costs."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.domain import limits
from stoa.operations.search import search_threads
from stoa.schemas.search import SearchThreads
from stoa.search.following import catch_up
from stoa.search.index import IndexProgress, SearchIndex, SearchSizes
from stoa.search.postings import IndexState
from stoa.settings import Settings
from stoa.store.engines.sqlite.tx import drive
from tests.support.app import App
from tests.support.clock import VirtualClock
from tests.support.composing import Composed, with_parts
from tests.support.jobs import new_job
from tests.support.logs import logged
from tests.support.moderation import act
from tests.support.snapshots import call_of_now
from tests.support.steps import Steps


@pytest.fixture
def composed() -> Composed:
    """An index that does little at once."""
    sizes = SearchSizes(flushed=5, kept=12, ahead=4, texts=2)
    return with_parts(index=lambda settings: SearchIndex(settings.search_path, sizes))


def background(stoa: App) -> None:
    """What each process does for its index by itself, every second and every ten."""
    for process in stoa.processes:
        stoa.run(process.upkeep.unindex())
        stoa.run(process.upkeep.index())


def files(stoa: App) -> Iterator[Path]:
    """Those of the indexes of all processes."""
    path = stoa.settings.search_path
    yield from path.parent.glob(f"{path.name}*")


def written(stoa: App) -> bytes:
    """What is in these files."""
    return b"".join(file.read_bytes() for file in files(stoa))


def found(stoa: App, q: str) -> list[Any]:
    """The answer of each process."""
    return [stoa.get(f"search?q={q}").ok().json for _ in stoa.processes]


@pytest.mark.promise("Q35")
def test_what_is_hidden_or_withdrawn_leaves_the_files_of_the_index(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    threads = [ada.thread("A question", f"about zymurgy{number}") for number in range(6)]
    replies = [bob.reply(thread, "an answer of quercitron") for thread in threads[:1]]
    background(stoa)
    left = written(stoa)
    assert all(word in left for word in (b"zymurgy1", b"zymurgy2", b"quercitron"))
    act(stoa, threads[1], "hide")
    bob.post(f"replies/{replies[0]['id']}/withdraw").ok()
    ada.thread("One more", "about cudbear")
    act(stoa, ada.thread("The last", "about orchil"), "hide")
    background(stoa)
    left = written(stoa)
    assert not [word for word in (b"zymurgy1", b"quercitron", b"orchil") if word in left]
    assert b"zymurgy2" in left
    for word, count in (("zymurgy1", 0), ("quercitron", 0), ("zymurgy2", 1), ("cudbear", 1)):
        assert [answer["total"] for answer in found(stoa, word)] == [count] * len(stoa.processes)
    act(stoa, threads[1], "restore")
    assert {answer["total"] for answer in found(stoa, "zymurgy1")} == {1}
    assert limits.UNINDEX_MS + 2 * limits.INDEX_MS < 20_000


@pytest.mark.promise("Q36")
def test_a_damaged_file_is_made_anew_beside_the_service(stoa: App) -> None:
    ada = stoa.agent("ada")
    threads = [ada.thread(f"Zymurgy {number}", "of an ale")["id"] for number in range(20)]
    background(stoa)
    for process in stoa.processes:
        process._services.index.close()  # pyright: ignore[reportPrivateUsage]
    for file in files(stoa):
        file.write_bytes(b"\xff" * file.stat().st_size)
    for answer in found(stoa, "zymurgy"):
        assert answer["partial"] is True
        assert answer["total"] < len(threads)
    page = f"/forum/threads/{threads[0]}"
    assert "Similar threads" in stoa.get(page).text
    background(stoa)
    stoa.clock.advance(limits.FRONT_MS)
    assert "Similar threads" not in stoa.get(page).text  # as all have the word
    for answer in found(stoa, "zymurgy"):
        assert "partial" not in answer
        assert answer["total"] == len(threads)


@pytest.mark.promise("Q43")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_index_that_knows_more_than_an_older_read_is_not_made_anew(stoa: App) -> None:
    ada, index = stoa.agent("ada"), stoa.processes[0]._services.index  # pyright: ignore[reportPrivateUsage]
    ada.thread("A question", "about zymurgy")
    older = call_of_now(stoa).tx
    ada.thread("One more", "about quercitron")
    drive(catch_up(call_of_now(stoa).tx, index))
    at = index.place
    with logged() as lines:
        drive(catch_up(older, index))
    assert index.place == at
    assert not lines


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_read_that_began_before_an_index_ends_no_search_for_older_texts(stoa: App) -> None:
    ada = stoa.agent("ada")
    index, steps = SearchIndex(None, SearchSizes(ahead=4, texts=2)), Steps()
    for number in range(4):
        ada.thread(f"Zymurgy {number}")

    async def overtaken() -> None:
        ada.thread("Zymurgy 4")
        await catch_up(call_of_now(stoa).tx, index)

    steps.after("events.log", overtaken, once=True)
    drive(catch_up(steps.tx(call_of_now(stoa).tx), index))
    drive(catch_up(call_of_now(stoa).tx, index))
    with index.lock:
        assert len(index.find({"zymurgy"})["zymurgy"].anywhere) == 5


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_search_that_began_before_a_reply_does_not_find_it(stoa: App) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread("A question")
    before = call_of_now(stoa)
    ada.reply(thread, f"Of zymurgy. {'Long. ' * 2_000}")
    assert stoa.get("search?q=zymurgy").ok()["total"] == 1
    assert not drive(search_threads(before, SearchThreads(q="zymurgy"))).threads


def test_a_file_of_another_database_is_made_anew_and_the_log_says_why(stoa: App) -> None:
    ada = stoa.agent("ada")
    threads = [ada.thread(f"Zymurgy {number}", "of an ale")["id"] for number in range(20)]
    background(stoa)
    for process in stoa.processes:
        index = process._services.index  # pyright: ignore[reportPrivateUsage]
        assert index.place
        assert index._postings  # pyright: ignore[reportPrivateUsage]
        elsewhere = msgspec.structs.replace(index.place, event="ev_elsewhere")
        progress = msgspec.json.encode(IndexProgress(elsewhere, None))
        index._postings._keep(IndexState({"progress": progress}))  # pyright: ignore[reportPrivateUsage]
        index.close()
    with logged() as lines:
        found(stoa, "zymurgy")
    background(stoa)
    assert all(answer["total"] == len(threads) for answer in found(stoa, "zymurgy"))
    reasons = [line["reason"] for line in lines if line["event"] == "search index is made anew"]
    assert reasons == ["it is of another database"] * len(stoa.processes)


def test_a_start_before_enough_was_indexed_says_that_the_file_is_empty(stoa: App) -> None:
    ada = stoa.agent("ada")
    threads = [ada.thread(f"Zymurgy {number}")["id"] for number in range(2)]
    background(stoa)
    for process in stoa.processes:
        process._services.index.close()  # pyright: ignore[reportPrivateUsage]
    with logged() as lines:
        assert all(answer["total"] == len(threads) for answer in found(stoa, "zymurgy"))
    reasons = [line["reason"] for line in lines if line["event"] == "search index is made anew"]
    assert reasons == ["nothing is in its file yet"] * len(stoa.processes)


@pytest.mark.own_file
def test_a_start_behind_a_stop_finds_the_newest_texts_in_the_file(
    settings: Settings, clock: VirtualClock
) -> None:
    with App(settings, clock) as stoa:
        stoa.agent("ada").thread("A question", "about zymurgy")
        background(stoa)
    with App(settings, clock) as stoa, logged() as lines:
        index = stoa.processes[0]._services.index  # pyright: ignore[reportPrivateUsage]
        index.open()
        assert index.find(["zymurgy"])["zymurgy"].anywhere
        assert stoa.get("search?q=zymurgy").ok()["total"] == 1
    assert not [line for line in lines if line["event"] == "search index is made anew"]


@pytest.mark.promise("Q37")
def test_writing_goes_on_where_the_file_of_the_index_cannot_be_written(stoa: App) -> None:
    ada = stoa.agent("ada")
    ada.thread("Zymurgy", "of an ale")
    background(stoa)
    indexes = [process._services.index for process in stoa.processes]  # pyright: ignore[reportPrivateUsage]
    for index in indexes:
        index._postings._execute("PRAGMA max_page_count = 1")  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    with logged() as lines:
        for number in range(20):
            ada.thread("Zymurgy", f"with a word{number} of its own")
            background(stoa)
    assert [line["event"] for line in lines].count("search index cannot be written") == len(indexes)
    assert all(index.is_full for index in indexes)
    for answer in found(stoa, "zymurgy"):
        assert answer["total"] == 12
        assert answer["partial"] is True
    for index in indexes:
        index._postings._execute("PRAGMA max_page_count = 100000")  # pyright: ignore[reportPrivateUsage, reportOptionalMemberAccess]
    background(stoa)
    assert all(answer["total"] == 21 for answer in found(stoa, "zymurgy"))


def meanwhile(
    stoa: App,
    steps: Steps,
    statement: str,
    work: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Index what is new; behind the next statement of this name, before what was read is used, this
    work is done."""
    loops = list[asyncio.AbstractEventLoop]()

    async def work_first() -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # in a thread of the embedded engine
            asyncio.run_coroutine_threadsafe(work(), loops[0]).result(60)
        else:
            await work()

    async def index() -> None:
        loops.append(asyncio.get_running_loop())
        await stoa.stoa.upkeep.index()

    steps.after(statement, work_first, once=True)
    stoa.run(index())


def test_a_text_that_is_purged_while_it_is_indexed_is_not_in_the_index(
    stoa: App, steps: Steps
) -> None:
    ada = stoa.agent("ada")
    ada.thread("First", "Indexed.")
    background(stoa)
    thread = ada.thread("Then a zymurgist", "Not yet.")
    purge = {"command": "do", "action": "purge", "subject_id": thread["id"], "reason": "Asked for."}

    async def purged() -> None:
        await stoa.stoa.operate(json.dumps(purge).encode())
        await stoa.stoa.upkeep.index()

    meanwhile(stoa, steps, "search.texts", purged)
    assert stoa.get("search?q=zymurgist").ok()["total"] == 0
    for _ in range(6):
        ada.thread("More", "So that it is written.")
    background(stoa)
    assert b"zymurgist" not in written(stoa)


def test_an_index_stays_that_others_brought_further_while_the_log_was_read(
    stoa: App, steps: Steps
) -> None:
    ada = stoa.agent("ada")
    ada.thread("First", "Indexed.")
    background(stoa)
    ada.thread("Another", "Not yet.")

    async def further() -> None:
        new = {"title": "Second", "body": "Meanwhile."}
        (await ada.ask("POST", "threads", new)).ok(201)
        await stoa.stoa.upkeep.index()

    with logged() as lines:
        meanwhile(stoa, steps, "events.log", further)
    assert [line for line in lines if line["event"] == "search index is made anew"] == []
    assert stoa.get("search?q=second").ok()["total"] == 1


def test_an_index_is_still_behind_when_a_read_ends_that_knew_less_of_the_log(
    stoa: App, steps: Steps
) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread("First", "Indexed.")
    background(stoa)
    ada.thread("Another", "Not yet.")

    async def more() -> None:
        for _ in range(20):
            new = {"body": "An answer."}
            (await ada.ask("POST", f"threads/{thread['id']}/replies", new)).ok(201)
        for _ in stoa.processes:
            assert (await stoa.ask("GET", "search?q=answer")).ok()["partial"]

    meanwhile(stoa, steps, "events.log", more)
    assert "partial" not in found(stoa, "answer")[0]


@pytest.mark.parametrize("engine", ["postgresql"])
def test_nothing_hidden_is_found_where_the_index_gets_up_to_date_meanwhile(
    stoa: App, steps: Steps
) -> None:
    ada, path = stoa.agent("ada"), 'search?q="zymurgy of ale"'.replace(" ", "+")
    reply = ada.reply(ada.thread("First", "Indexed."), "The zymurgy of ale.")
    background(stoa)
    for _ in stoa.processes:
        assert stoa.get(path).ok()["total"] == 1
    for _ in range(6):
        ada.post("jobs", new_job(1)).ok(201)
    act(stoa, reply, "hide")

    async def index() -> None:
        for process in stoa.processes:
            await process.upkeep.index()

    steps.before("search.texts", index, once=True)
    answer = stoa.get(path).ok()
    assert (answer["threads"], answer["partial"]) == ([], True)
