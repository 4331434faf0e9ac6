"""The order of texts that have the words of a search: the same as `search.find_*` gives it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from stoa.domain.bitmaps import descending, nth_largest
from stoa.domain.querylang import Weights

Sums = list[tuple[int, int]]
"""Points, and the bitmap of the texts that get so many."""


class Word(NamedTuple):
    """The numbers of the texts that have a word, as bitmaps: of all, so `many`, and of the `parts`
    of them. Each text is in one part, by the ways in which it has the word: as it was written or,
    if it has it nowhere so, in another form, and the same in its title. One bit of the number of a
    part stands for each way, in the order of `Weights`."""

    anywhere: int
    many: int
    parts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, by_way: Sequence[int]) -> "Word":
        """A word whose texts are known by each way, in the order of `Weights`."""
        anywhere = by_way[0] | by_way[2]
        parts = [(0, anywhere)]
        for way, having in enumerate(by_way):
            with_it = [(ways | 1 << way, texts & having) for ways, texts in parts]
            parts = [(ways, texts & ~having) for ways, texts in parts] + with_it
        return cls._of(parts)

    @classmethod
    def _of(cls, parts: Iterable[tuple[int, int]]) -> "Word":
        kept = tuple((ways, texts) for ways, texts in parts if texts)
        anywhere = 0
        for _, texts in kept:
            anywhere |= texts
        return cls(anywhere, anywhere.bit_count(), kept)

    @property
    def written(self) -> int:
        """The texts that have the word as it was written."""
        return sum(texts for ways, texts in self.parts if ways & 1)

    def among(self, texts: int) -> "Word":
        """Of these texts alone."""
        return self._of((ways, bits & texts) for ways, bits in self.parts)

    def behind(self, place: int) -> "Word":
        """With the texts from `place` on alone, whose numbers are counted from there."""
        return self._of((ways, texts >> place) for ways, texts in self.parts)

    def with_more(self, word: "Word") -> "Word":
        """With other texts that have the word."""
        parts = dict(self.parts)
        for ways, texts in word.parts:
            parts[ways] = parts.get(ways, 0) | texts
        return self._of(parts.items())


def near(words: Sequence[Word]) -> int:
    """The texts that have any of the words."""
    first, *others = [word.anywhere for word in words if word.many] or [0]
    for texts in others:
        first |= texts
    return first


def ranked(
    words: Sequence[Word], without: int, weights: Weights, most: int, first: int = 0
) -> Iterator[int]:
    """The numbers of the texts that have any of the words, counted from `first`, the best first.

    It looks at the `most` newest of them, and leaves out those that are in `without`. Each word
    counts the more the fewer of these texts have it, if there are several.
    """
    found = near(words)
    texts = found.bit_count()
    oldest = nth_largest(found, most) if texts > most else 0
    kept = found
    if oldest or without:
        kept = (found & ~without) >> oldest
        words = [word.behind(oldest).among(kept) for word in words]
    sums: Sums = [(0, kept)]
    points_of = _points(weights)
    for word in words:
        rarity = _rarity(min(texts, most), word.many) if words[1:] else 1
        sums = _added(sums, [(points_of[ways] * rarity, bits) for ways, bits in word.parts])
    points: defaultdict[int, int] = defaultdict(int)
    for total, bits in sums:
        points[total] |= bits
    for total in sorted(points, reverse=True):
        yield from descending(points[total], first + oldest)


@cache
def _points(weights: Weights) -> Sequence[int]:
    """What a text gets for a word by how it has it."""
    return [
        sum(weight for way, weight in enumerate(weights) if ways >> way & 1)
        for ways in range(1 << len(weights))
    ]


def _rarity(texts: int, have: int) -> int:
    return math.floor(1000 * math.log(1 + texts / have) + 0.5) if have else 0


def _added(sums: Sums, parts: Sequence[tuple[int, int]]) -> Sums:
    """The sums with what each text gets for one more word."""
    found: Sums = []
    for total, texts in sums:
        lacking = texts
        for more, bits in parts:
            having = texts & bits
            if having:
                found.append((total + more, having))
                lacking ^= having
        if lacking:
            found.append((total, lacking))
    return found
