"""The search language: what a text asks for, and the stretch of a result that shows why."""

import re
import time
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import (
    MARKS_KEPT,
    SNIPPET_WINDOW,
    Phrase,
    Query,
    composed,
    highlight_terms,
    parse,
    snippet,
)

PIECES = st.sampled_from(
    ['"', "-", "a", "é", "e\u0301", "日本", "\u0301", "_", ".", " ", "\0", "17"]
)
QUERIES = st.text(max_size=60) | st.lists(PIECES, max_size=30).map("".join)
WORDS = st.lists(
    st.text(alphabet="abcéÀßİ", min_size=1, max_size=6) | st.sampled_from(["fox", "Crème", "\n"]),
    min_size=1,
    max_size=120,
)


@pytest.mark.parametrize(
    ("text", "include", "exclude"),
    [
        ("wal mode", [("wal",), ("mode",)], []),
        ('"wal mode"', [("wal", "mode")], []),
        ('sync "wal mode" full', [("sync",), ("wal", "mode"), ("full",)], []),
        ("wal -mode", [("wal",)], [("mode",)]),
        ('-"busy timeout" wal', [("wal",)], [("busy", "timeout")]),
        ("write-ahead", [("write", "ahead")], []),
        ("wal -write-ahead", [("wal",)], [("write", "ahead")]),
        ("snake_case a.b", [("snake", "case"), ("a", "b")], []),
        ("wal --mode", [("wal",)], [("mode",)]),
        ("wal - mode", [("wal",), ("mode",)], []),
        ("wal AND NOT mode", [("wal",), ("AND",), ("NOT",), ("mode",)], []),
        ('never "closed quote', [("never",), ("closed", "quote")], []),
        ('inner"quoted words"', [("inner",), ("quoted", "words")], []),
        ('"" "-" wal', [("wal",)], []),
        ("wal wal", [("wal",)], []),
        ("日本語\u3000テキスト", [("日本語",), ("テキスト",)], []),
        ("हिन्दी", [("हिन्दी",)], []),
        ("e\u0301te\u0301", [("e\u0301te\u0301",)], []),
        ("wal \u0301", [("wal",)], []),
        ("Ⅷ ½ 17", [("Ⅷ",), ("½",), ("17",)], []),
    ],
)
def test_a_search_text_asks_for_these_phrases(
    text: str, include: list[Phrase], exclude: list[Phrase]
):
    assert parse(text) == Query(tuple(include), tuple(exclude))


@pytest.mark.parametrize("text", ["", "  \n", "!?", '"', '""', "-", '-"', "\0", "\u0301", "😀"])
def test_a_text_without_a_word_is_an_empty_query(text: str):
    assert parse(text).is_empty


@pytest.mark.parametrize("text", ["-wal", '-"busy timeout"', "-a -b"])
def test_only_leaving_out_is_refused_with_advice(text: str):
    with pytest.raises(ValueError, match="add a word to search for"):
        parse(text)


def test_32_words_are_searched_and_33_are_refused():
    words = [f"w{number}" for number in range(33)]
    assert len(parse(" ".join(words[:32])).include) == 32
    with pytest.raises(ValueError, match="at most 32 words, not 33"):
        parse(" ".join(words))
    with pytest.raises(ValueError, match="at most 32 words, not 33"):
        parse('"' + " ".join(words[:30]) + '" -' + ".".join(words[30:]))


def test_1000_characters_are_searched_and_1001_are_refused():
    assert parse("x" * 1000).include == (("x" * 1000,),)
    with pytest.raises(ValueError, match="at most 1000 characters, not 1001"):
        parse("x" * 1001)


@given(QUERIES)
def test_any_text_is_read_or_refused_with_advice(text: str):
    try:
        query = parse(text)
    except ValueError as refused:
        advice = str(refused)
        assert re.search("add a word|leave some out|shorten it", advice)
        return
    words = [word for phrase in (*query.include, *query.exclude) for word in phrase]
    assert len(words) <= 32
    assert not query.is_empty or not query.exclude
    for word in words:
        assert word in text
        assert not re.search(r'[\s"\-_.\0]', word)


def test_terms_to_show_are_folded_and_leave_out_what_was_excluded():
    query = parse('Crème "BRÛLÉE creme" İzmir -sugar e\u0301te\u0301 ΛΌΓΟΣ')
    assert highlight_terms(query) == ("creme", "brulee", "izmir", "ete", "λογοσ")


LONG = "Before. " * 40 + "The quick brown fox jumps. " + "After. " * 40


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


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0301", "\u0344", "\u0f73", "\u3099\u0301"])
def test_of_a_long_run_of_marks_only_so_many_are_read(marks: str):
    run = (marks * MARKS_KEPT)[:MARKS_KEPT]
    assert composed(f"q{run}z") == normalize("NFC", f"q{run}z")
    assert composed(f"q{run}{marks * 100}z{marks}") == normalize("NFC", f"q{run}z{marks}")


def test_a_snippet_of_a_long_text_shows_a_match_far_behind():
    text = "before " * SNIPPET_WINDOW + "the Fox " + "behind " * SNIPPET_WINDOW
    shown = snippet(text, ("fox",))
    assert " Fox " in shown
    assert (shown[0], shown[-1]) == ("…", "…")
    assert snippet("before " * SNIPPET_WINDOW + "fox", ("fox",)).endswith(" fox")
    assert snippet(text, ("nowhere",)).startswith("before ")
