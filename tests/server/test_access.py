"""The access log: a line for each refusal, a bounded number of them, and nothing that was sent."""

import json
import re
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from stoa.domain.oauth import AUTHORIZATION
from stoa.server.access import RequestLines
from tests.support.logs import logged
from tests.support.processes import until
from tests.support.server import Server

StartServer = Callable[..., Server]


def lines(server: Server, event: str) -> list[dict[str, Any]]:
    """The lines of one event."""
    told = [json.loads(line) for line in server.log.splitlines()]
    return [line for line in told if line["event"] == event]


def test_a_refusal_has_a_line_that_says_who_and_what(start_server: StartServer) -> None:
    server = start_server(trusted_proxies="127.0.0.1/32")
    headers = {"X-Forwarded-For": "192.0.2.7", "X-Request-Id": "asked-1"}
    url = f"{server.url}/api/v1/threads"
    assert httpx.get(url, headers=headers, timeout=60).status_code == 200
    assert httpx.get(f"{url}/canary", headers=headers, timeout=60).status_code == 404
    until(lambda: len(lines(server, "refused")) == 1)
    (line,) = lines(server, "refused")
    assert (line["client"], line["request"], line["level"]) == ("192.0.2.7", "asked-1", "info")
    assert (line["operation"], line["status"]) == ("get_thread", 404)
    assert line["ms"] >= 0
    assert "canary" not in server.log
    assert lines(server, "request") == []


@pytest.mark.soak
def test_what_is_no_request_has_a_line_too(start_server: StartServer) -> None:
    server = start_server()
    with socket.create_connection(server.address, timeout=60) as connection:
        connection.sendall(b"canary of no form\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")
    until(lambda: len(lines(server, "refused")) == 1)
    (line,) = lines(server, "refused")
    assert (line["client"], line["operation"]) == ("127.0.0.1", "unreadable")
    assert "canary" not in server.log


@pytest.mark.soak
def test_debug_has_a_line_for_each_request(start_server: StartServer) -> None:
    server = start_server(log_level="debug")
    for _ in range(3):
        httpx.get(f"{server.url}/api/v1/threads?q=canary", timeout=60)
    until(
        lambda: sum(o["operation"] == "get_recent_threads" for o in lines(server, "request")) == 3
    )
    line = lines(server, "request")[-1]
    assert {"client", "request", "operation", "status", "ms", "method", "path"} <= set(line)
    assert "canary" not in server.log


@pytest.mark.soak
def test_lines_for_people_say_the_same(start_server: StartServer) -> None:
    server = start_server(log_format="text")
    httpx.get(f"{server.url}/api/v1/threads/canary", timeout=60)
    until(lambda: "refused" in server.log)
    (line,) = [line for line in server.log.splitlines() if " refused " in line]
    told = r"\S+Z info     refused client=127\.0\.0\.1 operation=get_thread status=404 ms=[\d.]+ "
    assert re.fullmatch(told + r"request=[0-9a-f]{16}", line), line
    assert "canary" not in server.log


def test_a_path_is_logged_in_part_and_without_what_lets_a_client_in() -> None:
    written = RequestLines(of_all=True)
    with logged() as told:
        for path in (f"{AUTHORIZATION}/canary", "/api/v1/auth/approvals/canary", "/" + "a" * 300):
            written.write({"method": "GET", "path": path}, 200, 1)
    assert [line["path"] for line in told] == [
        f"{AUTHORIZATION}/…",
        "/api/v1/auth/approvals/…",
        "/" + "a" * 199,
    ]


@pytest.mark.promise("O4")
def test_a_flood_of_refusals_has_ten_lines_a_second_and_one_that_counts_the_rest() -> None:
    now = 5000
    written = RequestLines(of_all=False, now_ms=lambda: now)
    with logged() as told:
        for _ in range(40):
            written.write_refusal("unreadable", "192.0.2.7", 429)
        written.tell_left_out()
        now = 6000
        written.write_refusal("unreadable", "192.0.2.7", 400)
        written.tell_left_out()
    events = [line["event"] for line in told]
    assert events == ["refused"] * 10 + ["refusals left out", "refused"]
    assert told[-2]["count"] == 30


@pytest.mark.soak
def test_how_many_were_left_out_is_told_though_no_other_refusal_follows(
    start_server: StartServer,
) -> None:
    server, sent = start_server(), 0
    with httpx.Client(timeout=60) as client:
        while not lines(server, "refusals left out"):
            for _ in range(50):
                assert client.get(f"{server.url}/api/v1/threads/canary").status_code == 404
            sent += 50
    until(lambda: told_of(server) == sent)


def told_of(server: Server) -> int:
    """How many refusals the log tells of, with those that have no line."""
    left_out = sum(line["count"] for line in lines(server, "refusals left out"))
    return len(lines(server, "refused")) + left_out
