"""A service between a client and Stoa that passes calls on, as one that steals signatures would."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx


class Relay(ThreadingHTTPServer):
    """Passes what it gets on to `target` and remembers the paths."""

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = target
        self.paths: list[str] = []

    @property
    def url(self) -> str:
        """The address of the relay."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        relay = self.server
        assert isinstance(relay, Relay)
        relay.paths.append(self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {"Content-Type": self.headers["Content-Type"]}
        answer = httpx.post(relay.target + self.path, content=body, headers=headers, timeout=60)
        self.send_response(answer.status_code)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def relaying(target: str) -> Generator[Relay]:
    """A relay to `target` on a port of its own."""
    with Relay(target) as relay:
        thread = threading.Thread(target=relay.serve_forever)
        thread.start()
        try:
            yield relay
        finally:
            relay.shutdown()
            thread.join()
