"""Serves the documentation to a browser on this machine, from memory."""

import mimetypes
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from stoa.cli.manual.site import build
from stoa.store.tx import StartRefused
from stoa.web.manual.pages import folder

_HOST = "127.0.0.1"
_HOME = "index.html"
_POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'"


def serve(port: int) -> None:
    """Serve until Ctrl-C; 0 takes any free port. Raises `StartRefused` when the port is in use."""
    handler = _handler(build(folder()))
    try:
        opened = ThreadingHTTPServer((_HOST, port), handler)
    except OSError as error:
        said = f"cannot listen on {_HOST} port {port}: {error.strerror}; choose another --port"
        raise StartRefused(said) from error
    with opened as server:
        print(f"http://{_HOST}:{server.server_port}/", flush=True)
        server.serve_forever()


def _handler(made: Mapping[str, bytes]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(urlsplit(self.path).path).removeprefix("/")
            name = f"{path}{_HOME}" if path == "" or path.endswith("/") else path
            body = made.get(name)
            self.send_response(200 if body is not None else 404)
            kind = mimetypes.guess_type(name)[0] if body is not None else "text/plain"
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Security-Policy", _POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body if body is not None else b"There is no such page.\n")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Write no line for each request."""

    return Handler
