"""When answers are sent: at once where few come in a turn of the event loop, else together."""

import asyncio
from collections.abc import Iterable
from itertools import count, repeat

from stoa.server.unsent import Unsent

TURNS = 20
"""More than are needed until a turn is counted."""


class Place:
    """A connection, which notes when it sends."""

    def __init__(self, name: int, sent: list[int]) -> None:
        self._name, self._sent = name, sent

    def send_unsent(self) -> None:
        self._sent.append(self._name)


async def turn(waiting: Unsent, number: int) -> tuple[list[int], list[int]]:
    """What was sent of so many answers while they were made, and at the end of the turn."""
    sent: list[int] = []
    for place in range(number):
        waiting.add(Place(place, sent))
    at_once = list(sent)
    await asyncio.sleep(0)
    return at_once, sent


def turns(*counts: int, times_ns: Iterable[int] = repeat(0)) -> list[tuple[int, list[int]]]:
    """For turns of so many answers: how many were sent at once, and all in their order.

    Unless times are given no time passes, so that a busy machine changes nothing.
    """

    async def take() -> list[tuple[int, list[int]]]:
        clock = iter(times_ns)
        waiting = Unsent(lambda: next(clock))
        return [(len(at_once), sent) for at_once, sent in [await turn(waiting, n) for n in counts]]

    return asyncio.run(take())


def test_few_answers_are_sent_at_once() -> None:
    assert turns(*[7] * TURNS) == [(7, [*range(7)])] * TURNS


def test_many_are_sent_together_from_the_second_turn_on() -> None:
    assert turns(8, 8, 3) == [(8, [*range(8)]), (0, [*range(8)]), (0, [*range(3)])]


def test_a_turn_that_began_uncounted_does_not_decide_but_the_next_ones_do() -> None:
    found = turns(1, *[30] * TURNS)
    assert found[0][0] == 1
    assert [at_once for at_once, _ in found[-3:]] == [0, 0, 0]


def test_few_are_sent_at_once_again() -> None:
    assert [at_once for at_once, _ in turns(8, 8, 2, 2, 2)] == [8, 0, 0, 2, 2]


def test_none_waits_for_more_than_32() -> None:
    assert turns(8, 70)[1] == (64, [*range(70)])


def test_none_waits_long_for_others_that_take_long() -> None:
    """Each answer takes 0.3 ms: the fifth comes more than 1 ms after the first."""
    assert turns(8, 12, times_ns=count(step=300_000))[1] == (10, [*range(12)])
