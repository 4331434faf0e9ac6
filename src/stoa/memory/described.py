"""The opportunities as searches see them: their words, and which of them have a word or tags."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from stoa.caching import ByteCache, CachedKind
from stoa.domain.bitmaps import Ranked, by_count
from stoa.domain.related import Shared, line, shared
from stoa.memory.offer_index import OfferIndex
from stoa.store.opportunities import OpportunityRow

COMPARED = 150

_MOST_WORDS = 4_000
"""For how many words the matching opportunities are cached. They are dropped with the
opportunities, or when there are more. So their bound is not that of a `ByteCache`, in whose keys
each would need the version of the opportunities."""
_MOST_SETS, _MOST_TAGS = 500, 24
"""The same for how many sets of at most how many tags."""


class WordMatches(NamedTuple):
    """Which opportunities `have` a word, of those that were `looked_at`, as bitmaps."""

    have: int = 0
    looked_at: int = 0


_NOT_LOOKED_AT = WordMatches()


@dataclass(frozen=True, slots=True)
class Offers:
    """Opportunities by their numbers, which are `ranked`, the best first: the `numbers` by their
    ids, and the bitmaps of those `tagged` with each tag, among others. `top` are so many of the
    best. `findings` are about the words that were asked for, `shared` is how many share so many of
    some tags."""

    rows: Mapping[int, OpportunityRow]
    numbers: Mapping[str, int]
    tagged: Mapping[str, int]
    ranked: Ranked
    top: int = 0
    findings: dict[str, WordMatches] = field(default_factory=dict[str, WordMatches])
    shared: dict[frozenset[str], list[Shared]] = field(
        default_factory=dict[frozenset[str], list[Shared]]
    )

    @classmethod
    def of(cls, rows: Sequence[OpportunityRow]) -> "Offers":
        """Offers, the best first, before any search."""
        numbers = {row.id: number for number, row in enumerate(rows)}
        return cls(dict(enumerate(rows)), numbers, {}, Ranked(range(len(rows))))

    @property
    def all(self) -> int:
        """All of them."""
        return self.ranked.all

    def sharing(self, tags: frozenset[str]) -> list[Shared]:
        """The number of these tags that they share."""
        found = self.shared.get(tags)
        if found is None:
            found = shared(by_count((self.tagged.get(tag, 0) for tag in tags), self.all))
            if len(self.shared) >= _MOST_SETS:
                self.shared.clear()
            if len(tags) <= _MOST_TAGS:
                self.shared[tags] = found
        return found

    def those(self, subjects: Iterable[str]) -> int:
        """Those of these ids that are offers."""
        if self.numbers.keys().isdisjoint(subjects):
            return 0
        bits = 0
        for subject in subjects:
            if subject in self.numbers:
                bits |= 1 << self.numbers[subject]
        return bits

    def known(self, words: Iterable[str]) -> dict[str, WordMatches]:
        """The matches of these words that are cached."""
        known = self.findings.get
        return {word: known(word, _NOT_LOOKED_AT) for word in words}

    def look(
        self, known: Mapping[str, WordMatches], texts: Mapping[int, bytes]
    ) -> dict[str, WordMatches]:
        """The same, after reading the texts of those with these numbers."""
        looked_at = sum(1 << number for number in texts)
        found: dict[str, WordMatches] = {}
        for word, finding in known.items():
            have, wanted = finding.have, line(word)
            if looked_at & ~finding.looked_at:
                # Of bytes `in` would raise and drop an exception each time.
                for number in [number for number, text in texts.items() if text.find(wanted) >= 0]:
                    have |= 1 << number
            found[word] = WordMatches(have, finding.looked_at | looked_at)
        if len(self.findings) >= _MOST_WORDS:
            self.findings.clear()
        self.findings.update(found)
        return found


class Described:
    """The words of opportunities by key, which never change, and the offers of the latest index,
    for all threads of a process. A search compares so many opportunities: those with the highest
    rewards, and of those that share a tag with it as many again."""

    def __init__(self, cache: ByteCache, compared: int = COMPARED) -> None:
        self.compared = compared
        self.words = CachedKind[str, bytes](cache, lambda _, words: len(words))
        self._offers: tuple[OfferIndex, Offers] | None = None

    def offers(self, offer_index: OfferIndex) -> Offers:
        """The offers of an index. Matches of words stay valid in an index that is made of the one
        before it, where each offer keeps its number."""
        known = self._offers
        if known is None or known[0] is not offer_index:
            ranked = offer_index.ranked
            parts = offer_index.rows, offer_index.numbers, offer_index.tagged, ranked
            offers = Offers(*parts, ranked.first(ranked.all, self.compared))
            if known and known[0].unused is offer_index.unused:
                offers = replace(offers, findings=known[1].findings)
            known = self._offers = offer_index, offers
        return known[1]
