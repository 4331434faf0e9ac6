"""Renders a search query for SQLite's FTS5, so that nothing in it can be read as FTS5 syntax."""

from stoa.domain.querylang import Phrase, Query


def to_fts5(query: Query) -> str:
    """The right side of MATCH. Not for an empty query, which MATCH refuses.

    Quoted phrases must be there. Words need not all be there, but without a phrase one must, and
    the ranking puts texts with more of them first. The first phrase stands once more among the
    words, so that words beside phrases only rank.
    """
    wanted = [_quote(phrase) for phrase in query.include if phrase in query.quoted]
    words = [_quote(phrase) for phrase in query.include if phrase not in query.quoted]
    if words:
        wanted.append(f"({' OR '.join((*words, *wanted[:1]))})")
    return " NOT ".join((f"({' AND '.join(wanted)})", *map(_quote, query.exclude)))


def _quote(phrase: Phrase) -> str:
    # Words hold letters, numbers and marks only, never a quote.
    return f'"{" ".join(phrase)}"'
