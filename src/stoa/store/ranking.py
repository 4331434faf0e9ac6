"""The order of texts that have the words of a search: the same as `search.find_*` gives it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, reduce
from itertools import chain
from typing import NamedTuple

from stoa.domain.bitmaps import descending, largest
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
        anywhere = self.anywhere >> place
        parts = [(ways, texts >> place) for ways, texts in self.parts]
        kept = tuple(part for part in parts if part[1])
        return Word(anywhere, anywhere.bit_count(), kept)

    def with_more(self, word: "Word") -> "Word":
        """With other texts that have the word."""
        parts = dict(self.parts)
        for ways, texts in word.parts:
            parts[ways] = parts.get(ways, 0) | texts
        return self._of(parts.items())


def ranked(
    words: Sequence[Word],
    without: int,
    weights: Weights,
    most: int,
    first: int = 0,
    least: int = 0,
) -> Iterator[int] | None:
    """The numbers of the texts that have any of the words, counted from `first`, the best first;
    None if fewer than `least` have one.

    It looks at the `most` newest of them, and leaves out those that are in `without`. Each word
    counts the more the fewer of these texts have it, if there are several.
    """
    words = [word for word in words if word.many]
    if not words:
        return None if least else iter(())
    found, texts, oldest = words[0].anywhere, words[0].many, 0
    for word in words[1:]:
        found |= word.anywhere
        texts += word.many
    if texts > most:
        # So far `texts` counts a text once for each of its words, so this may be too many;
        # `largest` gives the true number.
        oldest, texts = largest(found, most)
    elif words[1:]:
        texts = found.bit_count()
    if texts < least:
        return None
    if oldest:
        # Shorter bitmaps make each of the following steps cheaper.
        found, without = found >> oldest, without >> oldest
        words = [word.behind(oldest) for word in words]
    if without:
        found &= ~without
        words = [word.among(found) for word in words]
    if words[1:]:
        *others, last = (_sums(word, found, texts, weights) for word in words)
        ordered = _in_order(reduce(_added, others), last)
    else:
        ordered = _of_one(words[0], weights)
    return chain.from_iterable(descending(bits, first + oldest) for bits in ordered)


def _of_one(word: Word, weights: Weights) -> Iterator[int]:
    """The texts of the only word as bitmaps, most points first."""
    points_of = _points(weights)
    by_points: defaultdict[int, list[int]] = defaultdict(list)
    for ways, bits in word.parts:
        by_points[points_of[ways]].append(bits)
    for points in sorted(by_points, reverse=True):
        yield reduce(int.__or__, by_points[points])


def _sums(word: Word, found: int, texts: int, weights: Weights) -> Sums:
    """What each text that was `found`, of so many, gets for one of several words."""
    points_of, rarity = _points(weights), _rarity(texts, word.many)
    parts = [(points_of[ways] * rarity, bits) for ways, bits in word.parts]
    return [*parts, (0, found ^ word.anywhere)]


@cache
def _points(weights: Weights) -> Sequence[int]:
    """What a text gets for a word by how it has it."""
    return [
        sum(weight for way, weight in enumerate(weights) if ways >> way & 1)
        for ways in range(1 << len(weights))
    ]


def _rarity(texts: int, have: int) -> int:
    # Rounded as SQL does, half up, so that both ways order texts alike; `round` goes to even.
    return math.floor(1000 * math.log(1 + texts / have) + 0.5) if have else 0


def _added(sums: Sums, others: Sums) -> Sums:
    """The sums with what each text gets for one more word."""
    both = [(total + more, texts & bits) for total, texts in sums for more, bits in others]
    return [one for one in both if one[1]]


def _in_order(sums: Sums, others: Sums) -> Iterator[int]:
    """The same as bitmaps, most points first, each made when it is asked for: mostly the first few
    are enough."""
    pairs: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for total, texts in sums:
        for more, bits in others:
            pairs[total + more].append((texts, bits))
    for total in sorted(pairs, reverse=True):
        yield reduce(int.__or__, [texts & bits for texts, bits in pairs[total]])
