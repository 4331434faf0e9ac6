"""The order of texts that have the words of a search: the same as `search.find_*` gives it."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stoa.domain.bitmaps import descending, nth_largest
from stoa.domain.querylang import Weights

Sums = list[tuple[int, int]]
"""Points, and the bitmap of the texts that get so many."""


class Word(NamedTuple):
    """The numbers of the texts that have a word as it was written or in another form only, anywhere
    and in their titles, as bitmaps."""

    written: int
    written_in_title: int
    other: int
    other_in_title: int

    @property
    def anywhere(self) -> int:
        """The texts that have the word in any form."""
        return self.written | self.other

    def among(self, texts: int) -> "Word":
        """Of these texts alone."""
        return Word(*(bits & texts for bits in self))

    def behind(self, place: int) -> "Word":
        """With the texts from `place` on alone, whose numbers are counted from there."""
        return Word(*(bits >> place for bits in self))


def ranked(
    words: Sequence[Word], without: int, weights: Weights, most: int, first: int = 0
) -> Iterator[int]:
    """The numbers of the texts that have any of the words, counted from `first`, the best first.

    It looks at the `most` newest of them, and leaves out those that are in `without`. Each word
    counts the more the fewer of these texts have it, if there are several.
    """
    near = 0
    for word in words:
        near |= word.anywhere
    texts = near.bit_count()
    oldest = nth_largest(near, most) if texts > most else 0
    kept = (near & ~without) >> oldest
    sums: Sums = [(0, kept)]
    for word in words:
        seen = word.behind(oldest).among(kept)
        rarity = _rarity(min(texts, most), seen) if words[1:] else 1
        sums = _added(sums, seen, [weight * rarity for weight in _by_part(weights)])
    points: defaultdict[int, int] = defaultdict(int)
    for total, bits in sums:
        points[total] |= bits
    for total in sorted(points, reverse=True):
        yield from descending(points[total], first + oldest)


def _by_part(weights: Weights) -> tuple[int, ...]:
    """The weights in the order of the parts of a `Word`."""
    return weights.written, weights.written_in_title, weights.other, weights.other_in_title


def _rarity(texts: int, word: Word) -> int:
    have = word.anywhere.bit_count()
    return math.floor(1000 * math.log(1 + texts / have) + 0.5) if have else 0


def _added(sums: Sums, word: Word, points: Sequence[int]) -> Sums:
    """The sums with what each text gets for one more word."""
    for more, bits in zip(points, word, strict=True):
        if bits:
            having = [(total + more, texts & bits) for total, texts in sums]
            lacking = [(total, texts & ~bits) for total, texts in sums]
            sums = [(total, texts) for total, texts in having + lacking if texts]
    return sums
