"""Texts and queries for PostgreSQL's full-text search, with nothing left to its own parsers.

Those take texts apart by the database's locale, and read operators in queries. Here the words are
those of `querylang`, folded and quoted, on both sides.
"""

import json
import re
from unicodedata import normalize

from stoa.domain.querylang import Phrase, Query, fold, words

WORD_CHARS = 500
"""Of longer words only so much counts: a lexeme holds at most 2046 bytes."""

PLACES_OF_A_WORD = 255
LAST_PLACE = 16_383
"""What a tsvector can hold. Phrases are looked for among the places that it knows."""

_ACCENT = re.compile("[\u0300-\u036f]")


def to_tsvector(text: str) -> str:
    """A tsvector of the words of `text`, as text to be cast.

    Places are counted from 2, so that no phrase begins in a title and ends in the body behind it.
    """
    places: dict[str, list[str]] = {}
    for place, word in enumerate(words(_folded(text)), start=2):
        known = places.setdefault(word[:WORD_CHARS], [])
        if len(known) < PLACES_OF_A_WORD:
            known.append(str(min(place, LAST_PLACE)))
    return " ".join(f"'{word}':{','.join(known)}" for word, known in places.items())


def to_tsquery(query: Query) -> str:
    """What `search.find` takes, as JSON: `find` says what matches, `rank` by which words.

    Quoted phrases must be there. Words need not all be there, but without a phrase one must.
    Not for an empty query.
    """
    wanted = [_phrase(phrase) for phrase in query.include if phrase in query.quoted]
    if not wanted:
        wanted = [f"({' | '.join(map(_phrase, query.include))})"]
    find = " & ".join((*wanted, *(f"!{_phrase(phrase)}" for phrase in query.exclude)))
    words_to_rank = dict.fromkeys(_phrase((word,)) for phrase in query.include for word in phrase)
    return json.dumps({"find": find, "rank": " | ".join(words_to_rank)})


def _phrase(phrase: Phrase) -> str:
    quoted = (f"'{_lexeme(word)}'" for word in phrase)
    return f"({' <-> '.join(quoted)})"


def _folded(text: str) -> str:
    return _ACCENT.sub("", fold(text if text.isascii() else normalize("NFC", text)))


def _lexeme(word: str) -> str:
    # Words hold letters, numbers and marks only, never a quote.
    return _folded(word)[:WORD_CHARS]
