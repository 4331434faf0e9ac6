"""The search language: words, "phrases" and -not, read into a query that names no engine."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from unicodedata import category, combining, normalize

from stoa.domain.limits import QUERY_CHARS, SEARCH_FORMS, SEARCH_TERMS
from stoa.domain.wordforms import other_forms

Phrase = tuple[str, ...]
"""Words that must stand next to each other in this order; one word is a phrase too."""


@dataclass(frozen=True)
class Query:
    """What a search looks for (`include`) and what no result may hold (`exclude`).

    What was `quoted` must be found; of the rest the more the better. The words are as sent: case,
    accents and the ranking are matters of the engine. What follows from them is made once.
    """

    include: tuple[Phrase, ...] = ()
    exclude: tuple[Phrase, ...] = ()
    quoted: frozenset[Phrase] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Nothing to search for, no word at all: the caller lists by recent instead."""
        return not self.include

    @cached_property
    def forms(self) -> dict[Phrase, tuple[str, ...]]:
        """Of words looked for their other forms, as an index has them.

        Only of words that stand alone, in a query in which nothing is quoted: of the first eight,
        and of so many that these and all phrases together are no more than a query may have words.
        """
        if self.quoted:
            return {}
        alone = (
            (phrase, other_forms(indexed(phrase[0]))) for phrase in self.include if not phrase[1:]
        )
        found = [(phrase, others) for phrase, others in alone if others]
        return dict(found[: min(SEARCH_FORMS, SEARCH_TERMS - len(self.include))])

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The words a result was found by, each once, folded: composed, lower case, without
        accents."""
        included = (word for phrase in self.include for word in phrase)
        return tuple(dict.fromkeys(fold(composed(word)) for word in included))

    @cached_property
    def other_terms(self) -> frozenset[str]:
        """The other forms of these words that a result may have been found by."""
        return frozenset(form for others in self.forms.values() for form in others)


_PIECE = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+)')


@lru_cache(maxsize=1024)  # each request reads its own several times
def parse(text: str) -> Query:
    """Read a search text: words and "phrases" to look for, with a - in front to leave out.

    No other character has a meaning. All but letters, numbers and marks part words, as in the
    index: `a.b` is looked for as a and b side by side. A quote that is not closed reaches to the
    end. ValueError for more than 1000 characters or 32 words, and when there is only something to
    leave out; no other text is refused.
    """
    if len(text) > QUERY_CHARS:
        raise ValueError(
            f"Must have at most {QUERY_CHARS} characters, not {len(text)}: shorten it."
        )
    include: dict[Phrase, None] = {}
    exclude: dict[Phrase, None] = {}
    quoted: set[Phrase] = set()
    for piece in _PIECE.finditer(text.replace(_CUT, " ")):
        word = piece["word"] or ""
        phrase = words(word or piece["phrase"])
        if not phrase:
            continue
        wanted = not piece["minus"] and not word.startswith("-")
        (include if wanted else exclude)[phrase] = None
        if wanted and not word:
            quoted.add(phrase)
    if exclude and not include:
        raise ValueError("Must not only say what to leave out: add a word to search for.")
    count = sum(map(len, (*include, *exclude)))
    if count > SEARCH_TERMS:
        raise ValueError(f"Must have at most {SEARCH_TERMS} words, not {count}: leave some out.")
    return Query(tuple(include), tuple(exclude), frozenset(quoted))


MARKS_KEPT = 30
"""Of a longer run of combining marks only so many are read; no language needs as many (UAX #15)."""


# All marks with a class, and the four characters without one that are taken apart into such marks.
_MARKS = "\u0344\u0f73\u0f75\u0f81" + "".join(filter(combining, map(chr, range(0x300, 0x1E950))))
_MARKS_TOO_MANY = re.compile(f"([{_MARKS}]{{{MARKS_KEPT}}})[{_MARKS}]+")
# Whether there may be such a run, told much faster: a class of many characters beyond U+FFFF is
# searched one by one.
_MAYBE_TOO_MANY = re.compile(
    f"[{''.join(mark for mark in _MARKS if ord(mark) < 0x10000)}"
    f"\U00010000-\U0010ffff]{{{MARKS_KEPT + 1}}}"
)


def composed(text: str) -> str:
    """The text in composed form (NFC), without the marks of a run that are too many.

    Composing sorts each run of marks, which takes time with the square of its length.
    """
    if text.isascii():
        return text
    if _MAYBE_TOO_MANY.search(text):
        text = _MARKS_TOO_MANY.sub(r"\1", text)
    return normalize("NFC", text)


_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
_WORD = re.compile("[0-9A-Za-z\x80-\U0010ffff]+")
_ACCENT = re.compile("[\u0300-\u036f]")


def words(text: str) -> Phrase:
    """The words of a text, of a query as of a post: runs of letters, numbers and marks."""
    found = _WORD.findall(parted(text))
    return tuple(word for word in found if word.isascii() or not all(map(_is_mark, word)))


def indexed(text: str) -> str:
    """A text as an index has it: composed, lower case and without accents."""
    return _ACCENT.sub("", fold(composed(text)))


def parted(text: str) -> str:
    """A text with a space for whatever is not ASCII and belongs to no word."""
    return _BEYOND_ASCII.sub(lambda run: run[0].translate(_PARTS), text)


WORD_PLACES = 2_000
"""Of a word so many places in a long text are indexed: to look for a phrase takes the longer the
more there are. In English prose of 50,000 characters `the` stands 500 times."""

_CUT = "\U0010fffd"
"""Stands in an index where it leaves out a word. No query has this character of private use."""


def without_repeats(text: str, most: int = WORD_PLACES) -> str:
    """A text to be indexed; in a long one `_CUT` stands for a word behind its `most` first places.

    One with less than four characters for each place is not long: there are at most twice as many.
    """
    if len(text) < 4 * most:
        return text
    plain = parted(indexed(text))
    places = Counter(_WORD.findall(plain))
    if max(places.values(), default=0) <= most:
        return text
    left = dict.fromkeys(places, most)

    def kept(found: re.Match[str]) -> str:
        left[found[0]] -= 1
        return found[0] if left[found[0]] >= 0 else _CUT

    return _WORD.sub(kept, plain)


class _Parts(dict[int, int]):
    """For the number of a character, once it was asked for, its own or that of a space."""

    _MOST = 1 << 16

    def __missing__(self, number: int) -> int:
        if len(self) >= self._MOST:
            self.clear()
        self[number] = number if _in_word(chr(number)) else 0x20
        return self[number]


_PARTS = _Parts()
_VARIANTS = frozenset(map(chr, range(0xFE00, 0xFE10)))


def _in_word(character: str) -> bool:
    """Letters, numbers and private use; marks, too, go with their letter. What only says how an
    emoji is drawn is none of these."""
    kind = category(character)
    return kind[0] in "LN" or (kind in ("Mn", "Mc", "Co") and character not in _VARIANTS)


def _is_mark(character: str) -> bool:
    return category(character).startswith("M")


# Letters whose accents the index ignores, with the letter below them, and other forms of a letter.
# One for one, so that a place in folded text is the same place in the text.
_PLAIN = {
    letter: parts[0]
    for letter in map(chr, (*range(0xC0, 0x250), *range(0x370, 0x530), *range(0x1E00, 0x2000)))
    if re.fullmatch(r".[\u0300-\u036f]+", parts := normalize("NFD", letter))
} | dict(zip("ſẛςµϐϑϕϖϰϱϵ", "ssσμβθφπκρε", strict=True))
_ACCENTED = re.compile(f"[{''.join(_PLAIN)}]")


def fold(text: str) -> str:
    """Lower case and without accents, with as many characters as the composed text it takes."""
    if text.isascii():
        return text.lower()
    # This is the one capital that lower() makes two characters of.
    single = text.replace("\u0130", "I").lower()
    return _ACCENTED.sub(lambda found: _PLAIN[found[0]], single)


class Weights(NamedTuple):
    """How often a word counts in a text that has it as it was written or in another form only; and
    how often more where the title has it, as written or in another form only."""

    written: int
    written_in_title: int
    other: int
    other_in_title: int


_OF_ONE, _OF_SEVERAL = Weights(4, 12, 2, 1), Weights(4, 12, 3, 9)


def weights(query: Query) -> Weights:
    """Of a single word any text that has it as written comes before all with other forms of it. Of
    several words each counts three quarters in another form, wherever it stands."""
    return _OF_SEVERAL if query.include[1:] else _OF_ONE
