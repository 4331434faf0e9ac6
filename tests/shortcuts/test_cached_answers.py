"""Answers that are ready: the same as those that are made, without a task, each in its turn."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from stoa.domain.oauth import AUTHORIZATION
from stoa.http import answering
from stoa.http.wire import Receive, Scope, Send, Whole, header_lines
from stoa.server.connections import Connections
from stoa.server.server import Server
from stoa.server.unsent import Unsent
from tests.support.app import HOST as APP_HOST
from tests.support.app import App, full_path
from tests.support.raw import ORIGIN, Client, Served

HOST = b"Host: stoa.test\r\n"


def get(path: str) -> bytes:
    return b"GET %b HTTP/1.1\r\n%b\r\n" % (path.encode(), HOST)


# --- On a connection.


class Shop:
    """`/ready` and `/large` are ready, all else is made by the application; `/hold` waits."""

    def __init__(self) -> None:
        self.held = threading.Event()
        self.go_on = threading.Event()
        self.made: list[str] = []

    def find(self, scope: Scope) -> Whole | None:
        if scope["path"] not in ("/ready", "/large"):
            return None
        body = b"ready" if scope["path"] == "/ready" else b"large" * 1_000_000
        return 200, header_lines([(b"content-length", b"%d" % len(body))]), body

    def begins(self, url: bytes) -> bool:
        return False

    def holds(self, url: bytes) -> bool:
        return url in (b"/ready", b"/other")

    def find_posted(self, scope: Scope, body: bytes) -> Whole | None:
        assert scope["method"] == "POST"
        return self.find(scope) if body == b"{}" else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.made.append(scope["path"])
        if scope["path"] == "/hold":
            self.held.set()
            assert await asyncio.to_thread(self.go_on.wait, 60)
        await answering.send_answer(send, 201, [], b"made")


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture(params=["at once", "together"])
def client(request: pytest.FixtureRequest, shop: Shop) -> Iterator[Client]:
    """A client whose answers are sent at once, or at the end of each turn of the event loop."""
    server = Served(shop, ready=shop)
    if request.param == "together":
        server.connections.unsent = Unsent(many=0)  # from the second turn on
    with server as served, served.client() as first, served.client() as client:
        first.send(get("/ready")).until(1)
        yield client


@pytest.mark.parametrize("target", ["/ready", "http://stoa.test/ready"])
def test_what_is_ready_does_not_reach_the_application(
    shop: Shop, client: Client, target: str
) -> None:
    assert client.send(get(target)).until(1) == [200]
    assert client.last.content == b"ready"
    assert client.last.headers["date"]
    assert shop.made == []


OTHERS = {
    "another method": b"HEAD /ready HTTP/1.1\r\n" + HOST + b"\r\n",
    "another path": get("/other"),
    "an escaped path": get("/%72eady"),
    "an old version": b"GET /ready HTTP/1.0\r\n" + HOST + b"\r\n",
    "a last request": b"GET /ready HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n",
    "a body": b"GET /ready HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}",
}


@pytest.mark.parametrize("request_", OTHERS.values(), ids=OTHERS)
def test_every_other_request_is_made(shop: Shop, client: Client, request_: bytes) -> None:
    assert client.send(request_).until(1) == [201]
    assert len(shop.made) == 1


def test_a_connection_goes_on_after_a_ready_answer(client: Client) -> None:
    for count, path in enumerate(("/ready", "/other", "/ready"), 1):
        client.send(get(path)).until(count)
    assert client.statuses == [200, 201, 200]


def test_a_ready_answer_waits_for_those_before_it(shop: Shop, client: Client) -> None:
    client.send(get("/hold") + get("/ready"))
    assert shop.held.wait(60)
    shop.go_on.set()
    assert client.until(2)[0] == 201


def test_a_client_that_asks_without_reading_has_to_wait(shop: Shop, client: Client) -> None:
    """Else a hundred small requests would have the server hold 500 MB for it."""
    client.send(get("/large") * 100)
    assert client.until(2)[:2] == [200, 201]


def test_answers_come_in_order_however_they_are_made(client: Client) -> None:
    client.send(get("/ready") + get("/other") * 2)
    assert client.until(3) == [200, 201, 201]


def test_a_ready_answer_comes_before_the_400_behind_it(client: Client) -> None:
    client.send(get("/ready") + b"no request\r\n\r\n")
    assert client.rest() == [200, 400]


class _Closing(asyncio.Transport):
    """A transport that keeps what is sent before it closes."""

    sent = b""

    def writelines(self, list_of_data: Any) -> None:
        self.sent += b"".join(list_of_data)

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return False


def test_a_client_that_sends_no_more_still_gets_its_answer(
    shop: Shop,
) -> None:
    """Its end may be read in the turn of the request, in which the transport closes."""

    async def end_after_each() -> list[bytes]:
        connections = Connections(lambda _: True)
        connections.unsent = Unsent(many=0)
        server = Server(shop, connections, ORIGIN, shop)
        server.config.load()
        protocol: Any = server.config.http_protocol_class
        sent: list[bytes] = []
        for _ in range(2):
            transport = _Closing()
            connection = protocol(
                config=server.config, server_state=server.server_state, app_state={}
            )
            connection.connection_made(transport)
            connection.data_received(get("/ready"))
            connection.eof_received()
            sent.append(transport.sent)
            await asyncio.sleep(0)
        return sent

    assert all(b"200 OK" in sent for sent in asyncio.run(end_after_each()))


# --- Of the whole service.

BEGINNING = {
    b"/api/v1/threads?limit=2": True,
    b"/forum": True,
    f"{AUTHORIZATION}?client_id=x".encode(): False,
    b"http://stoa.test/api/v1/threads": False,
}


def test_reads_begin_without_a_task_where_neither_store_nor_limiter_sets_a_timeout(
    stoa: App, engine: str
) -> None:
    begins = {url: stoa.stoa.ready.begins(url) for url in BEGINNING}
    assert begins == {url: engine == "sqlite" and here for url, here in BEGINNING.items()}


HELD = {
    b"/mcp": True,
    b"/mcp/oauth": False,
    b"/api/v1/auth/challenge": False,
    b"/api/v1/auth/verify": False,
    b"/api/v1/threads": False,
}
"""The POSTs whose answers may be ready."""
READING = (b"/mcp/oauth", b"/api/v1/auth/challenge")


def test_posts_of_which_few_wait_begin_without_a_task_too(stoa: App, engine: str) -> None:
    holds = {url: stoa.stoa.ready.holds(url) for url in HELD}
    assert holds == HELD | dict.fromkeys(READING, engine == "sqlite")


def scope(target: str, headers: dict[str, str] | None = None) -> Scope:
    path, _, query = target.partition("?")
    given = {"host": APP_HOST} | (headers or {})
    return {
        "type": "http",
        "method": "GET",
        "path": full_path(path),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1234),
    }


@pytest.fixture
def target(stoa: App) -> str:
    return f"threads/{stoa.agent('Alice').thread()['id']}?include=replies"


embedded = pytest.mark.parametrize("engine", ["sqlite"])
"""Where other processes write too, nothing is ready."""


@embedded
def test_what_was_made_is_ready_until_it_changes(stoa: App, target: str) -> None:
    ready = stoa.stoa.ready.find
    assert ready(scope(target)) is None
    made = stoa.get(target).ok()
    whole = ready(scope(target))
    assert whole
    assert whole[2] == made.content
    thread = made["thread"]
    stoa.agent("Bob").reply(thread)
    assert ready(scope(target)) is None


@pytest.fixture
def page(target: str) -> str:
    return f"/forum/{target.partition('?')[0]}"


FORMS = ["text/html", "text/markdown"]


@embedded
@pytest.mark.parametrize("form", FORMS)
def test_a_page_that_was_made_is_ready_until_it_changes(stoa: App, page: str, form: str) -> None:
    asked = {"accept": form, "x-request-id": "abc"}
    assert stoa.stoa.ready.find(scope(page, asked)) is None
    made = stoa.get(page, headers=asked).ok()
    assert made.headers["content-type"].startswith(form)
    whole = stoa.stoa.ready.find(scope(page, asked))
    assert whole
    status, lines, body = whole
    assert (status, body) == (200, made.content)
    assert dict(line.split(": ", 1) for line in lines.decode().splitlines()) == made.headers
    stoa.agent("Bob").reply({"id": page.rpartition("/")[2]})
    assert stoa.stoa.ready.find(scope(page, asked)) is None


@embedded
def test_a_page_is_ready_in_each_form_for_itself(stoa: App, page: str) -> None:
    stoa.get(page, headers={"accept": FORMS[0]}).ok()
    assert stoa.stoa.ready.find(scope(page, {"accept": FORMS[0]}))
    assert stoa.stoa.ready.find(scope(page, {"accept": FORMS[1]})) is None


@embedded
@pytest.mark.settings(limit_uncharged=3)
def test_a_page_that_is_ready_counts_against_its_address(stoa: App, page: str) -> None:
    stoa.get(page).ok()
    assert stoa.stoa.ready.find(scope(page))
    assert stoa.stoa.ready.find(scope(page))
    assert stoa.stoa.ready.find(scope(page)) is None
    assert stoa.get(page).status == 429


@embedded
def test_a_page_under_another_host_is_refused_by_the_application(stoa: App, page: str) -> None:
    stoa.get(page).ok()
    assert stoa.stoa.ready.find(scope(page, {"host": "elsewhere.example"})) is None


@embedded
def test_a_page_that_its_reader_has_is_304_with_the_headers_of_one_that_was_made(
    stoa: App, page: str
) -> None:
    tag = stoa.get(page).ok().headers["etag"]
    sent = {"if-none-match": tag, "x-request-id": "abc"}
    made = stoa.get(page, headers=sent).ok(304)
    whole = stoa.stoa.ready.find(scope(page, sent))
    assert whole
    assert (whole[0], whole[2]) == (304, b"")
    headers = dict(line.split(": ", 1) for line in whole[1].decode().splitlines())
    assert headers == made.headers


@embedded
@pytest.mark.settings(limit_reads_anonymous=100)
@pytest.mark.parametrize("status", [200, 304])
def test_a_ready_answer_has_the_headers_of_one_that_was_made(
    stoa: App, target: str, status: int
) -> None:
    tag = stoa.get(target).ok().headers["etag"]
    sent = {"if-none-match": tag if status == 304 else '"other"', "x-request-id": "abc"}
    made = stoa.get(target, headers=sent).ok(status)
    whole = stoa.stoa.ready.find(scope(target, sent))
    assert whole
    headers = dict(line.split(": ", 1) for line in whole[1].decode().splitlines())
    assert whole[0] == status
    assert headers == made.headers | {"x-ratelimit-remaining": str(made.rate[2] - 1)}


@embedded
@pytest.mark.settings(limit_reads_anonymous=100)
def test_a_full_bucket_is_refused_in_the_ordinary_way(stoa: App, target: str) -> None:
    for _ in range(stoa.get(target).ok().rate[2]):
        assert stoa.stoa.ready.find(scope(target))
    assert stoa.stoa.ready.find(scope(target)) is None
    stoa.get(target).refused(429, "rate_limited")


@embedded
@pytest.mark.parametrize(
    "headers",
    [{"authorization": "Bearer nonsense"}, {"host": "elsewhere.example"}],
    ids=["a token", "another host"],
)
def test_what_may_have_to_be_refused_is_not_ready(
    stoa: App, target: str, headers: dict[str, str]
) -> None:
    stoa.get(target).ok()
    assert stoa.stoa.ready.find(scope(target, headers)) is None
