"""A receiver of webhooks: a small HTTP server on the loopback that notes what is delivered."""

import json
import threading
from base64 import b64decode
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Received(NamedTuple):
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def event(self) -> Any:
        """The event that was sent."""
        return json.loads(self.body)

    def is_signed_by(self, public_key: str) -> bool:
        """Whether the signature is that of this key, as Standard Webhooks has it."""
        version, _, signature = self.headers["webhook-signature"].partition(",")
        said = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}."
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        try:
            key.verify(b64decode(signature), said.encode() + self.body)
        except InvalidSignature:
            return False
        return version == "v1a"


Answers = Callable[[Received, BaseHTTPRequestHandler], None]


def status(code: int, *headers: tuple[str, str]) -> Answers:
    """Answers with this status."""

    def answer(_: Received, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in (*headers, ("Content-Length", "0")):
            handler.send_header(name, value)
        handler.end_headers()

    return answer


def gigabyte(_: Received, handler: BaseHTTPRequestHandler) -> None:
    """Answers 200 with a gigabyte, until it is cut off."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000000")
    handler.end_headers()
    for _number in range(16_000):
        handler.wfile.write(bytes(65_536))


class Receiver:
    """What came in, in the order in which it came, and how the next request is answered."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answer: Answers = status(204)
        self.came = threading.Semaphore(0)
        self.port = 0

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def events(self) -> list[Any]:
        """The events that came, without tests."""
        return [one.event for one in self.received if one.event["kind"] != "webhook.test"]

    @property
    def kinds(self) -> list[str]:
        """The kinds of all that came."""
        return [one.event["kind"] for one in self.received]

    def take(self, handler: BaseHTTPRequestHandler) -> None:
        """Note a request and answer it."""
        length = int(handler.headers["Content-Length"])
        headers = {name.lower(): value for name, value in handler.headers.items()}
        one = Received(handler.path, headers, handler.rfile.read(length))
        self.received.append(one)
        self.came.release()
        self.answer(one, handler)


@contextmanager
def receiving(host: str = "127.0.0.1", port: int = 0) -> Generator[Receiver]:
    """A receiver while the block runs."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.take(self)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256
        block_on_close = False

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing of a connection that was cut."""

    with Server((host, port), Handler) as server:
        receiver.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
