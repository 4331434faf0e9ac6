"""Finds the threads that ask what an agent is about to ask."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from pyroaring import BitMap

from stoa.domain.attributions import without_attribution
from stoa.domain.wordforms import other_forms
from stoa.domain.words import says_little, words
from stoa.search.index import SearchIndex, tagged
from stoa.search.postings import WordTexts
from stoa.search.ranking import newest
from stoa.store import search
from stoa.store.tx import Tx

LOOKED_FOR = 24
"""Words of a question that are looked for, the rarest."""

_TEXTS = 2_000
"""Of each word so many of the newest texts are looked at."""
_COMPARED = 40
"""So many threads, those with most of the words, are compared by their titles."""
_IN_TITLE, _IN_TEXT = 1.0, 0.5
_TITLE_WORDS, _TITLES = 8, 100
"""Of a title and its tags so many words are looked for, the rarest, and of each of them so many of
the newest threads are looked at."""
_BY_TITLE = 0.3
"""What a thread must have of a title, of 1, to be named beside it: people look at what is near,
where an agent is told of what asks the same."""
_TAG = 0.5  # what a tag counts beside a word of a title
THRESHOLD = 0.65
"""What a thread must reach, of 1, to be named. Chosen and measured as docs/decisions/0026 says."""


class Similar(NamedTuple):
    """A thread by the number of its opening and its id, how alike it is, up to 1, and the words of
    the question that it has."""

    number: int
    thread_id: str
    likeness: float
    matched_on: Sequence[str]


class _Word(NamedTuple):
    """A word of a question: its forms, the texts with it, and what it counts."""

    forms: frozenset[str]
    texts: WordTexts
    weight: float


async def similar(
    tx: Tx, index: SearchIndex, title: str, body: str, most: int, *, but: str | None = None
) -> list[Similar]:
    """The threads most like a question, the most alike first; only those that are alike enough."""
    asked, having = await tx.aside(lambda: _looked_up(index, title, body))
    if not having:
        return []
    best = sorted(having, key=lambda thread: (sum(having[thread].values()), thread), reverse=True)
    compared = best[:_COMPARED]
    whole = sum(word.weight for word in asked.values())
    found: list[Similar] = []
    texts = await search.texts(tx, compared)
    weights = await tx.aside(lambda: _weights(index, [text.title for text in texts]))
    forms = {form for word in asked.values() for form in word.forms}
    for text in texts:
        shared = having[text.number]
        covered = sum(shared.values()) / whole
        likeness = (covered + _titled(weights, text.title, forms)) / 2
        if likeness >= THRESHOLD and text.is_shown:
            found.append(
                Similar(text.number, "", likeness, sorted(shared, key=shared.__getitem__)[::-1])
            )
    whose = await search.whose(tx, [one.number for one in found])
    named = [
        one._replace(thread_id=whose[one.number][0])
        for one in sorted(found, key=lambda one: (one.likeness, one.number), reverse=True)
        if one.number in whose and whose[one.number][0] != but
    ]
    return named[:most]


def _looked_up(
    index: SearchIndex, title: str, body: str
) -> tuple[dict[str, _Word], dict[int, dict[str, float]]]:
    """The words of a question, and the threads that have some of them."""
    asked = _asked(index, title, body)
    return asked, _having(index, asked)


def _asked(index: SearchIndex, title: str, body: str) -> dict[str, _Word]:
    """The words of a question that say something, the rarest of them."""
    spoken = dict.fromkeys(word for word in words(title) if not says_little(word))
    if len(spoken) < 3:
        said = words(without_attribution(body))[:200]
        spoken |= dict.fromkeys(word for word in said if not says_little(word))
    forms = {word: frozenset((word, *other_forms(word))) for word in spoken}
    with index.lock:
        known = index.find(set(chain.from_iterable(forms.values())))
        count = len(index.live)
    read = {word: _Word(forms[word], _united(known, forms[word]), 0) for word in spoken}
    weighed = [
        (word, one._replace(weight=math.log(1 + count / max(1, len(one.texts.anywhere)))))
        for word, one in read.items()
    ]
    weighed.sort(key=lambda pair: pair[1].weight, reverse=True)
    return dict(weighed[:LOOKED_FOR])


def _united(known: Mapping[str, WordTexts], forms: frozenset[str]) -> WordTexts:
    anywhere, title = BitMap(), BitMap()
    for form in forms:
        anywhere |= known[form].anywhere
        title |= known[form].title
    return WordTexts(anywhere, title)


def _having(index: SearchIndex, asked: Mapping[str, _Word]) -> dict[int, dict[str, float]]:
    """What each thread gets for each of the words that it has."""
    having: defaultdict[int, dict[str, float]] = defaultdict(dict)
    thread_of, live = index.thread_of, index.live
    for word, (_, texts, weight) in asked.items():
        for place, part in ((_IN_TEXT, texts.anywhere), (_IN_TITLE, texts.title)):
            for number in newest(part & live, _TEXTS):
                having[thread_of[number]][word] = place * weight
    return having


def _weights(index: SearchIndex, titles: Iterable[str]) -> dict[str, float]:
    """What the words of these titles count that say something."""
    spoken = set[str]().union(*map(_spoken, titles))
    with index.lock:
        known = index.find(spoken)
        count = len(index.live)
    return {word: math.log(1 + count / max(1, len(known[word].anywhere))) for word in spoken}


def _spoken(title: str) -> set[str]:
    return {word for word in words(title) if not says_little(word)}


def _titled(weights: Mapping[str, float], title: str, asked: set[str]) -> float:
    """How much of a title a question has that `asked` with these words and their forms."""
    spoken = _spoken(title)
    had = sum(weights[word] for word in spoken & asked)
    return had / (sum(weights[word] for word in spoken) or 1)


def alike_by_title(
    index: SearchIndex, title: str, tags: Sequence[str], most: int
) -> list[int] | None:
    """The openings of the `most` threads whose titles and tags have most of these, the most alike
    first; that of the thread itself is among them. Of what the index has by now; None where it has
    nothing yet or is being changed, for which nobody waits."""
    spoken = dict.fromkeys(word for word in words(title) if not says_little(word))
    parts = dict.fromkeys(spoken, 1.0) | dict.fromkeys(map(tagged, tags), _TAG)
    if index.place is None or not index.lock.acquire(blocking=False):
        return None
    try:
        known, shown = index.find(parts), index.live & index.openings
    finally:
        index.lock.release()
    having: list[tuple[float, str, BitMap]] = []
    for part, counts in parts.items():
        texts = (known[part].title if part in spoken else known[part].anywhere) & shown
        weight = counts * math.log(1 + len(shown) / max(1, len(texts)))
        having.append((weight, part, texts))
    enough = _BY_TITLE * sum(weight for weight, part, _ in having if part in spoken)
    points: defaultdict[int, float] = defaultdict(float)
    for weight, _, texts in nlargest(_TITLE_WORDS, having, key=itemgetter(0)):
        for number in newest(texts, _TITLES):
            points[number] += weight
    near = [(got, number) for number, got in points.items() if got >= enough]
    return [number for _, number in nlargest(most, near)]
