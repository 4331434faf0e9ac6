"""Opaque cursors: where the next page of a list starts, as text that hides and grants nothing."""

import re
from typing import Any, NamedTuple

from stoa.domain import base64url

_VERSION = "1"
_INT_MAX = 2**62
_TEXT_MAX = 2048  # far above what the largest cursor needs; longer input is not looked at
# Fields end at a line end, which none of them can hold.
_KIND = re.compile(r"[a-z0-9._-]{1,40}")
_PRINTABLE = re.compile(r"[ -~]{0,200}")


class CursorFormat(NamedTuple):
    """The cursors of a list in one order: their kind, the types of the values they hold, and
    whether a number among these may be negative."""

    kind: str
    shape: tuple[type, ...]
    negative: bool = False

    def reads(self, text: str) -> bool:
        """Whether `text` is such a cursor that names a place."""
        try:
            values = self.decode(text)
        except ValueError:
            return False
        return self.negative or not any(isinstance(one, int) and one < 0 for one in values)

    def encode(self, *values: int | str) -> str:
        """The cursor of a place in the list: unpadded base64url.

        Integers within 2^62 of zero and up to 200 printable ASCII characters can be encoded,
        anything else is a ValueError.
        """
        if not _KIND.fullmatch(self.kind):
            raise ValueError(
                "the kind of a cursor must be 1 to 40 of a-z, 0-9, dot, dash, underscore"
            )
        fields = "\n".join([_VERSION, self.kind, *map(_write, values)])
        return base64url.encode(fields.encode("ascii"))

    def decode(self, text: str) -> tuple[Any, ...]:
        """The values that `encode` was given, of the types in `shape`.

        ValueError for any other text: another version, kind or number of values, a value of another
        type or out of its bounds, another spelling of the same values.
        """
        try:
            values = self._read(text)
            if self.encode(*values) == text:
                return values
        except ValueError:
            pass
        raise ValueError("is not a cursor that this list gave out")

    def _read(self, text: str) -> tuple[int | str, ...]:
        """The values as far as they can be read; only encoding them again shows that all is
        right."""
        if len(text) > _TEXT_MAX:
            raise ValueError("too long")
        fields = base64url.decode(text).decode("ascii").split("\n")
        parted = zip(self.shape, fields[2:], strict=True)
        return tuple(int(field[1:]) if kind is int else field[1:] for kind, field in parted)


def _write(value: int | str) -> str:
    if type(value) is int and -_INT_MAX <= value <= _INT_MAX:
        return f"i{value}"
    if isinstance(value, str) and _PRINTABLE.fullmatch(value):
        return f"s{value}"
    raise ValueError("a cursor holds integers within 2^62 and up to 200 printable characters")
