"""Cuts long texts at the end of a word."""

import re

_WORD_ENDS = re.compile(r"(?=\s)|(?<=[\u2e80-\U0010ffff])|(?=[\u2e80-\U0010ffff])")
"""Before a blank; also around each character that is a word of its own, as in Chinese."""


def excerpt(text: str, most: int) -> str:
    """The beginning of a text, at most so many characters: up to the end of a word, if there is one
    in it."""
    if len(text) <= most:
        return text
    ends = (found.start() for found in _WORD_ENDS.finditer(text[: most + 1], 1))
    end = max((end for end in ends if end <= most), default=0)
    return text[:end].rstrip() or text[:most]
