"""Snippets: the stretch of a text that shows why it was found."""

import re
import time
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain import snippets
from stoa.domain.snippets import WINDOW, PreparedText, Sought, prepared
from stoa.domain.words import composed, placed

WORDS = st.lists(
    st.text(alphabet="abcéÀßİ", min_size=1, max_size=6) | st.sampled_from(["fox", "Crème", "\n"]),
    min_size=1,
    max_size=120,
)

LONG = "Before. " * 40 + "The quick brown fox jumps. " + "After. " * 40


def snippet(
    text: str, terms: tuple[str, ...], width: int = 240, others: frozenset[str] = frozenset()
) -> str:
    return snippets.snippet(prepared(text), Sought(terms, others), width)


@pytest.mark.parametrize(
    ("text", "terms", "shown"),
    [
        ("Short\n\n  text ", ("text",), "Short text"),
        ("", ("text",), ""),
        (LONG, ("fox",), "…brown fox jumps. After. After.…"),
        (LONG, ("nowhere",), "Before. Before. Before. Before.…"),
        (LONG, (), "Before. Before. Before. Before.…"),
        (LONG + "the end", ("end",), "…After. After. After. After. the end"),
        ("un" + "x" * 90, ("nowhere",), "un" + "x" * 36 + "…"),
        ("日本語" * 30, ("nowhere",), "日本語" * 12 + "日本…"),
        ("y " + "\n" * 90 + "fox", ("fox",), "…fox"),
        ("fox" + "\n" * WINDOW + "y", ("fox",), "fox…"),
    ],
)
def test_a_snippet_shows_whole_words_around_the_first_match(
    text: str, terms: tuple[str, ...], shown: str
):
    assert snippet(text, terms, width=40) == shown


@pytest.mark.parametrize(
    ("word", "term"),
    [
        ("CRÈME", "creme"),
        ("cre\u0300me", "creme"),
        ("İzmir", "izmir"),
        ("ΛΌΓΟΣ", "λογοσ"),
        ("ещё", "еще"),
        ("(fox)", "fox"),
        ("red_fox", "fox"),
        ("हिन्दी", "हिन्दी"),
    ],
)
def test_a_match_is_found_whatever_its_case_and_accents(word: str, term: str):
    text = "Before. " * 40 + word + " after." * 40
    assert normalize("NFC", word) in snippet(text, (term,))
    assert normalize("NFC", word) not in snippet(text, ("nowhere",))


def test_a_snippet_shows_another_form_only_where_the_word_as_written_is_not() -> None:
    others = frozenset({"brewed"})
    text = "brewed " + "before " * 400 + "brewing " + "after " * 40
    assert "brewing" in snippet(text, ("brewing",), others=others)
    for before in (40, 400):
        text = "rebrewed " * before + "BREWED " + "after " * 40
        assert " BREWED " in snippet(text, ("brewing",), others=others)
        assert " BREWED " not in snippet(text, ("brewing",))


def test_a_term_inside_a_longer_word_is_not_a_match():
    text = "foxglove " * 60 + "a fox " + "outfoxed " * 60
    assert " a fox " in snippet(text, ("fox",), width=60)


@given(WORDS, WORDS, st.integers(20, 240))
def test_a_snippet_is_a_stretch_of_the_text_that_holds_the_match(
    before: list[str], after: list[str], width: int
):
    text = " ".join([*before, "NEEDLE", *after])
    shown = snippet(text, ("needle",), width)
    assert len(shown) <= width
    assert "NEEDLE" in shown.strip("…").split()
    assert shown.strip("…") in " ".join(text.split())


def _seconds(text: str, terms: tuple[str, ...]) -> float:
    def once() -> float:
        started = time.thread_time()
        snippet(text, terms)
        return time.thread_time() - started

    return min(once() for _ in range(7))


@pytest.mark.parametrize(
    ("unit", "term"),
    [("a", "a" * 30), ("a ", "aa"), (" ", "a"), ("a\u0301", "a" * 30), ("éa", "ea"), ("[(", "a")],
)
def test_a_snippet_takes_time_in_proportion_to_the_text(unit: str, term: str):
    terms = tuple(f"{term}{number or ''}" for number in range(30))
    short, long = (" b" + unit * (size // len(unit)) for size in (100_000, 200_000))
    assert _seconds(long, terms) < 2.5 * _seconds(short, terms) + 0.01


def test_a_snippet_of_a_long_text_shows_a_match_far_behind():
    text = "before " * WINDOW + "the Fox " + "behind " * WINDOW
    shown = snippet(text, ("fox",))
    assert " Fox " in shown
    assert (shown[0], shown[-1]) == ("…", "…")
    assert snippet("before " * WINDOW + "fox", ("fox",)).endswith(" fox")
    assert snippet(text, ("nowhere",)).startswith("before ")


@given(WORDS, st.lists(st.sampled_from(["fox", "a", "creme", "needle"]), min_size=1), st.booleans())
def test_a_text_with_single_spaces_is_cut_as_any_other_is(
    words: list[str], terms: list[str], ends: bool
):
    ready = prepared(" ".join(" ".join(words).split()) + " " * ends)
    assert ready.short
    assert ready.short.plain
    other, sought = PreparedText(ready.short._replace(plain=False)), Sought(tuple(terms))
    for width in (20, 40, 240):
        shown = snippets.snippet(ready, sought, width)
        assert shown == snippets.snippet(other, sought, width)


@given(WORDS, st.sampled_from(["a", "ab", "fox", "creme", "क\u094d"]))
def test_a_term_is_found_at_the_first_place_where_it_is_a_word(words: list[str], term: str):
    text = " ".join([*(f"x{term}" for _ in words), "_", *words, f"({term})_", "end"])
    for one in (text, text.encode("ascii", "replace").decode()):
        found = prepared(one).short
        assert found
        pattern = re.compile(rf"(?<![^\W_]){term}(?![^\W_])")
        whole, places = placed(composed(one))
        first = pattern.search(whole)
        place = first.start() if first else 0
        assert snippets.first_place(found, Sought((term,))) == (places[place] if places else place)
