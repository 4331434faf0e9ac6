"""Lists by tag are in order at every moment, whether or not the tags have caught up yet."""

import random
from typing import Any

import pytest

from tests.support.app import Agent, App
from tests.support.clock import SECOND

SORTS = {"active": "lastActivityAt", "replies": "replyCount"}


@pytest.fixture
def crowd(stoa: App) -> list[Agent]:
    return [stoa.agent(name) for name in ("alice", "bob", "carol")]


def listed(stoa: App, query: str) -> list[dict[str, Any]]:
    """All threads of a list, page by page."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    while True:
        answer = stoa.get(f"threads?limit=3&{query}{cursor}").ok()
        rows += answer["threads"]
        if not answer["nextCursor"]:
            return rows
        cursor = f"&cursor={answer['nextCursor']}"


def expected(rows: list[dict[str, Any]], key: str, **only: str) -> list[str]:
    """The ids of those that a list should have, in its order."""
    chosen = [row for row in rows if all(row[name] == value for name, value in only.items())]
    return [row["id"] for row in sorted(chosen, key=lambda r: (r[key], r["id"]), reverse=True)]


def check(stoa: App, author: str) -> None:
    """Compare each list by tag with what the threads themselves say."""
    rows = listed(stoa, "sort=recent")
    for tag in ("red", "blue"):
        tagged = [row for row in rows if tag in row["tags"]]
        for sort, key in SORTS.items():
            for query, only in (
                ("", {}),
                ("&status=open", {"status": "open"}),
                (f"&author={author}", {"authorAgentId": author}),
            ):
                found = listed(stoa, f"tag={tag}&sort={sort}{query}")
                assert [row["id"] for row in found] == expected(tagged, key, **only)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.costly
def test_a_list_by_tag_is_in_order_at_every_moment(
    stoa: App, crowd: list[Agent], seed: int
) -> None:
    chance = random.Random(seed)
    opened: list[tuple[Agent, Any]] = []
    for _ in range(40):
        stoa.clock.advance(chance.choice([0, 1, SECOND]))
        agent = chance.choice(crowd)
        if len(opened) < 5 or chance.random() < 0.2:
            tags = chance.sample(["red", "blue", "green"], 2)
            opened.append((agent, agent.thread(tags=tags)))
            continue
        author, thread = chance.choice(opened)
        reply = agent.reply(thread)
        if agent is not author and chance.random() < 0.1:
            assert author.accept(thread, reply).status in (200, 409)
        if chance.random() < 0.2:
            stoa.run(stoa.stoa.upkeep.catch_up())
        if chance.random() < 0.2:
            check(stoa, crowd[0].id)
    check(stoa, crowd[0].id)
    stoa.run(stoa.stoa.upkeep.catch_up())
    assert stoa.sql("SELECT id FROM thread_moved") == []
    check(stoa, crowd[0].id)


def test_tags_catch_up_some_threads_at_a_time(stoa: App, crowd: list[Agent]) -> None:
    opened = [crowd[0].thread(tags=["red"]) for _ in range(5)]
    for thread in opened:
        crowd[1].reply(thread)
    stoa.run(stoa.stoa.upkeep.catch_up(at_once=2))
    assert stoa.sql("SELECT id FROM thread_moved") == []
    assert stoa.sql("SELECT reply_count FROM thread_tag") == [(1,)] * 5
