"""Cuts the stretch of a text that shows why a search found it."""

import re
from functools import lru_cache
from typing import NamedTuple

from stoa.domain.querylang import composed, fold

WIDTH = 240
"""Characters of a snippet."""

WINDOW = 2_000
"""Characters of a text in which a snippet is looked for."""

_GUESSES = 4
"""A term that stands inside so many longer words is looked for with a pattern, which takes longer
to make and less time for each place."""

_FIRST_WORD, _LAST_WORD = re.compile(r"^\S+\s+"), re.compile(r"\s+\S+$")
_LETTERS = re.compile(r"[^\W_]+")


class _Stretch(NamedTuple):
    """A part of a text, composed (NFC), and the same folded. It is `plain` where all gaps between
    words are one space."""

    text: str
    folded: str
    plain: bool


class Prepared(NamedTuple):
    """A text from which snippets can be cut: a short one as a stretch, a `long` one as it is and in
    lower case, since only a stretch of it is read, around what is looked for."""

    short: _Stretch | None
    long: str = ""
    lowered: str = ""

    @property
    def characters(self) -> int:
        """How long the text is."""
        return len(self.short.text if self.short else self.long)

    @property
    def bytes(self) -> int:
        """How much memory it takes at most."""
        text, folded = self.short[:2] if self.short else (self.long, self.lowered)
        kept = len(text) if folded is text else len(text) + len(folded)
        return kept if text.isascii() else 4 * kept


def prepared(text: str) -> Prepared:
    """A text made ready for the snippets of any number of searches."""
    if len(text) <= WINDOW:
        return Prepared(_stretch(text))
    return Prepared(None, text, text.replace("\u0130", "I").lower())


def snippet(
    text: Prepared, terms: tuple[str, ...], width: int = WIDTH, others: frozenset[str] = frozenset()
) -> str:
    """At most `width` characters of a text around the first of `terms`, or else the first of
    `others`, else from its beginning.

    `terms` are those of `highlight_terms`, `others` those of `highlight_forms`. Whole words where
    there are gaps between words, on one line, composed (NFC), with an ellipsis where something is
    left out. Of a long text only a stretch is read, around the first place that has one of the
    terms without their accents.
    """
    if text.short:
        return _cut(text.short, _first_place(text.short.folded, terms, others), width)
    first = _window(text.lowered, terms, others)
    stretch = _stretch(text.long[first : first + WINDOW])
    left_out = text.long[first + WINDOW :].strip() != ""
    place = _first_place(stretch.folded, terms, others)
    return _cut(stretch, place, width, before=first > 0, behind=left_out)


def _stretch(text: str) -> _Stretch:
    text = composed(text).strip()
    folded = fold(text)
    plain = text == " ".join(text.split())
    return _Stretch(text, text if folded == text else folded, plain)


def _cut(
    stretch: _Stretch, place: int, width: int, *, before: bool = False, behind: bool = False
) -> str:
    """The words around a place; `before` and `behind` say whether the stretch leaves out any."""
    text = stretch.text
    inner = width if len(text) <= width and not before and not behind else width - 2
    start = max(0, min(place - width // 4, len(text) - inner))
    end = start + inner
    cut = _plain_cut if stretch.plain else _any_cut
    more = end < len(text) or behind
    return ("…" if start or before else "") + cut(text, start, place, end) + ("…" if more else "")


def _plain_cut(text: str, start: int, place: int, end: int) -> str:
    """The same as `_any_cut`, of a text in which all gaps are one space."""
    if start and text[start - 1] != " ":
        start = max(start, text.find(" ", start, place))
    if end < len(text) and text[end] != " ":
        last = text.rfind(" ", place, end)
        end = last if last >= 0 else end
    return text[start:end].strip()


def _any_cut(text: str, start: int, place: int, end: int) -> str:
    before, after = text[start:place], text[place:end]
    if start and not text[start - 1].isspace():
        before = _FIRST_WORD.sub("", before)
    if end < len(text) and not text[end].isspace():
        after = _LAST_WORD.sub("", after)
    return " ".join((before + after).split())


def _window(lowered: str, terms: tuple[str, ...], others: frozenset[str]) -> int:
    """Where the stretch of a long text begins that its snippet is taken from."""
    hits = [place for term in terms if (place := lowered.find(term)) >= 0]
    place = min(hits) if hits else _first_other(lowered, others)
    return 0 if place < WINDOW // 2 else place - WINDOW // 2


def _first_place(folded: str, terms: tuple[str, ...], others: frozenset[str]) -> int:
    """Where the first of the terms stands as a word, else the first of the others, else 0."""
    first = -1
    for term in terms:
        place, guesses = folded.find(term), _GUESSES
        while place >= 0 and not _is_word(folded, place, place + len(term)):
            guesses -= 1
            if not guesses:
                found = _finder(terms).search(folded)
                return found.start() if found else _first_other(folded, others)
            place = folded.find(term, place + 1)
        if place >= 0 and (first < 0 or place < first):
            first = place
    return first if first >= 0 else _first_other(folded, others)


def _is_word(folded: str, start: int, end: int) -> bool:
    """Whether neither a letter nor a digit stands beside this part of a text."""
    if start and folded[start - 1].isalnum():
        return False
    return end >= len(folded) or not folded[end].isalnum()


def _first_other(folded: str, others: frozenset[str]) -> int:
    """Where the first of these words stands, else 0. There may be hundreds of them, so the text is
    read once and not searched for each."""
    if not others:
        return 0
    places = (found.start() for found in _LETTERS.finditer(folded) if found[0] in others)
    return next(places, 0)


@lru_cache(maxsize=128)
def _finder(terms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, terms))})(?![^\W_])")
