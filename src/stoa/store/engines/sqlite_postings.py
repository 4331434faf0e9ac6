"""Which texts have the words that are searched for, kept between searches.

To walk through the texts of a common word in the full-text index takes most of a millisecond, and a
search does so for each word several times. What was walked through once is kept as bitmaps, to
which each search adds what was posted since. When a text was hidden or shown again, all are read
anew.
"""

from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import NamedTuple

import msgspec

from stoa.caching import ByteCache
from stoa.domain.bitmaps import bitmap
from stoa.domain.querylang import Query, weights
from stoa.store.changes import ChangesSeen
from stoa.store.ranking import Word, ranked
from stoa.store.tx import Row, Value

_MOST_BYTES = 16 * 1024 * 1024
_WORDS = 4
"""A search for more words takes less time in SQL: texts may have any combination of them."""
_NEW_TEXTS = 1_000
"""Texts that came since are added; for more all are read anew."""
_POSTS = 2_000_000
"""In a larger file the bitmaps of rare words would be too large."""
_HIDING = ("moderation.mark_thread", "moderation.mark_reply")
"""The statements with which texts are taken out of the index or put back."""

_numbers = msgspec.json.Decoder(list[int]).decode

Ask = Callable[[str, dict[str, Value]], Sequence[Row]]
"""Runs a statement."""

Looked = tuple[str, tuple[str, ...]]
"""A word as the index has it, and its other forms."""


class _Known(NamedTuple):
    """The texts of a word with numbers behind `since` and up to `upto`, counted from `since` on. At
    `data_version` none was hidden."""

    texts: Word
    since: int
    upto: int
    data_version: int

    def between(self, since: int, newest: int) -> Word:
        """The texts with numbers behind `since` and up to `newest`, counted from `since` on."""
        if since == self.since and newest == self.upto:
            return self.texts
        return self.texts.behind(since - self.since).among((1 << newest - since) - 1)


def _size(looked: Looked, known: _Known) -> int:
    bitmaps = [known.texts.anywhere, *(texts for _, texts in known.texts.parts)]
    return sum(bits.bit_length() // 8 for bits in bitmaps) + sum(map(len, looked[1]))


class Postings:
    """The texts of words, for all readers of one file."""

    def __init__(self) -> None:
        self._known: ByteCache[Looked, _Known] = ByteCache(_MOST_BYTES, _size)
        self._lock = Lock()

    def ranked(
        self, ask: Ask, seen: ChangesSeen, query: Query, newest: int, most: int
    ) -> Iterator[int] | None:
        """The numbers of the texts up to `newest` that a query finds, the best first, among the
        `most` newest that have a word of it; None for a query that SQL has to answer."""
        looked = _looked(query)
        if looked is None or newest > _POSTS:
            return None
        reader = _Reader(ask, seen, newest, most)
        found = [self._find(reader, word) for word in looked]
        since = max([known.since for known in found])
        texts = [known.between(since, newest) for known in found]
        words, without = texts[: len(query.include)], 0
        for word in texts[len(query.include) :]:
            without |= word.written
        least = most if since else 0  # with fewer there may be more before those that are known
        return ranked(words, without, weights(query), most, since + 1, least)

    def _find(self, reader: "_Reader", looked: Looked) -> _Known:
        with self._lock:
            known = self._known.find(looked)
        if known is None or not reader.can_add_to(known):
            made = reader.read(looked)
        elif known.upto >= reader.newest:
            return known
        else:
            made = reader.added(known, looked)
        with self._lock:
            self._known.put(looked, made)
        return made


class _Reader(NamedTuple):
    """Reads the index in one transaction."""

    ask: Ask
    seen: ChangesSeen
    newest: int
    most: int

    def can_add_to(self, known: _Known) -> bool:
        """Whether few texts came since, and none was hidden or shown again."""
        return self.newest - known.upto < _NEW_TEXTS and self.seen.changes.fresh(
            _HIDING, known.data_version
        )

    def read(self, looked: Looked) -> _Known:
        """All texts of a word or, of a common one, the newest."""
        numbers = [self._newest(match) for match in _matches(looked)]
        full = [min(found) - 1 for found in numbers if len(found) == self.most]
        since = max(full, default=0)
        return _Known(_word(numbers, since), since, self.newest, self.seen.data_version)

    def added(self, known: _Known, looked: Looked) -> _Known:
        """What is known, with the texts that came since."""
        numbers = self._since(known.upto, _matches(looked))
        new = _word(numbers, known.since)
        return known._replace(texts=known.texts.with_more(new), upto=self.newest)

    def _newest(self, match: str | None) -> list[int]:
        if match is None:
            return []
        values: dict[str, Value] = {"match": match, "newest": self.newest, "most": self.most}
        return _numbers(self.ask("postings.newest_with", values)[0][0])

    def _since(self, after: int, matches: Sequence[str | None]) -> list[list[int]]:
        asked = msgspec.json.encode(matches).decode()
        rows = self.ask(
            "postings.new_with", {"matches": asked, "after": after, "newest": self.newest}
        )
        found = {row[0]: _numbers(row[1]) for row in rows}
        return [found.get(place, []) for place in range(len(matches))]


def _looked(query: Query) -> Sequence[Looked] | None:
    """The words to find and then those to leave out; None for a query that SQL has to answer."""
    phrases = (*query.include, *query.exclude)
    if query.quoted or len(phrases) > _WORDS or max(map(len, phrases)) > 1:
        return None
    return [(phrase[0], query.forms.get(phrase, ())) for phrase in phrases]


def _matches(looked: Looked) -> tuple[str | None, ...]:
    """What MATCH takes to find each part of a `Word`; none of a word without other forms."""
    word, others = looked
    written, other = f'"{word}"', " OR ".join(f'"{form}"' for form in others)
    if not other:
        return written, f"title : {written}", None, None
    return (
        written,
        f"title : {written}",
        f"({other}) NOT {written}",
        f"(title : ({other})) NOT title : {written}",
    )


def _word(numbers: Sequence[Sequence[int]], since: int) -> Word:
    """The bitmaps of these numbers, as far as they are behind `since`."""
    return Word.of([bitmap([one - since - 1 for one in found if one > since]) for found in numbers])
