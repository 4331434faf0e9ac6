"""Texts and queries as PostgreSQL gets them: words, folded and quoted, and nothing else."""

import json
import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import Query, parse
from stoa.store.tsquery import (
    BLOCK_BITS,
    LAST_PLACE,
    PLACES_OF_A_WORD,
    WORD_CHARS,
    to_tsquery,
    to_tsvector,
)

PIECES = ["'", "\\", '"', "-", "&", "|", "!", "(", ")", "<->", ":*", ":A", "a", "é", "\0", "日本"]
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("", ""),
        ("!? '", ""),
        ("The log, the LOG", "'the/2':2,4 'log/2':3,5"),
        ("Crème cre\u0301me", "'creme/2':2,3"),
        ("snake_case and C++17", "'snake/2':2 'case/2':3 'and/2':4 'c/2':5 '17/2':6"),
        ("日本語 のテキスト", "'日本語/2':2 'のテキスト/2':3"),
        ("it's", "'it/2':2 's/2':3"),
        ("a \u0301 b", "'a/2':2 'b/2':3"),
    ],
)
def test_a_text_is_its_words_with_their_block_and_places(text: str, vector: str) -> None:
    assert to_tsvector(text, 2 << BLOCK_BITS) == vector
    assert to_tsvector(text, (3 << BLOCK_BITS) - 1) == vector


def test_a_title_has_its_words_twice() -> None:
    assert to_tsvector("The log", 7, title=True) == "'the/0':2 'log/0':3 '^the/0':2 '^log/0':3"


def test_no_text_is_more_than_a_tsvector_can_hold() -> None:
    many = to_tsvector("a " * 20_000 + "b " + "c" * 3000, 1)
    words = dict(part.split(":") for part in many.split(" "))
    assert len(words["'a/0'"].split(",")) == PLACES_OF_A_WORD
    assert words["'b/0'"] == str(LAST_PLACE)
    assert f"'{'c' * WORD_CHARS}/0'" in words


A_B = "('a/':* <-> 'b/':*)"
A_B_IN_A_TITLE = "('^a/':* <-> '^b/':*)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("log", [(["'log/'", None], ["'^log/'", None])]),
        (
            "Log crème",
            [(["'log/'", None], ["'^log/'", None]), (["'creme/'", None], ["'^creme/'", None])],
        ),
        ("a.b", [(["'a/' & 'b/'", A_B], ["'^a/' & '^b/'", A_B_IN_A_TITLE])]),
        (
            '"a b" c',
            [
                (["'a/' & 'b/'", A_B], ["'^a/' & '^b/'", A_B_IN_A_TITLE]),
                (["'c/' & 'a/' & 'b/'", A_B], None),
            ],
        ),
        ('c -x -"a b"', [(["'c/'", f"!('x/':*) & !{A_B}"], ["'^c/'", f"!('x/':*) & !{A_B}"])]),
        ("a & !b", [(["'a/'", None], ["'^a/'", None]), (["'b/'", None], ["'^b/'", None])]),
    ],
)
def test_the_index_is_asked_for_words_and_each_text_for_what_else_is_wanted(
    text: str, words: list[tuple[list[str | None], list[str | None] | None]]
) -> None:
    alike = text.startswith('"')
    expected = {"alike": alike, "words": [list(word) for word in words]}
    assert json.loads(to_tsquery(parse(text))) == expected


def asked(query: Query) -> list[tuple[str, str | None]]:
    """What the index is asked and what each text, of everything that a query is made of."""
    return [found for found in chain(*json.loads(to_tsquery(query))["words"]) if found]


@given(TEXTS)
def test_every_word_stands_in_quotes(text: str) -> None:
    assert re.fullmatch(r"('\^?[^'\\ ]+/0':[\d,]+ ?)*", to_tsvector(text, 0, title=True))
    query = _parsed(text)
    if not query.is_empty:
        for part in chain(*asked(query)):
            outside = re.sub(r"'[^']+'(:\*)?", " ", part or "").replace("!(", "(")
            assert set(re.findall(r"[^\s()]+", outside)) <= {"&", "<->"}


@given(TEXTS)
def test_a_query_has_the_words_that_the_text_is_kept_by(text: str) -> None:
    query = _parsed(" ".join(re.findall(r"[^\s\"-]+", text)))
    if not query.is_empty:
        found = re.findall("'([^']+)/'", " ".join(near for near, _ in asked(query)))
        kept = to_tsvector(text.replace("-", " "), 0, title=True)
        assert set(found) == set(re.findall("'([^']+)/0'", kept))


def _parsed(text: str) -> Query:
    try:
        return parse(text)
    except ValueError:
        return Query()
