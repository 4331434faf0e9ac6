"""A client id that is an address: its document is fetched within bounds, checked and cached."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from stoa.domain import limits
from tests.support.answers import Answer
from tests.support.app import App
from tests.support.oauth_pages import REDIRECT, approve, authorize_path, granted_page, opened

ALLOWED = pytest.mark.settings(webhooks_allow=["127.0.0.0/8"])


@pytest.fixture
def engine() -> str:
    """Nothing is stored: one engine is enough."""
    return "sqlite"


class Documents:
    """A web server with client documents, and the paths that were asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.came, self.let_go = threading.Semaphore(0), threading.Event()
        self.answers: dict[str, tuple[int, str, bytes]] = {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                outer.came.release()
                if self.path.startswith("/slow"):
                    outer.let_go.wait(60)
                status, media_type, body = outer.answers.get(self.path, (404, "text/plain", b""))
                self.send_response(status)
                self.send_header("Content-Type", media_type)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Location", f"{outer.url}/good")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def put(
        self, path: str, status: int = 200, media: str = "application/json", **changed: Any
    ) -> str:
        """Serve a document; its address."""
        address = f"{self.url}{path}"
        members = {"client_id": address, "client_name": "Editor", "redirect_uris": [REDIRECT]}
        body = json.dumps({**members, **changed}).encode()
        self.answers[path] = (status, media, body)
        return address

    def stop(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def documents() -> Iterator[Documents]:
    """A web server of clients."""
    running = Documents()
    yield running
    running.stop()


@ALLOWED
def test_a_client_is_what_its_document_says(stoa: App, documents: Documents) -> None:
    ada, client_id = stoa.agent("Ada"), documents.put("/good")
    page = opened(stoa, authorize_path(client_id))
    assert "Editor" in page.words
    assert client_id in page.words
    assert page.words.startswith("Let 127.0.0.1 use your agent?")
    approved = approve(ada, page.code, client_id)
    assert "Ada" in granted_page(stoa, page, approved).words
    opened(stoa, authorize_path(client_id, "https://other.example/"), 400)


@ALLOWED
def test_a_document_is_fetched_once_in_five_minutes(stoa: App, documents: Documents) -> None:
    client_id = documents.put("/good")
    for wait in (0, 1, 299_998):
        stoa.clock.advance(wait)
        opened(stoa, authorize_path(client_id))
    assert documents.asked == ["/good"]
    stoa.clock.advance(1)
    opened(stoa, authorize_path(client_id))
    assert documents.asked == ["/good", "/good"]


Put = Callable[[Documents], str]

BAD: dict[str, tuple[Put, str]] = {
    "missing": (lambda web: f"{web.url}/missing", "status 404"),
    "redirect": (lambda web: web.put("/away", 302), "status 302"),
    "not JSON": (lambda web: web.put("/html", media="text/html"), "not with 200 and JSON"),
    "another's": (
        lambda web: web.put("/other", client_id="https://a.example/b"),
        "its own address",
    ),
    "secret": (lambda web: web.put("/secret", client_secret="x"), "must not have a secret"),
    "no method": (
        lambda web: web.put("/method", token_endpoint_auth_method=["none"]),
        "must be a text such as none",
    ),
    "no address": (lambda web: web.put("/none", redirect_uris=[]), "list of 1 to 10"),
    "http": (lambda web: web.put("/http", redirect_uris=["http://a.example/"]), "https://"),
    "large": (lambda web: web.put("/large", x="x" * 70_000), "more than 64 KiB"),
    "name": (lambda web: web.put("/name", client_name="a\u202eb"), "client_name"),
}


@ALLOWED
@pytest.mark.promise("G10")
@pytest.mark.parametrize("which", BAD)
def test_a_document_that_cannot_be_used_is_refused_with_a_reason(
    stoa: App, documents: Documents, which: str
) -> None:
    put, reason = BAD[which]
    documents.put("/good")
    client_id = put(documents)
    for _ in range(2):
        page = opened(stoa, authorize_path(client_id), 400)
        assert reason in page.words
        assert page.find("cancel") is None
    assert len(documents.asked) == 1
    assert "/good" not in documents.asked


@ALLOWED
@pytest.mark.settings(limit_clients=2)
def test_an_address_has_so_many_documents_fetched(stoa: App, documents: Documents) -> None:
    for number in range(4):
        stoa.get(authorize_path(f"{documents.url}/{number}"))
    assert documents.asked == ["/0", "/1"]
    shed = stoa.get(authorize_path(f"{documents.url}/5"))
    assert (shed.status, "retry-after" in shed.headers) == (429, True)


def test_without_the_setting_no_private_document_is_fetched(
    stoa: App, documents: Documents
) -> None:
    plain = documents.put("/good")
    opened(stoa, authorize_path(plain), 400)
    page = opened(stoa, authorize_path(plain.replace("http://", "https://")), 400)
    assert "cannot be reached at a public address" in page.words
    assert documents.asked == []


@ALLOWED
def test_documents_that_do_not_come_hold_up_only_the_address_that_named_them(
    stoa: App, documents: Documents
) -> None:
    good = documents.put("/good")

    async def opened_beside() -> tuple[Answer, list[Answer]]:
        slow = [
            asyncio.create_task(stoa.ask("GET", authorize_path(f"{documents.url}/slow{number}")))
            for number in range(2 * limits.OUTGOING_AT_ONCE)
        ]
        for _ in range(limits.CLIENT_DOCUMENTS_AT_ONCE):
            await asyncio.to_thread(documents.came.acquire)
        other = await stoa.ask("GET", authorize_path(good), client="192.0.2.9")
        documents.let_go.set()
        return other, await asyncio.gather(*slow)

    other, slow = stoa.run(opened_beside())
    assert other.status == 200
    assert {answer.status for answer in slow} == {400}
    assert len(documents.asked) == limits.CLIENT_DOCUMENTS_AT_ONCE + 1
    refused = opened(stoa, authorize_path(f"{documents.url}/slow31"), 400)
    assert "status 404" in refused.words
