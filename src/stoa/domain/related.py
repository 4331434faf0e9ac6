"""What a search and an opportunity can have in common: words and tags."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from stoa.domain.bitmaps import ascending
from stoa.domain.querylang import Phrase, Query, indexed, words


class Asked(NamedTuple):
    """Words of a search that may, must or must not be there."""

    may: frozenset[str]
    must: frozenset[str]
    barred: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        """All words that say what is related."""
        return self.may | self.must | self.barred


_COMMON = """
a about after all also am an and any are as at be because been before but by can could did do does
for from get had has have he her his how i if in into is it its just like me more my no not of on
one only or other our out over she should so some than that the their them then there these they
this to up us use was we were what when where which who why will with would you your
"""
_SAY_LITTLE = frozenset(_COMMON.split())
"""Words that most English texts have, so that to share them means nothing."""


def described(title: str, tags: Iterable[str], requirements: Iterable[str], body: str) -> str:
    """What an opportunity is found by: the words of all that its row shows, and its tags, each in a
    line of its own, which takes a tenth of the memory of a set."""
    texts = (title, *tags, *requirements, body)
    found = {word for text in texts for word in _words(text)}
    return "\n".join(("", *found, *map(of_tag, tags), ""))


def has(words: str, word: str) -> bool:
    """Whether a word or, with `of_tag`, a tag is among those of an opportunity."""
    return f"\n{word}\n" in words


def asked(query: Query) -> Asked:
    """What a search looks for; each word once."""
    return _asked(query.include, query.exclude, query.quoted)


@lru_cache(maxsize=1024)
def _asked(include: Sequence[Phrase], exclude: Sequence[Phrase], quoted: Set[Phrase]) -> Asked:
    must = {word for phrase in include if phrase in quoted for word in _spoken(phrase)}
    may = {word for phrase in include if phrase not in quoted for word in _spoken(phrase)}
    barred = {word for phrase in exclude if len(phrase) == 1 for word in _spoken(phrase)}
    return Asked(frozenset(may - must - barred), frozenset(must - barred), frozenset(barred))


def _spoken(phrase: Phrase) -> list[str]:
    return [word for part in phrase for word in _words(part)]


def best(
    having: Mapping[str, int],
    among: int,
    words: Asked,
    by_tags: Sequence[int],
    found: int,
    most: int,
) -> list[int]:
    """The places of the `most` things that have the most in common with a search, the best first.

    Sets of things are bitmaps, in which the first is the best of equal ones: `among` are all that
    are looked at, `having` those of them that have a word, `found` those that the search itself
    found, `by_tags` those that share so many tags. Points for words come before the number of tags.
    A word counts the more the fewer things have it. What lacks a word that must be there has no
    points, and what has a word that must not be there or has nothing in common is left out.
    """
    having_all, kept, count = -1, among, among.bit_count()
    for word in words.must:
        having_all &= having[word]
    for word in words.barred:
        kept &= ~having[word]
    sums = [(0, kept & ~found), (1, kept & found)]
    for word in words.must | words.may:
        if have := having[word]:
            points = _points(have.bit_count(), count)
            sums = _added(sums, have & (found | having_all), points)
    return [*islice(_in_order(_joined(sums), by_tags), most)]


_Sums = list[tuple[int, int]]


def _added(sums: _Sums, having: int, points: int) -> _Sums:
    """Points, and the bitmap of the things that get so many, with some more for those `having` a
    word."""
    parts = (
        (total + more, bits)
        for total, things in sums
        for more, bits in ((points, things & having), (0, things & ~having))
    )
    return [(total, bits) for total, bits in parts if bits]


def _joined(sums: _Sums) -> dict[int, int]:
    joined: defaultdict[int, int] = defaultdict(int)
    for total, bits in sums:
        joined[total] |= bits
    return joined


def _in_order(sums: Mapping[int, int], by_tags: Sequence[int]) -> Iterator[int]:
    for total in sorted(sums, reverse=True):
        for number in range(len(by_tags) - 1, -1 if total else 0, -1):
            both = sums[total] & by_tags[number]
            if both:
                yield from ascending(both)


@lru_cache
def _points(have: int, count: int) -> int:
    return round(1000 * math.log(1 + count / have))


def _words(text: str) -> list[str]:
    return [word for word in words(indexed(text)) if word not in _SAY_LITTLE]


def of_tag(tag: str) -> str:
    """A tag as one of `described`."""
    return f"#{tag}"
