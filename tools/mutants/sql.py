"""Mutants of named SQL statements: bounds, conditions, order, numbers, joins."""

import re
from collections.abc import Iterator

from tools.mutants.change import Mutant

_APART = re.compile(rb"--[^\n]*|'[^']*'")
"""Comments and texts."""

_SWAPS = [
    (rb"(?<= )<(?= )", b"<="),
    (rb"(?<= )<=(?= )", b"<"),
    (rb"(?<= )>(?= )", b">="),
    (rb"(?<= )>=(?= )", b">"),
    (rb"(?<= )<>(?= )", b"="),
    (rb"\bDESC\b", b"ASC"),
    (rb"\bASC\b", b"DESC"),
    (rb"\bmin\(", b"max("),
    (rb"\bmax\(", b"min("),
    (rb"\bAND\b(?= \S)", b"OR"),
    (rb"\bLEFT JOIN\b", b"JOIN"),
    (rb"\bUNION ALL\b", b"UNION"),
    (rb"\bIS NULL\b", b"IS NOT NULL"),
    (rb"\bIS NOT NULL\b", b"IS NULL"),
    (rb"(?<= )\+(?= )", b"-"),
    (rb"(?<= )-(?= )", b"+"),
    (rb" ON CONFLICT DO NOTHING\b", b""),
    (rb"\bDISTINCT ", b""),
    (rb" OFFSET :offset\b", b""),
    (rb" FOR (NO KEY )?UPDATE( OF \w+)?( SKIP LOCKED)?", b""),
    (rb" SKIP LOCKED\b", b""),
]
_NUMBER = re.compile(rb"(?<!SELECT )(?<![\w:.$'])\d+(?![\w.])")
_EQUAL = re.compile(rb"\b(WHERE|AND|OR|WHEN|ON) [\w.]+( = )")
_AND = re.compile(rb"\s+AND\s+(?=\S)")
_END = re.compile(rb"\n\n|\s+(AND|OR|ORDER BY|GROUP BY|LIMIT|UNION|THEN|RETURNING|HAVING|WHERE)\b")


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a file of statements, in the order of its text."""
    text = _APART.sub(lambda found: b"_" * len(found[0]), source)
    return sorted(Mutant(path, start, end, new) for start, end, new in _changes(text))


def _changes(text: bytes) -> Iterator[tuple[int, int, bytes]]:
    for pattern, new in _SWAPS:
        for match in re.finditer(pattern, text):
            yield match.start(), match.end(), new
    for match in _NUMBER.finditer(text):
        number = int(match[0])
        if not text[: match.end()].endswith(b"LIMIT 1"):  # whose reader takes the first row
            yield match.start(), match.end(), b"%d" % (number + 1)
        yield match.start(), match.end(), b"%d" % (number - 1)
    for match in _EQUAL.finditer(text):
        yield match.start(2), match.end(2), b" <> "
    for match in _AND.finditer(text):
        yield match.start(), _condition_end(text, match.end()), b""


def _condition_end(text: bytes, start: int) -> int:
    """Where the condition that begins at `start` ends: at its own depth of parentheses."""
    depth = 0
    for place in range(start, len(text)):
        character = text[place : place + 1]
        if depth == 0 and (character == b")" or _END.match(text, place)):
            return place
        depth += (character == b"(") - (character == b")")
    return len(text.rstrip())
