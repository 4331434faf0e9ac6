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

    It is cut where a paragraph or a line ends, if one does near by; a block of code that is cut
    goes on in the next piece.
    """
    size = len(render(text, _TOP).html.encode())
    if size <= PART_BYTES:
        return [text]
    found: list[str] = []
    length = len(text) // (size // PART_BYTES + 1)
    while len(text) > length + length // 3:
        at = end_near(text, length)
        found += parts(text[:at])
        text = _fence_left_open(text[:at]) + text[at:]
    return [*found, *parts(text)]


def end_near(text: str, place: int) -> int:
    """Where to cut a text: within a third of `place` behind a blank line, a line or a word, or else
    there."""
    for end in (_BLANK, _LINE, _SPACE):
        ends = [one.end() for one in end.finditer(text, place - place // 3, place + place // 3)]
        if ends:
            return min(ends, key=lambda one: abs(one - place))
    return place


def _fence_left_open(text: str) -> str:
    """The line that begins the block of code in which a text ends; empty if it ends in none."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            opened = None
    return f"{opened[1]}{opened[2]}\n" if opened else ""
