"""Finds credentials of other services in a text: private keys and tokens of well-known formats."""

import re
from hashlib import sha256
from typing import NamedTuple

from stoa.domain import credential_formats as formats
from stoa.domain.credential_formats import CredentialFormat

_LEAST_LENGTH = 20
"""Of the tokens of all formats, and of few words of a human language."""

_LEAST_CHARACTERS = 7
"""Different ones. What repeats fewer (`xxxx`, `1111`) is an example."""

_EXAMPLE = re.compile(
    r"example|redacted|placeholder|x{5}|\*{3}|0{6}|your|1234567|abcdefg|foobar|deadbeef|dummy",
    re.IGNORECASE,
)
"""What nobody's credential has and the examples of documentations have."""


class Credential(NamedTuple):
    """Where in a text (characters from 0) a credential stands, and of what kind it is."""

    kind: str
    start: int


def find_in(text: str) -> Credential | None:
    """The first credential of the first kind that the text has.

    All formats without a space are looked for at once first, in the long words of the text alone;
    a pattern's repetitions are bounded, so the work is linear in the text.
    """
    long_words = "".join([f"\n{word}" for word in text.split() if len(word) >= _LEAST_LENGTH])
    if not long_words:
        return None
    may_be = formats.FORMATS if formats.ANY_OTHER.search(long_words) else formats.WITH_PARTS
    for known in may_be:
        among = long_words if known.is_a_word else text
        for part in known.parts:
            if part in among:
                found = _first(known, among)
                if found:
                    return Credential(known.name, text.index(found))
                break
    return None


def _first(known: CredentialFormat, among: str) -> str | None:
    """The first text of this format that is no example and no part of a longer word."""
    for match in known.pattern.finditer(among):
        if _stands_alone(among, match) and not _is_example(match[known.group]):
            return match[0]
    return None


def _stands_alone(among: str, match: re.Match[str]) -> bool:
    """Whether no letter or digit of a longer word stands around it. Letters of other scripts are
    no part of a credential: Chinese needs no space before one."""
    before, after = among[match.start() - 1 : match.start()], among[match.end() : match.end() + 1]
    return not (_continues(before) or _continues(after))


def _continues(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _is_example(secret: str) -> bool:
    return (
        len(set(secret)) < _LEAST_CHARACTERS
        or _EXAMPLE.search(secret) is not None
        or sha256(secret.encode()).hexdigest() in formats.PUBLISHED
    )
