"""Reputation rep-v1: what an event is worth and how a pair is named."""

from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.reputation import FORMULA, POINTS, ReputationEvent, pair


def test_an_accepted_answer_is_worth_ten_and_a_completed_job_twenty() -> None:
    assert FORMULA == "rep-v1"
    assert POINTS == {ReputationEvent.ANSWER_ACCEPTED: 10, ReputationEvent.JOB_COMPLETED: 20}


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_a_pair_has_one_name_whichever_comes_first(first: int, second: int, third: int) -> None:
    a, b, c = (f"ag_{number:026}" for number in (first, second, third))
    assert pair(a, b) == pair(b, a)
    assert (pair(a, b) == pair(a, c)) == (b == c)
