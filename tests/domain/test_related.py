"""What has the most in common with a search."""

from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.bitmaps import Ranked, ascending, by_count
from stoa.domain.limits import DESCRIBED_BYTES
from stoa.domain.related import WordQuery, best, described, line, of_tag, shared
from tests.support.related import one_by_one

WORDS = "abcdef"
THINGS = st.lists(st.sets(st.sampled_from(WORDS)), max_size=20)
TERMS = st.dictionaries(
    st.sampled_from(WORDS), st.sampled_from(["word", "must", "not", "tag"])
).map(lambda kinds: [(kind, word) for word, kind in kinds.items()])
PLACES = st.sets(st.integers(0, 19))
SOME = st.integers(0, 200)


def bits_of(places: set[int]) -> int:
    """A set as a bitmap."""
    return sum(1 << place for place in places)


@given(THINGS, TERMS, PLACES, PLACES, st.integers(1, 6))
def test_the_best_are_those_that_share_the_most(
    things: list[set[str]],
    terms: list[tuple[str, str]],
    places: set[int],
    left_out: set[int],
    most: int,
):
    among = sorted({*range(len(things))} - left_out)
    having = {word: bits_of({place for place in among if word in things[place]}) for word in WORDS}
    may, must, barred, tags = (
        frozenset(word for one, word in terms if one == kind)
        for kind in ("word", "must", "not", "tag")
    )
    by_tags = shared(by_count([having[tag] for tag in tags], (1 << len(things)) - 1))
    asked, found = (
        WordQuery(must, barred, may | must, may | must | barred),
        bits_of(places & {*among}),
    )
    shown = best(having, bits_of({*among}), asked, by_tags, found, most, ascending)
    alone = {number for number, place in enumerate(among) if place in places}
    expected = one_by_one([things[place] for place in among], terms, alone)
    assert shown == [among[number] for number in expected[:most]]


@given(st.permutations(range(300)), st.integers(0, 300), st.sets(st.integers(0, 400)), SOME)
def test_a_set_is_listed_in_the_order_of_its_numbers(
    numbers: list[int], kept: int, members: set[int], n: int
) -> None:
    ranked, bits = Ranked(numbers[:kept]), bits_of(members)
    in_order = [number for number in numbers[:kept] if number in members]
    assert [*ranked.ascending(bits)] == in_order
    assert ranked.first(bits, n) == bits_of({*in_order[:n]})
    assert ranked.all == bits_of({*numbers[:kept]})
    assert ranked.first(ranked.all, n) == bits_of({*numbers[:kept][:n]})


def test_a_tag_is_no_word_and_each_is_found_whole() -> None:
    words = described("Bake rye", ["sour dough", "rye"], "Slowly.", ["An oven"])
    assert all(line(word) in words for word in ("bake", "rye", "oven", "slowly"))
    assert all(line(of_tag(tag)) in words for tag in ("rye", "sour dough"))
    assert not any(line(word) in words for word in ("bak", "low", "an", "", "#bake"))
    assert line(of_tag("sour")) not in words


def test_what_is_kept_of_an_opportunity_is_bounded_and_begins_with_its_title() -> None:
    long = [" ".join(f"\U00010428{n}x{m}" for n in range(100)) for m in range(20)]
    words = described("Bake rye", ["flour"], "Slowly.", long)
    assert DESCRIBED_BYTES - 20 < len(words) <= DESCRIBED_BYTES
    assert all(line(word) in words for word in ("bake", "rye", "flour", "#flour", "slowly"))
    assert words.endswith(b"\n")
    even = " ".join(f"x{n:06}" for n in range(DESCRIBED_BYTES // 8))
    assert len(described("", [], even, [])) == DESCRIBED_BYTES - 7
