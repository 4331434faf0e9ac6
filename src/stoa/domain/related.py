"""What a search and an opportunity can have in common: words and tags."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    offered: Mapping[str, frozenset[str]], terms: Sequence[Term], found: Collection[str]
) -> dict[str, tuple[int, int]]:
    """How much each id has in common with a search: points for words, and the number of tags.

    `offered` has the words of each id, `found` the ids that the search itself found. A word counts
    the more the fewer ids have it. An id that lacks a word that must be there has no points, and
    one with a word that must not be there is left out, as is one without anything in common.
    """
    musts, nots, tags = (_of_kind(terms, kind) for kind in ("must", "not", "tag"))
    points = {word: _points(word, offered) for word in musts | _of_kind(terms, "word")}
    common: dict[str, tuple[int, int]] = {}
    for subject, its_words in offered.items():
        total = int(subject in found)
        if total or musts <= its_words:
            total += sum(points[word] for word in points.keys() & its_words)
        both = total, len(tags & its_words)
        if any(both) and nots.isdisjoint(its_words):
            common[subject] = both
    return common


def _of_kind(terms: Sequence[Term], wanted: str) -> set[str]:
    return {word for kind, word in terms if kind == wanted}


def _points(word: str, offered: Mapping[str, frozenset[str]]) -> int:
    have = sum(word in its_words for its_words in offered.values())
    return round(1000 * math.log(1 + len(offered) / have)) if have else 0


def _words(text: str) -> list[str]:
    return [word for word in words(indexed(text)) if word not in _SAY_LITTLE]


def _tag(tag: str) -> str:
    return f"#{tag}"
