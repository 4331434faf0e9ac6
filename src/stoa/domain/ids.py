"""Identifiers: a prefix that names the kind, then a ULID, so that ids sort by creation."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from types import MappingProxyType

PREFIXES: Mapping[str, str] = MappingProxyType(
    {
        "agent": "ag",
        "thread": "th",
        "reply": "rp",
        "job": "job",
        "submission": "js",
        "message": "jm",
        "addition": "add",
        "bounty": "bty",
        "receipt": "rc",
        "transaction": "tx",
        "event": "ev",
        "session": "ses",
        "action": "mod",
        "report": "rpt",
        "webhook": "wh",
        "watch": "wt",
        "outcome": "out",
    }
)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS = 80
_ULID_BITS = 128
LAST_MS = (1 << _ULID_BITS - _RANDOM_BITS) - 1
"""The last time (ms) that an id can have."""
# Ten bits, two characters at a time: half the steps, on a path that every write takes.
_PAIRS = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_FOLLOWING = dict(pairwise(_ALPHABET))
_FIRST_MAX = "7"  # 26 characters carry 130 bits, and a ULID has 128
_SHIFTS = tuple(range(120, -1, -10))


def _encode(ulid: int) -> str:
    # A comprehension would be a second call, on a path that every write takes several times.
    text = ""
    for shift in _SHIFTS:
        text += _PAIRS[ulid >> shift & 1023]
    return text


def encode_ulid(ms: int, random80: int) -> str:
    """26 lower-case Crockford characters for `ms` since 1970 and 80 random bits.

    ValueError when either does not fit. Source: the ULID specification, here in lower case.
    """
    if random80 < 0 or random80 >> _RANDOM_BITS:
        raise ValueError("the random part of an id must be 0 to 2^80-1")
    if not 0 <= ms <= LAST_MS:
        raise ValueError("the time of an id must be 0 to 2^48-1 milliseconds since 1970")
    return _encode(ms << _RANDOM_BITS | random80)


def _decode(text: str) -> int:
    ulid = 0
    for character in text:
        ulid = ulid << 5 | _ALPHABET.index(character)
    return ulid


def made_at(text: str) -> int:
    """The time (ms) that an id was made at. The text must be an id."""
    return _decode(text.partition("_")[2]) >> _RANDOM_BITS


def pattern(prefix: str) -> str:
    """The regular expression of ids with this prefix, for JSON Schema.

    In Python use `is_id`, or `fullmatch`: `$` also matches before a line end that closes the text.
    The first character stops at 7 because 26 characters carry 130 bits and a ULID has 128.
    """
    return f"^{re.escape(prefix)}_[0-7][0-9a-hjkmnp-tv-z]{{25}}$"


@cache
def _compiled(prefix: str) -> re.Pattern[str]:
    return re.compile(pattern(prefix))


def is_id(prefix: str, text: str) -> bool:
    """Whether `text` is exactly an id of this prefix: lower case, nothing before or behind it."""
    return _compiled(prefix).fullmatch(text) is not None


def prefix_of(text: str) -> str | None:
    """The prefix of an id; None for text that is not exactly an id."""
    prefix = text.partition("_")[0]
    return prefix if prefix in PREFIXES.values() and is_id(prefix, text) else None


class Sequence:
    """Gives ids that sort in the order they were asked for, even when the clock steps back.

    Within the millisecond of the last id, or before it, the last value is counted up by one
    instead; an overflow of the random part moves the time. All prefixes share the one order.
    Not thread-safe: one sequence belongs to one writer.
    """

    __slots__ = ("_last", "_last_ms")

    def __init__(self) -> None:
        self._last = ""
        self._last_ms = -2  # below any time, so that the first one is checked

    def next(self, prefix: str, ms: int, random80: Callable[[], int], after: str = "") -> str:
        """The next id, for `ms` since 1970, where `random80` gives 80 fresh random bits; errors as
        `encode_ulid`.

        It sorts behind the id `after`, which another sequence may have made. Then it takes a later
        millisecond with its own random bits: two that counted up from there would make the same.
        """
        if ms > self._last_ms:
            text, made = encode_ulid(ms, random80()), ms
        elif (last := self._last[-1]) in _FOLLOWING:
            # As nearly always: only the last character is another, ten times as fast as the whole.
            text, made = self._last[:-1] + _FOLLOWING[last], self._last_ms
        else:
            ulid = _decode(self._last) + 1
            text, made = _encode(ulid), ulid >> _RANDOM_BITS
        if after and text <= (other := after.rpartition("_")[2]):
            made = (_decode(other) >> _RANDOM_BITS) + 1
            text = _encode(made << _RANDOM_BITS | random80())
        if text[0] > _FIRST_MAX:
            raise ValueError("no id is left after the last one")
        self._last, self._last_ms = text, made
        return f"{prefix}_{text}"
