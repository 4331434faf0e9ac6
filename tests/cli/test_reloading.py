"""`stoa reload`: the workers of a running server are replaced, and mistakes change nothing."""

import json
import os
import signal
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.command import run_stoa_here
from tests.support.loaded import anew
from tests.support.processes import has_ended, until, workers
from tests.support.server import Server, free_port

StartServer = Callable[..., Server]
UNCHANGED = "no setting was changed; flags and variables of the server need another start"


@pytest.mark.promise("P7")
def test_all_workers_are_replaced_when_the_command_ends(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, how=anew, **together)
    before = workers(server)
    _, port = server.address
    done = run_stoa_here("reload", "--port", str(port), "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["notTaken"] == []
    assert told["supervisor"] == server.process.pid
    assert set(told["replaced"]) == before
    assert set(told["workers"]) == workers(server)
    assert all(has_ended(worker) for worker in before)
    again = run_stoa_here("reload", "--pid", str(server.process.pid))
    assert (again.code, again.out) == (0, f"2 workers replaced\n{UNCHANGED}\n")
    assert not workers(server) & set(told["workers"])
    assert server.stop() == 0


@pytest.mark.promise("P13")
def test_a_single_worker_takes_changed_settings_and_connections_wait(
    start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server(how=anew)
    before = workers(server)
    named = ("--port", str(server.address[1]))
    done = run_stoa_here("reload", *named)
    assert (done.code, done.out) == (0, f"0 workers replaced\n{UNCHANGED}\n")
    assert workers(server) == before

    (tmp_path / "stoa.toml").write_text(
        'events_days = 7\nsignups = "closed"\ncontact = "mailto:ops@a.example"\n'
        'screen_secrets = "off"\nlog_level = "debug"\nbase_url = "https://a.example"\n'
    )
    with in_turn(server) as statuses:
        done = run_stoa_here("reload", *named)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "1 worker replaced",
        "taken: signups, screen_secrets, contact, events_days, log_level",
        "not taken: base_url; start the server again to change them",
    ]
    lines = [json.loads(line) for line in server.log.splitlines() if "settings taken" in line]
    assert [len(line["settings"]) for line in lines] == [5]
    assert set(statuses) == {200}
    assert not workers(server) & before
    told = httpx.get(f"{server.url}/api/v1/limits", timeout=60).json()
    assert told["limits"]["lifetimes"]["eventSeconds"] == 7 * 86_400
    security = httpx.get(f"{server.url}/.well-known/security.txt", timeout=60)
    assert "mailto:ops@a.example" in security.text
    assert '"event": "request"' in server.log
    assert server.stop() == 0


def test_a_second_reload_waits_for_what_the_first_one_began(
    start_server: StartServer, tmp_path: Path
) -> None:
    server = start_server(how=anew)
    before = workers(server)
    (tmp_path / "stoa.toml").write_text("events_days = 7\n")
    for worker in before:
        os.kill(worker, signal.SIGSTOP)
    server.process.send_signal(signal.SIGHUP)
    until(lambda: "workers are replaced" in server.log)
    with ThreadPoolExecutor(1) as pool:
        reload = pool.submit(run_stoa_here, "reload", "--pid", str(server.process.pid))
        until(lambda: "nothing to change" in server.log)
        for worker in before:
            os.kill(worker, signal.SIGCONT)
        done = reload.result()
    assert (done.code, done.out) == (0, "1 worker replaced\ntaken: events_days\n")
    assert not workers(server) & before
    assert server.stop() == 0


@contextmanager
def in_turn(server: Server) -> Generator[list[int]]:
    """Calls that are made one after the other meanwhile, each on a connection of its own; what they
    were answered."""
    statuses: list[int] = []
    end = threading.Event()

    def call() -> None:
        while not end.is_set():
            statuses.append(httpx.get(f"{server.url}/healthz", timeout=60).status_code)

    with ThreadPoolExecutor(1) as pool:
        calling = pool.submit(call)
        try:
            yield statuses
        finally:
            end.set()
        calling.result()


def test_what_is_no_server_gets_no_signal() -> None:
    nothing = run_stoa_here("reload", "--port", str(free_port()))
    assert (nothing.code, nothing.err.count("\n")) == (1, 1)
    assert "no Stoa answers at 127.0.0.1" in nothing.err
    other = run_stoa_here("reload", "--pid", str(os.getpid()))  # SIGHUP would end these tests
    assert (other.code, "is no `stoa serve`" in other.err) == (1, True)


@pytest.mark.promise("P9")
def test_a_reload_names_the_settings_that_it_did_not_take(
    start_server: StartServer, together: dict[str, str], tmp_path: Path
) -> None:
    server = start_server(workers=2, how=anew, **together)
    reload = ("reload", "--pid", str(server.process.pid))
    # `workers` is given in the environment too, which counts.
    (tmp_path / "stoa.toml").write_text(
        'workers = 3\nport = 1234\nbase_url = "https://a.example"\nread_lag_seconds = 7\n'
    )
    done = run_stoa_here(*reload)
    assert (done.code, done.err) == (0, "")
    told = "not taken: base_url; start the server again to change them"
    assert done.out.splitlines()[1:] == ["taken: read_lag_seconds", told]
    again = json.loads(run_stoa_here(*reload, "--json").out)
    assert (again["taken"], again["notTaken"]) == ([], ["base_url"])
    lines = [json.loads(line) for line in server.log.splitlines() if "settings not taken" in line]
    assert [line["settings"] for line in lines] == 2 * [["base_url"]]
    assert server.stop() == 0


@pytest.mark.soak
def test_a_reload_changes_nothing_where_the_server_would_not_start_again(
    start_server: StartServer, together: dict[str, str], tmp_path: Path
) -> None:
    server = start_server(workers=2, how=anew, **together)
    before = workers(server)
    (tmp_path / "stoa.toml").write_text("wokers = 3\n")
    done = run_stoa_here("reload", "--pid", str(server.process.pid))
    assert (done.code, done.out) == (1, "")
    assert "nothing was changed: stoa.toml: unknown setting wokers" in done.err
    assert workers(server) == before
    assert server.stop() == 0
