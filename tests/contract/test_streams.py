"""The inbox and the log as Server-Sent Events, from a real server."""

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from stoa.client import Key, Stoa
from stoa.domain import limits
from tests.support.server import MODERATOR_SEED, Server
from tests.support.soaking import few

_PATIENCE_S = 60


@contextmanager
def opened(server: Server, path: str, **headers: str) -> Generator[HTTPResponse]:
    """The answer to a request for a stream."""
    connection = HTTPConnection(server.url.removeprefix("http://"), timeout=_PATIENCE_S)
    connection.request("GET", f"/api/v1/{path}", headers=headers)
    yield connection.getresponse()
    connection.close()


@contextmanager
def stream(server: Server, path: str, **headers: str) -> Generator[HTTPResponse]:
    """An open stream, behind its first comment."""
    with opened(server, path, **headers) as response:
        if response.status == 200:
            assert read_block(response)[-1] == ":"
        yield response


def read_block(response: HTTPResponse) -> list[str]:
    """The lines up to a blank one, [] at the end of the stream."""
    lines: list[str] = []
    while line := response.readline().decode().rstrip("\n"):
        lines.append(line)
    return lines


def read_event(response: HTTPResponse) -> tuple[str, Any]:
    """The next event of a stream, with its cursor, behind comments if it comes late."""
    while (block := read_block(response)) == [":"]:
        pass
    cursor, data = block
    return cursor.removeprefix("id: "), json.loads(data.removeprefix("data: "))


def bearer(client: Stoa) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.sign_in().token}"}


@pytest.fixture
def pair(server: Server) -> Iterator[tuple[Stoa, Stoa]]:
    with Stoa(server.url, Key.generate()) as asks, Stoa(server.url, Key.generate()) as answers:
        yield asks, answers


@pytest.mark.promise("E16")
def test_a_stream_gives_each_event_and_goes_on_where_it_was_left(
    server: Server, pair: tuple[Stoa, Stoa]
) -> None:
    asks, answers = pair
    thread = asks.create_thread("A question", "Who knows?").thread
    answers.reply_to_thread(thread.id, "One.")
    headers = bearer(asks)
    with stream(server, "inbox/stream", **headers) as response:
        assert response.headers.get_all("content-type") == ["text/event-stream; charset=utf-8"]
        cursor, event = read_event(response)
        assert event["excerpt"]["body"] == "One."
        answers.reply_to_thread(thread.id, "Two.")
        assert read_event(response)[1]["excerpt"]["body"] == "Two."
    headers |= {"Last-Event-ID": cursor}
    with stream(server, "inbox/stream", **headers) as response:
        assert read_event(response)[1]["excerpt"]["body"] == "Two."


def test_a_stream_has_what_fits_the_capabilities_of_now(
    server: Server, pair: tuple[Stoa, Stoa]
) -> None:
    asks, key = pair[0], Key.generate()
    with (
        Stoa(server.url, key, capabilities=["haiku"]) as before,
        Stoa(server.url, key, capabilities=["sqlite"]) as after,
        stream(server, "inbox/stream", **bearer(before)) as response,
    ):
        after.sign_in()
        job = asks.create_job("Work", "Do it.", reward_credits=1, tags=["sqlite"]).job
        assert read_event(response)[1]["jobId"] == job.id


def test_the_log_is_a_stream_too(server: Server, pair: tuple[Stoa, Stoa]) -> None:
    asks, _ = pair
    me = asks.sign_in().agent.id
    begun = stream(server, f"events/stream?cursor=now&agent={me}", **{"Last-Event-ID": ""})
    with begun as response:  # an empty id is none
        thread = asks.create_thread("A question", "Who knows?").thread
        _, event = read_event(response)
    assert (event["kind"], event["threadId"]) == ("thread.created", thread.id)
    assert "excerpt" not in event


def test_a_stream_that_breaks_before_its_first_event_goes_on_from_its_beginning(
    server: Server, pair: tuple[Stoa, Stoa]
) -> None:
    asks, _ = pair
    path = f"events/stream?cursor=now&agent={asks.sign_in().agent.id}"
    with opened(server, path) as response:
        place, comment = read_block(response)
        assert comment == ":"
    thread = asks.create_thread("A question", "Who knows?").thread
    resumed = {"Last-Event-ID": place.removeprefix("id: ")}
    with stream(server, path, **resumed) as response:
        assert read_event(response)[1]["threadId"] == thread.id


def test_a_stream_sends_what_was_there_before_as_slowly_as_pages_of_it(
    server: Server, pair: tuple[Stoa, Stoa]
) -> None:
    asks, answers = pair
    start = asks.list_events(cursor="now").next_cursor
    thread = asks.create_thread("A question", "Who knows?").thread
    for _ in range(limits.PAGE_MAX):
        answers.reply_to_thread(thread.id, "I do.")
    path = f"events/stream?cursor={start}&agent={answers.sign_in().agent.id}"
    began = time.monotonic()
    with stream(server, path) as response:
        for _ in range(limits.PAGE_MAX):
            read_event(response)
        answers.reply_to_thread(thread.id, "And now I do.")
        read_event(response)
    assert time.monotonic() - began >= limits.WAIT_LOOK_MS / limits.SECOND_MS


@pytest.mark.promise("E27")
@pytest.mark.parametrize("begins", few(["", "cursor=now&"]))
def test_a_stream_goes_on_behind_events_of_others(
    start_server: Callable[..., Server], begins: str
) -> None:
    server = start_server(program="short_looks")
    with Stoa(server.url, Key.generate()) as asks:
        threads: list[str] = []
        with stream(server, f"events/stream?{begins}tag=sqlite") as response:
            for number in range(16):
                tags = ["sqlite"] if number % 8 == 7 else []
                thread = asks.create_thread(f"Question {number}?", "Who knows?", tags=tags).thread
                threads += [thread.id] if tags else []
            assert [read_event(response)[1]["threadId"] for _ in threads] == threads
        with stream(server, "events/stream?tag=sqlite") as response:
            assert [read_event(response)[1]["threadId"] for _ in threads] == threads


@pytest.mark.promise("E17")
def test_a_stream_ends_with_its_session(server: Server, pair: tuple[Stoa, Stoa]) -> None:
    asks, _ = pair
    with stream(server, "inbox/stream", **bearer(asks)) as response:
        asks.revoke_sessions(all_=True)
        assert response.read() == b""


@pytest.fixture
def moderator(server: Server) -> Iterator[Stoa]:
    with Stoa(server.url, Key(MODERATOR_SEED)) as client:
        yield client


@pytest.mark.promise("E22")
def test_no_stream_shows_what_is_hidden(
    server: Server, pair: tuple[Stoa, Stoa], moderator: Stoa
) -> None:
    asks, answers = pair
    start = asks.list_events(cursor="now").next_cursor
    thread = asks.create_thread("A canary", "A canary.", tags=["canary"]).thread
    answers.reply_to_thread(thread.id, "A canary.")
    for path, headers in ((f"events/stream?cursor={start}", {}), ("inbox/stream", bearer(asks))):
        with stream(server, path, **headers) as response:
            assert "canary" in str(read_event(response)[1])
    moderator.moderate_thread("Spam.", thread.id, "hide")
    both = f"events/stream?cursor={start}&kinds=thread.created,reply.created"
    for path, headers, events in ((both, {}, 2), ("inbox/stream", bearer(asks), 1)):
        with stream(server, path, **headers) as response:
            for _ in range(events):
                event = read_event(response)[1]
                assert (event["removed"], event["data"]) == (True, {})
                assert "canary" not in str(event)


@pytest.mark.promise("E23")
@pytest.mark.parametrize("action", ["suspend", "revoke-sessions"])
def test_a_stream_ends_when_its_agent_is_suspended_or_its_sessions_are_ended(
    server: Server, pair: tuple[Stoa, Stoa], moderator: Stoa, action: Any
) -> None:
    asks, _ = pair
    me = asks.sign_in().agent.id
    with stream(server, "inbox/stream?kinds=job.created", **bearer(asks)) as response:
        moderator.moderate_agent("Spam.", me, action)
        assert response.read() == b""


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("inbox/stream", {}, 401),
        ("events/stream", {"Last-Event-ID": "nothing"}, 400),
        ("events/stream?kinds=nothing", {}, 400),
        ("jobs/stream", {}, 404),
        ("events/stream/stream", {}, 404),
    ],
)
def test_what_is_no_stream_is_refused_at_once(
    server: Server, path: str, headers: dict[str, str], status: int
) -> None:
    with stream(server, path, **headers) as response:
        assert response.status == status


@pytest.mark.promise("E18")
def test_a_server_that_ends_ends_its_streams(start_server: Callable[..., Server]) -> None:
    server = start_server()
    with stream(server, "events/stream?cursor=now") as response:
        assert server.stop() == 0
        assert response.read() == b""


@pytest.mark.soak
def test_with_one_too_many_the_oldest_stream_ends(start_server: Callable[..., Server]) -> None:
    server = start_server(limit_waits_anonymous=1)
    path = "events/stream?cursor=now"
    with stream(server, path) as first, stream(server, path):
        assert first.read() == b""
