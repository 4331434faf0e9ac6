"""Texts and queries for PostgreSQL's full-text search, with nothing left to its own parsers.

Those take texts apart by the database's locale, and read operators in queries. Here the words are
those of `querylang`, folded and quoted, on both sides.
"""

import json
from collections.abc import Iterable, Sequence

from stoa.domain.querylang import Phrase, Query, weights

WORD_CHARS = 500
"""Of longer words only so much counts: a lexeme holds at most 2046 bytes."""

BLOCK_BITS = 12
"""Texts whose numbers differ only in so many bits lie in one block, as the index has it."""


def to_words(found: Iterable[str]) -> str:
    """The words of a text, with a space before and behind each; without a word nothing.

    So that two texts one after the other have two spaces between them, and no phrase begins in the
    first and ends in the second.
    """
    return _spaced(word[:WORD_CHARS] for word in found)


def to_tsquery(query: Query) -> str:
    """What `search.find_*` takes, as JSON. Not for an empty query.

    `phrases` are those looked for, each with whether it was quoted, which then counts more in a
    title, and with the bit of its other forms, 0 without any; `weights` say what each counts.
    Each of `lookUps` is `[near, must, titles, bit, without]`: what the index is asked, with the
    number of a block behind each stroke; the phrase that a text so found must have or null, when
    its words suffice; patterns of titles that add to it; the bit of the phrase or of its other
    forms; what the index is asked
    for those of these texts that may have to be left out, or null. `checks` are further phrases,
    each with whether a text must have it or is left out with it; without any, what the index finds
    suffices. All quoted phrases must be there: with these there is one look-up, words are `alike`,
    rare or not, and only the quoted count in titles.
    """
    quoted = [phrase for phrase in query.include if phrase in query.quoted]
    musts = [phrase for phrase in quoted if len(phrase) > 1]
    known = query.forms
    bits = {phrase: _bit(place) for place, phrase in enumerate(known, len(query.include))}
    if quoted:
        asked = [(_near(quoted), _text(musts[0]) if musts else None, None, 0)]
    else:
        asked = [
            (_near([phrase]), _text(phrase) if phrase[1:] else None, [_title(phrase)], _bit(place))
            for place, phrase in enumerate(query.include)
        ]
    asked += [
        (_any(others), None, [_title((form,)) for form in others], bits[phrase])
        for phrase, others in known.items()
    ]
    return json.dumps(
        {
            "alike": bool(quoted),
            "weights": weights(query),
            "phrases": [
                (_text(phrase), phrase in quoted, bits.get(phrase, 0)) for phrase in query.include
            ],
            "lookUps": [(near, *found, _without(near, query.exclude)) for near, *found in asked],
            "checks": _checks(musts[1:], query.exclude),
        }
    )


def _bit(place: int) -> int:
    """The lower one of the two bits at a place, of which the other one says that a title has it."""
    return 1 << 2 * place


def _checks(musts: Sequence[Phrase], exclude: Sequence[Phrase]) -> list[tuple[str, bool]]:
    if not musts and all(len(phrase) == 1 for phrase in exclude):
        return []
    return [(_text(phrase), True) for phrase in musts] + [
        (_text(phrase), False) for phrase in exclude
    ]


def _without(near: str, exclude: Sequence[Phrase]) -> str | None:
    others = " | ".join(_near([phrase]) for phrase in exclude)
    return f"{near} & ({others})" if others else None


def _near(phrases: Sequence[Phrase]) -> str:
    lexemes = (f"'{_lexeme(word)}/'" for phrase in phrases for word in phrase)
    return f"({' & '.join(lexemes)})"


def _any(others: Iterable[str]) -> str:
    lexemes = (f"'{form}/'" for form in others)
    return f"({' | '.join(lexemes)})"


def _title(phrase: Phrase) -> str:
    # Words hold no per cent sign, low line or backslash either.
    return f"%{_text(phrase)}%"


def _text(phrase: Phrase) -> str:
    return _spaced(map(_lexeme, phrase))


def _spaced(parts: Iterable[str]) -> str:
    text = " ".join(parts)
    return f" {text} " if text else ""


def _lexeme(word: str) -> str:
    # Words hold letters, numbers, marks and private characters only: no quote, stroke or space.
    return word[:WORD_CHARS]
