"""Texts that end at the end of a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.excerpts import excerpt


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("bread rises well", 16, "bread rises well"),
        ("bread rises well", 15, "bread rises"),
        ("bread rises well", 11, "bread rises"),
        ("bread rises well", 12, "bread rises"),
        ("bread rises well", 10, "bread"),
        ("bread\n\nrises", 8, "bread"),
        ("bread\n\nrises", 6, "bread"),
        ("x" * 20, 7, "x" * 7),
        ("面包在二十四度时发得好", 5, "面包在二十"),
        ("SQLite 面包在二十四度时发得好", 10, "SQLite 面包在"),
        ("SQLite 面包bread", 12, "SQLite 面包"),
        ("  bread rises", 4, "  br"),
        ("", 5, ""),
    ],
)
def test_a_text_ends_at_the_end_of_a_word(text: str, most: int, cut: str) -> None:
    assert excerpt(text, most) == cut


@given(st.text(), st.integers(1, 60))
def test_an_excerpt_is_a_beginning_and_not_too_long(text: str, most: int) -> None:
    cut = excerpt(text, most)
    assert text.startswith(cut)
    assert len(cut) <= most
    assert bool(cut) == bool(text)


@given(st.lists(st.text("abc", min_size=1, max_size=9), min_size=2).map(" ".join))
def test_no_word_is_cut_when_the_first_one_fits(text: str) -> None:
    cut = excerpt(text, 10)
    assert (text + " ")[len(cut)] == " "
