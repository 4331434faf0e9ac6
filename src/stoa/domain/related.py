"""What a search and an opportunity can have in common: words and tags."""

from collections.abc import Iterable
from typing import Literal

from stoa.domain.limits import OPPORTUNITY_BODY_CHARS
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


def described(title: str, tags: Iterable[str], requirements: Iterable[str], body: str) -> set[str]:
    """What an opportunity is found by: the words of all that its row shows, and its tags."""
    texts = (title, *tags, *requirements, body[:OPPORTUNITY_BODY_CHARS])
    return {word for text in texts for word in _words(text)} | {_tag(tag) for tag in tags}


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


def _words(text: str) -> list[str]:
    return [word for word in words(indexed(text)) if word not in _SAY_LITTLE]


def _tag(tag: str) -> str:
    return f"#{tag}"
