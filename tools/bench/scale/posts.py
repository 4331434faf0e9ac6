"""Searchable texts and the searches that are asked of them, by name."""

import random
from collections.abc import Callable, Iterator
from itertools import accumulate, islice, product
from typing import NamedTuple

from tools.bench.scale.world import REPLIES_PER_THREAD, TAGS, World

LONGEST = "the 32 most common words"
"""The search that costs most of all."""
WORDS = 30_000
WORDS_PER_TEXT = 40
_SYLLABLES = ("ka", "ro", "mi", "ten", "sol", "ve", "lum", "da", "pri", "os", "net", "qua")


class Vocabulary:
    """Words of which the first is in nearly every text and the last in a handful."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        parts = islice(product(_SYLLABLES, repeat=5), WORDS)
        self.words = ["".join(reversed(part)) for part in parts]
        self._weights = list(accumulate(1 / (place + 1) for place in range(WORDS)))

    def text(self, words: int = WORDS_PER_TEXT) -> str:
        """A text."""
        return " ".join(self._random.choices(self.words, cum_weights=self._weights, k=words))

    def ranked(self, first: int, last: int) -> str:
        """One of the words between these ranks, from 0 for the most common."""
        return self.words[self._random.randrange(first, last)]


def world_of(count: int) -> World:
    """A world with so many posts at most, threads and replies together: whole threads."""
    replies = count // (REPLIES_PER_THREAD + 1) * REPLIES_PER_THREAD
    return World(replies, Vocabulary(seed=11).text)


def posts(world: World) -> Iterator[tuple[int, str, str | None]]:
    """`(number, thread, reply or None)` of every thread and reply, oldest first."""
    number = 0
    for place in range(world.replies):
        if place % REPLIES_PER_THREAD == 0:
            number += 1
            yield number, world.thread(place // REPLIES_PER_THREAD), None
        number += 1
        yield number, world.thread(world.thread_of(place)), world.reply(place)


class Search(NamedTuple):
    """What is asked: words, tags of the thread, how many results to leave out, whose."""

    words: str
    tags: list[str] = []  # noqa: RUF012 - a tuple in all but its default
    start: int = 0
    by_one_author: bool = False


def searches() -> dict[str, Callable[[Vocabulary], Search]]:
    """What is asked, by name; each time with other words of the same kind."""

    def three(v: Vocabulary) -> str:
        return " ".join(v.ranked(0, 30) for _ in range(3))

    return {
        "the most common word": lambda v: Search(v.words[0]),
        "a common word": lambda v: Search(v.ranked(1, 30)),
        "three common words": lambda v: Search(three(v)),
        "three common words, fifth page": lambda v: Search(three(v), start=80),
        "three common words, two tags": lambda v: Search(three(v), TAGS[:2]),
        "a word of one text in a hundred": lambda v: Search(v.ranked(300, 500)),
        "a rare word": lambda v: Search(v.ranked(20_000, WORDS)),
        "a word that is nowhere": lambda _: Search("xyzzy"),
        "two common words": lambda v: Search(f"{v.ranked(0, 10)} {v.ranked(10, 30)}"),
        "two common words of one author": lambda v: Search(
            f"{v.ranked(0, 10)} {v.ranked(10, 30)}", by_one_author=True
        ),
        "a common and a rare word": lambda v: Search(
            f"{v.ranked(0, 30)} {v.ranked(20_000, WORDS)}"
        ),
        "a sentence of twelve words": lambda v: Search(v.text(12)),
        LONGEST: lambda v: Search(" ".join(v.words[:32])),
        "the most common word without another": lambda v: Search(
            f"{v.words[0]} -{v.ranked(1, 30)}"
        ),
        "a common word without the most common": lambda v: Search(
            f"{v.ranked(1, 30)} -{v.words[0]}"
        ),
        "a phrase of two common words": lambda v: Search(f'"{v.words[0]} {v.words[1]}"'),
        "a phrase of three words": lambda v: Search(f'"{v.text(3)}"'),
        "a phrase of a common and a rare word": lambda v: Search(
            f'"{v.words[0]} {v.ranked(20_000, WORDS)}"'
        ),
        "a phrase and words": lambda v: Search(f'"{v.text(2)}" {v.text(4)}'),
        "a phrase of common words that is nowhere": lambda v: Search(f'"{" ".join(v.words[:5])}"'),
    }
