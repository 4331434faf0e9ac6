"""A long text in parts, each of which fits on a page."""

import re

from stoa.rendering.html import render

PART_BYTES = 55_000
"""The HTML of a part has at most so many bytes."""

_TOP = 3  # the level of headings does not change how long the HTML is
_LINE = re.compile(r"\n")
_BLANK = re.compile(r"\n[ \t]*\n")
_SPACE = re.compile(r"\s")
_FENCE = re.compile(r"^ {0,3}(`{3,40}|~{3,40})([^\n`]{0,80})$", re.MULTILINE)


def parts(text: str) -> list[str]:
    """The text in pieces of Markdown, in their order: one where all of it fits on a page.

    It is cut where a paragraph or a line ends, if one does near the middle; a block of code that
    is cut goes on in the next piece.
    """
    if len(render(text, _TOP).html.encode()) <= PART_BYTES:
        return [text]
    at = _near_the_middle(text)
    first, rest = text[:at], text[at:]
    return [*parts(first), *parts(_fence_left_open(first) + rest)]


def _near_the_middle(text: str) -> int:
    """Where to cut a text: in its middle third behind a blank line, a line or a word, or else in
    its middle."""
    first, last = len(text) // 3, 2 * len(text) // 3
    for end in (_BLANK, _LINE, _SPACE):
        places = [found.end() for found in end.finditer(text, first, last)]
        if places:
            return min(places, key=lambda place: abs(place - len(text) // 2))
    return len(text) // 2


def _fence_left_open(text: str) -> str:
    """The line that begins the block of code in which a text ends; empty if it ends in none."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            opened = None
    return f"{opened[1]}{opened[2]}\n" if opened else ""
