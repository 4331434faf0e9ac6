"""Adds to each answer of a deprecated operation the day of its end: RFC 9745, RFC 8594."""

from datetime import UTC, date, datetime
from email.utils import format_datetime

from stoa.http.wire import HeaderList, Send, with_headers
from stoa.operations.table import Deprecated


def announcing(send: Send, deprecated: Deprecated) -> Send:
    """A `send` that adds the headers `Deprecation` and `Sunset` to an answer."""
    return with_headers(send, lambda given: [*given, *_headers(deprecated)])


def _headers(deprecated: Deprecated) -> HeaderList:
    since, sunset = _midnight(deprecated.since), _midnight(deprecated.sunset)
    return [
        (b"deprecation", f"@{int(since.timestamp())}".encode()),
        (b"sunset", format_datetime(sunset, usegmt=True).encode()),
        (b"access-control-expose-headers", b"Deprecation, Sunset"),
    ]


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
