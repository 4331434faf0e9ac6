"""A new thread is told which threads seem to ask the same."""

import asyncio
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from stoa.clock import SystemClock
from stoa.domain import limits
from stoa.operations.table import TABLE
from stoa.search.following import catch_up
from stoa.search.index import SearchIndex
from stoa.search.similar import similar
from stoa.settings import Settings
from stoa.store import threads
from stoa.store.engines import engine_of
from stoa.store.tx import Tx
from tests.importers.test_stackexchange import REAL
from tests.support import questions
from tests.support.app import Agent, App
from tests.support.moderation import act

ASKED = {"title": "How do I shrink a write-ahead log?", "body": "It grows all day."}


def ask(agent: Agent, options: str = "", **more: str) -> Any:
    """Open a thread; the whole answer."""
    return agent.post(f"threads{options}", {**ASKED, **more}).ok(201).json


@pytest.mark.promise("Q34")
def test_a_new_thread_and_its_dry_run_name_what_was_asked_before(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    for number in range(12):
        bob.thread(f"Something else {number}", f"about matter number{number}")
    assert ask(ada, "?dryRun=true")["similar"] == []
    first = ask(ada)
    assert first["similar"] == []
    reply = bob.reply(first["thread"], "Close the readers.")
    ada.accept(first["thread"], reply).ok()
    again = "Shrinking the log of write-ahead logging"
    expected = {"id": first["thread"]["id"], "title": ASKED["title"], "status": "answered"}
    for options in ("?dryRun=true", ""):
        (one,) = ask(bob, options, title=again)["similar"][-1:]
        assert expected.items() <= one.items()
        assert one["acceptedReplyId"] == reply["id"]
        assert {*one["matchedOn"]} >= {"shrinking", "log", "write", "ahead"}
    act(stoa, first["thread"], "hide")
    assert first["thread"]["id"] not in str(ask(bob, "?dryRun=true", title=again)["similar"])


def test_of_a_script_without_blanks_no_single_characters_are_named(stoa: App) -> None:
    ada = stoa.agent("ada")
    for number in range(12):
        ada.thread(f"Something else {number}", f"about matter number{number}")
    thread = ada.thread("备份SQLite数据库", "每天晚上。")["id"]
    (one,) = ask(ada, "?dryRun=true", title="SQLite数据库备份", body="每天。")["similar"]
    assert one["id"] == thread
    assert {*one["matchedOn"]} == {"sqlite", "数据", "据库", "备份"}


def test_of_a_question_with_a_short_title_the_beginning_of_its_body_is_looked_at(
    stoa: App,
) -> None:
    ada = stoa.agent("ada")
    first = ask(ada)["thread"]["id"]
    said, far = "Shrink my write-ahead log.", "- " * 1_000
    for body, found in ((said, [first]), (far + said, [])):
        answer = ask(ada, "?dryRun=true", title="Help", body=body)
        assert [one["id"] for one in answer["similar"]] == found


def test_a_search_finds_what_is_like_a_thread(stoa: App) -> None:
    ada = stoa.agent("ada")
    for number in range(12):
        ada.thread(f"Something else {number}", f"about matter number{number}")
    first, second = (ask(ada)["thread"]["id"] for _ in range(2))
    answer = stoa.get(f"search?{urlencode({'like': second})}").ok().json
    assert [row["id"] for row in answer["threads"]] == [first]
    assert answer["total"] == 1
    stoa.get(f"search?{urlencode({'like': second, 'q': 'log'})}").invalid("query.q")
    stoa.get("search?like=th_00000000000000000000000000").refused(404, "not_found")
    act(stoa, second, "hide")
    stoa.get(f"search?{urlencode({'like': second})}").refused(410, "removed")
    assert {"not_found", "removed", "held"} <= {*TABLE["search_threads"].errors}


class Asked(msgspec.Struct):
    """What is asked again in other words, with the numbers of the questions, and what is new."""

    again: list[questions.Question]
    hard: list[questions.Question]
    new: list[str]


if REAL.exists():

    @pytest.mark.soak
    @pytest.mark.long
    @pytest.mark.parametrize("engine", ["sqlite"])
    def test_of_fifty_questions_asked_again_most_are_named_and_of_new_ones_few(
        settings: Settings, engine: str, tmp_path: Any
    ) -> None:
        assert engine
        questions.fill(REAL, tmp_path, settings)
        asked = msgspec.json.decode(questions.ASKED_AGAIN.read_bytes(), type=Asked)
        index = SearchIndex()

        async def named(tx: Tx, title: str) -> list[int]:
            found = await similar(tx, index, title, "", limits.SIMILAR_THREADS)
            rows = await threads.many(tx, [one.thread_id for one in found])
            return [questions.source_of(row.body) for row in rows.values()]

        async def work(tx: Tx) -> tuple[int, int]:
            while index.behind:
                await catch_up(tx, index)
            again = [{*await named(tx, one.q)} & {*one.threads} for one in asked.again]
            new = [await named(tx, title) for title in asked.new]
            return sum(map(bool, again)), sum(map(bool, new))

        again, wrong = asyncio.run(engine_of(settings).read_once(settings, SystemClock(), work))
        assert (len(asked.again), len(asked.hard), len(asked.new)) == (50, 50, 100)
        assert again >= 42
        assert wrong <= 2
