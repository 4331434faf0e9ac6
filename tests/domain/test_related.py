"""What has the most in common with a search."""

import math

from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.bitmaps import by_count
from stoa.domain.related import Asked, best

WORDS = "abcdef"
Terms = list[tuple[str, str]]
THINGS = st.lists(st.sets(st.sampled_from(WORDS)), max_size=20)
TERMS = st.dictionaries(
    st.sampled_from(WORDS), st.sampled_from(["word", "must", "not", "tag"])
).map(lambda kinds: [(kind, word) for word, kind in kinds.items()])


def one_by_one(things: list[set[str]], terms: Terms, found: set[int]) -> list[int]:
    """The places of all that have something in common, each looked at alone."""
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


@given(THINGS, TERMS, st.sets(st.integers(0, 19)), st.integers(1, 6))
def test_the_best_are_those_that_share_the_most(
    things: list[set[str]], terms: Terms, places: set[int], most: int
):
    found = {place for place in places if place < len(things)}

    def holders(word: str) -> int:
        return sum(1 << place for place, words in enumerate(things) if word in words)

    bits = sum(1 << place for place in found)
    may, must, barred, tags = (
        frozenset(word for one, word in terms if one == kind)
        for kind in ("word", "must", "not", "tag")
    )
    by_tags = by_count(map(holders, tags), (1 << len(things)) - 1)
    shown = best(holders, len(things), Asked(may, must, barred), by_tags, bits, most)
    assert shown == one_by_one(things, terms, found)[:most]
