"""Runs the `stoa` command as a user does."""

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

from typer import testing
from typer.main import get_command

from stoa.cli.main import application, run

# It would make all commands anew for each, which takes five times as long as the one.
testing._get_command = cache(get_command)  # pyright: ignore[reportPrivateImportUsage, reportPrivateUsage]

app = application()
"""The command, for `CliRunner`."""


class Finished(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def run_stoa(*arguments: str, **environment: str) -> Finished:
    """Run `stoa` with these arguments and variables; settings of this process do not reach it."""
    done = subprocess.run(
        [sys.executable, "-m", "stoa", *arguments],
        env={**_inherited(), **environment},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)


def run_stoa_here(*arguments: str, **environment: str) -> Finished:
    """The same in this process, which has loaded the program already: it takes a tenth of the time.

    For commands that start no process and change nothing of this one.
    """
    variables = {**_inherited(), **environment}
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        patch.dict(os.environ, variables, clear=True),
        patch.object(sys, "argv", ["stoa", *arguments]),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            run()
        except SystemExit as end:
            code = int(end.code or 0)
    return Finished(code, out.getvalue(), err.getvalue())


def _inherited() -> dict[str, str]:
    names = (name for name in os.environ if not name.startswith("STOA_"))
    return {**{name: os.environ[name] for name in names}, "COLUMNS": "120", "NO_COLOR": "1"}
