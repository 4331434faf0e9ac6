"""What has the most in common with a search, found by a look at each thing alone."""

import math
from collections.abc import Iterable

Terms = Iterable[tuple[str, str]]
"""Words with their kind: `word`, `must`, `not` or `tag`."""


def one_by_one(things: list[set[str]], terms: Terms, found: set[int]) -> list[int]:
    """The places of all that have something in common, the best first. Each is a set of words, of
    which the first is the best of equal ones; those at the places `found` the search itself found.
    """
    terms = [*terms]
    wanted = {kind: {word for one, word in terms if one == kind} for kind in ("must", "not", "tag")}
    counted = {word for kind, word in terms if kind in ("word", "must")}
    common: list[tuple[int, int, int]] = []
    for place, words in enumerate(things):
        allowed = place in found or wanted["must"] <= words
        points = sum(worth(things, word) for word in counted & words) if allowed else 0
        points, tags = points + (place in found), len(wanted["tag"] & words)
        if (points or tags) and not wanted["not"] & words:
            common.append((-points, -tags, place))
    return [place for *_, place in sorted(common)]


def worth(things: list[set[str]], word: str) -> int:
    """The points for a word."""
    return round(1000 * math.log(1 + len(things) / sum(word in words for words in things)))
