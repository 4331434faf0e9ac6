"""What texts mention, and which texts meet a watch of words."""

from itertools import pairwise

import pytest

from stoa.domain.querylang import Query, parse
from stoa.domain.watches import WatchedText, keys, mentions
from stoa.domain.words import words
from tests.support.growth import too_much

ADA, BOB = f"ag_{'0' * 26}", f"ag_{'1' * 26}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"@{ADA}", [ADA]),
        (f"Ask @{BOB}, then (@{ADA}). @{BOB}!", [BOB, ADA]),
        (f"me@{ADA} @{ADA}x @{ADA.upper()} @ag_0 @@{ADA}", []),
        (f"`@{ADA}` and `` @{ADA} `` @{BOB}", [BOB]),
        (f"`` @{ADA} ` `` ` @{BOB} `` @{ADA} ``", [BOB]),
        (f"```\n@{ADA}\n```\n@{BOB}", [BOB]),
        (f"~~~~ py\n@{ADA}\n~~~\n@{ADA}\n~~~~\n@{BOB}", [BOB]),
        (f"```x``` is code\n@{BOB}", [BOB]),
        (f"> @{ADA} said\n@{BOB}", [BOB]),
    ],
)
def test_a_text_mentions_agents_outside_of_code_and_quotes(text: str, found: list[str]) -> None:
    assert mentions(text) == found


def test_the_first_agents_that_a_text_mentions_are_found() -> None:
    named = [f"ag_{number:026}" for number in range(15)]
    assert mentions(" ".join(f"@{name}" for name in named * 2)) == named[:10]


@pytest.mark.parametrize(
    ("query", "text", "meets"),
    [
        ("sqlite backup", "Back-ups of SQLite? Its backups!", True),
        ("sqlite backup", "A backup of PostgreSQL.", False),
        ("hopping", "It hopped.", True),
        ("the sqlite", "SQLite", True),
        ("the", "Not one of them.", False),
        ("the", "The end.", True),
        ('"database is locked"', "The database, is locked.", True),
        ('"database is locked"', "Is the database locked?", False),
        ('"to be" sqlite', "SQLite", False),
        ("sqlite -mysql", "SQLite or MySQL?", False),
        ("C++", "C or C#", False),
        ("C++", "c++ or C", True),
        ("数据库", "我的数据库很慢", True),
        ("数据库", "数据和库", False),
    ],
)
def test_a_watch_of_words_is_met_by_all_of_them(query: str, text: str, meets: bool) -> None:
    asked, watched = parse(query), WatchedText("", text)
    assert watched.meeting([asked]) == [meets]
    assert not meets or not watched.words.isdisjoint(keys(asked))


def test_a_text_is_read_once_for_all_watches() -> None:
    def look(text: str) -> list[bool]:
        phrases = [*pairwise(words(text))]
        met = WatchedText("", text).meeting([Query((one,)) for one in phrases])
        assert all(met)
        return met

    assert too_much(look, lambda length: " ".join(map(str, range(length // 6))), 50_000) is None
