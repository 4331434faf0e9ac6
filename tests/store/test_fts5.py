"""Queries as FTS5 reads them: what they find, and that none can break out of its quotes."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from unicodedata import category

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stoa.domain.querylang import Query, parse
from stoa.domain.words import words
from stoa.store import statements
from stoa.store.engines.sqlite.file import connect, prepare
from stoa.store.fts5 import points, to_fts5
from tests.support import schema

POSTS = [
    "SQLite keeps a write-ahead log",
    "the log is written ahead of the database",
    "Crème brûlée, or: a log of desserts",
    "snake_case and C++17",
    "日本語 のテキスト",
    "NEAR the AND of NOT",
]
CREATE = """
CREATE VIRTUAL TABLE post USING fts5 (title, body, tokenize = "{tokenizer}")
"""
SYNTAX = ['"', "-", "*", ":", "^", "(", ")", "{", "}", "+", "\\", "'", ",", "\0", "\n", " "]
WORDS = [
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "NEAR/2",
    "body:",
    "body",
    "log",
    "é",
    "e\u0301",
    "ﬁ",
    "½",
    "ﷺ",
]
# Marks alone, letters newer than the tokenizer's tables, private use, what cannot be encoded.
ODDITIES = ["\u0301", "\u0899", "\u19b0", "𞤀", "🧪", "\ue000", "\U000f0000", "\u200d", "\ud800"]
PIECES = st.sampled_from([*SYNTAX, *WORDS, *ODDITIES])
QUERIES = st.text(max_size=40) | st.lists(PIECES, max_size=20).map("".join)


def tokenizer() -> str:
    """What takes texts apart for the index, and its options."""
    index = dict(schema.objects(schema.migrated()))["post_index"]
    found = re.search('tokenize = "(.*)"', index)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def posts() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    connection.execute(CREATE.format(tokenizer=tokenizer()))
    texts = [(" ".join(words(body)),) for body in POSTS]
    connection.executemany("INSERT INTO post (body) VALUES (?)", texts)
    yield connection
    connection.close()


def _matches(connection: apsw.Connection, match: str) -> set[int]:
    return {
        row[0] for row in connection.execute("SELECT rowid FROM post WHERE post MATCH ?", (match,))
    }


def _find(connection: apsw.Connection, query: Query) -> list[str]:
    """The posts that any part finds among those that are looked at; none has it in its title."""
    asked = json.loads(to_fts5(query, query.forms))
    found = set[int]().union(*(_matches(connection, part) for part, *_ in asked["words"]))
    found &= _matches(connection, asked["near"])
    found -= _matches(connection, asked["without"]) if asked["without"] else set()
    assert not any(_matches(connection, title) for _, _, title, *_ in asked["words"] if title)
    return [POSTS[place - 1] for place in sorted(found)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("log", [0, 1, 2]),
        ("LOG", [0, 1, 2]),
        ("log ahead", [0, 1, 2]),
        ('"ahead of" log', [1]),
        ('"a log" write', [2]),
        ('"ahead log"', [0]),
        ("write-ahead", [0]),
        ("write-ahead snake", [0, 3]),
        ('"write-ahead" snake', [0]),
        ('"snake"  log', [3]),
        ("log -database", [0, 2]),
        ('log -"write ahead" -desserts', [1]),
        ("creme brulee", [2]),
        ("snake_case", [3]),
        ("snake", [3]),
        ("c++17", [3]),
        ("c 17", [3]),
        ("C++", [3]),
        ("c17", []),
        ("日本語", [4]),
        ("NOT AND", [3, 5]),
        ("near", [5]),
        ("log*", [0, 1, 2]),
        ("body:log", []),
        ("log OR snake", [0, 1, 2, 3]),
        # A letter to Python of which this tokenizer makes no word, alone and beside others.
        ("\u19b0", []),
        ("log \u19b0", [0, 1, 2]),
        ("\u19b0 log", [0, 1, 2]),
        ("log -\u19b0", [0, 1, 2]),
        ("\u19b0 -log", []),
    ],
)
def test_a_query_finds_its_phrases_and_at_least_one_of_its_words(
    posts: apsw.Connection, text: str, places: list[int]
):
    assert _find(posts, parse(text)) == [POSTS[place] for place in places]


def test_the_index_takes_words_of_all_scripts_apart_as_queries_are() -> None:
    given = [one for one in map(chr, range(0x110000)) if category(one)[0] in "LMNPSZ"]
    # The 100,000 letters of the East that are alike in this would take seconds.
    given = [one for one in given if one < "\u3400" or category(one) != "Lo"]
    text = " ".join(f"a{one}b {one} {one}a" for one in given)
    connection = apsw.Connection(":memory:")
    connection.execute(CREATE.format(tokenizer=tokenizer()))
    connection.execute("INSERT INTO post (body) VALUES (?)", (" ".join(words(text)),))
    connection.execute("CREATE VIRTUAL TABLE place USING fts5vocab (post, instance)")
    found = [row[0] for row in connection.execute("SELECT term FROM place ORDER BY offset")]
    assert len(found) > 50_000
    assert found == [*words(text)]


@settings(max_examples=400)
@given(QUERIES)
def test_no_text_makes_fts5_raise(posts: apsw.Connection, text: str):
    try:
        query = parse(text)
    except ValueError:
        return
    if not query.is_empty:
        assert set(_find(posts, query)) <= set(POSTS)


@settings(max_examples=300)
@given(QUERIES)
def test_leaving_out_what_is_asked_for_finds_nothing(posts: apsw.Connection, text: str):
    try:
        query = parse(text)
    except ValueError:
        return
    if not query.is_empty:
        assert _find(posts, Query(query.include, query.include)) == []


@given(QUERIES)
def test_every_word_stands_in_quotes(text: str):
    try:
        query = parse(text)
    except ValueError:
        return
    if not query.is_empty:
        asked = json.loads(to_fts5(query, query.forms))
        matches: list[str | None] = [asked["near"], asked["without"], *chain(*asked["words"])]
        for match in filter(None, matches):
            outside = re.sub('"[^"]*"', " ", match.replace("title : ", ""))
            assert set(re.findall(r"[^\s()]+", outside)) <= {"AND", "OR", "NOT"}


@pytest.mark.parametrize(
    ("text", "near", "without", "words"),
    [
        ("log", '("log")', None, [['"log"', '"log"', 'title : "log"', None, None]]),
        (
            'a-b c -d -"e f"',
            '("a" AND "b") OR ("c")',
            '(("a" AND "b") OR ("c")) AND ("d" OR "e f")',
            [
                ['"a b"', '"a b"', 'title : "a b"', None, None],
                ['"c"', '"c"', 'title : "c"', None, None],
            ],
        ),
        (
            'c "a b"',
            '("a" AND "b")',
            None,
            [
                ['"c" AND "a b"', '"c" AND "a b"', None, None, None],
                ['"a b"', '"a b"', 'title : "a b"', None, None],
            ],
        ),
    ],
)
def test_a_search_looks_at_texts_with_the_words_and_weighs_each_phrase(
    text: str, near: str, without: str | None, words: list[list[str | None]]
):
    asked = json.loads(to_fts5(parse(text), {}))
    assert [asked["near"], asked["without"], asked["words"]] == [near, without, words]


def test_other_forms_are_looked_for_where_the_word_as_written_is_not() -> None:
    asked = json.loads(to_fts5(parse("hops -d"), {("hops",): ("hop", "hopped")}))
    assert asked["near"] == '("hops") OR "hop" OR "hopped"'
    (word,) = asked["words"]
    assert word == [
        '"hops" OR "hop" OR "hopped"',
        '"hops"',
        'title : "hops"',
        '(("hop" OR "hopped")) NOT "hops"',
        '(title : ("hop" OR "hopped")) NOT title : "hops"',
    ]


def test_a_search_with_quoted_phrases_can_be_asked_in_one_go() -> None:
    assert "atOnce" not in json.loads(to_fts5(parse("a.b c"), {}))
    asked = json.loads(to_fts5(parse('c "a b" d -e "f"'), {}))
    assert asked["atOnce"] == '"a b" AND "f" AND ("a" OR "c" OR "d")'
    assert asked["counts"] == [2, 2]


@pytest.mark.parametrize(
    ("text", "at_once"), [('"a" "b c"', 0), ('"a" "b c" "c d"', 9), ('"a" b c', 9)]
)
def test_beside_two_others_each_phrase_is_looked_for_once(
    tmp_path: Path, text: str, at_once: int
) -> None:
    prepare(tmp_path / "stoa.db")
    connection = connect(tmp_path / "stoa.db", writer=True)
    calls = 0

    def counted(api: apsw.FTS5ExtensionApi, quoted: int, beside: int) -> int:
        nonlocal calls
        calls += 1
        return points(api, quoted, beside)

    connection.register_fts5_function("points", counted)
    texts = [(number, "", "a b c d") for number in range(1, 10)]
    connection.executemany("INSERT INTO post_index (rowid, title, body) VALUES (?, ?, ?)", texts)
    values = {"match": to_fts5(parse(text), {}), "author": None, "tags": "[]", "newest": 9}
    values |= {"status": None, "since": 0, "recent": 0}
    page = {"matches": 100, "some": 10, "limit": 10, "offset": 0}
    connection.execute(statements.load("sqlite")["search.find_phrases"], {**values, **page})
    assert calls == at_once
    connection.close()
