"""The search language: what a text asks for."""

import re
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import (
    MARKS_KEPT,
    Phrase,
    composed,
    parse,
)

PIECES = st.sampled_from(
    ['"', "-", "a", "é", "e\u0301", "日本", "\u0301", "_", ".", " ", "\0", "17"]
)
QUERIES = st.text(max_size=60) | st.lists(PIECES, max_size=30).map("".join)


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
    query = parse(text)
    assert (query.include, query.exclude) == (tuple(include), tuple(exclude))


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
    assert query.terms == ("creme", "brulee", "izmir", "ete", "λογοσ")


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0301", "\u0344", "\u0f73", "\u3099\u0301"])
def test_of_a_long_run_of_marks_only_so_many_are_read(marks: str):
    run = (marks * MARKS_KEPT)[:MARKS_KEPT]
    assert composed(f"q{run}z") == normalize("NFC", f"q{run}z")
    assert composed(f"q{run}{marks * 100}z{marks}") == normalize("NFC", f"q{run}z{marks}")


def test_what_is_quoted_makes_another_query() -> None:
    assert parse("rye ale") != parse('rye "ale"')
