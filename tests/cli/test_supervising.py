"""The supervisor: hung workers are replaced, SIGHUP replaces all, status 70 is passed on."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.cli.reload_report import ReloadReport
from stoa.cli.supervising import Supervisor
from stoa.cli.worker_process import SupervisorLink, Worker
from stoa.clock import SystemClock
from stoa.domain import limits
from stoa.store.tx import StartRefused
from tests.support.processes import alive, has_ended, one_client_each, until, workers
from tests.support.server import Server, children, environment, free_port
from tests.support.soaking import few

StartServer = Callable[..., Server]

CAUGHT = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGHUP)


def lines(server: Server, event: str) -> list[dict[str, Any]]:
    """The lines of the log that tell of this."""
    found = [json.loads(line) for line in server.log.splitlines() if line.startswith("{")]
    return [line for line in found if line["event"] == event]


# --- Heartbeats.


@pytest.fixture
def beating() -> Iterator[tuple[Worker, SupervisorLink]]:
    """A worker that is ready, as its supervisor sees it, and the worker's own side."""
    reading, writing = os.pipe()
    worker, link = Worker(), SupervisorLink(writing, -1)
    worker.started(os.getpid(), reading)
    link.ready()
    worker.listen()
    yield worker, link
    os.close(reading)
    os.close(writing)


def test_a_worker_is_silent_after_ten_whole_seconds_without_a_beat(
    beating: tuple[Worker, SupervisorLink],
):
    worker, link = beating
    for _ in range(limits.HEARTBEATS_MISSED):
        worker.miss_beat()
    assert not worker.is_silent()
    link.beat()
    worker.listen()
    for _ in range(limits.HEARTBEATS_MISSED):
        worker.miss_beat()
    assert not worker.is_silent()
    worker.miss_beat()
    assert worker.is_silent()


def test_a_worker_that_is_not_ready_yet_need_not_beat():
    worker = Worker()
    for _ in range(100):
        worker.miss_beat()
    assert not worker.is_silent()


def test_a_supervisor_that_stands_still_does_not_hold_up_its_worker(
    beating: tuple[Worker, SupervisorLink],
):
    worker, link = beating
    for _ in range(100_000):  # more than a pipe holds
        link.beat()
    worker.miss_beat()
    worker.listen()
    assert worker.missed_beats == 0


@pytest.mark.long
@pytest.mark.parametrize("how", few(["python", "c"]))
def test_a_worker_whose_event_loop_stalls_tells_its_stacks_and_is_replaced(
    start_server: StartServer, tmp_path: Path, how: str
):
    server = start_server(program="stalling")
    (stalled,) = workers(server)
    (tmp_path / "stall").write_text(how)
    until(lambda: not alive(stalled))
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
    (hung,) = lines(server, "worker hung")
    assert (hung["worker"], hung["ms"]) == (stalled, 10_000)
    assert any(f"in stall_in_{how}" in line for line in hung["stacks"])
    assert server.stop() == 0


@pytest.mark.soak
@pytest.mark.long
def test_a_stopped_worker_is_replaced_and_one_stopped_for_a_moment_is_not(
    start_server: StartServer,
):
    server = start_server()
    (stopped,) = workers(server)
    os.kill(stopped, signal.SIGSTOP)
    with pytest.raises(httpx.ReadTimeout):
        httpx.get(f"{server.url}/healthz", timeout=3)
    os.kill(stopped, signal.SIGCONT)
    assert httpx.get(f"{server.url}/healthz", timeout=60).status_code == 200
    assert workers(server) == {stopped}
    os.kill(stopped, signal.SIGSTOP)
    until(lambda: not alive(stopped))
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
    assert len(lines(server, "worker hung")) == 1
    assert server.stop() == 0


@pytest.mark.parametrize("harm", few([signal.SIGKILL, signal.SIGSTOP]))
@pytest.mark.long
def test_a_writer_that_is_stopped_does_not_keep_the_next_worker_from_its_file(
    start_server: StartServer, harm: signal.Signals
):
    server = start_server()
    (ended,) = workers(server)
    (writer,) = children(ended)
    os.kill(writer, signal.SIGSTOP)
    os.kill(ended, harm)
    until(lambda: not alive(ended))
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
    assert "worker does not start" not in server.log
    assert server.stop() == 0


def test_what_a_worker_has_started_ends_with_it(tmp_path: Path):
    announced: list[bool] = []
    reading, writing = os.pipe()
    started = tmp_path / "started"

    def announce() -> None:
        announced.append(True)
        os.write(writing, b"!")

    def work(link: SupervisorLink) -> None:
        if announced:  # it replaces one that ended
            os.kill(os.getppid(), signal.SIGTERM)
            signal.pause()
        child = os.fork()
        if not child:
            signal.alarm(600)  # in case nobody ends it
            signal.pause()
        started.write_text(str(child))
        link.ready()
        os.read(reading, 1)

    assert supervised(1, work, announce) == 0
    until(partial(has_ended, int(started.read_text())))


# --- The exit status.


def supervised(
    count: int, work: Callable[[SupervisorLink], None], announce: Callable[[], None] = lambda: None
) -> int:
    """The exit status of a supervisor whose workers do this."""
    kept = {name: signal.getsignal(name) for name in CAUGHT}
    try:
        return Supervisor(count, socket.socket(), work, SystemClock(), ReloadReport).run(announce)
    finally:
        for name, handler in kept.items():
            signal.signal(name, handler)


@pytest.mark.parametrize(("count", "status"), [(1, 70), (2, 0)])
def test_status_70_of_a_worker_ends_the_server_if_there_is_no_other(count: int, status: int):
    announced: list[bool] = []
    reading, writing = os.pipe()

    def announce() -> None:
        announced.append(True)
        os.write(writing, b"!")  # for one of the workers

    def work(link: SupervisorLink) -> None:
        if announced:  # it replaces one that ended
            os.kill(os.getppid(), signal.SIGTERM)
        link.ready()
        os.read(reading, 1)
        raise SystemExit(70)

    assert supervised(count, work, announce) == status


def test_an_error_before_a_worker_is_ready_is_the_reason_why_nothing_starts():
    def work(_: SupervisorLink) -> None:
        raise StartRefused("there is no database")

    with pytest.raises(StartRefused, match=r"^there is no database$"):
        supervised(2, work)


# --- SIGHUP.


@pytest.mark.soak
def test_sighup_replaces_workers_one_by_one(start_server: StartServer, together: dict[str, str]):
    server = start_server(workers=2, **together)
    before = workers(server)
    server.process.send_signal(signal.SIGHUP)
    until(lambda: not any(alive(pid) for pid in before))
    with one_client_each(server, 2) as clients:
        assert not before & set(clients)
    until(lambda: len(lines(server, "worker replaced")) == 2)
    assert len(workers(server)) == 2
    assert "worker ended" not in server.log
    assert server.stop() == 0


@pytest.mark.soak
def test_sighup_is_one_line_in_the_log_of_a_single_worker(start_server: StartServer):
    server = start_server()
    before = workers(server)
    server.process.send_signal(signal.SIGHUP)
    for pid in before:
        os.kill(pid, signal.SIGHUP)  # as from `pkill -HUP stoa`
    until(lambda: "nothing to change" in server.log)
    assert httpx.get(f"{server.url}/readyz", timeout=60).status_code == 200
    assert workers(server) == before
    assert server.log.count("nothing to change") == 1
    assert server.stop() == 0


@pytest.mark.soak
@pytest.mark.parametrize("unbuffered", few(["", "1"]))
def test_a_server_whose_first_lines_nobody_reads_serves(tmp_path: Path, unbuffered: str):
    port = free_port()
    command = [sys.executable, "-m", "stoa", "serve", "--port", str(port), "--data-dir", tmp_path]
    given = environment({}) | {"PYTHONUNBUFFERED": unbuffered}
    unread, written = os.pipe()
    os.close(unread)
    with subprocess.Popen(command, env=given, stdout=written, stderr=subprocess.PIPE) as server:
        os.close(written)
        until(lambda: answers(f"http://127.0.0.1:{port}/readyz"))
        server.terminate()
        assert server.wait() == 0


def answers(url: str) -> bool:
    """Whether a server answers there by now."""
    try:
        return httpx.get(url, timeout=60).status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.soak
def test_a_server_whose_terminal_is_gone_serves_on(tmp_path: Path):
    command = [sys.executable, "-m", "stoa", "serve", "--port", "0", "--data-dir", tmp_path]
    with subprocess.Popen(
        command, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout
        assert server.stderr
        url = server.stdout.readline().removeprefix("Stoa is open at ").strip()
        server.stdout.close()
        server.stderr.close()
        server.send_signal(signal.SIGHUP)
        (killed,) = children(server.pid)
        os.kill(killed, signal.SIGKILL)
        until(lambda: bool(children(server.pid) - {killed}))
        assert httpx.get(f"{url}/readyz", timeout=60).status_code == 200
        server.terminate()
        assert server.wait() == 0
