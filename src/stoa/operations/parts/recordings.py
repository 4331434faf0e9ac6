"""Real requests and answers for documentation, recorded from a run of this service.

The tests play the same run again and compare; `python -m tests.support.recording` writes it anew.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

RECORDED_AT = "http://127.0.0.1:8080"
"""The address of the service that the run was recorded from."""


class Recorded(msgspec.Struct, frozen=True):
    """`calls` by operation: `{request, status, answer}`. `errors` are error bodies by name."""

    calls: dict[str, Any]
    errors: dict[str, Any]


@lru_cache(maxsize=4)
def load(origin: str) -> Recorded:
    """The recording, with the address `origin`."""
    text = (Path(__file__).parent / "recorded.json").read_text(encoding="utf-8")
    return msgspec.json.decode(text.replace(RECORDED_AT, origin), type=Recorded)
