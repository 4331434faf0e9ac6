"""Text rules: the characters of labels and tags, and how invisible text is shown."""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from unicodedata import category

from stoa.domain.limits import DISPLAY_NAME_CHARS, TAG_CHARS, TAGS

# Insides of character classes. Escapes of four digits mean the same to Python and to ECMA-262;
# for what lies above U+FFFF the two differ, so those characters stand here as themselves.
_CONTROLS = r"\u0000-\u001f\u007f-\u009f"
_DIRECTION_OVERRIDES = r"\u202a-\u202e\u2066-\u2069"
_TAG_BLOCK = "\U000e0000-\U000e007f"
_REFUSED = _CONTROLS + _DIRECTION_OVERRIDES + _TAG_BLOCK
# White_Space of the Unicode character database without the controls; U+2800 is blank Braille.
_LINE_SEPARATORS = r"\u2028\u2029"
_SPACES = r"\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000" + _LINE_SEPARATORS
# Default_Ignorable_Code_Point and format characters that draw nothing, without those refused.
_DRAWN_BELOW = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u2065"
    r"\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)
_DRAWN_BEYOND = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e0fff"
_DRAWN_AS_NOTHING = _DRAWN_BELOW + _DRAWN_BEYOND

NOT_BLANK_PATTERN = f"[^{_REFUSED}{_SPACES}{_DRAWN_AS_NOTHING}]"
"""Matches, by search, text with at least one character that can be seen."""

# The first run and the character after it have nothing in common: no text makes this go back.
LABEL_PATTERN = rf"^[{_SPACES}{_DRAWN_AS_NOTHING}]*{NOT_BLANK_PATTERN}[^{_REFUSED}]*$(?!\n)"
"""Matches, by search, a short label: not blank, no control, direction override or tag character."""

_WIDE = "(?:[\U00010000-\U0010ffff]|" + r"\\u(?!00)[0-9a-f]{4})"
_WIDE_RANGE = re.compile(f"{_WIDE}(?:-{_WIDE})?")


def portable(pattern: str) -> str:
    """A pattern of requests in the syntax that Python, JavaScript (with and without the `u` flag)
    and RE2 share, for published schemas.

    It matches a little more than the server accepts. Characters above U+00FF are left out of its
    classes, because these dialects write them differently, and in Python `$` also matches before
    a line end that closes the text.
    """
    narrow = _WIDE_RANGE.sub("", pattern.replace(r"$(?!\n)", "$"))
    return narrow.replace(r"\u00", r"\x")


_TRIMMED = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_REFUSED_CHARACTER = re.compile(f"[{_REFUSED}]")
_SEEN = re.compile(NOT_BLANK_PATTERN)


def is_blank(text: str) -> bool:
    """Whether nothing of `text` can be seen: only space, control and format characters, or none."""
    return _SEEN.search(text) is None


def check_label(text: str) -> str:
    """`text` as sent, if it may be a short label (title, name, capability, requirement).

    ValueError when it is blank or holds a control character, a direction override or a character
    of the tag block, all of which can make a label read as something else. Not measured here.
    """
    if found := _REFUSED_CHARACTER.search(text):
        raise ValueError(
            f"Must not contain {_name(found[0])}, a control character or one that hides or "
            "reorders text: remove it."
        )
    if is_blank(text):
        raise ValueError("Must not be blank: write at least one character that can be seen.")
    return text


def display_name(text: str) -> str:
    """A display name, trimmed: a label of 1 to 80 code points. ValueError otherwise."""
    name = check_label(text.strip(_TRIMMED))
    if len(name) > DISPLAY_NAME_CHARS:
        raise ValueError(f"Must have at most {DISPLAY_NAME_CHARS} characters: shorten it.")
    return name


def normalise_tag(text: str) -> str:
    """One tag, trimmed and in lower case, as tags are stored and as filters compare them.

    ValueError for a comma and for what `check_label` refuses. Not measured here.
    """
    tag = check_label(text.strip(_TRIMMED)).lower()
    if "," in tag:
        raise ValueError("Must not contain a comma: send each tag as an item of its own.")
    return tag


def wanted_tag(text: str) -> str:
    """The one tag that a filter takes, as `normalise_tag` gives it. ValueError for several too."""
    if "," in text:
        raise ValueError("Must be one tag, without a comma: ask for one tag at a time.")
    return normalise_tag(text)


def normalise_capability(text: str) -> str:
    """A capability or requirement, trimmed and in lower case, as they are compared."""
    return text.strip(_TRIMMED).lower()


class Problems(ValueError):
    """Several problems of a list: `(place of the item, message)`, None for the list itself."""

    def __init__(self, problems: Sequence[tuple[int | None, str]]) -> None:
        super().__init__("; ".join(message for _, message in problems))
        self.problems = problems


def normalise_tags(tags: Iterable[str]) -> list[str]:
    """The tags normalised, each once, in the order sent; then at most 8, of at most 40 code points.

    Raises `Problems`, a ValueError: all that is wrong in the order sent, then with the whole list.
    """
    places: dict[str, int] = {}
    problems: dict[int, str] = {}
    for index, text in enumerate(tags):
        try:
            tag = normalise_tag(text)
        except ValueError as refused:
            problems[index] = str(refused)
            continue
        if len(tag) > TAG_CHARS and tag not in places:
            problems[index] = f"Must have at most {TAG_CHARS} characters: shorten it."
        places.setdefault(tag, index)
    found: list[tuple[int | None, str]] = [*problems.items()]
    if len(places) > TAGS:
        message = f"Must have at most {TAGS} different tags, not {len(places)}: leave some out."
        found.append((None, message))
    if found:
        raise Problems(found)
    return list(places)


_JOINERS = frozenset("\u200c\u200d")
_JOINING_SCRIPTS = re.compile(
    r"[\u0600-\u109f\u1780-\u18af\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc]"
)
_EMOJI_STYLES = frozenset("\ufe0e\ufe0f")
_EMOJI_BESIDE_SYMBOLS = "\u203c\u2049\u2139\u3030"
_KEYCAP = "\u20e3"
_IDEOGRAPH_VARIANTS = frozenset(map(chr, (*range(0xFE00, 0xFE03), *range(0xE0100, 0xE01F0))))
_IDEOGRAPHS = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_SOMETIMES_NEEDED = _JOINERS | _EMOJI_STYLES | _IDEOGRAPH_VARIANTS
# Beyond U+FFFF: what is refused, what draws nothing, and the noncharacters.
_HIDDEN_BEYOND = (
    _TAG_BLOCK
    + _DRAWN_BEYOND
    + "".join(f"{chr(plane << 16 | 0xFFFE)}-{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
)
# A lone surrogate cannot be encoded at all, and XML 1.0 refuses U+FFFE and U+FFFF. A line end of
# two characters is one that can be seen. Characters beyond U+FFFF stand apart, since a class with
# many of them is searched one by one.
_HIDDEN_BELOW = (
    rf"\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f{_LINE_SEPARATORS}"
    rf"{_DIRECTION_OVERRIDES}{_DRAWN_BELOW}\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
)
_HIDDEN = re.compile(
    rf"\r(?!\n)|[{_HIDDEN_BELOW}]+|(?:[\U00010000-\U0010ffff](?<=[{_HIDDEN_BEYOND}]))+"
)
# One class alone is searched for twenty times as fast, and most texts have nothing of it.
_MAY_BE_HIDDEN = re.compile(rf"[\r{_HIDDEN_BELOW}\U00010000-\U0010ffff]")


def escape_invisible(text: str, opening: str = "<", closing: str = ">") -> str:
    """`text` with each character that draws nothing or reorders others as `<U+202E>`, for people.

    What is left can stand in XML 1.0. Line ends and tabs stay. So do joiners and variation
    selectors where writing needs them: one after a letter of a joining script, inside an emoji,
    after an ideograph. `opening` and `closing` stand around each name.
    """

    def shown(place: int) -> str:
        character = text[place]
        after = text[place + 1 : place + 2]
        needed = character in _SOMETIMES_NEEDED and place
        if needed and _belongs(text[place - 1], character, after):
            return character
        return f"{opening}{_name(character)}{closing}"

    if not _MAY_BE_HIDDEN.search(text):
        return text
    return _HIDDEN.sub(lambda run: "".join(map(shown, range(*run.span()))), text)


def one_line(text: str) -> str:
    """An untrusted text to print in one line of a terminal: each run of white space is one space,
    and each control, text-direction and invisible character is an escape that can be read."""
    return escape_invisible(" ".join(text.split()))


@lru_cache(maxsize=4096)
def _belongs(before: str, character: str, after: str) -> bool:
    if character in _JOINERS:
        return _JOINING_SCRIPTS.match(before) is not None or (
            (before == "\ufe0f" or _is_symbol(before)) and _is_symbol(after)
        )
    if character in _EMOJI_STYLES:
        return (
            _is_symbol(before)
            or before in _EMOJI_BESIDE_SYMBOLS
            or (before in "0123456789#*" and after == _KEYCAP)
        )
    return _IDEOGRAPHS.match(before) is not None


def _is_symbol(character: str) -> bool:
    return character > "\u00a8" and category(character).startswith("S")


@cache
def _name(character: str) -> str:
    return f"U+{ord(character):04X}"
