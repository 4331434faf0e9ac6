"""One worker process: what it tells its supervisor, and how the supervisor sees it."""

import faulthandler
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.logs import log
from stoa.settings import SettingsError
from stoa.store.tx import StartRefused

STACKS_SIGNAL = signal.SIGUSR2
"""Answered in C, so also by a process whose interpreter never gets to its next instruction."""

_READY = b"\x06"
_BEAT = b"\x05"
_READ_BYTES = 4096
_REASON_BYTES = 4096  # of the line that says why a worker does not start
_SAID_BYTES = 64 * 1024  # as much as a pipe holds


class SupervisorLink:
    """A worker's side of the pipes to its supervisor. `supervisor_gone` is a descriptor that can be
    read once the supervisor has ended; `place` is a number that no other worker has meanwhile."""

    def __init__(self, status_pipe: int, supervisor_gone: int, place: int = 0) -> None:
        self.place = place
        self._status_pipe = status_pipe
        self.supervisor_gone = supervisor_gone
        os.set_blocking(status_pipe, False)  # a supervisor that is stopped must not stop a worker

    def ready(self) -> None:
        """Tell that this worker serves. From now on it must beat."""
        self._tell(_READY)

    def beat(self) -> None:
        """Tell that the event loop turns."""
        self._tell(_BEAT)

    def refuse(self, reason: str) -> None:
        """Tell in one line why this worker cannot start."""
        self._tell(reason.encode()[:_REASON_BYTES])

    def tell_stacks_on_signal(self) -> None:
        """Let `STACKS_SIGNAL` send the stacks of all threads to the supervisor."""
        faulthandler.register(STACKS_SIGNAL, file=self._status_pipe, all_threads=True)

    def _tell(self, message: bytes) -> None:
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(self._status_pipe, message)


WorkerMain = Callable[[SupervisorLink], None]
"""What a worker does, to its end. It says when it is ready, beats from then on, and ends when
`supervisor_gone` can be read. Raises `StartRefused` or `SettingsError` when it cannot start, and
`SystemExit` to end with that status."""


@dataclass(slots=True, eq=False)
class Worker:
    """One process after the other in one place. Times are those of `elapsed_ms`.

    No two workers have the same `place`. `predecessor` is the worker that ends when this one is
    ready; a `retiring` one is not replaced.
    `kill_at` is when the process is killed, 0 while it need not be.
    """

    place: int = 0
    predecessor: "Worker | None" = None
    pid: int = 0
    ready: bool = False
    retiring: bool = False
    hung: bool = False
    started_at: int = 0
    start_at: int = 0
    kill_at: int = 0
    early_ends: int = 0
    missed_beats: int = 0
    said: bytes = b""
    status_pipe: int = -1

    def started(self, pid: int, status_pipe: int) -> None:
        """A process of this id now fills the place."""
        os.set_blocking(status_pipe, False)
        self.pid, self.status_pipe, self.started_at = pid, status_pipe, elapsed_ms()
        self.ready = self.hung = False
        self.missed_beats = self.kill_at = 0
        self.said = b""

    def listen(self) -> bool:
        """Take in what the process has told; False when it will tell no more."""
        try:
            while told := os.read(self.status_pipe, _READ_BYTES):
                self._hear(told)
        except BlockingIOError:
            return True
        return False

    def _hear(self, told: bytes) -> None:
        self.missed_beats = 0
        self.ready = self.ready or _READY in told
        text = told.replace(_BEAT, b"").replace(_READY, b"")
        self.said = (self.said + text)[:_SAID_BYTES]

    def miss_beat(self) -> None:
        """Count a second in which nothing was heard; the next word sets the count back."""
        if self.ready and not self.hung:
            self.missed_beats += 1

    def is_silent(self) -> bool:
        """Whether the process missed its heartbeat for too long and is not yet replaced."""
        return not self.hung and self.missed_beats > limits.HEARTBEATS_MISSED

    def text(self) -> str:
        """What the process said in words: why it does not start, or its stacks."""
        return self.said.decode(errors="replace")

    def end_within(self, ms: int) -> None:
        """Kill the process unless it ends in so many milliseconds."""
        self.kill_at = elapsed_ms() + ms

    def signal(self, number: signal.Signals) -> None:
        """Signal the process, if there is one."""
        if self.pid:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process and what it started."""
        self.kill_at = 0
        if self.pid:
            kill_group(self.pid)

    def freed(self, pause_ms: int) -> None:
        """The process has ended; another one may start after a pause."""
        self.pid, self.ready = 0, False
        self.kill_at = 0
        self.start_at = elapsed_ms() + pause_ms


def kill_group(pid: int) -> None:
    """Kill what is left of a worker and the processes that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def run_as_worker(work: WorkerMain, link: SupervisorLink) -> NoReturn:
    """Be a worker in this process, which was forked for it, and end it."""
    status = 1
    try:
        link.tell_stacks_on_signal()
        work(link)
        status = 0
    except (StartRefused, SettingsError) as refusal:
        link.refuse(str(refusal))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:  # told here: nothing above may run in a worker
        log.exception("worker failed")
    finally:
        flush_output()
        os._exit(status)


def flush_output() -> None:
    """Write what is buffered, which a fork would write again."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # a closed terminal, a full disk
            stream.flush()
