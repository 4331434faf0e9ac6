"""Requests are worked on in the order in which they arrive, also where calls take long."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from stoa.server.turns import Turns
from tests.support.wires import Wire, connected, get

MS = 1_000_000

# --- The queue alone.


class Place:
    """A connection, which notes its turn and then takes some time."""

    def __init__(self, name: str, noted: list[str], waiting: Turns, spent_ns: int = 0) -> None:
        self.name = name
        self._noted, self._waiting, self._spent_ns = noted, waiting, spent_ns

    def take_turn(self) -> None:
        self._noted.append(self.name)
        self._waiting.spend(self._spent_ns)


def test_nothing_waits_before_a_turn_is_over() -> None:
    async def few() -> None:
        waiting = Turns(2 * MS)
        place = Place("", [], waiting)
        assert not waiting.queues(place)
        waiting.spend(2 * MS - 1)
        assert not waiting.queues(place)

    asyncio.run(few())


def test_what_was_spent_in_a_turn_does_not_count_for_the_next_one() -> None:
    async def two() -> None:
        waiting = Turns(2 * MS)
        place = Place("", [], waiting)
        waiting.spend(2 * MS - 1)
        await asyncio.sleep(0)
        waiting.spend(2 * MS - 1)
        assert not waiting.queues(place)
        waiting.spend(1)
        assert waiting.queues(place)

    asyncio.run(two())


def test_what_arrives_behind_the_end_of_a_turn_comes_in_the_next_ones() -> None:
    async def many() -> list[list[str]]:
        waiting, noted = Turns(2 * MS), list[str]()
        waiting.spend(3 * MS)
        for name in "abcde":
            assert waiting.queues(Place(name, noted, waiting, MS))
        seen: list[list[str]] = []
        for _ in range(3):
            await asyncio.sleep(0)
            seen.append([*noted])
        return seen

    assert asyncio.run(many()) == [["a", "b"], [*"abcd"], [*"abcde"]]


def test_what_arrives_while_others_wait_comes_behind_them() -> None:
    async def late() -> list[str]:
        waiting, noted = Turns(2 * MS), list[str]()
        waiting.spend(3 * MS)
        for name in "ab":
            waiting.queues(Place(name, noted, waiting, 3 * MS))
        await asyncio.sleep(0)
        assert waiting.queues(Place("c", noted, waiting))
        for _ in range(2):
            await asyncio.sleep(0)
        assert not waiting.queues(Place("d", noted, waiting))
        return noted

    assert asyncio.run(late()) == [*"abc"]


def test_one_that_fails_does_not_hold_up_the_others() -> None:
    class Failing:
        def take_turn(self) -> None:
            raise ValueError("told")

    async def failing() -> list[str]:
        told: list[BaseException] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: told.append(context["exception"]))
        waiting, noted = Turns(2 * MS), list[str]()
        waiting.spend(3 * MS)
        waiting.queues(Failing())
        waiting.queues(Place("a", noted, waiting))
        for _ in range(2):
            await asyncio.sleep(0)
        assert [str(error) for error in told] == ["told"]
        return noted

    assert asyncio.run(failing()) == ["a"]


# --- Of connections.


Steps = Callable[[Any, Any], None]
Run = Callable[[Steps], tuple[Wire, Wire]]


@pytest.fixture
def after_first() -> Run:
    """Runs steps on two connections, of which the first has just made this turn be over; returns
    what both have sent at the end of the next one."""

    async def run(steps: Steps) -> tuple[Wire, Wire]:
        wires = Wire(), Wire()
        first, second = connected(wires, calls_ns=1)
        first.data_received(get("/first"))
        assert wires[0].sent.endswith(b"/first")
        steps(first, second)
        for _ in range(2):
            await asyncio.sleep(0)
        return wires

    return lambda steps: asyncio.run(run(steps))


def test_a_request_behind_the_end_of_a_turn_is_answered_in_the_next_one(after_first: Run) -> None:
    def steps(_: Any, second: Any) -> None:
        second.data_received(get("/second"))
        assert second.transport.sent == b""

    assert after_first(steps)[1].sent.endswith(b"/second")


def test_a_second_part_lets_the_first_one_wait_no_longer(after_first: Run) -> None:
    """Else a client could have the server keep any amount for it."""

    def steps(_: Any, second: Any) -> None:
        whole = get("/second")
        second.data_received(whole[:20])
        second.data_received(whole[20:])
        assert second.transport.sent.endswith(b"/second")

    after_first(steps)


def test_a_client_that_sends_no_more_is_answered_before_its_connection_closes(
    after_first: Run,
) -> None:
    def steps(_: Any, second: Any) -> None:
        second.data_received(get("/second"))
        second.eof_received()
        assert second.transport.sent.endswith(b"/second")

    after_first(steps)


def test_a_client_that_has_gone_gets_no_turn(after_first: Run) -> None:
    def steps(_: Any, second: Any) -> None:
        second.data_received(get("/second"))
        second.connection_lost(None)

    assert after_first(steps)[1].sent == b""


def test_a_connection_that_closes_gets_no_turn(after_first: Run) -> None:
    def steps(_: Any, second: Any) -> None:
        second.data_received(get("/second"))
        second.transport.close()

    assert after_first(steps)[1].sent == b""


def test_a_connection_with_something_to_do_is_not_closed(after_first: Run) -> None:
    """Neither by the sweep, nor to make room for others, nor while the server ends."""

    def steps(_: Any, second: Any) -> None:
        long_ago = second.loop.time() + 3600
        assert second.waits_since() is not None
        second.data_received(get("/second"))
        assert second.waits_since() is None
        second.check(long_ago)
        second._since -= 3600
        second.shutdown()
        assert not second.transport.closed

    assert after_first(steps)[1].sent.endswith(b"/second")


def test_the_check_would_notice_one_that_is_closed(after_first: Run) -> None:
    def steps(_: Any, second: Any) -> None:
        second._since -= 3600
        second.shutdown()
        assert second.transport.closed

    after_first(steps)


def put(path: str) -> bytes:
    return b"PUT %b HTTP/1.1\r\nHost: stoa.test\r\nContent-Length: 0\r\n\r\n" % path.encode()


def after_tasks(count: int, data: bytes) -> list[bytes]:
    """What this was answered at once, in the next turn and some turns later, where so many requests
    that are tasks came before in the same turn."""

    async def run() -> list[bytes]:
        wires = [Wire() for _ in range(count + 1)]
        *before, last = connected(wires)
        for one in before:
            one.data_received(put("/before"))
        last.data_received(data)
        answers = [wires[-1].sent]
        for turns in (1, 3):
            for _ in range(turns):
                await asyncio.sleep(0)
            answers.append(wires[-1].sent)
        assert all(wire.sent.endswith(b"/before") for wire in wires[:-1])
        return answers

    return asyncio.run(run())


def test_so_many_tasks_begin_in_a_turn_and_no_more() -> None:
    at_once, soon, _ = after_tasks(4, put("/fifth"))
    assert at_once == b""
    assert soon.endswith(b"/fifth")
    _, soon, late = after_tasks(5, put("/sixth"))
    assert soon == b""
    assert late.endswith(b"/sixth")


def test_a_read_that_needs_no_task_does_not_wait_for_tasks() -> None:
    at_once, *_ = after_tasks(5, get("/read"))
    assert at_once.endswith(b"/read")
