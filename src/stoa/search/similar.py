"""Finds the threads that ask the same as a new question."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from pyroaring import BitMap

from stoa.domain.attributions import without_attribution
from stoa.domain.wordforms import other_forms
from stoa.domain.words import is_unspaced, says_little, words
from stoa.search.index import SearchIndex, tagged
from stoa.search.postings import WordTexts
from stoa.search.ranking import newest
from stoa.store import search
from stoa.store.search import Opening
from stoa.store.tx import Tx

LOOKED_FOR = 24
"""How many words of a question are looked up, the rarest."""

_BODY_CHARACTERS, _BODY_WORDS = 2_000, 200
"""How much of the beginning of a body is used if its title has few words: to find all words of one
takes up to 170 ms."""

_ENOUGH = 1_000
"""For each word, how many of the newest threads with it in their title are candidates; the rarest
word first, until there are as many."""
_COMPARED = 40
"""How many threads, those with most of the words, are compared by their titles."""
_IN_TITLE, _IN_TEXT = 1.0, 0.5
_LEAST = math.log(2)
"""The weight of a word that all texts have."""
_TITLE_WORDS, _TITLES = 8, 100
"""How many words of a title and its tags are looked up, the rarest, and how many of the newest
threads with each are candidates."""
_BY_TITLE = 0.3
"""The likeness to a title, of 1, from which a thread is named beside it: people look at what is
near, while an agent is told of threads that ask the same."""
_TAG = 0.5  # what a tag counts beside a word of a title
THRESHOLD = 0.65
"""The likeness, of 1, from which a thread is named. Chosen and measured as docs/decisions/0026
says."""


class Similar(NamedTuple):
    """A thread, and the words of the question that it has."""

    thread_id: str
    matched_on: Sequence[str]


class _Word(NamedTuple):
    """A word of a question: its forms, the texts with it, and its weight."""

    forms: frozenset[str]
    texts: WordTexts
    weight: float


class _Question(NamedTuple):
    """The words of a question, the weights of these and their other forms, and how much of the
    question each likely thread has."""

    words: Mapping[str, _Word]
    weights: Mapping[str, float]
    covered: Mapping[int, float]


async def similar(
    tx: Tx, index: SearchIndex, title: str, body: str, most: int, *, but: str | None = None
) -> list[Similar]:
    """The threads most like a question, the most alike first; only those that are alike enough."""
    forms = _forms(title, body)
    asked = await tx.aside(
        lambda: _looked_up(index, forms),
        light=index.is_light(sum(map(len, forms.values()))),
    )
    likely = {
        one.number: one
        for one in await search.openings(tx, asked.covered)
        if one.thread_id != but and _likeness(asked, one, {}) >= THRESHOLD
    }
    if not likely:
        return []
    spoken = {word for one in likely.values() for word in _spoken(one.title)}
    others = spoken - asked.weights.keys()
    weights = await tx.aside(lambda: _weights(index, others), light=index.is_light(len(others)))
    named = [
        (likeness, number)
        for number, one in likely.items()
        if (likeness := _likeness(asked, one, weights)) >= THRESHOLD
    ]
    return [
        Similar(likely[number].thread_id, _matched(asked, number))
        for _, number in nlargest(most, named)
    ]


def _forms(title: str, body: str) -> dict[str, frozenset[str]]:
    """The significant words of a question, each with its forms."""
    spoken = _spoken(title)
    if len(spoken) < 3:
        said = words(without_attribution(body)[:_BODY_CHARACTERS])[:_BODY_WORDS]
        spoken |= dict.fromkeys(word for word in said if not says_little(word))
    return {word: frozenset((word, *other_forms(word))) for word in spoken}


def _looked_up(index: SearchIndex, forms: Mapping[str, frozenset[str]]) -> _Question:
    """The question of these words, and the threads that have most of it."""
    words, weights = _asked(index, forms)
    whole = sum(word.weight for word in words.values())
    least = (2 * THRESHOLD - 1) * whole  # with less no title is enough
    points = [(got, number) for number, got in _points(index, words).items() if got >= least]
    covered = {number: got / whole for got, number in nlargest(_COMPARED, points)}
    return _Question(words, weights, covered)


def _asked(
    index: SearchIndex, forms: Mapping[str, frozenset[str]]
) -> tuple[dict[str, _Word], dict[str, float]]:
    """The rarest of these words, and the weights of each of their forms."""
    with index.lock:
        known = index.find(set(chain.from_iterable(forms.values())))
        count = len(index.live)
    read = [
        (word, _Word(forms[word], texts, _weight(count, texts.anywhere)))
        for word in forms
        for texts in [WordTexts.any_of(map(known.__getitem__, forms[word]))]
    ]
    rarest = nlargest(LOOKED_FOR, read, key=lambda one: one[1].weight)
    weights = {
        form: _weight(count, known[form].anywhere) for _, word in rarest for form in word.forms
    }
    return dict(rarest), weights


def _weight(texts: int, having: BitMap) -> float:
    """The weight of a word that these of so many texts have."""
    return math.log(1 + texts / max(1, len(having)))


def _points(index: SearchIndex, words: Mapping[str, _Word]) -> dict[int, float]:
    """The points of each thread for the words in its opening."""
    live, likely = index.live, BitMap()
    for word in words.values():
        likely |= newest(word.texts.title & live, _ENOUGH)
        if len(likely) >= _ENOUGH:
            break
    points = dict.fromkeys(likely, 0.0)
    for _, (anywhere, title), weight in words.values():
        in_title = title & likely
        for texts, counts in ((in_title, _IN_TITLE), ((anywhere & likely) - in_title, _IN_TEXT)):
            for number in texts:
                points[number] += counts * weight
    return points


def _weights(index: SearchIndex, spoken: Collection[str]) -> dict[str, float]:
    """The weights of these words."""
    with index.lock:
        known = index.find(spoken)
        count = len(index.live)
    return {word: _weight(count, known[word].anywhere) for word in spoken}


def _spoken(title: str) -> dict[str, None]:
    """The significant words of a title, each once."""
    return dict.fromkeys(word for word in words(title) if not says_little(word))


def _likeness(asked: _Question, thread: Opening, others: Mapping[str, float]) -> float:
    """The mean of how much of the question a thread has, and of its title the question. `others`
    are the weights of words that the question does not have; a missing one has the least weight, so
    that a thread seems more alike than it is."""
    spoken = _spoken(thread.title).keys()
    had = sum(asked.weights[word] for word in spoken & asked.weights.keys())
    rest = sum(others.get(word, _LEAST) for word in spoken - asked.weights.keys())
    return (asked.covered[thread.number] + had / ((had + rest) or 1)) / 2


def _matched(asked: _Question, number: int) -> list[str]:
    """The words of the question that a thread has, those with most weight first."""
    had = {
        word: weight * (_IN_TITLE if number in texts.title else _IN_TEXT)
        for word, (_, texts, weight) in asked.words.items()
        if number in texts.anywhere
    }
    said = [word for word in had if not (is_unspaced(word) and _is_in_longer(word, had))]
    return sorted(said, key=had.__getitem__, reverse=True)


def _is_in_longer(word: str, others: Iterable[str]) -> bool:
    """Whether a character of a run without blanks is in one of its pairs."""
    return any(word != other and word in other for other in others)


def alike_by_title(
    index: SearchIndex, title: str, tags: Sequence[str], most: int
) -> list[int] | None:
    """The openings of the `most` threads whose titles and tags have most of these, the most alike
    first; that of the thread itself is among them. Read from the index as it is; None if it is
    empty or is being changed, without waiting."""
    spoken = _spoken(title)
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
