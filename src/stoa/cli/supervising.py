"""Several workers on one machine: started, replaced when they die, and ended together.

All accept from one socket, which is bound once and inherited. So what waits to be accepted waits
for all of them, and no connection is lost with a worker that had not taken it; a socket for each
(SO_REUSEPORT) would take its queue along. Workers are forks of this process, which has loaded the
program before and runs nothing else: no thread, no event loop, no connection.
"""

import os
import selectors
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

import structlog

from stoa.clock import elapsed_ms
from stoa.domain import limits
from stoa.store.tx import StartRefused

log = structlog.get_logger("stoa.workers")

_CAUGHT = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)
_READY = b"\n"
_LINE_BYTES = 4096  # of the reason why a worker does not start; a pipe takes it in one piece


Work = Callable[[Callable[[], None], int], None]
"""What a worker does, to its end: it calls the first argument once it serves, and ends when the
second, a descriptor, can be read, for then the supervisor is gone. Raises `StartRefused` when it
cannot begin."""


@dataclass(slots=True)
class _Worker:
    """A place that one process fills after the other. Times are those of `elapsed_ms`."""

    pid: int = 0
    news: int = -1
    ready: bool = False
    started_at: int = 0
    start_at: int = 0
    early_ends: int = 0


class Supervisor:
    """Keeps `count` workers running on `listener` until SIGTERM or SIGINT."""

    def __init__(self, count: int, listener: socket.socket, work: Work) -> None:
        self._workers = [_Worker() for _ in range(count)]
        self._listener = listener
        self._work = work
        self._open = False
        self._ending = False
        self._life, self._held = os.pipe()
        self._woken, self._waking = os.pipe()
        self._selector = selectors.DefaultSelector()

    def run(self, announce: Callable[[], None]) -> None:
        """Start the workers, `announce` once all are ready, and see to them until the end.

        The first one starts alone: it brings the database to the schema for all. Raises
        `StartRefused` when one cannot start; one that replaces another is tried again instead.
        """
        for pipe in (self._woken, self._waking):
            os.set_blocking(pipe, False)
        signal.set_wakeup_fd(self._waking)
        for name in _CAUGHT:
            signal.signal(name, self._note)
        self._selector.register(self._woken, selectors.EVENT_READ)
        try:
            while not self._ending:
                self._start_missing()
                if not self._open and all(worker.ready for worker in self._workers):
                    self._open = True
                    announce()
                self._wait(self._pause())
                self._listen()
                self._bury()
        finally:
            self._end()

    def _note(self, number: int, _frame: object) -> None:
        self._ending = self._ending or number != signal.SIGCHLD

    def _wait(self, pause_ms: int | None) -> None:
        self._selector.select(None if pause_ms is None else pause_ms / 1000)
        try:
            while os.read(self._woken, 512):
                continue
        except BlockingIOError:
            return

    def _pause(self) -> int | None:
        """How long nothing is to be done, ms; None when only an event ends the wait."""
        waiting = [worker.start_at for worker in self._workers if not worker.pid]
        if not self._workers[0].ready and not self._open:
            return None
        return max(0, min(waiting) - elapsed_ms()) if waiting else None

    # --- Starting.

    def _start_missing(self) -> None:
        for worker in self._workers:
            if not worker.pid and worker.start_at <= elapsed_ms():
                self._start(worker)
            if not worker.ready and not self._open and worker is self._workers[0]:
                return

    def _start(self, worker: _Worker) -> None:
        worker.news, news = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        # A signal between the fork and the worker's own handlers must not be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, _CAUGHT)
        pid = os.fork()
        if not pid:
            self._become_worker(news)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _CAUGHT)
        os.close(news)
        os.set_blocking(worker.news, False)
        self._selector.register(worker.news, selectors.EVENT_READ)
        worker.pid, worker.ready, worker.started_at = pid, False, elapsed_ms()

    def _become_worker(self, news: int) -> NoReturn:
        status = 1
        try:
            os.setpgid(0, 0)  # Ctrl-C is the supervisor's, which then ends the workers
            self._leave()
            self._work(lambda: _tell(news, _READY), self._life)
            status = 0
        except StartRefused as refusal:
            _tell(news, str(refusal).encode()[:_LINE_BYTES])
        except Exception:  # told here, as nothing above may run in a worker
            log.exception("worker failed")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _leave(self) -> None:
        """Let go, in a worker, of what is the supervisor's."""
        signal.set_wakeup_fd(-1)
        for name in _CAUGHT:
            signal.signal(name, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _CAUGHT)
        self._selector.close()
        for pipe in (self._held, self._woken, self._waking):
            os.close(pipe)
        for worker in self._workers:
            if worker.news >= 0:
                os.close(worker.news)

    # --- What workers say, and their end.

    def _listen(self) -> None:
        for worker in self._workers:
            self._listen_to(worker)

    def _listen_to(self, worker: _Worker) -> None:
        said = self._said(worker)
        if said == _READY:
            worker.ready = True
        elif said:
            reason = said.decode(errors="replace")
            if not self._open and not self._ending:
                raise StartRefused(reason)
            log.error("worker does not start", reason=reason)

    def _said(self, worker: _Worker) -> bytes:
        if worker.news < 0:
            return b""
        try:
            said = os.read(worker.news, _LINE_BYTES)
        except BlockingIOError:
            return b""
        if not said:
            self._hang_up(worker)
        return said

    def _hang_up(self, worker: _Worker) -> None:
        self._selector.unregister(worker.news)
        os.close(worker.news)
        worker.news = -1

    def _bury(self) -> None:
        for worker in self._workers:
            pid, status = os.waitpid(worker.pid, os.WNOHANG) if worker.pid else (0, 0)
            if pid:
                self._listen_to(worker)
                self._lost(worker, os.waitstatus_to_exitcode(status))

    def _lost(self, worker: _Worker, status: int) -> None:
        if worker.news >= 0:
            self._hang_up(worker)
        if not self._open and not self._ending:
            raise StartRefused(f"a worker ended with status {status} as it started: see the log")
        lived = elapsed_ms() - worker.started_at
        worker.early_ends = worker.early_ends + 1 if lived < limits.WORKER_STEADY_MS else 0
        pause = pause_before_start(worker.early_ends)
        if not self._ending:
            log.error("worker ended", worker=worker.pid, status=status, replaced_in_ms=pause)
        worker.pid, worker.ready, worker.start_at = 0, False, elapsed_ms() + pause

    def _end(self) -> None:
        """Let the workers finish what runs, and end those that do not."""
        self._ending = True
        self._listener.close()
        self._signal(signal.SIGTERM)
        deadline = elapsed_ms() + limits.SHUTDOWN_GRACE_MS + limits.WORKER_END_MS
        while any(worker.pid for worker in self._workers):
            left = deadline - elapsed_ms()
            if left <= 0:
                self._signal(signal.SIGKILL)
            self._wait(left if left > 0 else limits.WORKER_END_MS)
            self._listen()
            self._bury()
        signal.set_wakeup_fd(-1)

    def _signal(self, number: signal.Signals) -> None:
        for worker in self._workers:
            if worker.pid:
                os.kill(worker.pid, number)


def _tell(news: int, line: bytes) -> None:
    with suppress(BrokenPipeError):  # when the supervisor is gone, there is nobody to tell
        os.write(news, line)


def pause_before_start(early_ends: int) -> int:
    """Ms until a worker is replaced: none after a long life, then longer with each short one."""
    if not early_ends:
        return 0
    return min(limits.WORKER_PAUSE_MS << (early_ends - 1), limits.WORKER_PAUSE_MAX_MS)
