"""Answers that are sent whole or in parts: the same bytes, and none that could be read as two."""

import gc
from collections.abc import Iterator

import pytest
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from stoa.http import answering
from stoa.http.wire import HeaderList, Receive, Scope, Send
from tests.support.raw import Begins, Client, Served

REQUEST = b"%b /%b HTTP/1.1\r\nHost: stoa.test\r\n\r\n"
BODY = b"the whole answer"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    match scope["path"]:
        case "/whole":
            await answering.send_answer(
                send, 200, [(b"x-kept", b"yes")], BODY, head=scope["method"] == "HEAD"
            )
        case "/injected":
            headers: HeaderList = [(b"x-kept", b"yes\r\nset-cookie: stolen")]
            await answering.send_answer(send, 200, headers, BODY)
        case "/last":
            await answering.send_answer(send, 200, [(b"connection", b"close")], BODY)
        case "/twice":
            for _ in range(2):
                await answering.send_answer(send, 200, [], BODY)
        case "/pieces":
            length = (b"content-length", b"%d" % len(BODY))
            await send({"type": "http.response.start", "status": 200, "headers": [length]})
            await send({"type": "http.response.body", "body": BODY[:4], "more_body": True})
            await send({"type": "http.response.body", "body": BODY[4:]})
        case "/stream":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": BODY[:4], "more_body": True})
            await send({"type": "http.response.body", "body": BODY[4:]})
        case _:
            length = (b"content-length", b"%d" % (len(BODY) + 1))
            await send({"type": "http.response.start", "status": 200, "headers": [length]})
            await send({"type": "http.response.body", "body": BODY})


@pytest.fixture(params=[None, Begins()], ids=["in a task", "begun without one"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    with Served(app, ready=request.param) as served, served.client() as client:
        yield client


LAST = b"GET /whole HTTP/1.1\r\nHost: stoa.test\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("path", [b"whole", b"pieces"])
def test_an_answer_is_the_same_in_one_piece_and_in_several(client: Client, path: bytes) -> None:
    assert client.send(REQUEST % (b"GET", path) + LAST).rest() == [200, 200]
    assert client.received.count(b"\r\n\r\n" + BODY) == 2
    assert client.received.count(b"content-length: %d\r\n" % len(BODY)) == 2
    assert client.received.count(b"date: ") == 2


def test_a_head_has_the_length_of_the_body_that_it_leaves_out(client: Client) -> None:
    assert client.send(REQUEST % (b"HEAD", b"whole") + LAST).rest() == [200, 200]
    assert client.received.count(b"content-length: %d\r\n" % len(BODY)) == 2
    assert client.received.count(BODY) == 1


def test_a_value_with_a_line_end_ends_the_connection_unsent(client: Client) -> None:
    assert client.send(REQUEST % (b"GET", b"injected")).rest() == []
    assert b"set-cookie" not in client.received


def test_a_connection_ends_behind_an_answer_that_says_so(client: Client) -> None:
    assert client.send(REQUEST % (b"GET", b"last") + LAST).rest() == [200]


def test_a_body_that_is_not_as_long_as_was_said_ends_the_connection(client: Client) -> None:
    client.send(REQUEST % (b"GET", b"short")).rest()
    assert client.received.count(b"HTTP/1.1 ") <= 1


def test_a_request_gets_one_answer_though_the_application_sends_two(client: Client) -> None:
    """A second one would be read as the answer to the next request."""
    assert client.send(REQUEST % (b"GET", b"twice")).rest() == [200]
    assert client.received.count(BODY) == 1


OLD = b"GET /%b HTTP/1.0\r\nHost: stoa.test\r\nConnection: keep-alive\r\n\r\n"


@pytest.mark.parametrize("path", [b"whole", b"pieces", b"stream"])
def test_an_old_client_reads_the_body_as_it_is_until_the_connection_ends(
    client: Client, path: bytes
) -> None:
    """HTTP/1.0 knows neither chunks nor connections that stay open unannounced."""
    assert client.send(OLD % path).rest() == [200]
    assert client.last.content == BODY
    assert "transfer-encoding" not in client.last.headers
    assert client.last.headers["connection"] == "close"


def cycles() -> int:
    """How many requests are still held."""
    return sum(isinstance(held, RequestResponseCycle) for held in gc.get_objects())


def test_a_request_is_gone_with_its_answer_and_not_left_to_the_collector(client: Client) -> None:
    gc.collect()
    gc.disable()
    try:
        before = cycles()
        for count in range(1, 21):
            client.send(REQUEST % (b"GET", b"whole")).until(count)
        assert cycles() <= before + 2  # the connection knows its last one
    finally:
        gc.enable()
