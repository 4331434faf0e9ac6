"""The order of texts that have the words of a search: bm25 with k1 = 0, titles counted more."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pyroaring import BitMap

from stoa.domain.querylang import Weights

ACCEPTED_POINTS = 500
"""The points of an accepted answer, added to those of its words; a rare word has some thousands."""

BY_CLASSES = 4
"""With so few phrases in a query many texts have the same points, which are then computed once for
all of them."""

_SCORED = 2_000  # as many as that takes a few milliseconds for
_RAREST = 12  # a long query: its common words tell texts apart least, and have the largest sets
_FIRST = 128  # some pages of results, of which few readers ask for a second


ENOUGH_TEXTS = 200
"""Where fewer texts than this have all words of a query, threads are found too whose texts have all
of them together."""

LOOKED_AT = 10_000
"""Where texts have to be looked at one by one, at most so many: the newest with any word."""


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
    """The texts `among` these that have a rare phrase, of so many `texts` in all, or any phrase
    where their thread has all that are needed. Each phrase is the texts that have it; `others` need
    not be there."""
    rare = [one for one in (*needed, *others) if is_rare(len(one), texts)]
    found = needed[0] & among
    for one in needed[1:]:
        found &= one
    if rare:
        found |= BitMap.union(*rare) & among
    # Of threads that have a rare phrase too, some text was found already.
    is_found = any(is_rare(len(one), texts) for one in needed)
    if needed[1:] and not is_found and len(found) < ENOUGH_TEXTS:
        found |= _of_threads_with_all([one & among for one in needed], thread_of)
    return found


def at_least(having: Iterable[BitMap], among: BitMap) -> list[BitMap]:
    """At each place, from 0, the texts `among` these that are in at least so many sets."""
    levels = [among]
    for texts in having:
        more = texts & among
        for place in range(1, len(levels)):
            levels[place], more = levels[place] | more, levels[place] & more
        if more:
            levels.append(more)
    return levels


def _of_threads_with_all(needed: Sequence[BitMap], thread_of: Sequence[int]) -> BitMap:
    """The texts with any phrase in threads that have all of them, in whichever of their texts."""
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


def best_first(
    found: BitMap, phrases: Sequence[PhraseTexts], weights: Weights, accepted: BitMap, texts: int
) -> Iterator[int]:
    """The numbers of the texts that were `found`, the best first, of equal ones the newest."""
    parts = [*_parts(found, phrases, weights, texts), [(ACCEPTED_POINTS, accepted & found)]]
    if len(phrases) <= BY_CLASSES:
        return _by_classes(found, parts)
    return _by_text(_promising(found, phrases), parts)


Part = tuple[int, BitMap]
"""Points, and the texts that get them."""


def _parts(
    found: BitMap, phrases: Sequence[PhraseTexts], weights: Weights, texts: int
) -> Iterator[list[Part]]:
    for phrase in phrases:
        rarity = _rarity(texts, len(phrase.present))
        written, in_title, other, other_in_title = (one & found for one in phrase[:4])
        other -= written
        other_in_title -= in_title
        yield [
            (rarity * weights.written, written),
            (rarity * weights.other, other),
            (rarity * weights.written_in_title, in_title),
            (rarity * weights.other_in_title, other_in_title),
        ]


def _rarity(texts: int, having: int) -> int:
    return math.floor(1000 * math.log(1 + texts / having) + 0.5) if having else 0


def _by_classes(found: BitMap, parts: Iterable[Sequence[Part]]) -> Iterator[int]:
    """Texts with the same parts have the same points, so these are added once for all of them."""
    classes: list[Part] = [(0, found)]
    for points, having in (part for some in parts for part in some):
        if having:
            classes = [*_split(classes, points, having)]
    by_points: defaultdict[int, list[BitMap]] = defaultdict(list)
    for points, some in classes:
        by_points[points].append(some)
    for points in sorted(by_points, reverse=True):
        first, *others = by_points[points]
        yield from descending(first.union(*others) if others else first)


def _split(classes: Iterable[Part], points: int, having: BitMap) -> Iterator[Part]:
    for total, some in classes:
        if more := some & having:
            yield total + points, more
            some = some - having  # noqa: PLW2901 - the rest of it
        if some:
            yield total, some


def _by_text(found: BitMap, parts: Iterable[Sequence[Part]]) -> Iterator[int]:
    points = dict.fromkeys(found, 0)
    for gain, having in (part for some in parts for part in some):
        for number in having & found:
            points[number] += gain
    yield from sorted(points, key=lambda number: (points[number], number), reverse=True)


def _promising(found: BitMap, phrases: Sequence[PhraseTexts]) -> BitMap:
    """Of many texts those with most of the phrases, the newest of them."""
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
