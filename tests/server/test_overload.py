"""While more arrives than can be done, who waited too long is refused, so that others are served
soon; a short delay refuses nobody."""

import asyncio

import pytest

from stoa.metrics import OVERLOAD
from stoa.server.turns import BEHIND_NS, LATE_NS, Turns
from tests.support.wires import Wire, connected, get


class Time:
    """Nanoseconds that a test lets pass."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        return self.ns


class Refusable:
    """A connection, which notes whether it was refused at its turn."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.refused = turns, False

    def take_turn(self) -> None:
        self.refused = self.turns.refuses
        self.turns.spend(1)


async def _waited(turns: Turns, time: Time, ns: int) -> bool:
    """Whether one that waits for so long is refused at its turn."""
    turns.spend(1)
    one = Refusable(turns)
    assert turns.queues(one)
    time.ns += ns
    for _ in range(2):
        await asyncio.sleep(0)
    return one.refused


def _refused(*waits: int) -> list[bool]:
    """Who is refused of some that wait for so long one after the other, ns."""

    async def all_of_them() -> list[bool]:
        time = Time()
        turns = Turns(1, time)
        return [await _waited(turns, time, ns) for ns in waits]

    return asyncio.run(all_of_them())


def test_a_short_delay_refuses_nobody() -> None:
    late = LATE_NS + 1
    assert not any(_refused(*[late] * (BEHIND_NS // late)))
    assert not any(_refused(BEHIND_NS - 1, BEHIND_NS - 1 - late))


@pytest.mark.promise("P15")
def test_once_it_is_behind_for_half_a_second_who_is_late_is_refused_and_no_other() -> None:
    late = LATE_NS + 1
    before = [late] * (BEHIND_NS // late + 1)
    assert _refused(*before, late, LATE_NS, late)[-3:] == [True, False, True]


@pytest.mark.parametrize(("pause", "refused"), [(BEHIND_NS - 1, True), (BEHIND_NS + 1, False)])
def test_it_is_no_longer_behind_once_none_was_late_for_half_a_second(
    pause: int, refused: bool
) -> None:
    late = LATE_NS + 1
    before = [late] * (BEHIND_NS // late + 2)
    on_time, rest = divmod(pause - late, LATE_NS)
    assert _refused(*before, *[LATE_NS] * on_time, rest, late)[-1] is refused


def test_a_call_that_is_refused_for_that_does_not_begin_and_its_connection_stays() -> None:
    told: list[str] = []

    async def run() -> tuple[bytes, Wire]:
        time, wires = Time(), (Wire(), Wire())
        first, second = connected(wires, refused=lambda kind, _refusal, _address: told.append(kind))
        turns = Turns(1, time)
        first._connections.calls = turns
        for _ in range(2 * BEHIND_NS // LATE_NS):
            await _waited(turns, time, LATE_NS + 1)
        turns.spend(1)
        second.data_received(get("/second"))
        time.ns += LATE_NS + 1
        for _ in range(3):
            await asyncio.sleep(0)
        refused = wires[1].sent
        assert not wires[1].closed
        wires[1].sent = b""
        second.data_received(get("/again"))
        return refused, wires[1]

    refused, wire = asyncio.run(run())
    assert told == [OVERLOAD]
    assert refused.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in refused.lower()
    assert b"connection:" not in refused
    assert b"temporarily_unavailable" in refused
    assert wire.sent.endswith(b"/again")
