"""Opaque cursors: where the next page of a list starts, as text that hides and grants nothing."""

import re
from typing import NamedTuple, TypeVar, overload

from stoa.domain import base64url

A = TypeVar("A", int, str)
B = TypeVar("B", int, str)
C = TypeVar("C", int, str)

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

    def decode(self, text: str) -> tuple[int | str, ...]:
        """The values of such a cursor. ValueError for any other text."""
        return decode(self.kind, self.shape, text)


def encode(kind: str, *values: int | str) -> str:
    """The cursor of a place in the list `kind`: unpadded base64url.

    Integers within 2^62 of zero and up to 200 printable ASCII characters can be encoded, anything
    else is a ValueError.
    """
    if not _KIND.fullmatch(kind):
        raise ValueError("the kind of a cursor must be 1 to 40 of a-z, 0-9, dot, dash, underscore")
    fields = "\n".join([_VERSION, kind, *map(_write, values)])
    return base64url.encode(fields.encode("ascii"))


def _write(value: int | str) -> str:
    if type(value) is int and -_INT_MAX <= value <= _INT_MAX:
        return f"i{value}"
    if isinstance(value, str) and _PRINTABLE.fullmatch(value):
        return f"s{value}"
    raise ValueError("a cursor holds integers within 2^62 and up to 200 printable characters")


@overload
def decode(kind: str, shape: tuple[type[A]], text: str) -> tuple[A]: ...
@overload
def decode(kind: str, shape: tuple[type[A], type[B]], text: str) -> tuple[A, B]: ...
@overload
def decode(kind: str, shape: tuple[type[A], type[B], type[C]], text: str) -> tuple[A, B, C]: ...
@overload
def decode(kind: str, shape: tuple[type, ...], text: str) -> tuple[int | str, ...]: ...
def decode(kind: str, shape: tuple[type, ...], text: str) -> tuple[int | str, ...]:
    """The values that `encode` was given for this `kind`; `shape` names the type of each.

    ValueError for any other text: another version, kind or number of values, a value of another
    type or out of its bounds, another spelling of the same values.
    """
    try:
        values = _read(shape, text)
        if encode(kind, *values) == text:
            return values
    except ValueError:
        pass
    raise ValueError("is not a cursor that this list gave out")


def _read(shape: tuple[type, ...], text: str) -> tuple[int | str, ...]:
    """The values as far as they can be read; only encoding them again shows that all is right."""
    if len(text) > _TEXT_MAX:
        raise ValueError("too long")
    fields = base64url.decode(text).decode("ascii").split("\n")
    parted = zip(shape, fields[2:], strict=True)
    return tuple(int(field[1:]) if kind is int else field[1:] for kind, field in parted)
