"""The words and tags that a search and an opportunity may share."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from stoa.domain.limits import DESCRIBED_BYTES
from stoa.domain.querylang import Phrase, Query
from stoa.domain.words import says_little, words

Shared = tuple[int, int]
"""A number of tags, and the things that share so many, as a bitmap."""


class WordQuery(NamedTuple):
    """Words of a search that must or must not be there, those that are `counted`, and all."""

    must: frozenset[str]
    barred: frozenset[str]
    counted: frozenset[str]
    all: frozenset[str]


def described(title: str, tags: Iterable[str], body: str, more: Iterable[str]) -> bytes:
    """What an opportunity is found by: its tags, and the words of its texts, each in a line of its
    own, which takes a tenth of the memory of a set: `more` are its requirements and what was added
    to it. Of very long ones only the first words count, as all of it takes no more than
    `limits.DESCRIBED_BYTES`."""
    texts = (title, *tags, body, *more)
    terms = chain(map(of_tag, tags), chain.from_iterable(map(_words, texts)))
    found, room = dict[bytes, None](), DESCRIBED_BYTES - 1
    for term in map(str.encode, terms):
        if term not in found:
            room -= len(term) + 1
            if room < 0:
                break
            found[term] = None
    return b"\n".join((b"", *found, b""))


def line(word: str) -> bytes:
    """What `described` holds of an opportunity that has a word or, with `of_tag`, a tag."""
    return f"\n{word}\n".encode()


@lru_cache(maxsize=1024)
def asked(query: Query) -> WordQuery:
    """What a search looks for; each word once."""
    include, quoted = query.include, query.quoted
    must = {word for phrase in include if phrase in quoted for word in _spoken(phrase)}
    may = {word for phrase in include if phrase not in quoted for word in _spoken(phrase)}
    barred = {word for phrase in query.exclude if len(phrase) == 1 for word in _spoken(phrase)}
    counted = frozenset((may | must) - barred)
    return WordQuery(frozenset(must - barred), frozenset(barred), counted, counted | barred)


def _spoken(phrase: Phrase) -> list[str]:
    return [word for word in phrase if not says_little(word)]


def best(
    having: Mapping[str, int],
    among: int,
    words: WordQuery,
    by_tags: Sequence[Shared],
    found: int,
    most: int,
    in_order: Callable[[int], Iterable[int]],
) -> list[int]:
    """The numbers of the `most` things that have the most in common with a search, the best first.

    Sets of things are bitmaps of their numbers, and `in_order` lists a set, the best of equal ones
    first: `among` are all that are looked at, `having` those of them that have a word, `found`
    those that the search itself found, `by_tags` is what `shared` gives. Points for words come
    before the number of tags. A word counts the more the fewer things have it. What lacks a word
    that must be there has no points, and what has a word that must not be there or has nothing in
    common is left out.
    """
    having_all, kept, count = -1, among, among.bit_count()
    for word in words.must:
        having_all &= having[word]
    for word in words.barred:
        kept &= ~having[word]
    sums = {1: kept & found, 0: kept & ~found}
    for word in words.counted:
        if have := having[word]:
            points = round(1000 * math.log(1 + count / have.bit_count()))
            sums = _added(sums, have & (found | having_all), points)
    return list(islice(chain.from_iterable(map(in_order, _by_points(sums, by_tags))), most))


def shared(by_count: Sequence[int]) -> list[Shared]:
    """Each number of tags with the things that share exactly so many, the most first. `by_count`
    has the things that share n tags at place n."""
    return [(count, bits) for count, bits in enumerate(by_count) if bits][::-1]


def _added(sums: Mapping[int, int], having: int, points: int) -> dict[int, int]:
    """Points, and the bitmap of the things that get so many, with some more for those `having` a
    word."""
    added: dict[int, int] = {}
    for total, things in sums.items():
        if more := things & having:
            added[total + points] = added.get(total + points, 0) | more
        if rest := things ^ more:
            added[total] = added.get(total, 0) | rest
    return added


def _by_points(sums: Mapping[int, int], by_tags: Sequence[Shared]) -> Iterator[int]:
    for total in sorted(sums, reverse=True):
        for number, bits in by_tags:
            if total or number:
                yield sums[total] & bits


def _words(text: str) -> list[str]:
    return [word for word in words(text) if not says_little(word)]


def of_tag(tag: str) -> str:
    """A tag as one of `described`."""
    return f"#{tag}"
