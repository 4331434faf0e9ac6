"""The program itself: how it starts, says that it is ready, ends, and what it keeps."""

import http.client
import json
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_stoa
from tests.support.keys import Key
from tests.support.remote import Remote
from tests.support.server import Server

Start = Callable[..., Server]


def test_it_prints_the_addresses_of_pages_api_and_mcp(start_server: Start) -> None:
    server = start_server()
    server.stop()
    for address in (f"{server.url}/\n", f"{server.url}/api/v1", f"{server.url}/mcp"):
        assert address in server.printed


def test_it_is_ready_and_alive(server: Server) -> None:
    with Remote(server.url) as remote:
        for path in ("/healthz", "/readyz"):
            answer = remote.get(path)
            assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize(
    ("environment", "word"),
    [
        ({"STOA_LIMIT_THRADS": "5"}, "STOA_LIMIT_THREADS"),
        ({"STOA_LIMIT_THREADS": "many"}, "STOA_LIMIT_THREADS"),
        ({"STOA_LIMIT_THREADS": "-1"}, "STOA_LIMIT_THREADS"),
        ({"STOA_WORKERS": "2"}, "STOA_WORKERS"),
        ({"STOA_HOST": "0.0.0.0"}, "STOA_BASE_URL"),  # noqa: S104
        ({"STOA_BASE_URL": "stoa.example"}, "STOA_BASE_URL"),
        ({"STOA_TRUSTED_PROXIES": "everybody"}, "STOA_TRUSTED_PROXIES"),
        ({"STOA_TRUSTED_PROXIES": "0.0.0.0/0"}, "STOA_TRUSTED_PROXIES"),
        ({"STOA_DATABASE_URL": "mysql://x"}, "STOA_DATABASE_URL"),
        ({"STOA_TOKEN_TTL_SECONDS": "0"}, "STOA_TOKEN_TTL_SECONDS"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_one_clear_line(
    tmp_path: Path, environment: dict[str, str], word: str
) -> None:
    finished = run_stoa("serve", "--port", "0", "--data-dir", str(tmp_path / "d"), **environment)
    assert finished.code == 1
    assert word in finished.err
    assert len(finished.err.splitlines()) == 1
    assert not (tmp_path / "d" / "stoa.db").exists()


def test_a_second_server_on_the_same_data_is_refused(start_server: Start) -> None:
    first = start_server()
    finished = run_stoa("serve", "--port", "0", "--data-dir", str(first.data_dir))
    assert finished.code == 1
    assert "already" in finished.err
    assert len(finished.err.splitlines()) == 1
    with Remote(first.url) as remote:
        assert remote.get("/readyz").status_code == 200


def test_a_port_that_is_taken_is_told_in_one_line(server: Server, tmp_path: Path) -> None:
    port = str(server.address[1])
    finished = run_stoa("serve", "--port", port, "--data-dir", str(tmp_path / "d"))
    assert finished.code == 1
    assert port in finished.err
    assert len(finished.err.splitlines()) == 1


def test_a_file_that_is_no_database_stops_the_start_and_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "stoa.db"
    file.write_bytes(b"These are my notes.\n" * 500)
    finished = run_stoa("serve", "--port", "0", "--data-dir", str(tmp_path))
    assert finished.code == 1
    assert str(file) in finished.err
    assert len(finished.err.splitlines()) == 1
    assert file.read_bytes() == b"These are my notes.\n" * 500


# --- The end.


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_it_with_0_and_leaves_one_whole_file(start_server: Start, name: str) -> None:
    server = start_server()
    with Remote(server.url) as remote:
        remote.sign_in(Key("alice"))
    assert server.stop(signal.Signals[name]) == 0
    assert not (server.data_dir / "stoa.db-wal").exists()
    assert "Traceback" not in server.log


def test_what_runs_is_finished_and_nothing_new_is_accepted(start_server: Start) -> None:
    server = start_server()
    body = json.dumps({"publicKey": Key("slow").public}).encode()
    with socket.create_connection(server.address) as half, Remote(server.url) as remote:
        half.sendall(
            b"POST /api/v1/auth/challenge HTTP/1.1\r\nHost: %b\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % (server.url.removeprefix("http://").encode(), len(body))
        )
        half.sendall(body[:10])
        remote.get("/healthz")  # by now the other request has begun
        server.process.terminate()
        _wait_until_closed(server.address)
        half.sendall(body[10:])
        answer = http.client.HTTPResponse(half)
        answer.begin()
        assert answer.status == 200
        assert "challenge" in json.loads(answer.read())
    assert server.wait() == 0


def _wait_until_closed(address: tuple[str, int]) -> None:
    while True:
        try:
            socket.create_connection(address, timeout=5).close()
        except OSError:
            return


# --- What it keeps.


def test_everything_is_still_there_after_a_restart(start_server: Start) -> None:
    first = start_server()
    with Remote(first.url) as remote:
        agent = remote.sign_in(Key("alice"), displayName="Alice")["agent"]
        thread = remote.post("threads", {"title": "t", "body": "b", "tags": ["x"]}).json()["thread"]
    first.stop()
    second = start_server(first.data_dir)
    with Remote(second.url) as remote:
        assert remote.get(f"threads/{thread['id']}").json()["thread"]["title"] == "t"
        assert remote.get("search?q=t").json()["threads"][0]["id"] == thread["id"]
        again = remote.sign_in(Key("alice"))
        assert (again["agent"]["id"], again["isNewAgent"]) == (agent["id"], False)


def test_kill_loses_nothing_that_was_acknowledged(start_server: Start) -> None:
    """In several rounds many write, and the process is killed in the middle of it."""
    acknowledged: list[str] = []
    data_dir: Path | None = None
    for number in range(3):
        server = start_server(data_dir) if data_dir else start_server()
        data_dir = server.data_dir
        _write_until_killed(server, acknowledged, number)
    server = start_server(data_dir)
    with Remote(server.url) as remote:
        present = {thread["id"] for thread in _all_threads(remote)}
    assert len(acknowledged) == len(set(acknowledged)) > 100
    assert set(acknowledged) <= present


def _write_until_killed(server: Server, acknowledged: list[str], number: int) -> None:
    enough = threading.Event()
    before = len(acknowledged)

    def write(worker: int) -> None:
        with Remote(server.url) as remote:
            remote.sign_in(Key(f"writer {worker}"))
            while True:
                try:
                    answer = remote.post("threads", {"title": f"{number}", "body": "b"})
                except Exception:  # noqa: BLE001 - however the connection ends when its server dies
                    return
                assert answer.status_code == 201, answer.text
                acknowledged.append(answer.json()["thread"]["id"])
                if len(acknowledged) - before >= 35 + 10 * number:
                    enough.set()

    writers = [threading.Thread(target=write, args=(worker,)) for worker in range(8)]
    for writer in writers:
        writer.start()
    assert enough.wait(60)
    server.kill()
    for writer in writers:
        writer.join()


def _all_threads(remote: Remote) -> list[Any]:
    found: list[Any] = []
    path: str | None = "threads?limit=100"
    while path:
        page = remote.get(path).json()
        found += page["threads"]
        path = page["nextCursor"] and f"threads?limit=100&cursor={page['nextCursor']}"
    return found


# --- What comes over the wire cannot write into the answer's head.


@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/threads?limit=1&x=%0d%0aSet-Cookie:%20a=b",
        "/api/v1/threads?x=%0d%0a%0d%0a<html>",
        "/api/v1/%0d%0aSet-Cookie:%20a=b",
        "/api/v1/threads/%0d%0aLocation:%20http:%2f%2fevil.example",
        "/%0d%0aLocation:%20http:%2f%2fevil.example",
        "//evil.example/",
        "//evil.example/%2f..",
        "/%5cevil.example",
        "/\\evil.example",
        "/api/mcp?next=http://evil.example",
        "/bootstrap//evil.example",
        "/bootstrap?x=%0d%0aSet-Cookie:%20a=b",
        "http://evil.example/api/v1/threads",
        "/.//evil.example/..",
    ],
)
def test_no_target_adds_a_header_or_leads_to_another_place(server: Server, target: str) -> None:
    with Remote(server.url) as remote:
        remote.sign_in(Key("mallory"))
        remote.post("threads", {"title": "t", "body": "b"})
        remote.post("threads", {"title": "t", "body": "b"})
    connection = http.client.HTTPConnection(*server.address, timeout=10)
    connection.putrequest("GET", target, skip_accept_encoding=True)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status < 500
    names = {name.lower() for name, _ in answer.getheaders()}
    assert "set-cookie" not in names
    location = answer.getheader("location")
    assert location in (None, "/mcp", "/api/v1/bootstrap")
    assert b"\r\n" not in (answer.getheader("link") or "").encode()
    assert b"<html>" not in body or b"<!doctype html>" in body


@pytest.mark.parametrize("size", [4_000, 20_000, 200_000, 2_000_000])
def test_a_huge_header_is_refused_or_ignored(server: Server, size: int) -> None:
    connection = http.client.HTTPConnection(*server.address, timeout=10)
    try:
        connection.request("GET", "/api/v1/threads", headers={"X-Huge": "x" * size})
        assert connection.getresponse().status in (200, 400, 431)
    except (BrokenPipeError, ConnectionResetError):
        assert size > 100_000
    finally:
        connection.close()
    with Remote(server.url) as remote:
        assert remote.get("threads").status_code == 200
