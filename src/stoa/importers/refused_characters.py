"""Marks the characters of an XML file that XML does not allow, so that a parser reads the rest.

A mark has as many bytes as what it stands for, so places in the file stay what they are. The
reader of a value removes the marks.
"""

import re

_MARK = b"\x7f"  # allowed, of one byte, and of no use in a text: itself one that is left out
_ALLOWED = ((0x20, 0x7E), (0x80, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
_SPACES = frozenset({0x9, 0xA, 0xD})

_FOUND = re.compile(
    rb"""[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]           # control characters
    | \xED[\xA0-\xBF][\x80-\xBF]                   # one half of a surrogate pair
    | \xEF\xBF[\xBE\xBF]                           # U+FFFE and U+FFFF
    | &\#(?!xA;|xD;|x9;)(?:[0-9]{1,16}|x[0-9A-Fa-f]{1,16});
    """,
    re.VERBOSE,
)
_BEGUN = re.compile(rb"(?:&(?:\#(?:[0-9]{0,16}|x[0-9A-Fa-f]{0,16}))?|\xED[\xA0-\xBF]?|\xEF\xBF?)\Z")
_BEGUN_MOST = 19
"""Bytes of the longest beginning of what may have to be marked: `&#x` and 16 digits."""


class Marker:
    """Marks the bytes of a file, which come in pieces; `count` is how many characters it marked."""

    def __init__(self) -> None:
        self.count = 0
        self._begun = b""

    def marked(self, data: bytes, *, last: bool = False) -> bytes:
        """The next bytes, marked; what may go on in the next piece is kept back until then."""
        data = self._begun + data
        begun = None if last else _BEGUN.search(data, max(0, len(data) - _BEGUN_MOST))
        end = begun.start() if begun else len(data)
        self._begun = data[end:]
        return _FOUND.sub(self._mark, data[:end])

    def _mark(self, found: re.Match[bytes]) -> bytes:
        written = found[0]
        if written.startswith(b"&") and _is_allowed(written[2:-1]):
            return written
        self.count += 1
        return _MARK * len(written)


def without_marks(value: str) -> str:
    """A value that was read, without the marks."""
    return value.replace(_MARK.decode(), "")


def _is_allowed(digits: bytes) -> bool:
    """Whether XML allows the character of a reference: its digits, after an `x` if hexadecimal."""
    code = int(digits[1:], 16) if digits.startswith(b"x") else int(digits)
    return code in _SPACES or any(first <= code <= last for first, last in _ALLOWED)
