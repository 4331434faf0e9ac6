"""Splits texts into words: one rule for texts, queries, snippets and comparisons.

Words are folded: lower case, without accents and vowel points, and in one form where Unicode has
several. In scripts without blanks between words each character is a word, and so are two
neighbours: whatever word one looks for, its pairs stand side by side within any longer run. Beside
the words of `C++`, `.NET` and `node.js` stands a word for the whole, with its signs.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple
from unicodedata import category, combining, normalize

Words = tuple[str, ...]

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


# Private characters that stand for signs in a word, since an index takes words apart at signs.
_SIGNS = {"+": "\U0010fffa", "#": "\U0010fffb", ".": "\U0010fffc"}
_AS_WORD = str.maketrans(_SIGNS)
_AS_WRITTEN = str.maketrans({stand_in: sign for sign, stand_in in _SIGNS.items()})
_RESERVED = frozenset(_SIGNS.values())

# Accents, points of Hebrew and Arabic, and what only makes a word longer or says how it is drawn.
_LEFT_OUT = frozenset(
    map(
        chr,
        chain(
            range(0x300, 0x370), range(0x591, 0x5BE), (0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7),
            range(0x610, 0x61B), (0x640,), range(0x64B, 0x660), (0x670,), range(0x6D6, 0x6DD),
            range(0x6DF, 0x6E5), (0x6E7, 0x6E8), range(0x6EA, 0x6EE), range(0x180B, 0x180E),
            range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0),
        ),
    )
)  # fmt: skip
# Letters that Unicode does not take apart, as those write them who do not have them.
_PLAIN = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "æ": "ae", "œ": "oe", "þ": "th"}
)


class _Folds(dict[int, str]):
    """Maps the number of a character to what stands for it in a word, filled at the first use of
    each: a space for what separates words. ASCII signs stay. `str.translate` takes a dictionary
    and no function, so this is no `lru_cache`."""

    _MOST = 1 << 16

    def __missing__(self, number: int) -> str:
        if len(self) >= self._MOST:
            self.clear()
        self[number] = _fold(chr(number))
        return self[number]


def _fold(character: str) -> str:
    if character in _LEFT_OUT or category(character) == "Cf":
        return ""
    parts = normalize("NFKD", normalize("NFKD", character.casefold()).casefold())
    plain = "".join(part for part in parts if part not in _LEFT_OUT).translate(_PLAIN)
    return "".join(part if _is_kept(part) else " " for part in normalize("NFC", plain))


def _is_kept(character: str) -> bool:
    """Letters, numbers and private use; marks, too, go with their letter. Of ASCII everything."""
    if character.isascii():
        return True
    kind = category(character)
    return kind[0] in "LN" or (kind in ("Mn", "Mc", "Co") and character not in _RESERVED)


_FOLDS = _Folds()


def folded(text: str) -> str:
    """A text as its words are compared, with spaces for all that is not ASCII and in no word."""
    if text.isascii():
        return text.lower()
    return composed(composed(text).translate(_FOLDS))


class Placed(NamedTuple):
    """A folded text, and the place of each of its characters in the text it was made of, None where
    these are the same."""

    folded: str
    places: Sequence[int] | None


def placed(text: str) -> Placed:
    """A composed text as `folded` has it, with the places in it."""
    if text.isascii():
        return Placed(text.lower(), None)
    pieces = [_FOLDS[ord(character)] for character in text]
    whole = "".join(pieces)
    if len(whole) == len(text) and all(map(len, pieces)):
        return Placed(whole, None)
    places = (place for place, piece in enumerate(pieces) for _ in piece)
    return Placed(whole, [*places, len(text)])


# Blocks of scripts without blanks between words, with their marks, and Korean, where a word has its
# particle at its end: Thai, Lao, Burmese, Khmer; kana, Bopomofo and Han; Hangul.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f\u1780-\u17ff"
    "\u3005\u3007\u3040-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
)
_MARKS_UNSPACED = "".join(
    character
    for character in map(chr, chain(range(0xE00, 0xF00), range(0x1000, 0x10A0),
                                    range(0x1780, 0x1800), range(0x3040, 0x3100),
                                    range(0xA9E0, 0xAA80)))
    if category(character) in ("Mn", "Mc")
)  # fmt: skip
_SIGNED = (
    r"(?<![0-9a-z\x80-\U0010ffff.])(?:"
    r"\.[a-z][0-9a-z]{1,30}+(?![.+#])"
    r"|[0-9a-z]{1,30}+(?:\+\+(?!\+)|\#|(?:\.[0-9a-z]{1,30}+){1,5}(?![0-9a-z])(?:\+\+|\#)?)"
    r")"
)
_SPECIAL = re.compile(rf"(?P<run>[{_UNSPACED}]+)|{_SIGNED}")
_HAS_SIGNS = re.compile(r"\+\+|[0-9A-Za-z]#|\.[0-9A-Za-z]")
_WORD = re.compile("[0-9a-z\x80-\U0010ffff]+")
_CLUSTER = re.compile(rf"[^{_MARKS_UNSPACED}][{_MARKS_UNSPACED}]*+")


class WordRun(NamedTuple):
    """Words that stand side by side in a text. An `unspaced` run has each of its characters, and
    between two of them both together; behind the `plain` words of others may stand the word with
    their signs."""

    plain: Words
    signed: str | None = None
    unspaced: bool = False

    @property
    def words(self) -> Words:
        """All, in the order in which an index has them."""
        return self.plain if self.signed is None else (*self.plain, self.signed)


def runs(text: str) -> Iterator[WordRun]:
    """The words of a text, those that belong together in one run."""
    whole, end = folded(text), 0
    for found in _SPECIAL.finditer(whole):
        if usual := _usual(whole, end, found.start()):
            yield WordRun(usual)
        end = found.end()
        if found["run"]:
            yield from _unspaced(found["run"])
        else:
            yield WordRun(tuple(_WORD.findall(found[0])), found[0].translate(_AS_WORD))
    if usual := _usual(whole, end, len(whole)):
        yield WordRun(usual)


def _usual(whole: str, start: int, end: int) -> Words:
    """The words of a part of a folded text that has no others than those between blanks."""
    found = _WORD.findall(whole, start, end)
    if whole.isascii():
        return tuple(found)
    marks = {word for word in {*found} if not word.isascii() and all(map(_is_mark, word))}
    return tuple(word for word in found if word not in marks)


def _unspaced(run: str) -> Iterator[WordRun]:
    characters = _CLUSTER.findall(run)
    if characters:
        pairs = map("".join, pairwise(characters))
        both = chain.from_iterable(zip(characters, pairs, strict=False))
        yield WordRun((*both, characters[-1]), unspaced=True)


def _is_mark(character: str) -> bool:
    return category(character).startswith("M")


def words(text: str) -> Words:
    """The words of a text, of a query as of a post, in their order."""
    if text.isascii() and not _HAS_SIGNS.search(text):
        return tuple(_WORD.findall(text.lower()))
    return tuple(chain.from_iterable(run.words for run in runs(text)))


def as_written(word: str) -> str:
    """A word with its signs."""
    return word.translate(_AS_WRITTEN)


_COMMON = """
a about after all also am an and any are as at be because been before being besides between but by
can could did do does doing during each else ever every for from get got had has have he her here
him his how i if in into is it its just like many may me might more most much must my no not of
off on one only or other our out over own per she should since so some such than that the their
them then there these they this those through to too under until up upon us use very was we were
what when where whether which while who whom whose why will with within without would yes yet you
your
"""
_SAY_LITTLE = frozenset(_COMMON.split())


def says_little(word: str) -> bool:
    """Whether most English texts have a word, so that to share it means nothing."""
    return word in _SAY_LITTLE


def is_signed(word: str) -> bool:
    """Whether a word is one with signs, such as c++."""
    return not word.isascii() and word.translate(_AS_WRITTEN) != word


def is_unspaced(word: str) -> bool:
    """Whether a word may stand anywhere within a longer run."""
    return not word.isascii() and _BEGINS_RUN.match(word) is not None


_BEGINS_RUN = re.compile(f"[{_UNSPACED}]")
