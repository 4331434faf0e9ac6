"""Kept connections: reused, replaced when they have ended, and plain about what went wrong."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from stoa.client import Unreachable
from stoa.client.protocol import HttpReply, SendRequest
from stoa.importers.connections import ConnectionPool


class Peer(ThreadingHTTPServer):
    """A server that notes its connections and the calls on them, and may end them unannounced."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connections = 0
        self.calls: list[tuple[str, str, bytes, str | None]] = []
        self.ends_after_each = False
        self.answers = True
        self.ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/base"

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        super().shutdown_request(request)
        self.ended.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _peer(self) -> Peer:
        assert isinstance(self.server, Peer)
        return self.server

    def setup(self) -> None:
        super().setup()
        self._peer.connections += 1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self._peer.calls.append((self.command, self.path, body, self.headers["X-Test"]))
        if not self._peer.answers:
            self.close_connection = True
            return
        self.send_response(429)
        self.send_header("Retry-After", "7")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.close_connection = self._peer.ends_after_each

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer() as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def _post(connections: ConnectionPool, body: bytes) -> HttpReply:
    return asyncio.run(connections.send(SendRequest("POST", "/path", {"X-Test": "yes"}, body)))


def test_calls_share_a_kept_connection(peer: Peer):
    connections = ConnectionPool(peer.url, 1)
    answers = [_post(connections, body) for body in (b"one", b"two")]
    connections.close()
    assert [(answer.status, answer.body) for answer in answers] == [(429, b"ok")] * 2
    assert answers[0].headers["retry-after"] == "7"
    assert peer.calls == [
        ("POST", "/base/path", b"one", "yes"),
        ("POST", "/base/path", b"two", "yes"),
    ]
    assert peer.connections == 1


def test_a_connection_that_has_ended_is_replaced_before_anything_is_sent(peer: Peer):
    peer.ends_after_each = True
    connections = ConnectionPool(peer.url, 1)
    _post(connections, b"one")
    assert peer.ended.wait(60)
    _post(connections, b"two")
    connections.close()
    assert [body for _, _, body, _ in peer.calls] == [b"one", b"two"]
    assert peer.connections == 2


def test_no_answer_says_why_and_that_nothing_was_sent():
    connections = ConnectionPool("http://127.0.0.1:9", 1)
    with pytest.raises(Unreachable, match="ConnectionRefusedError") as lost:
        _post(connections, b"")
    connections.close()
    assert not lost.value.maybe_done


def test_a_call_that_ends_without_an_answer_may_have_happened(peer: Peer):
    peer.answers = False
    connections = ConnectionPool(peer.url, 1)
    with pytest.raises(Unreachable, match="RemoteDisconnected") as lost:
        _post(connections, b"one")
    connections.close()
    assert lost.value.maybe_done
