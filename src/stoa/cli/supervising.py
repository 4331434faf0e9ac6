"""The supervisor of `stoa serve`: starts the workers, replaces those that end or hang, ends all.

All workers accept from one socket, which is bound once and inherited. A connection that waits to be
accepted can be taken by any of them, so none is lost when a worker ends. With a socket for each
worker (SO_REUSEPORT) the connections in its queue would be lost. Workers are forks of this process,
which has loaded the program before and runs nothing else: no thread, no event loop, no connection.
"""

import os
import selectors
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NoReturn

from stoa.cli.notifying import ALIVE, READY, STOPPING, notify
from stoa.cli.reload_report import ReloadReport, ReportFile
from stoa.cli.supervisor_signals import SupervisorSignals
from stoa.cli.worker_process import (
    STACKS_SIGNAL,
    SupervisorLink,
    Worker,
    WorkerMain,
    flush_output,
    kill_group,
    run_as_worker,
)
from stoa.clock import SystemClock, elapsed_ms
from stoa.domain import limits
from stoa.logs import log
from stoa.store.tx import StartRefused

_DRAIN_MS = limits.SHUTDOWN_GRACE_MS + limits.WORKER_END_MS


class Supervisor:
    """Keeps `count` workers running on `listener` until SIGTERM or SIGINT.

    `reread` reads the settings again at each reload and tells what workers that start from then on
    take of them. Workers have a copy of `clock` from their start, and so one time: its reference
    to the machine's clock is watched here.
    """

    def __init__(
        self,
        count: int,
        listener: socket.socket,
        work: WorkerMain,
        clock: SystemClock,
        reread: Callable[[], ReloadReport],
    ) -> None:
        self._count = count
        self._workers = [Worker(place=place) for place in range(count)]
        self._outdated: list[Worker] = []
        self._listener = listener
        self._work = work
        self._clock = clock
        self._reread = reread
        self._report = ReportFile()
        self._signals = SupervisorSignals()
        self._stepped = False
        self._looked_at = elapsed_ms()
        self._status = 0
        self._open = False
        self._supervisor_gone, self._supervisor_lives = os.pipe()

    def run(self, announce: Callable[[], None]) -> int:
        """Start the workers, `announce` once all are ready, and see to them until the end; returns
        the exit status.

        The first one starts alone: it brings the database to the schema for all. Raises
        `StartRefused` when one cannot start; one that replaces another is tried again instead.
        """
        self._signals.catch()
        try:
            while not self._signals.ending:
                self._start_missing()
                if not self._open and all(worker.ready for worker in self._workers):
                    self._open = True
                    announce()
                    notify(READY)
                self._signals.wait(self._pause())
                self._listen()
                self._reap()
                self._look()
                self._kill_overdue()
                self._replace_outdated()
        finally:
            self._end()
        return self._status

    def _pause(self) -> int:
        """How long nothing is to be done, ms."""
        times = [worker.start_at for worker in self._missing()]
        times += [worker.kill_at for worker in self._workers if worker.kill_at]
        times.append(self._looked_at + limits.HEARTBEAT_MS)
        return max(0, min(times) - elapsed_ms())

    # --- Starting.

    def _missing(self) -> Iterator[Worker]:
        """The places without a process that may be filled."""
        first = self._workers[0]
        alone = not self._open and not first.ready
        for worker in [first] if alone else self._workers:
            if not worker.pid:
                yield worker

    def _start_missing(self) -> None:
        for worker in list(self._missing()):
            if worker.start_at <= elapsed_ms():
                self._start(worker)

    def _start(self, worker: Worker) -> None:
        try:
            self._fork(worker)
        except OSError as error:  # too many processes or open files
            if not self._open:
                raise StartRefused(f"cannot start a worker: {error.strerror}") from error
            worker.early_ends += 1
            worker.freed(pause_before_start(worker.early_ends))
            log.exception("worker does not start")

    def _fork(self, worker: Worker) -> None:
        flush_output()
        ours, theirs = os.pipe()
        try:
            with self._signals.held_back():
                pid = os.fork()
                if not pid:
                    self._become_worker(ours, theirs, worker.place)
        except OSError:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        with suppress(OSError):  # the worker does the same, whichever is first
            os.setpgid(pid, pid)
        worker.started(pid, ours)
        self._signals.pipes.register(ours, selectors.EVENT_READ)

    def _become_worker(self, supervisors: int, status_pipe: int, place: int) -> NoReturn:
        try:
            os.setpgid(0, 0)  # Ctrl-C is the supervisor's, which then ends the workers
            os.close(supervisors)
            self._leave()
        except BaseException:
            log.exception("worker failed")
            os._exit(1)
        run_as_worker(self._work, SupervisorLink(status_pipe, self._supervisor_gone, place))

    def _leave(self) -> None:
        """Let go, in a worker, of what is the supervisor's."""
        self._signals.leave()
        self._report.close()
        os.close(self._supervisor_lives)
        for worker in self._workers:
            if worker.status_pipe >= 0:
                os.close(worker.status_pipe)

    # --- What workers tell, and their end.

    def _listen(self) -> None:
        for worker in self._workers:
            self._listen_to(worker)

    def _listen_to(self, worker: Worker) -> None:
        if worker.status_pipe < 0 or worker.listen():
            return
        self._signals.pipes.unregister(worker.status_pipe)
        os.close(worker.status_pipe)
        worker.status_pipe = -1

    def _reap(self) -> None:
        for worker in list(self._workers):
            pid, status = os.waitpid(worker.pid, os.WNOHANG) if worker.pid else (0, 0)
            if pid:
                # What it started may hold what its successor needs: the lock of the database.
                kill_group(pid)
                self._listen_to(worker)
                self._lost(worker, os.waitstatus_to_exitcode(status))

    def _lost(self, worker: Worker, status: int) -> None:
        ended = worker.pid
        refused = worker.text() if not worker.ready else ""
        lived = elapsed_ms() - worker.started_at
        worker.early_ends = worker.early_ends + 1 if lived < limits.WORKER_STEADY_MS else 0
        pause = pause_before_start(worker.early_ends)
        worker.freed(pause)
        if worker.retiring:
            self._leave_place(worker)
            log.info("worker replaced", worker=ended, status=status)
        elif self._signals.ending:
            return
        elif not self._open:
            raise StartRefused(
                refused or f"a worker ended with status {status} as it started: see the log"
            )
        elif refused:
            log.error("worker does not start", reason=refused, tried_again_in_ms=pause)
        elif status == os.EX_SOFTWARE and self._count == 1:
            log.error("worker ended", worker=ended, status=status)
            self._status, self._signals.ending = status, True
        else:
            log.error("worker ended", worker=ended, status=status, replaced_in_ms=pause)

    # --- Heartbeats and the clock, once a second.

    def _look(self) -> None:
        now = elapsed_ms()
        if now - self._looked_at < limits.HEARTBEAT_MS:
            return
        # Counted, not timed: while this process or the machine is suspended, no worker is late.
        self._looked_at = now
        notify(ALIVE)
        self._look_at_clock()
        for worker in self._workers:
            worker.miss_beat()
            if worker.is_silent():
                worker.hung = True
                worker.signal(STACKS_SIGNAL)
                worker.end_within(limits.WORKER_STACKS_MS)

    def _look_at_clock(self) -> None:
        step = self._clock.machine_step_ms()
        if step and not self._stepped:
            log.error("clock stepped", clock="machine", ms=step)
        elif self._stepped and not step:
            log.warning("clock stepped back", clock="machine")
        self._stepped = bool(step)

    def _kill_overdue(self) -> None:
        for worker in self._workers:
            if worker.kill_at and worker.kill_at <= elapsed_ms():
                if worker.hung:
                    silent = limits.HEARTBEATS_MISSED * limits.HEARTBEAT_MS
                    stacks = worker.text().splitlines()
                    log.error("worker hung", worker=worker.pid, ms=silent, stacks=stacks)
                worker.kill()

    # --- SIGHUP.

    def _replace_outdated(self) -> None:
        """After SIGHUP: one worker more, and when it is ready one that was there before ends. A
        single one, which alone can hold its database, ends before the next one starts; meanwhile
        connections wait."""
        if self._signals.hung_up:
            self._signals.hung_up = False
            self._reload()
        for worker in list(self._workers):
            if worker.ready and worker.predecessor:
                self._retire(worker.predecessor)
                worker.predecessor = None
        busy = any(worker.predecessor or worker.retiring for worker in self._workers)
        if self._outdated and not busy:
            taken = {worker.place for worker in self._workers}
            place = next(place for place in range(places(self._count)) if place not in taken)
            self._workers.append(Worker(place=place, predecessor=self._outdated.pop(0)))
        all_ready = all(worker.ready for worker in self._workers)
        if self._report.pending and not (busy or self._outdated) and all_ready:
            self._report.end()

    def _reload(self) -> None:
        if not self._open:
            return
        report = self._reread()
        if report.problem:
            log.error("settings are wrong", reason=report.problem)
        if report.taken:
            log.info("settings taken", settings=report.taken)
        if report.not_taken:
            log.warning("settings not taken", settings=report.not_taken)
        begins = not report.problem and (self._count > 1 or bool(report.taken))
        if begins:
            self._begin_to_replace()
        elif not report.problem:
            log.info("nothing to change: a single worker is replaced only where settings are taken")
        self._report.follow(report, pending=begins)

    def _begin_to_replace(self) -> None:
        log.info("workers are replaced one by one", workers=self._count)
        if self._count == 1:
            self._retire(self._workers[0])
            return
        leaving = [worker.predecessor for worker in self._workers]
        self._outdated = [
            worker for worker in self._workers if not worker.retiring and worker not in leaving
        ]

    def _retire(self, worker: Worker) -> None:
        if worker.pid:
            worker.retiring = True
            worker.signal(signal.SIGTERM)
            worker.end_within(_DRAIN_MS)
        else:  # it has ended and would only now have been replaced
            self._leave_place(worker)

    def _leave_place(self, worker: Worker) -> None:
        """A worker that was to end has; the place of a single one is for the next."""
        worker.retiring = False
        if self._count == 1:
            worker.early_ends = worker.start_at = 0
        else:
            self._workers.remove(worker)

    # --- The end.

    def _end(self) -> None:
        """Let the workers finish what runs, and end those that do not."""
        self._signals.ending = True
        notify(STOPPING)
        self._listener.close()
        deadline = elapsed_ms() + _DRAIN_MS
        self._signal(signal.SIGTERM)
        while any(worker.pid for worker in self._workers):
            left = deadline - elapsed_ms()
            if left <= 0:
                for worker in self._workers:
                    worker.kill()
            if self._signals.hurrying:
                self._signal(signal.SIGINT)
                self._signals.hurrying = False
            self._signals.wait(left if left > 0 else limits.WORKER_END_MS)
            self._listen()
            self._reap()
        signal.set_wakeup_fd(-1)

    def _signal(self, number: signal.Signals) -> None:
        for worker in self._workers:
            worker.signal(number)


def places(count: int) -> int:
    """How many workers there are at most at the same time: one more while one is replaced."""
    return count + 1


def pause_before_start(early_ends: int) -> int:
    """Ms until a worker is replaced: none after a long life, then longer with each short one."""
    if not early_ends:
        return 0
    return min(limits.WORKER_PAUSE_MS << (early_ends - 1), limits.WORKER_PAUSE_MAX_MS)
