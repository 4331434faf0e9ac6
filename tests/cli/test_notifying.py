"""What the server tells systemd, and the socket that it takes over from it."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import Server, environment

StartServer = Callable[..., Server]
TIME_S = 60


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The socket on which systemd listens. Unread it keeps ten messages, and others are lost."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.settimeout(TIME_S)
        listener.bind(str(tmp_path / "notify"))
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


@pytest.mark.promise("B8")
def test_systemd_is_told_when_the_server_is_ready_that_it_lives_and_that_it_stops(
    manager: socket.socket, start_server: StartServer
) -> None:
    server = start_server()
    told: list[bytes] = []
    while told.count(b"WATCHDOG=1") < 2 or b"READY=1" not in told:
        told.append(manager.recv(100))
    assert told.count(b"READY=1") == 1
    assert set(told) == {b"READY=1", b"WATCHDOG=1"}
    server.process.send_signal(signal.SIGTERM)
    while told[-1] != b"STOPPING=1":
        told.append(manager.recv(100))
    assert server.wait() == 0
    assert told.count(b"STOPPING=1") == 1


@pytest.mark.soak
def test_a_server_that_does_not_start_is_never_called_ready(
    manager: socket.socket, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "stoa.db").write_text("no database")
    command = [sys.executable, "-m", "stoa", "serve", "--port", "0", "--data-dir"]
    done = subprocess.run(
        [*command, tmp_path / "data"], env=environment({}), capture_output=True, check=False
    )
    assert done.returncode == 1
    manager.setblocking(False)
    told: set[bytes] = set()
    while True:
        try:
            told.add(manager.recv(100))
        except BlockingIOError:
            break
    assert told == set()


@pytest.mark.soak
def test_a_systemd_that_is_gone_stops_no_server(
    start_server: StartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "@nobody listens here")
    assert start_server().stop() == 0


_ACTIVATE = """
import os, sys
count = int(os.environ["LISTEN_FDS"])
kept = [os.dup(int(number)) for number in sys.argv[1:1 + count]]
for place, descriptor in enumerate(kept):
    os.dup2(descriptor, 3 + place)
    os.set_inheritable(3 + place, True)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.executable, [sys.executable, "-m", "stoa", "serve", *sys.argv[1 + count:]])
"""
"""Puts sockets where systemd puts them, and becomes the server."""


@contextmanager
def activated(
    listeners: list[socket.socket], folder: Path, **settings: str
) -> Generator["subprocess.Popen[str]"]:
    """The server as systemd starts it, with these sockets from descriptor 3 on."""
    numbers = [str(held.fileno()) for held in listeners]
    process = subprocess.Popen(
        [sys.executable, "-c", _ACTIVATE, *numbers, "--data-dir", str(folder)],
        env=environment(settings) | {"LISTEN_FDS": str(len(listeners))},
        pass_fds=[held.fileno() for held in listeners],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=TIME_S)


def ask(listener: socket.socket) -> socket.socket:
    """Connect and send a request, which need not be answered yet."""
    client = socket.create_connection(listener.getsockname(), TIME_S)
    host = "{}:{}".format(*listener.getsockname())
    client.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    return client


@pytest.mark.promise("B9")
def test_connections_wait_at_an_inherited_socket_while_the_server_is_started_again(
    tmp_path: Path,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        moved = os.dup(listener.fileno())  # one that is in the way of no other
        with socket.socket(fileno=moved) as held:
            for _ in range(2):
                waiting = ask(listener)  # nothing serves yet
                with waiting, activated([held], tmp_path / "data"):
                    assert waiting.recv(100).startswith(b"HTTP/1.1 200 ")


def test_an_inherited_socket_that_cannot_be_used_is_refused_in_one_line(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
        socket.create_server(("0.0.0.0", 0)) as everywhere,  # noqa: S104 - it is not served
    ):
        for listeners, said in (([one, two], "2 sockets"), ([everywhere], "STOA_BASE_URL")):
            with activated(listeners, tmp_path / "data") as process:
                assert process.wait(TIME_S) == 1
                assert process.stderr
                error = process.stderr.read()
                assert (said in error, error.count("\n")) == (True, 1), error
        assert not (tmp_path / "data").exists()


@pytest.mark.promise("D48")
def test_backups_that_fail_are_not_called_active(
    manager: socket.socket, start_server: StartServer, tmp_path: Path
) -> None:
    folder = tmp_path / "backups"
    server = start_server(backup_dir=str(folder))
    while manager.recv(100) != b"READY=1":  # of the server
        pass

    def told() -> Any:
        return httpx.get(f"{server.url}/readyz", timeout=TIME_S).json()

    assert told()["backupAgeSeconds"] is None
    command = [sys.executable, "-m", "stoa", "backup", str(folder), "--every", "1h"]
    making = subprocess.Popen([*command, "--data-dir", server.data_dir], env=environment({}))
    while not (state := manager.recv(1000)).startswith(b"READY=1\nSTATUS=The last backup was made"):
        assert state == b"WATCHDOG=1"
    making.terminate()
    assert making.wait(TIME_S) == 0
    assert told()["backupAgeSeconds"] < 1000
    assert "backupFailed" not in told()
    data = tmp_path / "older"
    (data / "stoa.db").parent.mkdir()
    (data / "stoa.db").write_text("no database")
    failing = subprocess.Popen([*command, "--data-dir", data], env=environment({}))
    while not (state := manager.recv(1000)).startswith(b"STATUS=No backup since"):
        assert state == b"WATCHDOG=1"
    assert failing.wait(TIME_S) == 1
    assert "cannot be copied" in told()["backupFailed"]
