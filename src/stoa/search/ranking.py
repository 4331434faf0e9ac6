"""The order of texts that match a search: bm25 with k1 = 0, titles counted more."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, islice
from typing import NamedTuple

from pyroaring import BitMap

from stoa.domain.querylang import Weights

ACCEPTED_POINTS = 500
"""The points of an accepted answer, added to those of its words; a rare word has some thousands."""

BY_CLASSES = 8
"""With so few phrases in a query many texts have the same points, which are then computed once for
all of them."""

_SCORED = 2_000  # as many as that takes a few milliseconds for
_RAREST = 12  # a long query: its common words tell texts apart least, and have the largest sets
_FIRST = 128  # some pages of results, of which few readers ask for a second
_STEP = 32  # texts between two that are looked at for where a page begins


ENOUGH_TEXTS = 200
"""If fewer texts than this have all words of a query, threads are found too whose texts have all of
them together."""

LOOKED_AT = 10_000
"""How many texts are at most ranked one by one: the newest with any word."""


class PhraseTexts(NamedTuple):
    """The texts that have a phrase of a query: as it is written, and in another form of its words,
    each anywhere or in the title. Those in `present` have it in any of these ways."""

    written: BitMap
    in_title: BitMap
    other: BitMap
    other_in_title: BitMap
    present: BitMap


def matching(
    needed: Sequence[BitMap],
    others: Sequence[BitMap],
    among: BitMap,
    texts: int,
    thread_of: Sequence[int],
) -> BitMap:
    """The texts `among` these that have a rare phrase or all `needed` ones. Where these are few,
    also those with one phrase in threads that have all needed ones. A phrase is given as the
    texts that have it; `others` need not be there. `texts` is how many there are in all."""
    rare = [one for one in (*needed, *others) if is_rare(len(one), texts)]
    some = BitMap.union(*rare) & among if rare else BitMap()
    if any(is_rare(len(one), texts) for one in needed):
        return some  # what has all needed phrases has the rare one too
    found = BitMap.intersection(*needed) & among
    if needed[1:] and len(found | some) < ENOUGH_TEXTS:
        found |= _of_threads_with_all([one & among for one in needed], thread_of)
    return found | some


def at_least(having: Iterable[BitMap], among: BitMap) -> list[BitMap]:
    """At place n, from 0, the texts `among` these that are in at least n of the sets."""
    levels = [among]
    for texts in having:
        more = texts & among
        for place in range(1, len(levels)):
            levels[place], more = levels[place] | more, levels[place] & more
        if more:
            levels.append(more)
    return levels


def _of_threads_with_all(needed: Sequence[BitMap], thread_of: Sequence[int]) -> BitMap:
    """The texts with any phrase in threads that have all of them, in any of their texts."""
    if not all(needed):
        return BitMap()
    some = newest(BitMap.union(*needed), LOOKED_AT)
    parts = [[(number, thread_of[number]) for number in some & texts] for texts in needed]
    threads = {thread for _, thread in parts[0]}
    for part in parts[1:]:
        threads &= {thread for _, thread in part}
    return BitMap([number for part in parts for number, thread in part if thread in threads])


def is_rare(having: int, texts: int) -> bool:
    """Whether under one in twenty of the texts has it."""
    return 20 * having < texts


Part = tuple[int, BitMap]
"""Points, and the texts that get them."""

Choice = Sequence[Part]
"""Parts of which a text gets the first one that has it."""

RankKey = tuple[int, ...]
"""The key that texts are ordered by, the largest first."""


def best_first(
    found: BitMap, phrases: Sequence[PhraseTexts], choices: Sequence[Choice]
) -> Iterator[int]:
    """The numbers of the `found` texts, the best first, of equal ones the newest."""
    if len(phrases) <= BY_CLASSES:
        return _by_classes(found, choices)
    return _by_text(_promising(found, phrases), choices)


def choices_of(
    phrases: Sequence[PhraseTexts], rarities: Sequence[int], weights: Weights, accepted: BitMap
) -> list[Choice]:
    """The sources of a text's points: phrases, each with its rarity, and whether it is an accepted
    answer."""
    choices: list[Choice] = []
    for rarity, phrase in zip(rarities, phrases, strict=True):
        written, in_title, other, other_in_title, _ = phrase
        choices += [
            [
                (rarity * weights.written_in_title, in_title),
                (rarity * weights.other_in_title, other_in_title),
            ],
            [(rarity * weights.written, written), (rarity * weights.other, other)],
        ]
    return [*choices, [(ACCEPTED_POINTS, accepted)]]


def points(number: int, choices: Iterable[Choice]) -> int:
    """The points of a text."""
    return sum(next((gain for gain, having in parts if number in having), 0) for parts in choices)


def behind(
    numbers: Iterable[int], key: Callable[[int], RankKey], place: RankKey, most: int
) -> list[int]:
    """The first of these numbers after a place, up to `most`. They are in the order of their keys,
    the largest first, so few of these are read."""
    rest = iter(numbers)
    while some := [*islice(rest, _STEP)]:
        if key(some[-1]) < place:
            first = bisect_left(some, True, key=lambda number: key(number) < place)
            return [*some[first:], *islice(rest, most)][:most]
    return []


def rarities_of(phrases: Iterable[PhraseTexts], texts: int) -> list[int]:
    """How rare each of these phrases is among so many texts."""
    return [_rarity(texts, len(phrase.present)) for phrase in phrases]


def _rarity(texts: int, having: int) -> int:
    # Whole numbers, whose sums are equal in whatever order they are added.
    return math.floor(1000 * math.log(1 + texts / having) + 0.5) if having else 0


def _by_classes(found: BitMap, choices: Iterable[Choice]) -> Iterator[int]:
    """Texts with the same parts are a class and have the same points, which are added up once.

    The heap has first the class that can reach most points: its own, and the `most` that the parts
    from its `place` on can add. The next part splits it into texts with and `without` that part. A
    class with no part left has its final points, and no other can reach more.
    """
    parts, most = _in_line(choices)
    classes: list[tuple[int, int, int, int, BitMap, BitMap | None]] = []
    order = count()  # so that bitmaps are never compared

    def add(points: int, place: int, some: BitMap, without: BitMap | None) -> None:
        heappush(classes, (-points - most[place], next(order), place, points, some, without))

    add(0, 0, found, None)
    equal: list[BitMap] = []
    while classes:
        least, _, place, points, some, without = heappop(classes)
        some = some - without if without else some  # only now: most classes are never reached
        if place == len(parts):
            equal.append(some)
        elif some:
            gain, having, behind = parts[place]
            more = some & having
            if more:
                add(points + gain, behind, more, None)
            add(points, place + 1, some, more)
        if equal and not (classes and classes[0][0] == least):
            yield from descending(BitMap.union(*equal))
            equal = []


def _in_line(choices: Iterable[Choice]) -> tuple[list[tuple[int, BitMap, int]], list[int]]:
    """The parts of all choices, those first that give most, each with the place behind its choice,
    as a text gets one part of a choice; and the most points that a text can get from each place
    on, 0 at the end."""
    by_gain = sorted(choices, key=lambda parts: parts[0][0])  # built from the end
    parts: list[tuple[int, BitMap, int]] = []
    most = [0]
    for choice in by_gain:
        behind, before = len(parts), most[-1]
        best = 0
        for gain, having in reversed(choice):
            if having:
                best = max(best, gain)
                parts.append((gain, having, behind))
                most.append(before + best)
    last = len(parts)
    return [(gain, having, last - behind) for gain, having, behind in reversed(parts)], most[::-1]


def _by_text(found: BitMap, choices: Iterable[Choice]) -> Iterator[int]:
    points = dict.fromkeys(found, 0)
    for choice in choices:
        rest = found
        for gain, having in choice:
            for number in having & rest:
                points[number] += gain
            rest = rest - having
    yield from sorted(points, key=lambda number: (points[number], number), reverse=True)


def _promising(found: BitMap, phrases: Sequence[PhraseTexts]) -> BitMap:
    """At most `_SCORED` texts: those with most of the rarest phrases, then the newest."""
    if len(found) <= _SCORED:
        return found
    rarest = sorted((phrase.present for phrase in phrases), key=len)[:_RAREST]
    levels, best = at_least(rarest, found), BitMap()
    while len(levels[-1]) < _SCORED:
        best = levels.pop()
    return best | newest(levels[-1] - best, _SCORED - len(best))


def newest(found: BitMap, most: int) -> BitMap:
    """The `most` newest of these texts."""
    if len(found) <= most:
        return found
    some = found.copy()
    some.remove_range(0, found[-most])
    return some


def descending(found: BitMap) -> Iterator[int]:
    """These numbers, the largest first, a few at a time, as mostly the first are enough."""
    size, rest = _FIRST, found
    while len(rest) > size:
        some = newest(rest, size)
        yield from reversed(some.to_array())
        rest, size = rest - some, 4 * size
    yield from reversed(rest.to_array())
