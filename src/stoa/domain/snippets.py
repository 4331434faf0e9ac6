"""Cuts the part of a text that shows why a search found it."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stoa.domain.words import composed, is_unspaced, placed

WIDTH = 240
"""Characters of a snippet."""

WINDOW = 2_000
"""Characters of a text in which a snippet is looked for."""

_FIRST_WORD, _LAST_WORD = re.compile(r"^\S+\s+"), re.compile(r"\s+\S+$")
_LETTERS = re.compile(r"[^\W_]+")
# All that is neither a letter nor a digit but a space, which most of it is.
_BETWEEN = re.compile(r"[^\w ]|_")
_BETWEEN_ASCII = {place: " " for place in range(128) if not chr(place).isalnum()}


class Stretch(NamedTuple):
    """A part of a text, composed (NFC). `spaced` is the same folded, with spaces for what is
    neither a letter nor a digit and one more at each end; `folded` is only that. `places` are
    those of the folded characters in the text, where they differ. It is `plain` where all gaps
    between words are one space."""

    text: str
    spaced: str
    folded: str
    places: Sequence[int] | None
    plain: bool

    def place(self, folded: int) -> int:
        """The place in the text of a folded character."""
        return folded if self.places is None else self.places[folded]


class PreparedText(NamedTuple):
    """A text from which snippets can be cut: a short one as a stretch, a `long` one as it is and in
    lower case, since only a stretch of it is read, around what is looked for."""

    short: Stretch | None
    long: str = ""
    lowered: str = ""

    @property
    def characters(self) -> int:
        """How long the text is."""
        return len(self.short.text if self.short else self.long)

    @property
    def bytes(self) -> int:
        """How much memory it takes at most."""
        text, *others = self.short[:3] if self.short else (self.long, self.lowered)
        kept = len(text) + sum(map(len, others))
        places = self.short.places if self.short else None
        return (kept if text.isascii() else 4 * kept) + 8 * len(places or ())


class Sought:
    """What snippets show: the first of the `terms`, which are those of `Query.terms`, else the
    first of the `others`, those of `Query.other_terms`. Plain words are looked for with a space at
    each end (`spaced`), `signed` are all other terms."""

    __slots__ = ("others", "signed", "spaced", "terms")

    def __init__(self, terms: Iterable[str], others: frozenset[str] = frozenset()) -> None:
        self.terms, self.others = tuple(terms), others
        plain = [term for term in self.terms if term.isascii() and term.isalnum()]
        self.spaced = [f" {term} " for term in plain]
        self.signed = [term for term in self.terms if term not in plain]


def prepared(text: str) -> PreparedText:
    """A text made ready for the snippets of any number of searches."""
    if len(text) <= WINDOW:
        return PreparedText(_stretch(text))
    return PreparedText(None, text, text.replace("\u0130", "I").lower())


def snippet(text: PreparedText, sought: Sought, width: int = WIDTH) -> str:
    """At most `width` characters of a text around the first place with what is sought, else from
    its beginning.

    Whole words where there are gaps between words, on one line, composed (NFC), with an ellipsis
    where something is left out. Of a long text only a stretch is read, around the first place that
    has one of the terms without their accents.
    """
    if text.short:
        return cut(text.short, first_place(text.short, sought), width)
    first = _window(text.lowered, sought)
    stretch = _stretch(text.long[first : first + WINDOW])
    left_out = text.long[first + WINDOW :].strip() != ""
    place = first_place(stretch, sought)
    return cut(stretch, place, width, before=first > 0, behind=left_out)


def _stretch(text: str) -> Stretch:
    text = composed(text).strip()
    folded, places = placed(text)
    plain = text == " ".join(text.split())
    between = folded.translate(_BETWEEN_ASCII) if text.isascii() else _BETWEEN.sub(" ", folded)
    return Stretch(text, f" {between} ", folded, places, plain)


def cut(
    stretch: Stretch, place: int, width: int = WIDTH, *, before: bool = False, behind: bool = False
) -> str:
    """The words around a place; `before` and `behind` say whether the stretch leaves out any."""
    text = stretch.text
    length = len(text)
    if length <= width and not before and not behind:
        return text if stretch.plain else " ".join(text.split())
    inner = width - 2
    start = place - width // 4
    start = min(start, length - inner)
    start = max(start, 0)
    end = start + inner
    shown = (_plain_cut if stretch.plain else _any_cut)(text, start, place, end)
    if start or before:
        shown = f"…{shown}"
    return f"{shown}…" if end < length or behind else shown


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


def _window(lowered: str, sought: Sought) -> int:
    """Where the stretch of a long text begins that its snippet is taken from."""
    hits = [place for term in sought.terms if (place := lowered.find(term)) >= 0]
    place = min(hits) if hits else _first_other(lowered, sought.others)
    return 0 if place < WINDOW // 2 else place - WINDOW // 2


def first_place(stretch: Stretch, sought: Sought) -> int:
    """Where the first of the terms stands as a word, else the first of the others, else 0."""
    find = stretch.spaced.find
    places = [place for word in sought.spaced if (place := find(word)) >= 0]
    places += [place for term in sought.signed if (place := _place_of(stretch.folded, term)) >= 0]
    return stretch.place(min(places) if places else _first_other(stretch.folded, sought.others))


def _place_of(folded: str, term: str) -> int:
    """Where a term with other characters first stands as a word, else -1."""
    found = folded.find(term)
    if found < 0 or is_unspaced(term) or _is_word(folded, found, len(term)):
        return found
    later = re.compile(rf"(?<![^\W_]){re.escape(term)}(?![^\W_])").search(folded, found)
    return later.start() if later else -1


def _is_word(folded: str, start: int, length: int) -> bool:
    """Whether neither a letter nor a digit stands beside this part of a text."""
    end = start + length
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
