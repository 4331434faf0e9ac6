"""`stoa serve --workers`: one start, one end, and a worker that dies is replaced."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from stoa.cli.supervising import pause_before_start
from stoa.client import Key, Stoa
from tests.support.postgresql import PostgreSQL
from tests.support.processes import alive, one_client_each, process, until, workers
from tests.support.server import Server, environment
from tests.support.soaking import few

StartServer = Callable[..., Server]

TIME_S = 60


@pytest.mark.soak
def test_the_addresses_are_told_once_when_all_workers_are_ready(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=3, **together)
    with one_client_each(server, 3) as clients:
        assert set(clients) == workers(server)
        answers = [client.get("/api/v1/threads") for client in clients.values()]
    assert {answer.status_code for answer in answers} == {200}
    assert server.stop() == 0
    assert server.printed.count("Stoa is open at") == 1


@pytest.mark.soak
def test_the_first_worker_brings_an_empty_database_to_the_schema(
    start_server: StartServer, postgresql: PostgreSQL, together: dict[str, str]
) -> None:
    server = start_server(workers=2, **together | {"database_url": postgresql.empty()})
    with one_client_each(server, 2) as clients:
        for client in clients.values():
            client.get("/api/v1/threads").raise_for_status()


@pytest.mark.soak
def test_a_session_that_one_worker_ended_is_refused_by_the_others(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=3, **together)
    with Stoa(server.url, Key.generate()) as ada, one_client_each(server, 3) as clients:
        headers = {"Authorization": ada.authorization()}
        first, *others = clients.values()
        before = [one.get("/api/v1/threads", headers=headers) for one in clients.values()]
        assert {answer.status_code for answer in before} == {200}
        first.post("/api/v1/auth/revoke", headers=headers).raise_for_status()
        after = [one.get("/api/v1/threads", headers=headers) for one in (*others, first)]
        assert {answer.status_code for answer in after} == {401}


@pytest.mark.parametrize("name", few([signal.SIGTERM, signal.SIGINT]))
def test_a_signal_ends_all_workers_with_0(
    start_server: StartServer, together: dict[str, str], name: signal.Signals
) -> None:
    server = start_server(workers=2, **together)
    running = workers(server)
    with one_client_each(server, 2):  # whose connections are kept open
        assert server.stop(name) == 0
    assert not any(alive(pid) for pid in running)
    assert "Traceback" not in server.log
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url, timeout=60)


@pytest.mark.soak
def test_a_worker_that_dies_is_replaced_and_the_others_serve_on(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, **together)
    with one_client_each(server, 2) as clients:
        (dead, _), (left, client) = clients.items()
        os.kill(dead, signal.SIGKILL)
        assert process(client) == left
    with one_client_each(server, 2) as clients:
        assert left in clients
        assert dead not in clients
    assert '"status": -9' in server.log


@pytest.mark.soak
def test_a_worker_that_is_told_to_end_finishes_and_is_replaced(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, **together)
    (ended, *_) = workers(server)
    os.kill(ended, signal.SIGTERM)
    until(lambda: not alive(ended))
    with one_client_each(server, 2) as clients:
        assert ended not in clients
    assert '"status": 0' in server.log


def test_workers_that_die_again_and_again_are_replaced_after_pauses_that_double() -> None:
    pauses = [pause_before_start(early_ends) for early_ends in range(12)]
    assert pauses[:5] == [0, 250, 500, 1000, 2000]
    assert pauses[5:] == [4000] * 7


def test_workers_end_when_the_supervisor_is_killed(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, **together)
    running = workers(server)
    server.process.kill()
    server.wait()
    until(lambda: not any(alive(pid) for pid in running))


@pytest.mark.soak
def test_workers_never_give_two_requests_the_same_id(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, **together)
    with one_client_each(server, 2) as clients:
        ids = [
            client.get("/healthz").headers["x-request-id"]
            for client in clients.values()
            for _ in range(50)
        ]
    assert len(set(ids)) == 100


def test_workers_that_cannot_start_end_the_program_with_their_one_line(
    postgresql: PostgreSQL, together: dict[str, str], tmp_path: Path
) -> None:
    url = postgresql.url("nowhere")
    result = subprocess.run(
        [sys.executable, "-m", "stoa", "serve", "--workers", "3", "--port", "0"],
        env=environment(together | {"database_url": url}),
        capture_output=True,
        text=True,
        timeout=TIME_S,
        check=False,
        cwd=tmp_path,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"stoa: [^\n]*nowhere[^\n]*\n", result.stderr), result.stderr
