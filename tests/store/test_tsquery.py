"""Texts and queries as PostgreSQL gets them: words, folded and quoted, and nothing else."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import Query, parse
from stoa.store.tsquery import LAST_PLACE, PLACES_OF_A_WORD, WORD_CHARS, to_tsquery, to_tsvector

PIECES = ["'", "\\", '"', "-", "&", "|", "!", "(", ")", "<->", ":*", ":A", "a", "é", "\0", "日本"]
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("", ""),
        ("!? '", ""),
        ("The log, the LOG", "'the':2,4 'log':3,5"),
        ("Crème cre\u0301me", "'creme':2,3"),
        ("snake_case and C++17", "'snake':2 'case':3 'and':4 'c':5 '17':6"),
        ("日本語 のテキスト", "'日本語':2 'のテキスト':3"),
        ("it's", "'it':2 's':3"),
        ("a \u0301 b", "'a':2 'b':3"),
    ],
)
def test_a_text_is_its_words_with_their_places(text: str, vector: str) -> None:
    assert to_tsvector(text) == vector


def test_no_text_is_more_than_a_tsvector_can_hold() -> None:
    many = to_tsvector("a " * 20_000 + "b " + "c" * 3000)
    words = dict(part.split(":") for part in many.split(" "))
    assert len(words["'a'"].split(",")) == PLACES_OF_A_WORD
    assert words["'b'"] == str(LAST_PLACE)
    assert f"'{'c' * WORD_CHARS}'" in words


@pytest.mark.parametrize(
    ("text", "find", "rank"),
    [
        ("log", "(('log'))", "('log')"),
        ("Log crème", "(('log') | ('creme'))", "('log') | ('creme')"),
        ("write-ahead log", "(('write' <-> 'ahead') | ('log'))", "('write') | ('ahead') | ('log')"),
        ('"ahead of" log', "('ahead' <-> 'of')", "('ahead') | ('of') | ('log')"),
        ('"a b" "c"', "('a' <-> 'b') & ('c')", "('a') | ('b') | ('c')"),
        ('log -x -"y z"', "(('log')) & !('x') & !('y' <-> 'z')", "('log')"),
        ("a & !b | c:*", "(('a') | ('b') | ('c'))", "('a') | ('b') | ('c')"),
    ],
)
def test_phrases_must_be_there_and_words_rank(text: str, find: str, rank: str) -> None:
    assert json.loads(to_tsquery(parse(text))) == {"find": find, "rank": rank}


@given(TEXTS)
def test_every_word_stands_in_quotes(text: str) -> None:
    assert re.fullmatch(r"('[^'\\ ]+':[\d,]+ ?)*", to_tsvector(text))
    query = _parsed(text)
    if not query.is_empty:
        for part in json.loads(to_tsquery(query)).values():
            assert set(re.findall(r"[^\s()]+", re.sub("'[^']+'", " ", part))) <= {
                "&",
                "|",
                "!",
                "<->",
            }


@given(TEXTS)
def test_a_query_has_the_words_that_the_text_is_kept_by(text: str) -> None:
    query = _parsed(" ".join(re.findall(r"[^\s\"-]+", text)))
    if not query.is_empty:
        asked = re.findall("'([^']+)'", json.loads(to_tsquery(query))["rank"])
        assert set(asked) == set(re.findall("'([^']+)'", to_tsvector(text.replace("-", " "))))


def _parsed(text: str) -> Query:
    try:
        return parse(text)
    except ValueError:
        return Query()
