"""The meaning of a webhook receiver's answer for the next delivery."""

import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from stoa.domain import limits
from stoa.domain.webhooks import Failure

_SUCCESS = 2
"""The first digit of the status of a success."""

_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_SECONDS_DIGITS = 9
_HTTP_TIME = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[ -~]{1,40}")


def failure(status: int, headers: Mapping[str, str], now: int) -> Failure | None:
    """The failure that an answer with this status and these headers (names in lower case) means,
    None for a success. `now` in ms."""
    if status // 100 == _SUCCESS:
        return None
    problem = f"The server answered {status}, and 2xx was expected."
    pause_ms = _asked_pause(headers, now) if status in _BUSY else 0
    return Failure(
        problem,
        f"http_{status // 100}xx",
        is_final=status == HTTPStatus.GONE,
        pause_ms=min(pause_ms, limits.WEBHOOK_ASKED_PAUSE_MS),
        too_large=status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    )


def _asked_pause(headers: Mapping[str, str], now: int) -> int:
    """The ms of a `Retry-After`, in seconds or as a time, which is compared with the `Date` of the
    same answer if it has one; 0 for any other value."""
    asked = headers.get("retry-after", "")
    if asked.isascii() and asked.isdigit():
        return int(asked[:_SECONDS_DIGITS]) * limits.SECOND_MS
    until, made = _unix_ms(asked), _unix_ms(headers.get("date", ""))
    return 0 if until is None else max(0, until - (now if made is None else made))


def _unix_ms(text: str) -> int | None:
    """A time in one of the three forms of HTTP (RFC 9110, 5.6.7)."""
    if not _HTTP_TIME.fullmatch(text):
        return None
    try:
        at = parsedate_to_datetime(text)
        return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()) * limits.SECOND_MS
    except (ValueError, OverflowError):
        return None
