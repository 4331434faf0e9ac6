"""`stoa` on a machine whose clock a test sets: to the seconds that the file `clock` says ahead."""

import time
from contextlib import suppress
from pathlib import Path

from stoa.__main__ import run

_AHEAD = Path.cwd() / "clock"
_true_ns = time.time_ns


def _set_ns() -> int:
    with suppress(FileNotFoundError):
        return _true_ns() + int(float(_AHEAD.read_text() or 0) * 1e9)
    return _true_ns()


time.time_ns = _set_ns

if __name__ == "__main__":
    run()
