"""Runs the `stoa` command as a user does."""

import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple
from unittest.mock import patch

from typer import testing
from typer.main import get_command

from stoa.cli.main import application, run
from tests.support.loaded import Command, Process, Start

# It would make all commands anew for each, which takes five times as long as the one.
testing._get_command = cache(get_command)  # pyright: ignore[reportPrivateImportUsage, reportPrivateUsage]

_ENDS_S = 250

app = application()
"""The command, for `CliRunner`."""


class Finished(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


def run_stoa(*arguments: str, **environment: str) -> Finished:
    """Run `stoa` with these arguments and variables; settings of this process do not reach it."""
    return run_stoa_in(Path.cwd(), arguments, {**_inherited(), **environment})


def run_stoa_in(
    folder: Path, arguments: Iterable[object], environment: Mapping[str, str], how: Start = Process
) -> Finished:
    """The same in a folder, with these variables alone; what Python itself reads only a process
    that is started `anew` sees."""
    command = Command([str(one) for one in arguments], environment, folder)
    with TemporaryFile() as stderr:
        process = how(command, stderr)
        assert process.stdout
        with process.stdout:
            out = process.stdout.read()
        code = process.wait(_ENDS_S)
        stderr.seek(0)
        return Finished(code, out.decode(), stderr.read().decode())


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


def run_agent(*arguments: str, answer: str = "") -> Finished:
    """Run `stoa agent …` in this process, with what its user types."""
    done = testing.CliRunner().invoke(app, ["agent", *arguments], input=answer)
    return Finished(done.exit_code, done.stdout, done.stderr)


def told(finished: Finished) -> Any:
    """The JSON that a command printed."""
    assert finished.code == 0, finished.err
    return json.loads(finished.out)


def _inherited() -> dict[str, str]:
    names = (name for name in os.environ if not name.startswith("STOA_"))
    return {**{name: os.environ[name] for name in names}, "COLUMNS": "120", "NO_COLOR": "1"}
