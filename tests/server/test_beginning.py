"""Calls that begin without a task: one that has to wait gets a task, and is the same call."""

import asyncio
import gc
from collections.abc import Iterator
from contextvars import ContextVar

import pytest

from stoa.http import answering
from stoa.http.reading import body_bytes
from stoa.http.wire import Receive, Scope, Send
from stoa.server.beginning import StartedCall
from tests.support.raw import Begins, Client, Served

LAST = b"GET /last HTTP/1.1\r\nHost: stoa.test\r\nConnection: close\r\n\r\n"

_noted: ContextVar[str] = ContextVar("noted", default="nothing")


def get(path: str) -> bytes:
    return b"GET %b HTTP/1.1\r\nHost: stoa.test\r\n\r\n" % path.encode()


def post(path: str, body: bytes = b"{}", lines: bytes = b"") -> bytes:
    head = b"POST %b HTTP/1.1\r\nHost: stoa.test\r\nContent-Type: application/json\r\n%b"
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return head % (path.encode(), lines) + length + body


class Desk:
    """Answers with what it saw; `tasks` says of each call whether it began in a task."""

    def __init__(self) -> None:
        self.tasks: list[bool] = []
        self.cancelled = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.tasks.append(asyncio.current_task() is not None)
        before = _noted.get()
        _noted.set(scope["path"])
        path, body = scope["path"], before.encode()
        if path == "/waits":
            await asyncio.sleep(0.001)
            async with asyncio.timeout(60):
                await asyncio.sleep(0)
            body = _noted.get().encode()
        elif path == "/fails":
            body = await self._failing()
        elif path == "/parts":
            await _send_parts(send)
            return
        elif path == "/reads":
            body = await body_bytes(receive, dict(scope["headers"]))
        elif path == "/reads-late":
            await asyncio.sleep(0.001)
            body = (await receive())["body"] + (await receive())["body"]
        elif path == "/headers":
            body = repr(scope["headers"]).encode()
        elif path == "/asks":
            body = repr(await receive()).encode()
        elif path == "/watches":
            body = await self._watching(receive)
        elif path == "/hangs":
            await self._hang()
        await answering.send_answer(send, 200, [], body)

    async def _failing(self) -> bytes:
        future = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(future.set_exception, ValueError("told"))
        try:
            await future
        except ValueError as error:
            return str(error).encode()
        return b"nothing was raised"

    async def _watching(self, receive: Receive) -> bytes:
        gone = asyncio.create_task(_disconnected(receive))
        await asyncio.sleep(0.001)
        gone.cancel()
        return b"gone" if gone.done() else b"there"

    async def _hang(self) -> None:
        try:
            await asyncio.get_running_loop().create_future()
        except asyncio.CancelledError:
            self.cancelled = True
            raise


async def _disconnected(receive: Receive) -> None:
    for _ in range(100):
        if (await receive())["type"] == "http.disconnect":
            return


async def _send_parts(send: Send) -> None:
    length = (b"content-length", b"6")
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": b"one", "more_body": True})
    await asyncio.sleep(0.001)
    await send({"type": "http.response.body", "body": b"two"})


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def client(desk: Desk) -> Iterator[Client]:
    with Served(desk, ready=Begins()) as served, served.client() as client:
        yield client


def test_a_call_that_does_not_wait_has_no_task(desk: Desk, client: Client) -> None:
    assert client.send(get("/at-once")).until(1) == [200]
    assert client.last.content == b"nothing"
    assert desk.tasks == [False]


@pytest.mark.parametrize(
    ("path", "content"), [("/waits", b"/waits"), ("/fails", b"told"), ("/parts", b"onetwo")]
)
def test_a_call_that_waits_goes_on_in_a_task(
    desk: Desk, client: Client, path: str, content: bytes
) -> None:
    assert client.send(get(path) + LAST).rest() == [200, 200]
    assert content in client.received.partition(b"HTTP/1.1 200 OK\r\n")[2]
    assert desk.tasks == [False, True]


def test_a_call_that_asks_for_a_body_gets_an_empty_one(client: Client) -> None:
    assert client.send(get("/asks")).until(1) == [200]
    assert b"'body': b''" in client.last.content
    assert b"'more_body': False" in client.last.content


@pytest.mark.parametrize("path", ["/reads", "/reads-late"])
def test_a_post_whose_body_came_with_its_head_begins_without_a_task(
    desk: Desk, client: Client, path: str
) -> None:
    assert client.send(post(path) + LAST).rest() == [200, 200]
    assert client.received.count(b"{}") == 1
    assert desk.tasks == [False, True]


def test_a_post_whose_body_comes_later_has_a_task(desk: Desk, client: Client) -> None:
    assert client.send(post("/at-once")[:-1]).until(1) == [200]
    assert desk.tasks == [True]


def test_a_post_that_waits_to_be_asked_for_its_body_has_a_task(desk: Desk, client: Client) -> None:
    client.send(post("/asks", lines=b"Expect: 100-continue\r\n")).until(2)
    assert client.statuses == [100, 200]
    assert desk.tasks == [True]


def test_a_trailer_of_a_post_is_no_header(desk: Desk, client: Client) -> None:
    head = b"POST /headers HTTP/1.1\r\nHost: stoa.test\r\nTransfer-Encoding: chunked\r\n\r\n"
    trailer = b"2\r\n{}\r\n0\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n"
    assert client.send(head + trailer).until(1) == [200]
    assert b"transfer-encoding" in client.last.content
    assert b"192.0.2.1" not in client.last.content
    assert desk.tasks == [False]


def test_a_call_that_watches_for_its_client_to_go_waits(client: Client) -> None:
    assert client.send(get("/watches")).until(1) == [200]
    assert client.last.content == b"there"


def test_what_a_call_notes_is_not_seen_by_the_next(client: Client) -> None:
    for count, path in enumerate(("/at-once", "/waits", "/at-once"), 1):
        client.send(get(path)).until(count)
    assert client.last.content == b"nothing"


def test_of_requests_that_arrive_together_one_begins_without_a_task(
    desk: Desk, client: Client
) -> None:
    """Else a connection could hold up all others with as many reads as fit into one packet."""
    assert client.send(get("/at-once") * 5).until(5) == [200] * 5
    assert desk.tasks == [False, True, True, True, True]


OTHERS = {
    "another method": b"HEAD /at-once HTTP/1.1\r\nHost: stoa.test\r\n\r\n",
    "an escaped path": get("/%61t-once"),
    "an old version": b"GET /at-once HTTP/1.0\r\nHost: stoa.test\r\n\r\n",
    "a last request": b"GET /at-once HTTP/1.1\r\nHost: stoa.test\r\nConnection: close\r\n\r\n",
    "a body": b"GET /at-once HTTP/1.1\r\nHost: stoa.test\r\nContent-Length: 2\r\n\r\n{}",
}


@pytest.mark.parametrize("request_", OTHERS.values(), ids=OTHERS)
def test_every_other_request_has_a_task(desk: Desk, client: Client, request_: bytes) -> None:
    assert client.send(request_).until(1) == [200]
    assert desk.tasks == [True]


def test_a_call_whose_task_is_cancelled_is_cancelled(desk: Desk) -> None:
    asyncio.run(_cancelled(desk))
    assert desk.cancelled


async def _cancelled(desk: Desk) -> None:
    begun = StartedCall(desk, {"type": "http", "path": "/hangs"})
    assert begun.run() is None
    task = asyncio.ensure_future(begun({}, _never_asked, _never_sent))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _never_asked() -> dict[str, object]:
    raise AssertionError


async def _never_sent(_: object) -> None:
    raise AssertionError


def test_a_call_is_gone_with_its_answer_and_not_left_to_the_collector(client: Client) -> None:
    gc.collect()
    gc.disable()
    try:
        for count, path in enumerate(("/at-once", "/waits") * 5, 1):
            client.send(get(path)).until(count)
        assert sum(isinstance(held, StartedCall) for held in gc.get_objects()) <= 1
    finally:
        gc.enable()
