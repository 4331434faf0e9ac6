"""Long work in small pieces, with pauses in which other threads run."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")

_AT_ONCE = 500
"""Of what is paced so many are done in well under a millisecond."""

Pausing = Callable[[], None]


def without_pause() -> None:
    """Go on at once."""


def in_pieces(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """These items, so many at a time."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def paced(items: Iterable[T], pause: Pausing) -> Iterator[T]:
    """These items, with a pause after each few hundred."""
    left = _AT_ONCE
    for item in items:
        yield item
        left -= 1
        if not left:
            pause()
            left = _AT_ONCE
