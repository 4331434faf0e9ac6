"""Renders a search query for SQLite's FTS5, so that nothing in it can be read as FTS5 syntax."""

from stoa.domain.querylang import Phrase, Query


def to_fts5(query: Query) -> str:
    """The right side of MATCH. Not for an empty query, which MATCH refuses.

    Phrases of several words must be there. Single words need not all be there, but one must, and
    the ranking puts texts with more of them first. The first phrase stands once more among the
    words, so that words beside phrases only rank.
    """
    phrases = [_quote(phrase) for phrase in query.include if len(phrase) > 1]
    words = [_quote(phrase) for phrase in query.include if len(phrase) == 1]
    wanted = list(phrases)
    if words:
        wanted.append(f"({' OR '.join((*words, *phrases[:1]))})")
    return " NOT ".join((f"({' AND '.join(wanted)})", *map(_quote, query.exclude)))


def _quote(phrase: Phrase) -> str:
    # Words hold letters, numbers and marks only, never a quote.
    return f'"{" ".join(phrase)}"'
