"""Whether a capability matches a tag or a requirement in other words or word forms.

The last word of a label is its main word, which those before it narrow: home-brewing is a kind of
brewing, but rust-removal is a kind of removal and not of rust. So two labels match where the words
of one are the last words of the other, and a number at the end does not count. A label is
stored with the words under which others find it and is looked up by words too, so that a database
only has to compare words for equality.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from stoa.domain.limits import CAPABILITY_CHARS
from stoa.domain.text import normalise_capability
from stoa.domain.wordforms import base
from stoa.domain.words import as_written, is_unspaced, runs, says_little

MOST_WORDS = 5
"""A label of more words, or longer than a capability may be, meets the same label alone."""

_MOST_CHARS = 2 * CAPABILITY_CHARS
"""No capability is longer in lower case, in which İ has two characters."""

_WHOLE, _CUT = "=", "=="

# First parts of what is also written as one word, such as cybersecurity; behind them stand words of
# five letters, or four behind home.
_FIRST_PARTS = """
astro bio copy cyber electro game geo ghost hydro macro micro nano neuro photo screen song video web
"""
_COMPOUND = re.compile(
    rf"home(?=[a-z]{{4}})|(?:{'|'.join(_FIRST_PARTS.split())})(?=[a-z]{{5}}|data$)"
)
_WORDS_OF_THEIR_OWN = """
cyberspace copyright copyrights homeland homework microphone microphones microscope microscopes
photograph photographs screenshot screenshots webassembly
"""
_NO_COMPOUNDS = frozenset(_WORDS_OF_THEIR_OWN.split())
_BEHIND_A_NAME = """
basics code coding dev developer development framework js lang language languages library
programming project projects scripting skill skills
"""
_LEFT_OUT = frozenset(_BEHIND_A_NAME.split())
_BEFORE_WHAT_MEANS_ELSE = """
body business child data decision deep java machine martial open personal property real smart social
software
"""
_CHANGES = frozenset(_BEFORE_WHAT_MEANS_ELSE.split())
_SUBJECTS_OR_NAMES = """
accounting banking bedding bearing boxing building casting coating customs dating dressing fencing
filing filling fishing glasses goods housing lighting marketing meeting networking parking planning
rails rating shipping spring testing training wedding windows
"""
_NO_FORMS = frozenset(_SUBJECTS_OR_NAMES.split())
_VERSIONED = re.compile("([a-z]{5,})([0-9]+)")
_NUMBER = re.compile("v?[0-9]+")


def offered_words(text: str) -> Iterator[str]:
    """The words under which a tag or requirement is found: none for one that no capability can be,
    which would be too long for the indexes of PostgreSQL."""
    label = normalise_capability(text)
    if len(label) > _MOST_CHARS:
        return
    read = _read(label)
    yield (_WHOLE if read.is_said else _CUT) + read.whole
    yield from read.ends


def wanted_words(capabilities: Iterable[str]) -> tuple[str, ...]:
    """The words under which to look for what meets any of these."""
    wanted: set[str] = set()
    for label in capabilities:
        normalised = normalise_capability(label)
        read = _read(normalised)
        wanted.add(_WHOLE + normalised)  # what was offered before labels had words
        wanted |= {_WHOLE + read.whole, _CUT + read.whole, *(_WHOLE + end for end in read.ends)}
        if read.is_said:
            wanted.add(read.whole)
    return tuple(wanted)


class _Label(NamedTuple):
    """A label by its words: the `whole` without what says little, which others may end with if that
    `is_said`, and the `ends` that others may be."""

    whole: str
    ends: tuple[str, ...] = ()
    is_said: bool = False


@lru_cache(maxsize=4096)
def _read(label: str) -> _Label:
    if len(label) > CAPABILITY_CHARS:
        return _Label(label, is_said=True)
    names = list(islice(_parts(label), MOST_WORDS + 1))
    if not 0 < len(names) <= MOST_WORDS:
        return _Label(label, is_said=True)
    is_said = True
    while len(names) > 1 and (names[-1] in _LEFT_OUT or _NUMBER.fullmatch(names[-1])):
        is_said &= names.pop() not in _LEFT_OUT
    ends = [
        "".join(names[place:])
        for place in range(1, len(names))
        if not _changes(names[place - 1]) and any(map(_is_subject, names[place:]))
    ]
    return _Label("".join(names), tuple(ends), is_said)


def _parts(label: str) -> Iterator[str]:
    for run in runs(label):
        if run.unspaced:
            yield "".join(run.plain[::2])
        elif run.signed and _is_one(as_written(run.signed)):
            yield as_written(run.signed)
        else:
            for word in run.plain:
                yield from _split(word)


def _is_one(signed: str) -> bool:
    """Whether what has signs is one word, such as c++ and .net, and not node.js."""
    return not (signed[0].isalnum() and signed[-1].isalnum())


def _split(word: str) -> Iterator[str]:
    """Split a compound, or a name with a version number, into its parts, each in its base form:
    homebrewing into home and brew, python3 into python and 3."""
    if found := _VERSIONED.fullmatch(word):
        yield from _split(found[1])
        yield found[2]
    elif word not in _NO_COMPOUNDS and (first := _COMPOUND.match(word)):
        yield first[0]
        yield _base(word[first.end() :])
    else:
        yield _base(word)


def _base(word: str) -> str:
    return word if word in _NO_FORMS or word in _LEFT_OUT else base(word)


def _changes(word: str) -> bool:
    return word in _CHANGES or says_little(word)


def _is_subject(word: str) -> bool:
    """Whether a word alone says what something is about: more than two letters, or of a script
    without blanks."""
    return not _NUMBER.fullmatch(word) and (len(word) > 2 or is_unspaced(word))
