"""How requests are parsed: an ambiguous one gets 400 and ends the connection."""

import asyncio
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress

import pytest

from stoa.domain import limits
from stoa.domain.errors import Refusal
from stoa.http import answering, reading
from stoa.http.wire import Receive, Scope, Send
from tests.support.raw import Served, refusal_code

HOST = b"Host: stoa.test\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
GZIP = b"Transfer-Encoding: gzip\r\n"
CANARY = b"GET /canary HTTP/1.1\r\n" + HOST + b"\r\n"
OK = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"


class Book:
    """An application that records each request. One for `/hold` or `/hold/unread` is answered when
    `go_on` is set; for `/hold/unread` and `/unread` the body of the request is not read."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget the requests so far."""
        self.requests: list[tuple[str, str, bytes]] = []
        self.headers: list[dict[bytes, bytes]] = []
        self.held = threading.Event()
        self.go_on = threading.Event()
        self.answered = threading.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        path = scope["path"]
        try:
            unread = path.endswith("/unread")
            body = b"" if unread else await reading.body_bytes(receive, headers)
        except Refusal as refusal:
            lines = answering.refusal_headers(refusal, None)
            await answering.send_answer(send, refusal.status, lines)
            return
        self.requests.append((scope["method"], path, body))
        self.headers.append(dict(scope["headers"]))
        if path.startswith("/hold"):
            self.held.set()
            assert await asyncio.to_thread(self.go_on.wait, 60)
        await answering.send_answer(send, 200, [], b"done")
        self.answered.set()

    @property
    def paths(self) -> list[str]:
        """The paths asked for."""
        return [path for _, path, _ in self.requests]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """One server for all: a new one takes a while to end."""
    with Served(Book()) as running:
        yield running


@pytest.fixture
def book(served: Served) -> Book:
    book = served.app
    assert isinstance(book, Book)
    book.clear()
    return book


def post(headers: bytes, body: bytes = b"") -> bytes:
    return b"POST /first HTTP/1.1\r\n" + HOST + headers + b"\r\n" + body


AMBIGUOUS = {
    "length and chunks": post(b"Content-Length: 5\r\n" + CHUNKED, b"0\r\n\r\n"),
    "chunks and length": post(CHUNKED + b"Content-Length: 5\r\n", b"0\r\n\r\n"),
    "two lengths": post(b"Content-Length: 4\r\nContent-Length: 5\r\n", b"abcde"),
    "the same length twice": post(b"Content-Length: 4\r\nContent-Length: 4\r\n", b"abcd"),
    "a list of lengths": post(b"Content-Length: 4, 4\r\n", b"abcd"),
    "a length with a plus": post(b"Content-Length: +4\r\n", b"abcd"),
    "a negative length": post(b"Content-Length: -4\r\n", b"abcd"),
    "a hexadecimal length": post(b"Content-Length: 0x4\r\n", b"abcd"),
    "a length with an underscore": post(b"Content-Length: 1_0\r\n", b"abcd"),
    "a length of nothing": post(b"Content-Length:\r\n"),
    "a length beyond 64 bits": post(b"Content-Length: 99999999999999999999\r\n", b"abcd"),
    "an unknown coding": post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"),
    "no coding": post(b"Transfer-Encoding: identity\r\n", b"0\r\n\r\n"),
    "chunks inside something": post(b"Transfer-Encoding: chunked, identity\r\n", b"0\r\n\r\n"),
    "something inside chunks": post(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
    "chunks twice": post(b"Transfer-Encoding: chunked, chunked\r\n", b"0\r\n\r\n"),
    "two lines of chunks": post(CHUNKED + CHUNKED, b"0\r\n\r\n"),
    "another coding on a line before the chunks": post(GZIP + CHUNKED, b"0\r\n\r\n"),
    "another coding on a line after the chunks": post(CHUNKED + GZIP, b"0\r\n\r\n"),
    "a quoted coding": post(b'Transfer-Encoding: "chunked"\r\n', b"0\r\n\r\n"),
    "a vertical tab before the coding": post(b"Transfer-Encoding: \x0bchunked\r\n", b"0\r\n\r\n"),
    "a blank before the colon": post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"),
    "an empty coding and a length": post(b"Transfer-Encoding:\r\nContent-Length: 4\r\n", b"abcd"),
    "chunks in HTTP/1.0": b"POST / HTTP/1.0\r\n" + HOST + CHUNKED + b"\r\n0\r\n\r\n",
    "a bare line feed everywhere": b"GET / HTTP/1.1\nHost: stoa.test\n\n",
    "a bare line feed in the head": b"GET / HTTP/1.1\r\nHost: stoa.test\nX: y\r\n\r\n",
    "a bare line feed at its end": b"GET / HTTP/1.1\r\nHost: stoa.test\r\n\n",
    "a bare carriage return": b"GET / HTTP/1.1\r\nHost: stoa.test\rX: y\r\n\r\n",
    "a bare line feed in chunks": post(CHUNKED, b"1\na\r\n0\r\n\r\n"),
    "a bare line feed in a chunk's extension": post(CHUNKED, b"1;a\nb\r\na\r\n0\r\n\r\n"),
    "a chunk that is longer than it says": post(CHUNKED, b"1\r\naXX0\r\n\r\n"),
    "a chunk size with a prefix": post(CHUNKED, b"0x1\r\na\r\n0\r\n\r\n"),
    "a negative chunk size": post(CHUNKED, b"-1\r\na\r\n0\r\n\r\n"),
    "a blank after a chunk size": post(CHUNKED, b"1 \r\na\r\n0\r\n\r\n"),
    "a chunk size beyond 64 bits": post(CHUNKED, b"1ffffffffffffffff\r\na\r\n0\r\n\r\n"),
    "a length behind the chunks": post(CHUNKED, b"1\r\na\r\n0\r\nContent-Length: 5\r\n\r\n"),
    "a folded header": b"GET / HTTP/1.1\r\nHost: stoa.test\r\nX: a\r\n b\r\n\r\n",
    "a folded first header": b"GET / HTTP/1.1\r\n Host: stoa.test\r\n\r\n",
    "a NUL in a value": b"GET / HTTP/1.1\r\nHost: stoa.test\r\nX: a\0b\r\n\r\n",
    "a NUL in a name": b"GET / HTTP/1.1\r\nHost: stoa.test\r\nX\0: a\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost: stoa.test\r\nXa\r\n\r\n",
    "a header without a name": b"GET / HTTP/1.1\r\nHost: stoa.test\r\n: a\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "HTTP/0.9": b"GET /\r\n\r\n",
    "HTTP/1.2": b"GET / HTTP/1.2\r\n" + HOST + b"\r\n",
    "HTTP/2.0": b"GET / HTTP/2.0\r\n" + HOST + b"\r\n",
    "the preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "a control character in the path": b"GET /\x01 HTTP/1.1\r\n" + HOST + b"\r\n",
    "an 8-bit path": b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n",
    "a fragment in the path": b"GET /first#part HTTP/1.1\r\n" + HOST + b"\r\n",
    "a fragment in the query": b"GET /first?a=1#part HTTP/1.1\r\n" + HOST + b"\r\n",
    "another host in the target": b"GET http://other.test/ HTTP/1.1\r\n" + HOST + b"\r\n",
    "another port in the target": b"GET http://stoa.test:81/ HTTP/1.1\r\n" + HOST + b"\r\n",
    "a name in the target": b"GET http://me@stoa.test/ HTTP/1.1\r\n" + HOST + b"\r\n",
    "a host in the target alone": b"GET http://stoa.test/ HTTP/1.0\r\n\r\n",
    "a tunnel": b"CONNECT stoa.test:80 HTTP/1.1\r\n" + HOST + b"\r\n",
}


@pytest.mark.promise("W5")
@pytest.mark.parametrize("request_bytes", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_an_ambiguous_request_gets_400_and_ends_the_connection(
    served: Served, book: Book, request_bytes: bytes
):
    with served.client() as client:
        assert client.send(request_bytes + CANARY).rest() == [400]
        assert refusal_code(client.last) == "invalid_request"
    assert book.requests == []


def test_who_sends_a_query_in_another_script_as_it_is_hears_of_percent_encoding(
    served: Served, book: Book
):
    for target in ("/s?q=中文", "/tags/ภาษา"):
        for first in (b"", OK):  # behind an answer too
            with served.client() as client:
                line = f"GET {target} HTTP/1.1\r\n".encode()
                assert client.send(first + line + HOST + b"\r\n").rest()[-1] == 400
                assert b"percent-encoded as UTF-8" in client.last.content
    assert set(book.paths) == {"/"}
    with served.client() as client:
        assert client.send(AMBIGUOUS["two hosts"]).rest() == [400]
        assert b"percent-encoded" not in client.last.content


@pytest.mark.parametrize("request_bytes", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_an_ambiguous_request_that_arrives_in_pieces_gets_400_too(
    served: Served, book: Book, request_bytes: bytes
):
    with served.client() as client:
        with suppress(OSError):
            for place in range(0, len(request_bytes), 7):
                client.send(request_bytes[place : place + 7])
        assert client.rest() == [400]
    assert book.requests == []


def test_a_target_may_be_a_whole_address(served: Served, book: Book):
    with served.client() as client:
        for target in ("stoa.test/first", "STOA.test/first?a=1", "stoa.test", "stoa.test?a=1"):
            client.send(f"GET http://{target} HTTP/1.1\r\n".encode() + HOST + b"\r\n")
        assert client.until(4) == [200] * 4
    assert book.paths == ["/first", "/first", "/", "/"]


def test_requests_behind_each_other_are_answered_in_order(served: Served, book: Book):
    body = post(b"Content-Type: application/json\r\nContent-Length: 2\r\n", b"{}")
    with served.client() as client:
        assert client.send(OK + body + CANARY).until(3) == [200, 200, 200]
    assert book.requests == [("GET", "/", b""), ("POST", "/first", b"{}"), ("GET", "/canary", b"")]


def test_answers_that_are_owed_come_before_the_400(served: Served, book: Book):
    with served.client() as client:
        client.send(b"GET /hold HTTP/1.1\r\n" + HOST + b"\r\n" + OK + AMBIGUOUS["two hosts"])
        assert book.held.wait(60)
        book.go_on.set()
        assert client.rest() == [200, 200, 400]
    assert book.paths == ["/hold", "/"]


def test_a_broken_body_is_answered_behind_the_answers_that_are_owed(served: Served, book: Book):
    broken = AMBIGUOUS["a chunk that is longer than it says"]
    with served.client() as client:
        client.send(b"GET /hold HTTP/1.1\r\n" + HOST + b"\r\n" + broken)
        assert book.held.wait(60)
        book.go_on.set()
        assert client.rest() == [200, 400]
    assert book.paths == ["/hold"]


def test_a_broken_rest_of_an_answered_request_gets_no_second_answer(served: Served):
    head = b"POST /unread HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\n"
    with served.client() as client:
        assert client.send(head).until(1) == [200]
        assert client.send(b"broken\r\n" + CANARY).rest() == [200]


def test_a_request_that_was_refused_while_it_was_answered_gets_no_second_answer(
    served: Served, book: Book
):
    head = b"POST /hold/unread HTTP/1.1\r\n" + HOST + CHUNKED + b"\r\n"
    with served.client() as client:
        client.send(head)
        assert book.held.wait(60)
        assert client.send(b"broken\r\n").until(1) == [400]
        book.go_on.set()
        assert book.answered.wait(60), "no defect of the application"
        assert client.rest() == [400]


def test_the_rest_of_an_answered_request_is_skipped(served: Served, book: Book):
    head = b"POST /unread HTTP/1.1\r\n" + HOST + b"Content-Length: 4\r\n\r\n"
    with served.client() as client:
        assert client.send(head).until(1) == [200]
        assert client.send(b"GET " + CANARY).until(2) == [200, 200]
    assert book.paths == ["/unread", "/canary"]


def test_too_many_headers_are_refused_before_the_head_ends(served: Served, book: Book):
    with served.client() as client:
        more = b"".join(b"X-%d: y\r\n" % number for number in range(limits.HEADER_LINES + 2))
        assert client.send(OK[:-2] + more).rest() == [400]
    assert book.requests == []


def test_what_comes_behind_a_body_takes_no_memory(served: Served, book: Book):
    fields = b"".join(b"x%d:y\r\n" % number for number in range(100_000))
    head = post(b"Content-Type: application/json\r\n" + CHUNKED, b"2\r\n{}\r\n0\r\n")
    tracemalloc.start()
    with served.client() as client:
        assert client.send(head + fields + b"\r\n").until(1) == [200]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * len(fields)
    assert book.paths == ["/first"]


def test_what_comes_behind_a_body_is_no_header(served: Served, book: Book):
    trailer = b"0\r\nX-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer x\r\n\r\n"
    with served.client() as client:
        request = post(b"Content-Type: application/json\r\n" + CHUNKED, b"2\r\n{}\r\n" + trailer)
        assert client.send(request).until(1) == [200]
    assert book.requests == [("POST", "/first", b"{}")]
    assert set(book.headers[0]) == {b"host", b"content-type", b"transfer-encoding"}


@pytest.mark.parametrize("protocol", ["websocket", "h2c"])
def test_an_upgrade_is_answered_in_http_and_ends_the_connection(
    served: Served, book: Book, protocol: str
):
    head = b"GET / HTTP/1.1\r\n" + HOST + f"Connection: Upgrade\r\nUpgrade: {protocol}\r\n".encode()
    with served.client() as client:
        assert client.send(head + b"\r\n" + CANARY).rest() == [200]
        assert client.last.headers["connection"] == "close"
    assert book.paths == ["/"]


def test_a_head_that_never_ends_is_refused(served: Served, book: Book):
    with served.client() as client:
        client.send(b"GET / HTTP/1.1\r\n" + HOST)
        line = b"X-Filler: " + b"x" * 1000 + b"\r\n"
        with suppress(OSError):
            for _ in range(limits.HEADER_BYTES // len(line) + 8):
                client.send(line)
        assert client.rest() == [400]
    assert book.requests == []


@pytest.mark.parametrize(("filler", "status"), [(limits.HEADER_BYTES, 400), (8000, 200)])
def test_the_size_of_a_head_that_comes_at_once_is_limited_too(
    served: Served, filler: int, status: int
):
    with served.client() as client:
        client.send(OK[:-2] + b"Connection: close\r\nX: " + b"x" * filler + b"\r\n\r\n")
        assert client.rest() == [status]


@pytest.mark.parametrize(("lines", "status"), [(limits.HEADER_LINES, 400), (100, 200)])
def test_the_number_of_headers_is_limited_too(served: Served, lines: int, status: int):
    with served.client() as client:
        more = b"".join(b"X-%d: y\r\n" % number for number in range(lines))
        client.send(OK[:-2] + b"Connection: close\r\n" + more + b"\r\n")
        assert client.rest() == [status]


def test_only_so_many_requests_may_be_sent_ahead(served: Served, book: Book):
    with served.client() as client:
        client.send(b"GET /hold HTTP/1.1\r\n" + HOST + b"\r\n" + OK * 1000)
        assert book.held.wait(60)
        book.go_on.set()
        assert client.rest() == [200] * (1 + limits.PIPELINED) + [400]


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


JSON_CHUNKED = b"Content-Type: application/json\r\n" + CHUNKED


def test_a_chunked_body_over_the_limit_is_413_even_for_one_who_goes_on_sending(
    served: Served, book: Book
):
    with served.client() as client:
        client.send(post(JSON_CHUNKED, chunk(b"x" * 65536) * 24))
        client.send(chunk(b"y" * 65536) + b"0\r\n\r\n")
        assert client.rest() == [413]
        assert client.last.headers["connection"] == "close"
    assert book.requests == []


def test_a_length_over_the_limit_is_413_before_the_body_is_asked_for(served: Served):
    length = b"Expect: 100-continue\r\nContent-Length: %d\r\n" % (limits.BODY_BYTES + 1)
    with served.client() as client:
        assert client.send(post(length)).rest() == [413]
        assert b"100 Continue" not in client.received


def test_a_body_is_asked_for_when_it_is_wanted(served: Served, book: Book):
    head = b"Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
    with served.client() as client:
        assert client.send(post(head)).until(1) == [100]
        assert client.send(b"{}").until(2) == [100, 200]
    assert book.requests == [("POST", "/first", b"{}")]


def test_an_old_client_is_asked_for_no_body(served: Served):
    head = b"POST /first HTTP/1.0\r\nHost: stoa.test\r\nContent-Type: application/json\r\n"
    with served.client() as client:
        client.send(head + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}")
        assert client.rest() == [200]


def test_a_body_that_is_mostly_wrapping_is_cut_off(served: Served, book: Book):
    wrapping = b"1;" + b"x" * 65536 + b"\r\na\r\n"
    with served.client() as client:
        client.send(post(JSON_CHUNKED))
        with suppress(OSError):
            for _ in range(limits.MESSAGE_BYTES // len(wrapping) + 8):
                client.send(wrapping)
        assert client.rest() == [400]
    assert book.requests == []
