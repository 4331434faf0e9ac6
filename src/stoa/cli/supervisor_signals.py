"""The signals of a supervisor: what they ask of it, and pauses that they end."""

import os
import selectors
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress

_CAUGHT = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGHUP)


class SupervisorSignals:
    """Whether the supervisor is `ending`, `hurrying` as it was asked to end again, or is to reload
    since it was `hung_up`. Pauses end with a signal, and when one of the pipes can be read."""

    def __init__(self) -> None:
        self.ending = self.hurrying = self.hung_up = False
        self._woken, self._waking = os.pipe()
        self.pipes = selectors.DefaultSelector()

    def catch(self) -> None:
        """Take the signals from here on."""
        for pipe in (self._woken, self._waking):
            os.set_blocking(pipe, False)
        signal.set_wakeup_fd(self._waking)
        for name in _CAUGHT:
            signal.signal(name, self._note)
        self.pipes.register(self._woken, selectors.EVENT_READ)

    def _note(self, number: int, _frame: object) -> None:
        if number == signal.SIGHUP:
            self.hung_up = True
        elif number != signal.SIGCHLD:
            self.hurrying = self.ending and number == signal.SIGINT
            self.ending = True

    def wait(self, pause_ms: int) -> None:
        """Pause for so long at most."""
        self.pipes.select(pause_ms / 1000)
        with suppress(BlockingIOError):
            while os.read(self._woken, 512):
                continue

    @contextmanager
    def held_back(self) -> Generator[None]:
        """Let signals wait: one between a fork and the worker's own handlers must not be lost."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _CAUGHT)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _CAUGHT)

    def leave(self) -> None:
        """Let go of them in a worker, where they were held back."""
        signal.set_wakeup_fd(-1)
        for name in _CAUGHT:
            signal.signal(name, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # only the supervisor acts on it
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _CAUGHT)
        self.pipes.close()
        for pipe in (self._woken, self._waking):
            os.close(pipe)
