"""Rows of an answer that are JSON already, so that they are not made again for it."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class ListRows(NamedTuple):
    """The rows of the list `member`, which is empty in the answer itself. `pieces` are their JSON
    with the commas between them, `counted` is what an ETag counts of them."""

    member: str
    pieces: Sequence[bytes]
    counted: bytes


def inside(answer: bytes, lists: Sequence[ListRows]) -> bytes:
    """The JSON of an answer with the rows of these lists, of which the last one in it comes first.

    No text in it holds the names of members: its quotes are escaped."""
    pieces: list[bytes] = []
    for member, rows, _ in lists:
        answer, empty, behind = answer.rpartition(_empty(member))
        pieces = [empty[:-1], *rows, b"]", behind, *pieces]
    return b"".join((answer, *pieces))


@cache
def _empty(member: str) -> bytes:
    """A list without rows."""
    return b'"%b":[]' % member.encode()
