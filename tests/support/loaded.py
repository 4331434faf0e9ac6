"""Processes that run `stoa` without loading it anew: see `tests/programs/loaded.py`.

How the command itself is started, and what it loads, tests of `tests/cli` show with `anew` and
with processes of their own.
"""

import atexit
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import BinaryIO, NamedTuple

_asking = Lock()  # a test may start several at once
_PROGRAMS = Path(__file__).parents[1] / "programs"


class Command(NamedTuple):
    """What is run: `stoa`, or one of `tests/programs`, with these arguments, in this folder."""

    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    program: str = ""


class Process:
    """A running command; used as `subprocess.Popen` is. `stdout` is what it writes."""

    def __init__(self, command: Command, stderr: BinaryIO) -> None:
        reading, stdout = os.pipe()
        self._told, telling = os.pipe()
        program = command.program and str(_PROGRAMS / f"{command.program}.py")
        wanted = {
            "arguments": command.arguments,
            "environment": dict(command.environment),
            "folder": str(command.folder),
            "program": program,
        }
        _ask(json.dumps(wanted).encode(), stdout, stderr.fileno(), telling)
        for given in (stdout, telling):
            os.close(given)
        self.stdout = os.fdopen(reading, "rb")
        self.pid = self._hear()
        self._status: int | None = None

    def _hear(self) -> int:
        (number,) = struct.unpack("I", os.read(self._told, 4))
        return number

    def poll(self) -> int | None:
        """Its exit status, or minus the number of the signal that ended it; None while it runs."""
        return self._look(0)

    def wait(self, timeout_s: float | None = None) -> int:
        """The same once it has ended. Raises `subprocess.TimeoutExpired`."""
        status = self._look(timeout_s)
        if status is None:
            assert timeout_s is not None
            raise subprocess.TimeoutExpired("stoa", timeout_s)
        return status

    def _look(self, timeout_s: float | None) -> int | None:
        if self._status is None:
            looking = select.poll()
            looking.register(self._told, select.POLLIN)
            if looking.poll(None if timeout_s is None else timeout_s * 1000):
                self._status = os.waitstatus_to_exitcode(self._hear())
                os.close(self._told)
        return self._status

    def send_signal(self, how: signal.Signals) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, how)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)


Start = Callable[[Command, BinaryIO], Process | subprocess.Popen[bytes]]
"""`Process` or `anew`."""


def anew(command: Command, stderr: BinaryIO) -> subprocess.Popen[bytes]:
    """The same command as a process that loads `stoa` itself, from its folder if it is there."""
    assert not command.program
    return subprocess.Popen(
        [sys.executable, "-m", "stoa", *command.arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=command.environment,
        cwd=command.folder,
    )


@cache
def _program() -> socket.socket:
    """The way to the one that is loaded, which ends with this process."""
    ours, its = socket.socketpair()
    with its:
        process = subprocess.Popen(
            [sys.executable, "-P", _PROGRAMS / "loaded.py", str(its.fileno())],
            pass_fds=[its.fileno()],
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _ask(request: bytes, *given: int) -> None:
    with _asking:
        way = _program()
        socket.send_fds(way, [struct.pack("I", len(request))], given)
        way.sendall(request)
