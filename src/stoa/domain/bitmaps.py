"""Sets of numbers as the bits of one large integer: joining or intersecting ten thousand of them
takes about a microsecond."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

_BLOCK = 64


def ascending(bits: int) -> Iterator[int]:
    """The numbers of a set, the smallest first. For sets of a few hundred."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


def by_count(sets: Iterable[int], among: int) -> list[int]:
    """At place n, from 0, the numbers `among` these that are in exactly n of the sets."""
    at_least = [among]
    for one in sets:
        more = one & among
        for place in range(1, len(at_least)):
            at_least[place], more = at_least[place] | more, at_least[place] & more
        if more:
            at_least.append(more)
    return [some & ~more for some, more in zip(at_least, [*at_least[1:], 0], strict=True)]


class Ranked:
    """Numbers in an order of their own, such as that of rewards, and sets of these in that order.

    Blocks of 64 that follow each other are kept as bitmaps: a set of few among thousands is put in
    order in 0.1 ms, and the first of many are found without a look at the others.
    """

    def __init__(self, order: Sequence[int]) -> None:
        self.order, self.all = order, 0
        self._blocks: list[tuple[int, Sequence[int]]] = []
        size = (max(order, default=0) >> 3) + 1
        for start in range(0, len(order), _BLOCK):
            numbers = order[start : start + _BLOCK]
            block = bytearray(size)  # to make an integer larger bit by bit would copy it each time
            for number in numbers:
                block[number >> 3] |= 1 << (number & 7)
            bits = int.from_bytes(block, "little")
            self._blocks.append((bits, numbers))
            self.all |= bits

    def ascending(self, bits: int) -> Iterator[int]:
        """The numbers of a set in this order; others are left out."""
        for block, numbers in self._blocks if bits else []:
            if some := bits & block:
                yield from sorted(ascending(some), key=numbers.index)

    def first(self, bits: int, n: int) -> int:
        """The set of the first `n` numbers of a set, or of all if there are fewer."""
        found = 0
        for block, numbers in self._blocks:
            some = bits & block
            count = some.bit_count()
            if count >= n:
                members = (1 << number for number in numbers if some >> number & 1)
                return found | sum(islice(members, n))
            found, n = found | some, n - count
        return found
