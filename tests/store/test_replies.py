"""Replies below one: the nearest first, whatever the tree."""

import random

import pytest

from stoa.store import replies
from stoa.store.replies import ReplyRow
from stoa.store.tx import Tx
from tests.support.app import App

REPLIES = 80
LIMITS = (1, 2, 5, 20, 101)


def tree(seed: int, thread_id: str, author_id: str) -> list[ReplyRow]:
    """A thread at random: deep where parents are late ones, wide where they are the first."""
    made, rows = random.Random(seed), list[ReplyRow]()
    span = made.choice((2, 5, REPLIES))
    for place in range(REPLIES):
        near = rows[-span:] if made.random() < 0.5 else rows[:span]
        above = made.choice([*near, None]) if rows else None
        if above and above.depth == 32:
            above = None
        head = (f"rp_{seed:03}{place:023}", thread_id, place, author_id, 1)
        parent = (above.id, author_id, 1, above.depth + 1) if above else (None, None, None, 0)
        rows.append(ReplyRow(*head, *parent, "discussion", "b", place))
    return rows


def nearest(rows: list[ReplyRow], root: ReplyRow, limit: int) -> list[str]:
    """The first replies below one, found by a walk over all."""
    below = {root.id}
    for row in rows:
        if row.parent_id in below:
            below.add(row.id)
    found = [row for row in rows if row.id in below - {root.id}]
    return [row.id for row in sorted(found, key=lambda row: (row.depth, row.thread_order))][:limit]


@pytest.mark.parametrize("seed", range(6))
def test_the_replies_below_one_are_the_nearest_of_all(stoa: App, seed: int) -> None:
    author = stoa.agent("author")
    rows = tree(seed, author.thread()["id"], author.id)

    async def write(tx: Tx) -> None:
        for row in rows:
            await replies.insert(tx, row)

    async def compare(tx: Tx) -> int:
        most = 0
        for root in rows:
            for limit in LIMITS:
                found = [row.id for row in await replies.descendants(tx, root.id, limit)]
                assert found == nearest(rows, root, limit)
                most = max(most, len(found))
        return most

    stoa.run(stoa.stoa.store.write(write))
    assert stoa.run(stoa.stoa.store.read(compare)) > 5
