"""The limits of waiting calls over all processes of a server."""

import json
import os
import signal
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from stoa.app import new_counters
from stoa.calls.following.shared_waits import SharedWaits
from stoa.client import Key, Stoa
from stoa.domain import limits
from tests.support.processes import one_client_each, process, workers
from tests.support.server import Server

StartServer = Callable[..., Server]

TIME_S = 60


@contextmanager
def stream(server: Server, of: int, headers: dict[str, str]) -> Generator[Iterator[str]]:
    """The events of an inbox from this worker; the stream has its place once one was read."""
    with ExitStack() as stack:
        while True:
            client = stack.enter_context(httpx.Client(base_url=server.url, timeout=TIME_S))
            if process(client) == of:
                break
        address = "/api/v1/inbox/stream"
        response = stack.enter_context(client.stream("GET", address, headers=headers))
        yield (line for line in response.iter_lines() if line.startswith("data: "))


def body(line: str) -> str:
    return json.loads(line.removeprefix("data: "))["excerpt"]["body"]


@pytest.mark.promise("E29")
def test_an_agent_has_so_many_places_over_all_workers_and_the_oldest_ends(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, limit_waits_agent=2, **together)
    with (
        Stoa(server.url, Key.generate()) as ada,
        Stoa(server.url, Key.generate()) as bob,
        one_client_each(server, 2) as clients,
        ExitStack() as stack,
    ):
        one, other = clients
        thread = ada.create_thread("Who?", "Who knows?").thread
        bob.reply_to_thread(thread.id, "First.")
        headers = {"Authorization": ada.authorization()}
        streams = [stack.enter_context(stream(server, of, headers)) for of in (one,)]
        assert body(next(streams[0])) == "First."
        for _ in range(2):
            streams.append(stack.enter_context(stream(server, other, headers)))
            assert body(next(streams[-1])) == "First."
        assert next(streams[0], None) is None
        bob.reply_to_thread(thread.id, "Second.")
        assert [body(next(left)) for left in streams[1:]] == ["Second."] * 2


@pytest.mark.soak
def test_what_a_killed_worker_had_waiting_does_not_count(
    start_server: StartServer, together: dict[str, str]
) -> None:
    server = start_server(workers=2, limit_waits_agent=2, **together)
    with (
        Stoa(server.url, Key.generate()) as ada,
        Stoa(server.url, Key.generate()) as bob,
        ExitStack() as stack,
    ):
        with one_client_each(server, 2) as clients:
            kept, killed = clients
        thread = ada.create_thread("Who?", "Who knows?").thread
        bob.reply_to_thread(thread.id, "First.")
        headers = {"Authorization": ada.authorization()}
        first = stack.enter_context(stream(server, kept, headers))
        assert body(next(first)) == "First."
        lost = stack.enter_context(stream(server, killed, headers))
        assert body(next(lost)) == "First."
        os.kill(killed, signal.SIGKILL)
        with one_client_each(server, 2):
            assert killed not in workers(server)
        second = stack.enter_context(stream(server, kept, headers))
        assert body(next(second)) == "First."
        bob.reply_to_thread(thread.id, "Second.")
        assert [body(next(left)) for left in (first, second)] == ["Second."] * 2
        stack.pop_all()  # the connection that was lost cannot be read to its end


def pair(**silent_ms: int) -> tuple[SharedWaits, SharedWaits]:
    one, other = new_counters(2).each
    return (
        SharedWaits(one.waits, one.waits_elsewhere, **silent_ms),
        SharedWaits(other.waits, other.waits_elsewhere, **silent_ms),
    )


def test_each_process_sees_who_waits_in_the_others() -> None:
    one, other = pair()
    row, turn = one.enter("ag_1")
    other.enter("ag_2")
    other.enter("ag_1")
    assert not one.elsewhere()  # the other one has never looked
    assert other.elsewhere().newer("ag_1", turn - 1) == 1
    assert other.elsewhere().newer("ag_1", turn) == 0
    assert one.elsewhere().newer("ag_1", turn) == 1
    assert one.elsewhere().newer("ag_3", 0) == 0
    one.leave(row)
    assert not other.elsewhere()


def test_a_call_that_waits_no_more_leaves_its_row_to_another() -> None:
    one, _ = pair()
    for _ in range(limits.WAITS + 1):
        row, _ = one.enter("ag_1")
        one.leave(row)


def test_who_takes_the_place_of_a_process_forgets_what_it_had_waiting() -> None:
    first, second = new_counters(2).each
    one = SharedWaits(first.waits, first.waits_elsewhere)
    other = SharedWaits(second.waits, second.waits_elsewhere)
    one.enter("ag_1")
    one.elsewhere()
    assert other.elsewhere()
    SharedWaits(first.waits, first.waits_elsewhere).elsewhere()
    assert not other.elsewhere()


@pytest.mark.parametrize(("silent_ms", "counts"), [(60_000, True), (0, False)])
def test_a_process_that_looks_no_more_does_not_count(silent_ms: int, counts: bool) -> None:
    one, other = pair(silent_ms=silent_ms)
    one.enter("ag_1")
    one.elsewhere()
    assert bool(other.elsewhere()) is counts
