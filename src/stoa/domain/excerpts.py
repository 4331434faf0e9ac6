"""Cuts long texts at the end of a word."""

_OWN_WORDS = "\u2e80"
"""From here on a character is a word of its own, as in Chinese."""


def excerpt(text: str, most: int) -> str:
    """The beginning of a text, at most so many characters: up to the end of a word, if there is one
    in it."""
    if len(text) <= most:
        return text
    end = most
    while end and not _ends_word(text[end - 1], text[end]):
        end -= 1
    return text[:end].rstrip() or text[:most]


def _ends_word(last: str, following: str) -> bool:
    return following.isspace() or max(last, following) >= _OWN_WORDS
