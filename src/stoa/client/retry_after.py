"""How long a service asks to wait: `Retry-After`, in seconds or until a time (RFC 9110, 10.2.3)."""

import re
import time
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

MOST_SECONDS = 999_999_999
"""What asks for longer asks for this."""

_SECONDS = re.compile(r"[0-9]+", re.ASCII)
_TIME = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[ -~]{1,40}")


def retry_after(headers: Mapping[str, str]) -> int | None:
    """The seconds that an answer asks to wait; None if it asks for no pause that can be read.

    A time is compared with the `Date` of the same answer, so that the clock here may be wrong. An
    answer without one is taken as made now.
    """
    asked = headers.get("retry-after", "")
    if _SECONDS.fullmatch(asked):
        return int(asked) if len(asked) < len(str(MOST_SECONDS)) else MOST_SECONDS
    until = _seconds(asked)
    if until is None:
        return None
    made = _seconds(headers.get("date", ""))
    return min(max(0, until - (int(time.time()) if made is None else made)), MOST_SECONDS)


def _seconds(text: str) -> int | None:
    """The Unix second of a time in one of the three forms of HTTP."""
    if not _TIME.fullmatch(text):
        return None
    try:
        at = parsedate_to_datetime(text)
        return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return None
