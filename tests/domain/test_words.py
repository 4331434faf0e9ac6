"""Words: what a text is taken apart into, in every script."""

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.words import (
    MARKS_KEPT,
    as_written,
    composed,
    folded,
    is_unspaced,
    placed,
    runs,
    words,
)

TEXTS = st.text(max_size=60) | st.lists(
    st.sampled_from([*"aéßﬁ ", "e\u0301", "日本", "\u00ad", "C++", ".net", "ก็", "\u0301"]),
    max_size=20,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The log, a WRITE-ahead_log", "the log a write ahead log"),
        ("日本語", "日 日本 本 本語 語"),
        ("猫", "猫"),
        ("Python3入門", "python3 入 入門 門"),
        ("データ", "デ デー ー ータ タ"),
        ("ดีมาก", "ดี ดีม ม มา า าก ก"),
        ("서버에서", "서 서버 버 버에 에 에서 서"),
        ("日本 лог", "日 日本 本 лог"),
        ("हिन्दी में", "हिन्दी में"),
        ("C++ c# F#", "c c++ c c# f f#"),
        ("C++17", "c c++ 17"),
        (".NET and ASP.NET", "net .net and asp net asp.net"),
        ("node.js, e.g. setup.py.", "node js node.js e g e.g setup py setup.py"),
        ("C＋＋ ＮＯＤＥ．js", "c c++ node js node.js"),
        ("a...b ..c", "a b c"),
        ("\u0301 a \u0301", "a"),
        ("x² ½ Ⅷ ㎏", "x2 1 2 viii kg"),
        ("🧪 !?", ""),
    ],
)
def test_a_text_is_taken_apart_into_these_words(text: str, expected: str) -> None:
    assert " ".join(map(as_written, words(text))) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Crème BRÛLÉE", "creme brulee"),
        ("e\u0301te\u0301", "été"),
        ("Straße STRASSE", "strasse straße"),
        ("Weiẞ", "weiss"),
        ("ﬁnal ﬂow oﬃce", "final flow office"),
        ("ＦＵＬＬ　ｗｉｄｔｈ１２", "full width12"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        (normalize("NFD", "データベース"), "データベース"),
        ("한", normalize("NFD", "한")),
        ("מָלֵא", "מלא"),
        ("מ\u05c4ל\u05c5א", "מלא"),
        ("مُحَمَّد", "محمد"),
        ("كتـــاب", "كتاب"),
        ("أحمد", "احمد"),
        ("葛\U000e0100飾", "葛飾"),
        ("1\ufe0f2", "12"),
        ("soft\u00adhyphen", "softhyphen"),
        ("zero\u200bwidth\u200d\ufeff", "zerowidth"),
        ("\u202eleft", "left"),
        ("ΛΌΓΟΣ", "λογος"),
        ("İzmir ısı", "izmir isi"),
        ("Ærø Łódź Øre", "aero lodz ore"),
        ("①②", "12"),
        ("5 µm", "5 μm"),
        ("ſtoa", "stoa"),
        ("Ёлка", "елка"),
        ("\u1c90", "\u10d0"),
    ],
)
def test_forms_of_the_same_letters_meet(one: str, other: str) -> None:
    assert words(one) == words(other) != ()


@given(TEXTS)
def test_words_hold_no_sign_and_are_taken_apart_in_any_surroundings(text: str) -> None:
    found = words(text)
    assert words(f"x {text} y") == ("x", *found, "y")
    for word in found:
        assert word
        assert not set(word) & set(" \"'-_.+#\0\n")
        assert word == folded(word).strip() or as_written(word) != word


@given(TEXTS)
def test_words_are_those_of_all_runs(text: str) -> None:
    assert words(text) == tuple(word for run in runs(text) for word in run.words)


@given(TEXTS)
def test_each_folded_character_has_its_place_in_the_text(text: str) -> None:
    text = composed(text)
    whole, places = placed(text)
    assert len(places or text) == len(whole) + (places is not None)
    assert list(places or ()) == sorted(places or ())
    for place, character in enumerate(whole):
        written = text[places[place] if places else place]
        assert character in placed(written).folded


@pytest.mark.parametrize(
    ("word", "inside"), [("日本", True), ("ดี", True), ("лог", False), ("a", False)]
)
def test_only_words_of_scripts_without_blanks_stand_within_runs(word: str, inside: bool) -> None:
    assert is_unspaced(word) is inside


@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0301", "\u0344", "\u0f73", "\u3099\u0301"])
def test_of_a_long_run_of_marks_only_so_many_are_read(marks: str) -> None:
    run = (marks * MARKS_KEPT)[:MARKS_KEPT]
    assert composed(f"q{run}z") == normalize("NFC", f"q{run}z")
    assert composed(f"q{run}{marks * 100}z{marks}") == normalize("NFC", f"q{run}z{marks}")
