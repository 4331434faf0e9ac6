"""Finds credentials of other services in a text: private keys and tokens of well-known formats."""

import re
from collections.abc import Iterable, Iterator
from hashlib import sha256
from string import ascii_letters, digits
from typing import NamedTuple

from stoa.domain import credential_formats as formats
from stoa.domain.credential_formats import CredentialFormat

_LEAST_LENGTH = 20
"""Of the tokens of all formats, and of few words of a human language."""

_MOST_EXAMPLES = 100
"""So many of a text are told from credentials."""

_LEAST_CHARACTERS = 7
"""Different ones. What repeats fewer (`xxxx`, `1111`) is an example."""

_WORDS = ("example", "redacted", "placeholder", "abcdefg", "foobar", "deadbeef", "dummy", "xxxxx")
_YOUR = r"[Yy]our(?:[a-z]{3}|[A-Z][a-z]{2}|[A-Z]{3}|[_-])|YOUR(?:[A-Z]{3}|[_-])"
_EXAMPLE = re.compile(
    "|".join([rf"{word}|{word.upper()}|{word.title()}" for word in _WORDS])
    + rf"|{_YOUR}|\*{{3}}|0{{6}}|1234567"
)
"""What the examples of documentations have and next to no credential: four letters alone, or those
of a word in capitals as nobody writes it, stand in one of some ten thousand by chance."""

_CONTINUE = frozenset(ascii_letters + digits)
_Candidate = tuple[CredentialFormat, re.Match[str]]


class Credential(NamedTuple):
    """Where in a text (characters from 0) a credential stands, and of what kind it is."""

    kind: str
    start: int


def find_in(text: str) -> Credential | None:
    """A credential that the text has.

    Formats that begin with a part of their own are looked for one by one where the text has it, all
    others at once, in its long words alone. Repetitions are bounded, so the work is linear.
    """
    if len(text) < _LEAST_LENGTH:
        return None
    # What is not ASCII is no part of a credential, and neither is `?`.
    words = text.encode("ascii", "replace").decode().replace("?", " ").split()
    long_words = "".join([f"\n{word}" for word in words if len(word) >= _LEAST_LENGTH])
    if not long_words:
        return None
    for known in formats.WITH_PART:
        among = long_words if known.is_a_word else text
        if known.part in among:
            found = _real((known, match) for match in _whole(known.pattern, among))
            if found:
                return Credential(found[0], text.index(found[1]))
    found = _real(_others(long_words))
    return Credential(found[0], text.index(found[1])) if found else None


def _whole(pattern: re.Pattern[str], among: str) -> Iterator[re.Match[str]]:
    """What matches and goes on in no longer word. Letters of other scripts are no part of a
    credential: Chinese needs no space behind one."""
    for match in pattern.finditer(among):
        if among[match.end() : match.end() + 1] not in _CONTINUE:
            yield match


def _others(among: str) -> Iterator[_Candidate]:
    """What may be a credential of a format without a part."""
    for match in _whole(formats.ANY_OTHER, among):
        start = match.start() + 1
        for known in formats.BY_FIRST[among[start]]:
            if exact := known.pattern.match(among, start):
                yield known, exact
                break


def _real(candidates: Iterable[_Candidate]) -> tuple[str, str] | None:
    """The kind and the text of the first that is no example. Behind many examples, which only a
    text has that is to take long, the next one counts as none."""
    for before, (known, match) in enumerate(candidates):
        if before >= _MOST_EXAMPLES or not _is_example(match[known.group]):
            return known.name, match[0]
    return None


def _is_example(secret: str) -> bool:
    return (
        len(set(secret)) < _LEAST_CHARACTERS
        or _EXAMPLE.search(secret) is not None
        or sha256(secret.encode()).hexdigest() in formats.PUBLISHED
    )
