"""Marks the characters of an XML file that XML forbids, so that a parser reads the rest.

Bytes that are not UTF-8 and references to characters that do not exist are marked too. The marks
are as long as the bytes that they replace, so that positions in the file stay the same. The reader
of a value removes the marks.
"""

import re

_MARK = b"\x7f"  # allowed, of one byte, and of no use in a text: itself one that is left out
_ALLOWED = ((0x20, 0x7E), (0x80, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
_SPACES = frozenset({0x9, 0xA, 0xD})
_DIGITS = 8
"""More than any character has: with so many, zeros before them not counted, there is none."""

_FOUND = re.compile(
    rb"""[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]           # control characters
    | \xED[\xA0-\xBF][\x80-\xBF]                   # one half of a surrogate pair
    | \xEF\xBF[\xBE\xBF]                           # U+FFFE and U+FFFF
    | &\#(?!xA;|xD;|x9;)[0-9A-Za-z]*+;?
    """,
    re.VERBOSE,
)
_NUMBER = rb"(?:x0*+(?P<hex>[0-9A-Fa-f]*+)|0*+(?P<decimal>[0-9]*+))"
_REFERENCE = re.compile(rb"&#(?!x?;)" + _NUMBER + rb";")
_NO_REFERENCE = re.compile(rb"&#" + _NUMBER + rb"(?:[0-9A-Za-z]{0,16};)?")
"""With what follows the number, up to where it ends if that is near."""
_BEGUN_REFERENCE = re.compile(rb"&#" + _NUMBER + rb"(?P<rest>[0-9A-Za-z]{0,16})")
_BEGUN = re.compile(rb"(?:&|[\xC2-\xDF]|[\xE0-\xEF][\x80-\xBF]?|[\xF0-\xF4][\x80-\xBF]{0,2})\Z")
_BEGUN_MOST = 3
"""Bytes of the longest beginning of one character."""
_NO_UTF_8 = re.compile("[\udc80-\udcff]")
"""What decoding makes of such bytes, one by one."""


class Marker:
    """Marks the bytes of a file, which come in pieces; `count` is how many characters it marked."""

    def __init__(self) -> None:
        self.count = 0
        self._begun = b""

    def marked(self, data: bytes, *, last: bool = False) -> bytes:
        """The next bytes, marked; what may go on in the next piece is kept back until then."""
        data = self._begun + data
        end, marks = len(data), 0
        self._begun = b""
        if not last:
            end, self._begun = _begun(data)
            marks = len(data) - end - len(self._begun)
        return self._as_utf_8(_FOUND.sub(self._mark, data[:end])) + _MARK * marks

    def _mark(self, found: re.Match[bytes]) -> bytes:
        written = found[0]
        if written.startswith(b"&"):
            if (reference := _REFERENCE.fullmatch(written)) and _is_allowed(reference):
                return written
            length = _NO_REFERENCE.match(written).end()  # pyright: ignore[reportOptionalMemberAccess]
        else:
            length = len(written)
        self.count += 1
        return _MARK * length + written[length:]

    def _as_utf_8(self, data: bytes) -> bytes:
        try:
            data.decode()
        except UnicodeDecodeError:
            text, count = _NO_UTF_8.subn(_MARK.decode(), data.decode(errors="surrogateescape"))
            self.count += count
            return text.encode()
        return data


def without_marks(value: str) -> str:
    """A value that was read, without the marks."""
    return value.replace(_MARK.decode(), "")


def _begun(data: bytes) -> tuple[int, bytes]:
    """Where the last reference or character of `data` begins that may not have ended yet, and what
    to keep of it until the next bytes are there: of a long number only its first digits."""
    place = data.rfind(b"&#")
    if place >= 0 and (found := _BEGUN_REFERENCE.fullmatch(data, place)):
        given = found["decimal"] if found["hex"] is None else found["hex"]
        start = b"&#" if found["hex"] is None else b"&#x"
        had_zeros = found.start("rest") - place - len(start) > len(given)
        digits = given[:_DIGITS] or (b"0" if had_zeros else b"")
        return place, start + digits + found["rest"]
    found = _BEGUN.search(data, max(0, len(data) - _BEGUN_MOST))
    return (found.start(), found[0]) if found else (len(data), b"")


def _is_allowed(reference: re.Match[bytes]) -> bool:
    """Whether XML allows the character of a reference."""
    digits, base = (
        (reference["hex"], 16) if reference["decimal"] is None else (reference["decimal"], 10)
    )
    if len(digits) >= _DIGITS:
        return False
    code = int(digits or b"0", base)
    return code in _SPACES or any(first <= code <= last for first, last in _ALLOWED)
