"""Ids: their form, their order, and what is not one."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.ids import PREFIXES, Sequence, encode_ulid, is_id, pattern

MS = st.integers(0, 2**48 - 1)
RANDOM = st.integers(0, 2**80 - 1)
EXAMPLE = "01arz3ndektsv4rrffq69g5fav"


def _decode(ulid: str) -> int:
    value = 0
    for character in ulid:
        value = value * 32 + "0123456789abcdefghjkmnpqrstvwxyz".index(character)
    return value


def test_the_example_of_the_ulid_specification_is_encoded_in_lower_case():
    value = _decode(EXAMPLE)
    assert encode_ulid(value >> 80, value & (2**80 - 1)) == EXAMPLE


@given(MS, RANDOM)
def test_an_ulid_has_26_characters_that_give_both_parts_back(ms: int, random80: int):
    ulid = encode_ulid(ms, random80)
    assert len(ulid) == 26
    assert _decode(ulid) == ms << 80 | random80


@given(MS, RANDOM, MS, RANDOM)
def test_ulids_sort_as_their_times_do(ms: int, random80: int, other_ms: int, other_random: int):
    by_text = encode_ulid(ms, random80) < encode_ulid(other_ms, other_random)
    assert by_text == ((ms, random80) < (other_ms, other_random))


def bits(random80: int) -> Callable[[], int]:
    """What gives these random bits."""
    return lambda: random80


@pytest.mark.parametrize(("ms", "random80"), [(-1, 0), (2**48, 0), (0, -1), (0, 2**80)])
def test_parts_that_do_not_fit_are_refused(ms: int, random80: int):
    with pytest.raises(ValueError, match="must be 0 to"):
        encode_ulid(ms, random80)
    with pytest.raises(ValueError, match="must be 0 to"):
        Sequence().next("th", ms, bits(random80))


def test_every_kind_has_a_prefix_of_its_own():
    assert len(set(PREFIXES.values())) == len(PREFIXES) == 17


@given(st.sampled_from(sorted(PREFIXES.values())), MS, RANDOM)
def test_what_a_sequence_gives_is_an_id_of_its_prefix_alone(prefix: str, ms: int, random80: int):
    text = Sequence().next(prefix, ms, bits(random80))
    assert re.search(pattern(prefix), text)
    assert [other for other in PREFIXES.values() if is_id(other, text)] == [prefix]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "th_",
        EXAMPLE,
        f"th_{EXAMPLE}\n",
        f" th_{EXAMPLE}",
        f"\nth_{EXAMPLE}",
        f"TH_{EXAMPLE}",
        f"th_{EXAMPLE.upper()}",
        f"th-{EXAMPLE}",
        f"th_{EXAMPLE[:-1]}",
        f"th_{EXAMPLE}0",
        f"th_8{EXAMPLE[1:]}",
        f"th_{EXAMPLE[:-1]}l",
        f"th_{EXAMPLE[:-1]}u",
        f"th_{EXAMPLE[:-1]}\u0663",
        f"th_{EXAMPLE}\0",
        f"xth_{EXAMPLE}",
    ],
)
def test_anything_but_the_exact_form_is_not_an_id(text: str):
    assert not is_id("th", text)


def test_the_largest_ulid_is_an_id_and_the_next_is_not():
    assert is_id("ag", "ag_7" + "z" * 25)
    assert not is_id("ag", "ag_8" + "0" * 25)


@given(st.lists(st.tuples(st.integers(0, 4), RANDOM), min_size=2, max_size=50))
def test_ids_sort_by_creation_whatever_the_clock_does(calls: list[tuple[int, int]]):
    sequence = Sequence()
    ids = [sequence.next("ev", ms, bits(random80)) for ms, random80 in calls]
    assert ids == sorted(set(ids))


def test_a_later_millisecond_takes_the_fresh_random_part():
    sequence = Sequence()
    sequence.next("th", 7, bits(2**80 - 1))
    assert sequence.next("th", 8, bits(5)) == f"th_{encode_ulid(8, 5)}"


def test_a_clock_that_steps_back_counts_up_from_the_last_id():
    sequence = Sequence()
    sequence.next("th", 1_000, bits(41))
    assert sequence.next("rp", 10, bits(9)) == f"rp_{encode_ulid(1_000, 42)}"


def test_a_full_random_part_moves_the_time_and_stays_in_order():
    sequence = Sequence()
    sequence.next("th", 7, bits(2**80 - 1))
    assert sequence.next("th", 7, bits(3)) == f"th_{encode_ulid(8, 0)}"
    assert sequence.next("th", 8, bits(3)) == f"th_{encode_ulid(8, 1)}"


def test_an_id_behind_that_of_another_sequence_is_later_and_as_random():
    sequence = Sequence()
    other = f"tx_{encode_ulid(9, 2**80 - 1)}"
    assert sequence.next("tx", 7, bits(5), after=other) == f"tx_{encode_ulid(10, 5)}"
    assert sequence.next("tx", 7, bits(3)) == f"tx_{encode_ulid(10, 6)}"
    assert sequence.next("tx", 20, bits(3), after=other) == f"tx_{encode_ulid(20, 3)}"


@given(st.lists(st.tuples(st.integers(0, 4), RANDOM, st.booleans()), min_size=2, max_size=50))
def test_two_sequences_that_take_turns_on_an_account_make_ids_in_order(
    calls: list[tuple[int, int, bool]],
):
    sequences = (Sequence(), Sequence())
    ids = [""]
    for ms, random80, second in calls:
        ids.append(sequences[second].next("tx", ms, bits(random80), after=ids[-1]))
    assert ids == sorted(set(ids))


def test_a_sequence_at_its_end_refuses_rather_than_repeats():
    sequence = Sequence()
    sequence.next("th", 2**48 - 1, bits(2**80 - 1))
    with pytest.raises(ValueError, match="no id is left"):
        sequence.next("th", 0, bits(0))
