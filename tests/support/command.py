"""Runs the `stoa` command as a user does."""

import os
import subprocess
import sys
from typing import NamedTuple


class Finished(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def run_stoa(*arguments: str, **environment: str) -> Finished:
    """Run `stoa` with these arguments and variables; settings of this process do not reach it."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
    done = subprocess.run(
        [sys.executable, "-m", "stoa", *arguments],
        env={**inherited, "COLUMNS": "120", "NO_COLOR": "1", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)
