"""Searches over texts that are kept as bitmaps find what SQL finds, in the same order."""

import random
from collections.abc import Generator
from functools import partial
from pathlib import Path

import pytest

from stoa.clock import SystemClock
from stoa.domain import querylang
from stoa.domain.bitmaps import bitmap, descending, largest
from stoa.store import agents, moderation, replies, search, threads
from stoa.store.engines.sqlite import store as sqlite
from stoa.store.engines.sqlite.store import SqliteStore
from stoa.store.engines.sqlite.tx import SqliteTx
from stoa.store.posts import Posts
from stoa.store.replies import ReplyRow
from stoa.store.tx import Tx
from tests.support.store import Opened

WORDS = ("brew", "brewing", "brewed", "freeze", "frozen", "hops", "malt", "café", "beer", "ale")
EXCLUDED = ("-hops", "-café", "-brewing")
QUERIES = 60
MOST = 25

Found = list[tuple[str, str]]


def test_a_bitmap_gives_its_numbers_back() -> None:
    source = random.Random(1)
    for count in (0, 1, 10, 3_000):
        numbers = source.sample(range(50_000), count)
        bits = bitmap(numbers)
        expected = sorted(numbers, reverse=True)
        assert list(descending(bits)) == expected
        assert [largest(bits, place + 1) for place in range(0, count, 97)] == [
            (number, place + 1) for place, number in enumerate(expected) if place % 97 == 0
        ]
        assert largest(bits, count + 1) == largest(bits, 100_000) == (0, count)


class Corpus:
    """Threads and replies of a few words at random, some of which are hidden."""

    def __init__(self, opened: Opened, seed: int) -> None:
        self.opened = opened
        self.random = random.Random(seed)
        self.threads: list[str] = []
        self.replies: list[tuple[str, str]] = []
        opened.write(self._register)

    async def _register(self, tx: Tx) -> None:
        await agents.insert(tx, "ag_1", bytes(32), "Ada", "", [])

    def grow(self, texts: int) -> None:
        """Post so many texts more."""
        self.opened.write(partial(self._grow, texts=texts))

    async def _grow(self, tx: Tx, texts: int) -> None:
        for _ in range(texts):
            if not self.threads or self.random.random() < 0.3:
                await self._open(tx)
            else:
                await self._reply(tx, self.random.choice(self.threads))

    async def _open(self, tx: Tx) -> None:
        thread_id, title, body = f"th_{len(self.threads):05}", self.text(3), self.text(8)
        await threads.insert(tx, thread_id, "ag_1", title, body, [])
        await search.add(tx, thread_id, None, title, body)
        self.threads.append(thread_id)

    async def _reply(self, tx: Tx, thread_id: str) -> None:
        place, body = len(self.replies), self.text(8)
        reply_id = f"rp_{place:05}"
        nobody = (None, None, None)
        row = ReplyRow(reply_id, thread_id, place, "ag_1", 1, *nobody, 0, "answer", body, tx.now)
        await replies.insert(tx, row)
        await search.add(tx, thread_id, reply_id, "", body)
        self.replies.append((thread_id, reply_id))

    def text(self, words: int) -> str:
        """A text of so many words, most of them meaningless."""
        return " ".join(self.random.choice((*WORDS, *["filler"] * 20)) for _ in range(words))

    def hide(self) -> None:
        """Hide a reply, as moderation does it."""
        self.hidden = self.random.choice(self.replies)
        self.opened.write(partial(_mark, hidden=self.hidden, reason="spam"))
        self.opened.write(partial(_remove, hidden=self.hidden))

    def show_again(self) -> None:
        """Show the reply again that was hidden last."""
        self.opened.write(partial(_mark, hidden=self.hidden, reason=None))
        self.opened.write(partial(search.add_again, removed=[self.hidden]))

    def query(self) -> str:
        """Some words, now and then one that must not be there."""
        words = self.random.sample(WORDS, self.random.choice([1, 2, 2, 3]))
        return " ".join(words + self.random.sample(EXCLUDED, self.random.choice([0, 0, 1])))

    def compare(self) -> None:
        """Ask once with bitmaps, and once in SQL alone."""
        asked = self.query(), self.random.choice([1, 5, 30]), self.random.choice([0, 0, 7])
        with_bitmaps, in_sql = self.opened.run(self.opened.store.read(partial(both, asked=asked)))
        assert with_bitmaps == in_sql, asked


async def _mark(tx: Tx, hidden: tuple[str, str], reason: str | None) -> None:
    await moderation.mark(tx, "reply", reason, thread_id=hidden[0], id=hidden[1])


async def _remove(tx: Tx, hidden: tuple[str, str]) -> None:
    search.remove(tx, *hidden)


def nothing(*_: object) -> None:
    """Leave it to SQL."""


async def both(tx: Tx, asked: tuple[str, int, int]) -> tuple[Found, Found]:
    text, limit, offset = asked
    query, newest = querylang.parse(text), await search.newest_post(tx)
    find = partial(search.find, tx, Posts(), query, search.Narrowing(), newest, limit, offset)
    with_bitmaps = [*(await find()).items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteTx, "ranked", nothing)
        return with_bitmaps, [*(await find()).items()]


@pytest.fixture
def opened(tmp_path: Path) -> Generator[Opened]:
    async def opening() -> SqliteStore:
        sqlite.migrate(tmp_path / "stoa.db")
        return SqliteStore.open(tmp_path / "stoa.db", SystemClock())

    opened = Opened(opening())
    yield opened
    opened.close()


@pytest.mark.parametrize("most", [search.NEWEST_MATCHES, MOST])
def test_bitmaps_find_what_sql_finds(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("stoa.store.search.NEWEST_MATCHES", most)
    monkeypatch.setattr("stoa.store.engines.sqlite_postings._NEW_TEXTS", 40)
    corpus = Corpus(opened, most)
    for step in range(QUERIES):
        corpus.grow(corpus.random.choice([0, 3, 50]))
        corpus.compare()
        if step % 10 == 3:
            corpus.hide()
        if step % 10 == 8:
            corpus.show_again()


def test_a_text_that_is_shown_again_without_a_mark_would_be_noticed(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoa.store.engines.sqlite_postings._HIDING", ())
    corpus = Corpus(opened, 1)
    corpus.grow(100)
    with pytest.raises(AssertionError, match="=="):
        hide_and_compare(corpus)


def hide_and_compare(corpus: Corpus) -> None:
    for _ in range(QUERIES):
        corpus.hide()
        corpus.compare()
        corpus.show_again()
        corpus.compare()


def test_a_search_that_sql_has_to_answer_is_left_to_it(opened: Opened) -> None:
    async def is_left(tx: Tx, text: str) -> bool:
        return tx.ranked(querylang.parse(text), 10, search.NEWEST_MATCHES) is None

    assert not opened.run(opened.store.read(partial(is_left, text="brew beer")))
    for text in ('"brewing beer"', "hops/malt", "beer ale hops malt brew"):
        assert opened.run(opened.store.read(partial(is_left, text=text))), text
