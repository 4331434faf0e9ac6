"""While more arrives than can be done, who waited too long is refused, so that others are served
soon; a short delay refuses nobody."""

import asyncio
from collections.abc import Sequence

import pytest

from stoa.metrics import OVERLOAD
from stoa.server.turns import BEHIND_NS, LATE_NS, LONG_NS, Turns
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


GAP = 10_000_000
"""Between two turns, ns; so one that waits for longer finds another behind it."""

LONG, LATE = LONG_NS + 1, LATE_NS + 1
LONG_ENOUGH = [LONG] * (BEHIND_NS // GAP)
"""The last of these is the last one that is not refused."""


async def _taken(turns: Turns, time: Time, waits: Sequence[int]) -> list[bool]:
    """Who is refused of some that come to their turns one after the other, after waiting for so
    long, ns. None begins to wait before the one in front of it."""
    connections = [Refusable(turns) for _ in waits]
    turns_at = [time.ns + max(waits) + GAP * place for place in range(len(waits))]
    arrivals = [
        (at - wait, 0, place) for place, (at, wait) in enumerate(zip(turns_at, waits, strict=True))
    ]
    for at, is_turn, place in sorted([*arrivals, *((at, 1, 0) for at in turns_at)]):
        time.ns = at
        if is_turn:
            await asyncio.sleep(0)
        else:
            turns.spend(1)
            assert turns.queues(connections[place])
    return [one.refused for one in connections]


def _refused(*waits: int) -> list[bool]:
    async def run() -> list[bool]:
        time = Time()
        return await _taken(Turns(1, time), time, waits)

    return asyncio.run(run())


def test_a_queue_that_is_not_long_refuses_nobody() -> None:
    assert not any(_refused(*[LONG_NS] * 200))


def test_a_short_delay_refuses_nobody() -> None:
    assert not any(_refused(*LONG_ENOUGH))


def test_delays_with_none_between_refuse_nobody() -> None:
    assert not any(_refused(*([*LONG_ENOUGH[2:], LONG_NS] * 4)))


def test_delays_with_nobody_waiting_between_refuse_nobody() -> None:
    async def run() -> list[bool]:
        time = Time()
        turns = Turns(1, time)
        return [refused for _ in range(4) for refused in await _taken(turns, time, LONG_ENOUGH[2:])]

    assert not any(asyncio.run(run()))


@pytest.mark.promise("P15")
def test_once_it_is_behind_for_half_a_second_who_is_late_is_refused_and_no_other() -> None:
    assert _refused(*LONG_ENOUGH, LONG, LATE, LATE_NS, LATE)[-5:] == [
        False,
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(("pause", "refused"), [(BEHIND_NS, True), (BEHIND_NS + GAP, False)])
def test_it_is_no_longer_behind_once_none_was_late_for_half_a_second(
    pause: int, refused: bool
) -> None:
    on_time = [LATE_NS] * (pause // GAP - 1)
    assert _refused(*LONG_ENOUGH, LONG, *on_time, LATE)[-1] is refused


def test_it_is_behind_again_only_after_another_half_second() -> None:
    pause = [LATE_NS] * (BEHIND_NS // GAP)
    rise = range(LATE_NS + GAP, LONG, GAP)
    assert _refused(*LONG_ENOUGH, LONG, *pause, *rise, *LONG_ENOUGH, LONG)[-2:] == [False, True]


def test_a_call_that_is_refused_for_that_does_not_begin_and_its_connection_stays() -> None:
    told: list[str] = []

    async def run() -> tuple[bytes, Wire]:
        time, wires = Time(), (Wire(), Wire())
        first, second = connected(wires, refused=lambda kind, _refusal, _address: told.append(kind))
        turns = Turns(1, time)
        first._connections.calls = turns
        await _taken(turns, time, [*LONG_ENOUGH, LONG])
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
