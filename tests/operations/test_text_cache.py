"""Matches of searches: each made once for its text and place, and the same as if made now."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.querylang import parse
from stoa.domain.snippets import WINDOW, Sought, prepared, snippet
from stoa.operations import text_cache
from stoa.operations.text_cache import CachedText, TextCache
from stoa.schemas.content import UntrustedContent
from stoa.schemas.search import Match

WORDS = ("fox", "foxes", 'a "quoted"', "Crème", "हिन्दी", "fox-trot", "\n\n", "filler " * 30)
BODIES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)
QUERIES = ("fox", "crème fox", "trot", "foxes quoted", "हिन्दी", "nowhere", "filler fox")


def decode(end: bytes) -> Match:
    """The match at the end of a row."""
    return msgspec.json.decode(b"{" + end[1:], type=dict[str, Match])["match"]


def sought(text: str) -> Sought:
    query = parse(text)
    return Sought(query.terms, query.other_terms)


def text(place: int, body: str) -> CachedText:
    return CachedText("th_1", f"rp_{place:026}" if place else "th_1", prepared(body))


@given(st.lists(BODIES | st.just("fox " + "far " * WINDOW + "foxes"), min_size=1, max_size=3))
def test_matches_are_the_same_however_often_and_for_what_they_were_asked(bodies: list[str]) -> None:
    texts, cached = TextCache(), [text(place, body) for place, body in enumerate(bodies)]
    texts.keep(cached)
    for query in QUERIES * 2:
        expected = [
            (one.id, UntrustedContent(body=snippet(one.prepared, sought(query)))) for one in cached
        ]
        found = texts.matches(cached, sought(query))
        assert len({match.counted for match in found}) == len({match.json for match in found})
        matches = [decode(match.json) for match in found]
        assert [(match.reply_id or "th_1", match.snippet) for match in matches] == expected


def numbered(monkeypatch: pytest.MonkeyPatch) -> tuple[TextCache, list[CachedText]]:
    """Texts that all have the same words, and a cache with room for little more."""
    body = " ".join(f"word{place}" for place in range(200))
    made = [text(place, body) for place in range(10)]
    monkeypatch.setattr(text_cache, "_MOST_BYTES", 10 * (made[0].size + 5_000))
    texts = TextCache()
    texts.keep(made)
    assert count(texts, made) == 10
    return texts, made


def count(texts: TextCache, made: list[CachedText]) -> int:
    """How many of these are cached."""
    return sum(text is not None for text in texts.known([one.id for one in made]))


def test_matches_are_made_once_and_take_the_room_of_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, made = numbered(monkeypatch)
    once, twice = (texts.matches(made, sought(query)) for query in ("word7", "word77 word7"))
    assert [one is other for one, other in zip(once, twice, strict=True)] == [True] * 10
    for place in range(50, 62):
        texts.matches(made, sought(f"word{place}"))
    assert 0 < count(texts, made) < 10


def test_what_was_made_of_a_text_for_too_many_words_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(text_cache, "_MOST_WORDS", 3)
    texts, made = numbered(monkeypatch)
    sizes = [one.size for one in made]
    for place in range(50, 100):
        assert texts.matches(made, sought(f"word{place}"))[0].json.count(b"word") > 10
    assert count(texts, made) == 10
    for one in made:
        assert 0 < len(one.places) <= 4
        texts._forget(one)  # pyright: ignore[reportPrivateUsage]
    assert [one.size for one in made] == sizes
