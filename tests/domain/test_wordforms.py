"""Forms of English words: families that must meet, words that must not, and what it may cost."""

import re
from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.limits import SEARCH_FORMS, SEARCH_TERMS
from stoa.domain.querylang import parse
from stoa.domain.wordforms import LONGEST, other_forms

FAMILIES = """
hop hops hopped hopping
hope hopes hoped hoping
brew brews brewed brewing
taste tastes tasted tasting
test tests tested testing
glass glasses
box boxes boxed boxing
berry berries
cookie cookies
die dies died dying
agree agrees agreed agreeing
play plays played playing
cache caches cached caching
index indexes indices indexed indexing
commit commits committed committing
cancel cancels cancelled canceled cancelling canceling cancellation
open opens opened opening
fill fills filled filling
control controls controlled controlling
add adds added adding
create creates created creating creation creations
freeze freezes froze frozen freezing
build builds built building
write writes wrote written writing
buy buys bought buying
child children
mouse mice
api apis
analysis analyses
carbonate carbonated carbonation
ferment ferments fermented fermentation fermentations
classify classifies classified classification classifications
authorize authorizes authorized authorization
extract extracts extracted extraction
compress compressed compression
configure configured configuring configuration configurations
deploy deployed deploying deployment deployments
solve solved solving solution solutions
condition conditions conditioned conditioning
leaf leaves
leave leaves leaving
"""


def test_each_form_of_a_word_leads_to_all_others() -> None:
    for family in FAMILIES.strip().splitlines():
        missing = [
            (word, other)
            for word, other in permutations(family.split(), 2)
            if other not in other_forms(word)
        ]
        assert missing == []


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("news", "new"),
        ("thing", "th"),
        ("king", "k"),
        ("spring", "spr"),
        ("evening", "even"),
        ("station", "state"),
        ("question", "quest"),
        ("version", "verse"),
        ("hoping", "hop"),
        ("hopping", "hope"),
        ("seed", "see"),
        ("class", "clas"),
        ("lens", "len"),
        ("cans", "can"),
        ("uses", "use"),
    ],
)
def test_words_that_only_look_like_forms_stay_apart(word: str, other: str) -> None:
    assert other not in other_forms(word)
    assert word not in other_forms(other)


@pytest.mark.parametrize(
    "word",
    ["", "a", "go", "the", "was", "h2o", "日本語", "сварено", "naïve", "Hops", "a" * 25, "x y"],
)
def test_what_does_not_look_like_an_english_word_has_no_other_form(word: str) -> None:
    assert other_forms(word) == ()


def test_every_short_text_of_letters_has_few_forms() -> None:
    letters = "aeysdginto"
    words = ("".join(word) for length in (3, 4) for word in product(letters, repeat=length))
    assert all(_fits(word) for word in words)


ENDINGS = ["s", "es", "ies", "ied", "ed", "ing", "ings", "ation", "ification", "ll", "eed", "ying"]


@given(st.text("abcdefgilmnoprstuvwyz", max_size=LONGEST), st.sampled_from(ENDINGS))
def test_no_word_has_more_than_a_dozen_forms(word: str, ending: str) -> None:
    assert _fits(word + ending)


def _fits(word: str) -> bool:
    others = other_forms(word)
    plain = all(re.fullmatch(r"[a-z]{1,40}", form) for form in others)
    return plain and len(others) == len(set(others)) <= 12 and word not in others


def test_a_query_has_forms_of_its_words_that_stand_alone() -> None:
    found = parse("Hops dry-hopping the café -brewing").forms
    assert found[("hops",)] == ("hop", "hopped", "hopping")
    assert "cafes" in found[("cafe",)]
    assert set(found) == {("hops",), ("cafe",)}
    assert parse("Hops").other_terms == {"hop", "hopped", "hopping"}
    assert parse('hops "of beer"').forms == {}


def test_a_query_has_forms_of_eight_words_if_it_has_room_for_them() -> None:
    words = [f"{first}{second}ork" for first in "bcdfgh" for second in "aeiouy"][:SEARCH_TERMS]
    for count in (5, 8, 9, 24, 26, 31, 32):
        found = parse(" ".join(words[:count])).forms
        assert [*found] == [(word,) for word in words[: min(SEARCH_FORMS, count, 32 - count)]]
