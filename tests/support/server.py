"""A real server: the installed program in a process of its own, on a free port."""

import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import SystemRandom

import httpx
import psutil

from stoa.settings import Settings
from tests.support.loaded import Command, Process, Start
from tests.support.migrated import migrated

MODERATOR_SEED = "4d" * 32
"""The secret half of the key whose agent moderates the shared servers."""

_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_PORTS = set(range(10_240 + _WORKER % 16, 32_768, 16))
"""Those that no test of this process was given: below the ports of outgoing connections, and no
other test process of the same run has one of them."""
_CHANCE = SystemRandom()  # Hypothesis seeds the other one alike in all processes
_READY_S = 120
_STOP_S = 120
_OPEN_AT = re.compile(r"open at (http://\S+)")


def environment(settings: Mapping[str, object]) -> dict[str, str]:
    """This process's environment with exactly these settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
    return kept | {f"STOA_{name.upper()}": str(value) for name, value in settings.items()}


def free_port() -> int:
    """A port of loopback that is free now, and that stays so until a server of this test has it."""
    while True:
        port = _CHANCE.choice(sorted(_PORTS))
        _PORTS.remove(port)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def children(pid: int) -> set[int]:
    """The processes that this one has started and that still run."""
    try:
        return {child.pid for child in psutil.Process(pid).children()}
    except psutil.NoSuchProcess:
        return set()


class Server:
    """`stoa serve` on a free port, ready when the constructor returns.

    `printed` is what it wrote to stdout up to its address, all of it once it has ended; `database`
    are the settings that say where its data is. `program` names one of `tests/programs`, which is
    run instead of the installed one; it works in the folder in which `data_dir` is. `how` it is
    started is with what is loaded already, or `anew`.
    """

    def __init__(
        self,
        data_dir: Path,
        settings: Mapping[str, object],
        program: str = "",
        flags: Sequence[str] = (),
        how: Start = Process,
    ) -> None:
        self.data_dir = data_dir
        address = str(settings.get("database_url", ""))
        self.database = Settings(data_dir=str(data_dir), database_url=address)
        port = str(settings.get("port") or (free_port() if "base_url" in settings else 0))
        self.printed = ""
        file = self.database.database_path
        if how is Process and self.database.engine == "sqlite" and not file.parent.exists():
            migrated(file)
        self._log_path = data_dir.with_name(f"{data_dir.name}.log")
        with self._log_path.open("ab") as log:
            arguments = ["serve", "--port", port, "--data-dir", str(data_dir), *flags]
            command = Command(arguments, environment(settings), data_dir.parent, program)
            self.process = how(command, log)
        try:
            self.url = self._address() if port == "0" else f"http://127.0.0.1:{port}"
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def _address(self) -> str:
        assert self.process.stdout
        for line in self.process.stdout:
            self.printed += line.decode()
            if found := _OPEN_AT.search(self.printed):
                return found[1]
        raise AssertionError(f"the server did not start: {self.log}")

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _READY_S
        while not self._is_ready():
            assert time.monotonic() < deadline, f"not ready after {_READY_S} s: {self.log}"
            assert self.process.poll() is None, f"the server ended: {self.log}"
            time.sleep(0.01)

    def _is_ready(self) -> bool:
        connection = HTTPConnection(*self.address, timeout=_READY_S)
        with closing(connection), suppress(OSError, HTTPException):
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        return False

    @property
    def log(self) -> str:
        """What the server wrote to stderr."""
        return self._log_path.read_text(encoding="utf-8")

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, for a plain socket."""
        url = httpx.URL(self.url)
        assert url.port
        return url.host, url.port

    def memory(self) -> int:
        """Bytes of memory its processes hold now; what they share counts for each."""
        process = psutil.Process(self.process.pid)
        return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end; its exit status."""
        self.process.send_signal(how)
        return self.wait()

    def kill(self) -> None:
        """End it and its workers at once with SIGKILL."""
        workers = children(self.process.pid)
        self.process.kill()
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        """Its exit status once it has ended, which it must have begun to do."""
        try:
            return self.process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            if self.process.stdout and not self.process.stdout.closed:
                self.printed += self.process.stdout.read().decode()
                self.process.stdout.close()
