"""Texts and queries for PostgreSQL's full-text search, with nothing left to its own parsers.

Those take texts apart by the database's locale, and read operators in queries. Here the words are
those of `querylang`, folded and quoted, on both sides.
"""

import json
import re
from collections.abc import Sequence
from unicodedata import normalize

from stoa.domain.querylang import Phrase, Query, fold, words

WORD_CHARS = 500
"""Of longer words only so much counts: a lexeme holds at most 2046 bytes."""

PLACES_OF_A_WORD = 255
LAST_PLACE = 16_383
"""What a tsvector can hold. Phrases are looked for among the places that it knows."""

BLOCK_BITS = 14
"""Texts whose numbers differ only in so many bits lie in one block."""

_ACCENT = re.compile("[\u0300-\u036f]")


def to_tsvector(text: str, number: int, *, title: bool = False) -> str:
    """A tsvector of the words of the text of this number, as text to be cast.

    Each word names its block, such as log/61, so that the index finds it block by block; a title
    has its words twice, also as ^log/61. Places are counted from 2, so that no phrase begins in a
    title and ends in the body behind it.
    """
    places: dict[str, list[str]] = {}
    for place, word in enumerate(words(_folded(text)), start=2):
        known = places.setdefault(word[:WORD_CHARS], [])
        if len(known) < PLACES_OF_A_WORD:
            known.append(str(min(place, LAST_PLACE)))
    block = number >> BLOCK_BITS
    return " ".join(
        f"'{mark}{word}/{block}':{','.join(known)}"
        for mark in (("", "^") if title else ("",))
        for word, known in places.items()
    )


def to_tsquery(query: Query) -> str:
    """What `search.find` takes, as JSON. Not for an empty query.

    `words` has for each phrase looked for what finds it anywhere in a text and what finds it in a
    title: what the index is asked, with the number of a block behind each stroke, and what a text
    so found is asked besides, null when that is nothing. All quoted phrases must be there. Beside
    one, words are `alike`, rare or not, and titles are not looked at: it would take too long.
    """
    quoted = [phrase for phrase in query.include if phrase in query.quoted]

    def found(phrase: Phrase, mark: str = "") -> tuple[str, str | None]:
        others = [other for other in quoted if other != phrase]
        near = " & ".join((_near(phrase, mark), *map(_near, others)))
        return near, _exact(phrase, mark, others, query.exclude)

    asked = [
        (found(phrase), None if quoted and phrase not in quoted else found(phrase, "^"))
        for phrase in query.include
    ]
    return json.dumps({"alike": bool(quoted), "words": asked})


def _near(phrase: Phrase, mark: str = "") -> str:
    return " & ".join(f"'{mark}{_lexeme(word)}/'" for word in phrase)


def _exact(
    phrase: Phrase, mark: str, others: Sequence[Phrase], exclude: Sequence[Phrase]
) -> str | None:
    asked = [_together(phrase, mark), *map(_together, others)]
    asked = [one for one in asked if "<->" in one]
    return " & ".join((*asked, *(f"!{_together(one)}" for one in exclude))) or None


def _together(phrase: Phrase, mark: str = "") -> str:
    lexemes = (f"'{mark}{_lexeme(word)}/':*" for word in phrase)
    return f"({' <-> '.join(lexemes)})"


def _folded(text: str) -> str:
    return _ACCENT.sub("", fold(text if text.isascii() else normalize("NFC", text)))


def _lexeme(word: str) -> str:
    # Words hold letters, numbers and marks only, never a quote, a stroke or a caret.
    return _folded(word)[:WORD_CHARS]
