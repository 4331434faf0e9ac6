"""Rows of an answer that are JSON already, so that they are not made again for it."""

from collections.abc import Sequence
from typing import NamedTuple


class Rows(NamedTuple):
    """The rows of the list `member`, which is empty in the answer itself. `pieces` are their JSON
    with the commas between them, `counted` is what an ETag counts of them."""

    member: str
    pieces: Sequence[bytes]
    counted: bytes

    def inside(self, answer: bytes) -> bytes:
        """The JSON of an answer with these rows. No text in it holds the names of members: its
        quotes are escaped."""
        before, behind = answer.split(b'"%b":[]' % self.member.encode(), 1)
        return b"".join((before, b'"%b":[' % self.member.encode(), *self.pieces, b"]", behind))


def joined(rows: Sequence[tuple[bytes, ...]]) -> list[bytes]:
    """The pieces of all these rows, with commas between them."""
    pieces: list[bytes] = []
    for row in rows:
        pieces += row
        pieces.append(b",")
    return pieces[:-1]
