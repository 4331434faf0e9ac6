"""Amounts are exact, and a movement that does not sum to zero cannot be built."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.credits import (
    LARGEST,
    NOTHING,
    SMALLEST,
    Credits,
    InvariantBroken,
    Movement,
    Posting,
    TransactionKind,
    amount_problem,
    grant,
    hold,
    payout,
    refund,
)
from stoa.schemas.base import encode

hundredths = st.integers(-(10**17), 10**17)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", 500),
        ("5.0", 500),
        ("5.00", 500),
        ("5.000000000000000000000000000000000000000", 500),
        ("1e2", 10_000),
        ("1E+2", 10_000),
        ("12e-1", 120),
        ("100e-2", 100),
        ("0.01", 1),
        ("0.1", 10),
        ("-7.25", -725),
        ("0", 0),
        ("-0", 0),
        ("-0.00", 0),
        ("0e400", 0),
        ("0e-400", 0),
        ("1000000", 100_000_000),
        ("999999999999999.99", 99_999_999_999_999_999),
    ],
)
def test_an_amount_is_its_exact_number_of_hundredths(text: str, expected: int) -> None:
    assert Credits.parse(Decimal(text)).hundredths == expected


@pytest.mark.parametrize(
    "text",
    [
        "0.001",
        "1.005",
        "0.009999999999",
        "5.000000000000000000000000000000000000001",
        "1.00000000000000000000000000000000001",
        "4.99999999999999999999999999999999999",
        "1e-3",
        "1e-400",
        "1e-999999999",
    ],
)
def test_more_than_two_decimals_are_refused_however_far_behind(text: str) -> None:
    with pytest.raises(ValueError, match="Must have at most two decimals"):
        Credits.parse(Decimal(text))


@pytest.mark.parametrize("text", ["1e15", "-1e15", "1000000000000000.00"])
def test_the_largest_amount_that_is_read_fits_into_a_database(text: str) -> None:
    assert abs(Credits.parse(Decimal(text)).hundredths) < 2**62


@given(st.integers(-(10**15), 10**15))
def test_a_whole_number_is_read_like_a_decimal(amount: int) -> None:
    assert Credits.parse(amount) == Credits.parse(Decimal(amount)) == Credits(100 * amount)


@pytest.mark.parametrize("amount", [10**15 + 1, -(10**15) - 1, 10**4000])
def test_a_whole_number_beyond_any_use_is_refused(amount: int) -> None:
    with pytest.raises(ValueError, match=r"Must be at most 1,000,000\."):
        Credits.parse(amount)


@pytest.mark.parametrize(
    "text", ["1000000000000000.01", "1e16", "1e21", "1e400", "-1e400", "1e999999999", "9" * 5000]
)
def test_an_amount_beyond_any_use_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Must be at most"):
        Credits.parse(Decimal(text))


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        "5",
        b"5",
        [],
        {},
        5.0,
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
    ],
)
def test_what_is_not_an_exact_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"Must be a number|Must be at most"):
        Credits.parse(value)


@given(hundredths)
def test_an_amount_survives_the_wire(amount: int) -> None:
    text = encode(Credits(amount)).decode()
    assert Credits.parse(json.loads(text, parse_float=Decimal)) == Credits(amount)


@given(hundredths)
def test_the_wire_form_is_the_shortest_without_an_exponent(amount: int) -> None:
    text = encode(Credits(amount)).decode()
    assert "e" not in text.lower()
    assert "." not in text or (text[-1] not in "0." and len(text.partition(".")[2]) <= 2)
    assert text.removeprefix("-") == "0" or not text.removeprefix("-").startswith("00")


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, b"0"), (1, b"0.01"), (10, b"0.1"), (-1250, b"-12.5"), (10_000, b"100"), (105, b"1.05")],
)
def test_amounts_read_as_people_write_them(amount: int, text: bytes) -> None:
    assert encode(Credits(amount)) == text


@given(hundredths, hundredths)
def test_amounts_add_and_compare_as_their_hundredths(first: int, second: int) -> None:
    assert Credits(first) + Credits(second) == Credits(first + second)
    assert (Credits(first) < Credits(second)) == (first < second)
    assert (Credits(first) <= Credits(second)) == (first <= second)
    assert (hash(Credits(first)) == hash(Credits(second))) == (hash(first) == hash(second))
    assert Credits(-first) + Credits(first) == NOTHING


def test_an_amount_equals_no_plain_number() -> None:
    assert Credits(500) != 500
    assert Credits(500) != Decimal(5)


def test_an_amount_shows_itself_in_credits() -> None:
    assert repr(Credits(1250)) == "Credits(12.5)"


@pytest.mark.parametrize(
    ("amount", "job", "bounty"),
    [
        (Credits(-1), False, False),
        (NOTHING, False, True),
        (Credits(1), False, False),
        (Credits(99), False, False),
        (SMALLEST, True, True),
        (Credits(101), True, True),
        (LARGEST, True, True),
        (LARGEST + Credits(1), False, False),
    ],
)
def test_a_reward_is_from_one_to_a_million_and_a_bounty_may_be_nothing(
    amount: Credits, job: bool, bounty: bool
) -> None:
    assert (amount_problem(amount, may_be_nothing=False) is None) is job
    assert (amount_problem(amount, may_be_nothing=True) is None) is bounty


@given(hundredths, hundredths | st.none())
def test_only_movements_that_sum_to_zero_can_be_built(first: int, other: int | None) -> None:
    second = -first if other is None else other
    postings = Posting("agent:1", first), Posting("agent:2", second)
    if first + second:
        with pytest.raises(InvariantBroken, match="does not sum to zero"):
            Movement(TransactionKind.HOLD, "job", "job_1", postings)
    else:
        assert Movement(TransactionKind.HOLD, "job", "job_1", postings).postings == postings


MOVEMENTS = [
    (grant("ag_1", Credits(5)), "signup_grant", "issuer", "agent:ag_1"),
    (hold("job", "job_1", "ag_1", Credits(5)), "hold", "agent:ag_1", "escrow:job_1"),
    (payout("job", "job_1", "ag_2", Credits(5)), "payout", "escrow:job_1", "agent:ag_2"),
    (refund("bounty", "bty_1", "ag_1", Credits(5)), "refund", "escrow:bty_1", "agent:ag_1"),
]


@pytest.mark.parametrize(("movement", "kind", "source", "target"), MOVEMENTS)
def test_each_movement_goes_from_one_account_to_another(
    movement: Movement, kind: str, source: str, target: str
) -> None:
    assert movement.kind == kind
    assert movement.postings == (Posting(source, -5), Posting(target, 5))
