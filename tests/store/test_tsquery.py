"""Texts and queries as PostgreSQL gets them: words, folded and quoted, and nothing else."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import Query, parse
from stoa.domain.words import words
from stoa.store.tsquery import WORD_CHARS, to_tsquery, to_words

CPP, DOTTED = words("C++")[1], words("a.b")[2]
PIECES = ["'", "\\", '"', "-", "&", "|", "!", "(", ")", "<->", ":*", ":A", "a", "é", "\0", "日本"]
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


QUOTES = "\"“”„‟«»‹›「」『』﹁﹂﹃﹄｢｣〈〉《》〝〞〟＂'‘’‚‛"
"""What makes a phrase of the words between two of them."""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("!? '", ""),
        ("The log, the LOG", " the log the log "),
        ("Crème cre\u0301me", " creme creme "),
        ("snake_case and C++17", f" snake case and c {CPP} 17 "),
        ("日本語 のテキスト", " 日 日本 本 本語 語 の のテ テ テキ キ キス ス スト ト "),
        ("it's", " it s "),
        ("a \u0301 b", " a b "),
    ],
)
def test_a_text_is_its_words_with_a_space_before_and_behind_each(text: str, kept: str) -> None:
    assert to_words(words(text)) == kept


def test_of_a_long_word_its_beginning_counts() -> None:
    assert to_words(words("c" * 3000)) == f" {'c' * WORD_CHARS} "
    assert json.loads(to_tsquery(parse("c" * 900)))["phrases"] == [
        [f" {'c' * WORD_CHARS} ", False, 0]
    ]


@pytest.mark.parametrize(
    ("text", "phrases", "look_ups"),
    [
        ("17", [" 17 "], [["('17/')", None, ["% 17 %"], 1, None]]),
        (
            "日本 лог",
            [" 日本 ", " лог "],
            [["('日本/')", None, ["% 日本 %"], 1, None], ["('лог/')", None, ["% лог %"], 4, None]],
        ),
        ("a-b", [" a b "], [["('a/' & 'b/')", " a b ", ["% a b %"], 1, None]]),
        (
            "a.b",
            [" a b ", f" {DOTTED} "],
            [
                ["('a/' & 'b/')", " a b ", ["% a b %"], 1, None],
                [f"('{DOTTED}/')", None, [f"% {DOTTED} %"], 4, None],
            ],
        ),
        (
            "a & !b",
            [" a ", " b "],
            [["('a/')", None, ["% a %"], 1, None], ["('b/')", None, ["% b %"], 4, None]],
        ),
        ('"a b" c', [" a b ", " c "], [["('a/' & 'b/')", " a b ", None, 0, None]]),
        ('c "a" "b"', [" c ", " a ", " b "], [["('a/' & 'b/')", None, None, 0, None]]),
    ],
)
def test_the_index_is_asked_for_words_or_at_once_for_all_that_are_quoted(
    text: str, phrases: list[str], look_ups: list[list[str | int | list[str] | None]]
) -> None:
    asked = json.loads(to_tsquery(parse(text)))
    assert asked["lookUps"] == look_ups
    assert asked["alike"] == ('"' in text)
    in_title = ['"' in text and phrase != " c " for phrase in phrases]
    assert asked["phrases"] == [
        [phrase, quoted, 0] for phrase, quoted in zip(phrases, in_title, strict=True)
    ]


def test_other_forms_of_a_word_are_a_look_up_of_their_own() -> None:
    asked = json.loads(to_tsquery(parse("Hops the malts -x")))
    without = "('x/')"
    assert asked["phrases"] == [
        [" hops ", False, 1 << 6],
        [" the ", False, 0],
        [" malts ", False, 1 << 8],
    ]
    assert asked["lookUps"][3:] == [
        [
            f"({' | '.join(forms)})",
            None,
            [f"% {form[1:-2]} %" for form in forms],
            bit,
            f"({' | '.join(forms)}) & ({without})",
        ]
        for bit, forms in (
            (1 << 6, ["'hop/'", "'hopped/'", "'hopping/'"]),
            (1 << 8, ["'malt/'", "'malted/'", "'malting/'"]),
        )
    ]


def test_the_index_is_asked_which_of_the_texts_to_leave_out() -> None:
    asked = json.loads(to_tsquery(parse("a b -x -y")))
    assert [look_up[4] for look_up in asked["lookUps"]] == [
        "('a/') & (('x/') | ('y/'))",
        "('b/') & (('x/') | ('y/'))",
    ]
    assert asked["checks"] == []


def test_what_must_or_must_not_stand_side_by_side_is_checked() -> None:
    asked = json.loads(to_tsquery(parse('"a b" "c d" -x -"y z" e')))
    near = "('a/' & 'b/' & 'c/' & 'd/')"
    without = f"{near} & (('x/') | ('y/' & 'z/'))"
    assert asked["lookUps"] == [[near, " a b ", None, 0, without]]
    assert asked["checks"] == [[" c d ", True], [" x ", False], [" y z ", False]]


@given(TEXTS)
def test_every_word_stands_in_quotes(text: str) -> None:
    assert re.fullmatch(r"|( [^'\\/ ]+)+ ", to_words(words(text)))
    query = _parsed(text)
    if not query.is_empty:
        for near, *_, without in json.loads(to_tsquery(query))["lookUps"]:
            outside = re.sub(r"'[^'\\]+/'", " ", f"{near} & {without or near}")
            assert set(re.findall(r"[^\s()]+", outside)) <= {"&", "|"}


@given(TEXTS)
def test_a_query_has_the_words_that_the_text_is_kept_by(text: str) -> None:
    query = _parsed(" ".join(re.findall(rf"[^\s{QUOTES}-]+", text)))
    if not query.is_empty:
        look_ups = json.loads(to_tsquery(query))["lookUps"][: len(query.include)]
        found = re.findall("'([^']+)/'", " ".join(near for near, *_ in look_ups))
        kept = [*words(text.replace("-", " "))]
        assert set(found) <= set(kept)
        assert set("".join(found)) == set("".join(kept))


def _parsed(text: str) -> Query:
    try:
        return parse(text)
    except ValueError:
        return Query()
