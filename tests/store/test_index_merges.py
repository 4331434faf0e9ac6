"""The segments of SQLite's full-text index: each commit adds one, once a second some are merged."""

import pytest

from tests.support.app import Agent, App

REPLIES = 20
"""More than the sixteen that SQLite merges at once unless it is told otherwise."""


def segments(stoa: App) -> int:
    """How many segments a search looks in."""
    return stoa.sql("SELECT count(DISTINCT segid) FROM post_index_idx")[0][0]


def found(stoa: App, query: str) -> list[str]:
    """The threads that a search finds."""
    answer = stoa.get(f"search?limit=50&q={query}").ok()
    return [row["id"] for row in answer["threads"]]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_segments_wait_for_the_upkeep_which_loses_no_text(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    for _ in range(REPLIES):
        bob.reply(ada.thread(), "a rare answer")
    assert segments(stoa) == 2 * REPLIES
    before = found(stoa, "rare")
    stoa.run(stoa.stoa.upkeep.catch_up())
    assert segments(stoa) == 1
    assert len(before) == REPLIES
    assert found(stoa, '"rare+answer"') == found(stoa, "answer") == before
