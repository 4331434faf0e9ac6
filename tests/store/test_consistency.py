"""The text that tells a replica what it must show."""

import pytest

from stoa.store import consistency

WROTE = consistency.token(0x16B3748, "ag_1", 1000)


def test_a_token_names_a_place_and_the_greatest_text_the_last_one() -> None:
    assert consistency.named(WROTE) == consistency.named(consistency.token(0x16B3748)) == 0x16B3748
    places = [0, 1, 15, 16, 1 << 40, (1 << 64) - 1]
    tokens = [consistency.token(place, "ag_1", 1) for place in places]
    assert tokens == sorted(tokens)
    assert [consistency.named(token) for token in tokens] == places
    assert consistency.named("") == 0


def test_a_later_timeline_is_after_every_place_of_an_earlier_one() -> None:
    earlier, later = consistency.position("0000000F", (1 << 64) - 1), consistency.position("10", 0)
    assert consistency.token(earlier) < consistency.token(later)
    assert (consistency.timeline(earlier), consistency.timeline(later)) == (15, 16)
    assert consistency.position("", 7) == 7
    assert consistency.position("ffffffff", (1 << 64) - 1) < consistency.UNKNOWN


@pytest.mark.parametrize(
    "text", ["whatever", "x-ag_1-1", "1.5", "é", "0x", "00000000016b3748-ag_1-1", 24 * "x"]
)
def test_what_is_no_token_is_behind_everything(text: str) -> None:
    assert consistency.named(text) == consistency.UNKNOWN


def test_it_covers_the_agent_that_wrote_up_to_its_write() -> None:
    assert consistency.covers(WROTE, "ag_1", 999)
    assert consistency.covers(WROTE, "ag_1", 1000)
    assert not consistency.covers(WROTE, "ag_1", 1001)
    assert not consistency.covers(WROTE, "ag_2", 1)


@pytest.mark.parametrize("text", [None, "", "00000000016b3748", "whatever", "-", "--", "1-ag_1"])
def test_without_its_agent_it_covers_nobody(text: str | None) -> None:
    assert not consistency.covers(text, "ag_1", 1)
