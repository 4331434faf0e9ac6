"""What searches know of opportunities: their words, and which of them have some word or tags."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from stoa.caching import ByteCache
from stoa.domain.bitmaps import ascending, by_count
from stoa.domain.related import Shared, line, shared
from stoa.store.board import Board
from stoa.store.opportunities import OpportunityRow

_MOST_BYTES = 4 * 1024 * 1024
_MOST_WORDS = 500
"""For so many words it is cached which opportunities have them. They are dropped with the
opportunities, or when there are more."""
_MOST_SETS, _MOST_TAGS = 500, 24
"""The same for so many sets of at most so many tags."""


class Having(NamedTuple):
    """The opportunities that have a word, of those that were looked at, as bitmaps of places."""

    bits: int = 0
    looked_at: int = 0


_NOT_LOOKED_AT = Having()
Known = dict[str, Having]


class Offers(NamedTuple):
    """Opportunities, the best first: their `places` by their ids, and the bitmaps of those `tagged`
    with each tag. `words` are those that were asked for, `shared` those that share so many of some
    tags."""

    rows: Sequence[OpportunityRow]
    places: Mapping[str, int]
    tagged: Mapping[str, int]
    words: Known
    shared: dict[frozenset[str], list[Shared]]

    @classmethod
    def of(cls, rows: Sequence[OpportunityRow], tagged: Mapping[str, int]) -> "Offers":
        """Offers of which nothing was asked yet."""
        return cls(rows, {row.id: place for place, row in enumerate(rows)}, tagged, {}, {})

    @property
    def all(self) -> int:
        """All of them."""
        return (1 << len(self.rows)) - 1

    def sharing(self, tags: frozenset[str]) -> list[Shared]:
        """How many of these tags they share."""
        found = self.shared.get(tags)
        if found is None:
            found = shared(by_count((self.tagged.get(tag, 0) for tag in tags), self.all))
            if len(self.shared) >= _MOST_SETS:
                self.shared.clear()
            if len(tags) <= _MOST_TAGS:
                self.shared[tags] = found
        return found

    def those(self, subjects: Iterable[str]) -> int:
        """Which of these ids are offers."""
        if self.places.keys().isdisjoint(subjects):
            return 0
        bits = 0
        for subject in subjects:
            if subject in self.places:
                bits |= 1 << self.places[subject]
        return bits

    def having(self, words: Iterable[str]) -> Known:
        """Which have these words, as far as that is known."""
        known = self.words.get
        return {word: known(word, _NOT_LOOKED_AT) for word in words}

    def look(self, known: Known, missing: int, texts: Sequence[str]) -> Known:
        """The same, with the words of those that were `missing`."""
        pairs = [*zip(ascending(missing), texts, strict=True)]
        found: Known = {}
        for word, having in known.items():
            bits, wanted = having.bits, line(word)
            for place, text in pairs:
                if wanted in text:
                    bits |= 1 << place
            found[word] = Having(bits, having.looked_at | missing)
        if len(self.words) >= _MOST_WORDS:
            self.words.clear()
        self.words.update(found)
        return found


def _size(_: str, words: str) -> int:
    return len(words) if words.isascii() else 4 * len(words)


class Described:
    """The words of opportunities by id, which never change, and the offers of the latest board, for
    all threads of a process."""

    def __init__(self) -> None:
        self._words: ByteCache[str, str] = ByteCache(_MOST_BYTES, _size)
        self._offers: tuple[Board, Offers] | None = None
        self._lock = Lock()

    def offers(self, board: Board) -> Offers:
        """The offers of a board."""
        known = self._offers
        if known is None or known[0] is not board:
            known = self._offers = board, Offers.of(board.rows, board.tagged)
        return known[1]

    def words(self, ids: Collection[str]) -> list[str | None]:
        """The words of these opportunities, None for those that are not cached."""
        with self._lock:
            return self._words.find_all(ids)

    def keep(self, words: Mapping[str, str]) -> None:
        """Cache these."""
        with self._lock:
            for subject, its_words in words.items():
                self._words.put(subject, its_words)
