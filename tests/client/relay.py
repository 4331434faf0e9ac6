"""A service between a client and Stoa: it passes calls on, as a thief would, or loses answers."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

_PASSED_ON = ("Content-Type", "Authorization", "Idempotency-Key")
_UNAVAILABLE = (
    b'{"error": "The database is away.", "code": "temporarily_unavailable", "retryable": true}'
)


class Relay(ThreadingHTTPServer):
    """Passes what it gets on to `target` and remembers the paths.

    The next answer to each path in `losing` does not get back, and the connection ends. Calls to
    the paths in `unsure` are passed on too, and answered 503; so is the next call to each path in
    `busy`.
    """

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.target = target
        self.paths: list[str] = []
        self.losing: set[str] = set()
        self.unsure: set[str] = set()
        self.busy: set[str] = set()

    @property
    def url(self) -> str:
        """The address of the relay."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        relay = self.server
        assert isinstance(relay, Relay)
        relay.paths.append(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name: self.headers[name] for name in _PASSED_ON if name in self.headers}
        url = relay.target + self.path
        answer = httpx.request(self.command, url, content=body, headers=headers, timeout=60)
        if self.path in relay.losing:
            relay.losing.remove(self.path)
            return
        is_unsure = self.path in relay.unsure | relay.busy
        relay.busy.discard(self.path)
        content = _UNAVAILABLE if is_unsure else answer.content
        self.send_response(503 if is_unsure else answer.status_code)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

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
