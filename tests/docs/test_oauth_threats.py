"""docs/oauth-threats.md has every line of its sources, and each test that it names exists."""

import re
from typing import NamedTuple

from tools.docs import ROOT

PAGE = (ROOT / "docs/oauth-threats.md").read_text("utf-8")
RFC_9700 = {
    *("2.1", "2.1.1", "2.1.2", "2.2.1", "2.2.2", "2.3", "2.4", "2.5", "2.6"),
    *(f"4.{number}" for number in range(1, 18)),
}
"""The sections of recommendations and of attacks."""
MCP = {
    "Confused Deputy Problem",
    "Token Passthrough",
    "Server-Side Request Forgery (SSRF)",
    "Session Hijacking",
    "Local MCP Server Compromise",
    "Scoped Authorization Receipts for High-Risk Tool Calls",
    "Scope Minimization",
}
"""The headings of the attacks on the page of MCP."""
_LINK = re.compile(r"\[([^\]]+)\]\(\.\./(tests/[^)]+)\)")


class Row(NamedTuple):
    """A table row of the page: the threat, what Stoa does against it, and the tests of that."""

    line: str
    answer: str
    tests: list[tuple[str, str]]


def rows(page: str) -> list[Row]:
    """The rows of the tables."""
    cells = [re.split(r" *\| *", row.strip("|\n ")) for row in page.splitlines() if row[:1] == "|"]
    return [
        Row(line, answer, _LINK.findall("".join(tests)))
        for line, _, answer, *tests in cells
        if line != "line" and set(line) != {"-"}
    ]


def missing(found: list[Row]) -> list[tuple[str, str]]:
    """The tests that are named and do not exist."""
    return [
        (words, file)
        for row in found
        for words, file in row.tests
        if f"def test_{words.replace(' ', '_')}(" not in (ROOT / file).read_text("utf-8")
    ]


def test_every_line_of_the_sources_is_there() -> None:
    lines = [row.line for row in rows(PAGE)]
    assert len(lines) == len(set(lines))
    assert {*lines} >= RFC_9700 | MCP


def test_every_line_has_a_test_or_says_why_not() -> None:
    for row in rows(PAGE):
        assert bool(row.tests) != row.answer.startswith("Does not apply: "), row.line


def test_every_test_that_is_named_exists() -> None:
    assert missing(rows(PAGE)) == []
    invented = "| 4.1 | a | b | [no such test](../tests/docs/test_oauth_threats.py) |"
    assert missing(rows(invented)) == [("no such test", "tests/docs/test_oauth_threats.py")]
