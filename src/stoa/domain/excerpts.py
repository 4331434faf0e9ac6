"""Cuts long texts at the end of a word."""

import re

_OWN_WORD = re.compile("[\u2e80-\U0010ffff]")
"""A character that is a word of its own, as in Chinese."""


def excerpt(text: str, most: int) -> str:
    """The beginning of a text, at most so many characters: up to the end of a word, if there is one
    in it."""
    if len(text) <= most:
        return text
    start = text[: most + 1]
    if start[-1].isspace():
        return start.rstrip() or text[:most]
    *before, last = start.rsplit(None, 1)
    if not last.isascii() and _OWN_WORD.search(last):
        return text[: _last_end_of_any(start)].rstrip() or text[:most]
    return before[0] if before else text[:most]


def _last_end_of_any(start: str) -> int:
    """Where the last word that is whole ends, where some characters are words of their own."""
    end = len(start) - 1
    while end and not _ends_word(start[end - 1], start[end]):
        end -= 1
    return end


def _ends_word(last: str, following: str) -> bool:
    return following.isspace() or any(map(_OWN_WORD.match, (last, following)))
