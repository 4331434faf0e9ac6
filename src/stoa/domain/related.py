"""What a search and an opportunity can have in common: words and tags."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Literal

from stoa.domain.querylang import Query, indexed, words

Term = tuple[Literal["word", "must", "not", "tag"], str]
"""A word that may, must or must not be there, or a tag as one of `described`."""

_COMMON = """
a about after all also am an and any are as at be because been before but by can could did do does
for from get had has have he her his how i if in into is it its just like me more my no not of on
one only or other our out over she should so some than that the their them then there these they
this to up us use was we were what when where which who why will with would you your
"""
_SAY_LITTLE = frozenset(_COMMON.split())
"""Words that most English texts have, so that to share them means nothing."""


def described(
    title: str, tags: Iterable[str], requirements: Iterable[str], body: str
) -> frozenset[str]:
    """What an opportunity is found by: the words of all that its row shows, and its tags."""
    texts = (title, *tags, *requirements, body)
    found = [word for text in texts for word in _words(text)]
    return frozenset((*found, *map(_tag, tags)))


def asked(query: Query, tags: Iterable[str]) -> list[Term]:
    """What a search looks for, and the tags of what it found; each word once."""
    terms: dict[str, Term] = {}
    for phrase in sorted(query.include, key=lambda one: one in query.quoted):
        kind = "must" if phrase in query.quoted else "word"
        terms |= {word: (kind, word) for part in phrase for word in _words(part)}
    for phrase in query.exclude:
        if len(phrase) == 1:
            terms |= {word: ("not", word) for word in _words(phrase[0])}
    terms |= {_tag(tag): ("tag", _tag(tag)) for tag in tags}
    return list(terms.values())


def shared(
    holders: Mapping[str, Collection[str]], count: int, terms: Sequence[Term], found: set[str]
) -> dict[str, tuple[int, int]]:
    """How much each id has in common with a search: points for words, and the number of tags.

    `holders` has the ids of each word, of `count` ids in all; `found` are those that the search
    itself found. A word counts the more the fewer ids have it. An id that lacks a word that must be
    there has no points, and one with a word that must not be there is left out, as is one without
    anything in common.
    """
    musts, nots, tags = (_of_kind(terms, kind) for kind in ("must", "not", "tag"))
    allowed = found.union(_having_all(holders, musts)) if musts else None
    points = dict.fromkeys(found, 1)
    for word in musts | _of_kind(terms, "word"):
        having = holders.get(word, ())
        for subject in having if allowed is None else allowed.intersection(having):
            points[subject] = points.get(subject, 0) + _points(len(having), count)
    tagged = Counter(subject for tag in tags for subject in holders.get(tag, ()))
    barred = {subject for word in nots for subject in holders.get(word, ())}
    common = (points.keys() | tagged.keys()) - barred
    return {subject: (points.get(subject, 0), tagged[subject]) for subject in common}


def _having_all(holders: Mapping[str, Collection[str]], words: Iterable[str]) -> set[str]:
    first, *others = (set(holders.get(word, ())) for word in words)
    return first.intersection(*others)


def _of_kind(terms: Sequence[Term], wanted: str) -> set[str]:
    return {word for kind, word in terms if kind == wanted}


@lru_cache
def _points(have: int, count: int) -> int:
    return round(1000 * math.log(1 + count / have))


def _words(text: str) -> list[str]:
    return [word for word in words(indexed(text)) if word not in _SAY_LITTLE]


def _tag(tag: str) -> str:
    return f"#{tag}"
