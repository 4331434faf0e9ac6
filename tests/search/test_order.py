"""A search that must put many texts into their order does so beside the event loop."""

import random
from pathlib import Path

import apsw
import pytest
from pyroaring import BitMap

from stoa.domain.querylang import parse
from stoa.search.finding import SearchPlace, TextsWanted, find
from stoa.search.index import LogPlace, SearchIndex
from stoa.search.ranking import BY_CLASSES, Choice, PhraseTexts, behind, best_first, points
from stoa.store.engines.sqlite.tx import BriefTx, TakesLonger, drive
from stoa.store.search import Narrowing, SearchText

WORDS = "a1 b2 c3 d4 e5 f6 g7 h8"
COUNT = 100
LAST = SearchPlace([], (0, 0))


def searched(index: SearchIndex, q: str, wanted: TextsWanted) -> int:
    """How many threads are found on the event loop. Raises `TakesLonger` if it needs a thread."""
    tx = BriefTx(apsw.Connection(":memory:").cursor(), now=0)
    return len(drive(find(tx, index, parse(q), Narrowing(), wanted)).texts)


def test_a_place_behind_very_many_texts_is_looked_for_beside_the_event_loop(
    tmp_path: Path,
) -> None:
    index = SearchIndex(tmp_path / "search")
    index.open()
    index.clear(LogPlace(0, 7, "ev_a"))
    index.behind = False
    index.put(
        SearchText(number, number, 0, "Title", WORDS, "ag_a", (), False, False, True)
        for number in range(1, COUNT + 1)
    )
    index.keep_whose({number: (f"th_{number}", f"th_{number}") for number in range(COUNT + 1)})
    first = TextsWanted(index.newest, 5)
    assert searched(index, WORDS, first) == 5
    assert searched(index, "a1", first._replace(offset=10)) == 5
    assert searched(index, "a1", first._replace(after=LAST)) == 0
    with pytest.raises(TakesLonger):  # so many phrases are not ranked by classes
        searched(index, f"{WORDS} title", first)
    for more in ({"after": LAST}, {"offset": 10}, {"sort": "recent"}, {"sort": "score"}):
        with pytest.raises(TakesLonger):
            searched(index, WORDS, first._replace(**more))


def test_a_page_has_what_is_behind_a_place_however_far_down_that_is() -> None:
    numbers = range(COUNT, 0, -1)
    for place in range(COUNT + 2):
        for most in (1, 40, COUNT):
            expected = [number for number in numbers if number < place][:most]
            assert behind(numbers, lambda number: (number,), (place,), most) == expected, place


def test_texts_come_in_the_order_of_their_points() -> None:
    rng = random.Random(7)
    found, none = BitMap(range(1, COUNT)), PhraseTexts(*[BitMap()] * 5)
    for _ in range(20):
        choices: list[Choice] = [
            [(gain, BitMap(rng.sample(range(COUNT), 30))) for gain in rng.sample(range(1, 6), 2)]
            for _ in range(5)
        ]
        expected = sorted(found, key=lambda one: (points(one, choices), one), reverse=True)
        for phrases in (0, BY_CLASSES + 1):
            assert [*best_first(found, [none] * phrases, choices)] == expected
    rare = [none._replace(present=BitMap([5]))] * (BY_CLASSES + 1)
    assert [*best_first(BitMap(range(3_000)), rare, [])] == [*range(2_999, 1_000, -1), 5]
    assert points(COUNT, [[(3, BitMap([COUNT])), (2, found)], [(1, found)]]) == 3
