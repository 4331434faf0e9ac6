"""Renders a search query for SQLite's FTS5, so that nothing in it can be read as FTS5 syntax."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import apsw

from stoa.domain.querylang import Phrase, Query, weights


def to_fts5(query: Query, known: Mapping[Phrase, Sequence[str]]) -> str:
    """What `search.find_*` takes, as JSON of right sides of MATCH. Not for an empty query.

    `known` are other forms of words of the query, those that the index has.
    `near` finds the texts to look at: with all words of the quoted phrases or, without one, all
    words of anything looked for, in any form; `without` those of them to leave out, or it is null.
    `words` has for each phrase looked for what finds it in some form, in a text as it was written,
    in a title, in a text in other forms only, and in a title so; beside quoted phrases only where
    these stand too, null where there is nothing to find. Beside
    a quoted phrase titles are not looked at: it would take too long. With quoted phrases, `atOnce`
    finds the texts in one go, for `points` to look at, which has to know the `counts` of phrases.
    """
    quoted = [phrase for phrase in query.include if phrase in query.quoted]
    near = " AND ".join(map(_near, quoted)) or " OR ".join(
        " OR ".join((_near(phrase), *map(_quoted, known.get(phrase, ()))))
        for phrase in query.include
    )

    def found(phrase: Phrase, column: str = "") -> str:
        others = "".join(f" AND {_quote(other)}" for other in quoted if other != phrase)
        return f"{column}{_quote(phrase)}{others}"

    def in_other_forms(phrase: Phrase, column: str = "") -> str | None:
        others = " OR ".join(map(_quoted, known.get(phrase, ())))
        return f"({column}({others})) NOT {column}{_quote(phrase)}" if others else None

    def in_any_form(phrase: Phrase) -> str:
        others = "".join(f" OR {_quoted(form)}" for form in known.get(phrase, ()))
        return f"{_quote(phrase)}{others}" if others else found(phrase)

    words = [
        (
            in_any_form(phrase),
            found(phrase),
            None if quoted and phrase not in quoted else found(phrase, "title : "),
            in_other_forms(phrase),
            in_other_forms(phrase, "title : "),
        )
        for phrase in query.include
    ]
    without = " OR ".join(map(_quote, query.exclude))
    asked: dict[str, Any] = {
        "near": near,
        "without": f"({near}) AND ({without})" if without else None,
        "words": words,
        "weights": weights(query),
    }
    if quoted:
        beside = [phrase for phrase in query.include if phrase not in query.quoted]
        # A text with all phrases contains the first word of each, so this word finds it.
        other = " OR ".join((_quote(quoted[0][:1]), *map(_quote, beside)))
        asked["atOnce"] = f"{' AND '.join(map(_quote, quoted))} AND ({other})"
        asked["counts"] = [len(quoted), len(beside)]
    return json.dumps(asked)


def points(api: apsw.FTS5ExtensionApi, quoted: int, beside: int) -> int:
    """Of a text that `atOnce` finds: one for each phrase, three more for a quoted in a title."""
    in_title = sum(3 for phrase in range(quoted) if 0 in api.phrase_columns(phrase))
    others = range(quoted + 1, quoted + 1 + beside)
    return quoted + in_title + sum(1 for phrase in others if api.phrase_columns(phrase))


def _near(phrase: Phrase) -> str:
    return f"({' AND '.join(_quote((word,)) for word in phrase)})"


def _quote(phrase: Phrase) -> str:
    # Words hold letters, numbers, marks and private characters only, never a quote.
    return f'"{" ".join(phrase)}"'


def _quoted(form: str) -> str:
    return f'"{form}"'
