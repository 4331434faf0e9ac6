"""Sets of numbers as the bits of one large integer: to join or intersect ten thousand of them takes
about a microsecond."""

from collections.abc import Iterable, Iterator, Sequence

_CHUNK_BITS = 512


def bitmap(numbers: Sequence[int]) -> int:
    """The set of these numbers, none of which is negative."""
    if not numbers:
        return 0
    digits = bytearray(b"0") * (max(numbers) + 1)
    for number in numbers:
        digits[-1 - number] = 0x31  # a one
    return int(digits, 2)


def descending(bits: int, more: int = 0) -> Iterator[int]:
    """The numbers of a set, the largest first, and so much more each."""
    while bits:
        place = max(0, bits.bit_length() - _CHUNK_BITS)
        chunk = bits >> place
        bits ^= chunk << place
        first = place + more
        while chunk:
            top = chunk.bit_length() - 1
            chunk ^= 1 << top
            yield first + top


def nth_largest(bits: int, n: int) -> int:
    """The `n`th largest number of a set that has so many, from 1."""
    place = 0
    while (length := bits.bit_length()) > 1:
        half = length // 2
        above = bits >> half
        count = above.bit_count()
        if count >= n:
            bits, place = above, place + half
        else:
            bits, n = bits & ((1 << half) - 1), n - count
    return place + bits.bit_length() - 1


def ascending(bits: int) -> Iterator[int]:
    """The numbers of a set, the smallest first. For sets of a few hundred."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


def by_count(sets: Iterable[int], among: int) -> list[int]:
    """At each place, from 0, the set of those `among` all that are in exactly so many sets."""
    at_least = [among]
    for one in sets:
        more = one & among
        for place in range(1, len(at_least)):
            at_least[place], more = at_least[place] | more, at_least[place] & more
        if more:
            at_least.append(more)
    return [some & ~more for some, more in zip(at_least, [*at_least[1:], 0], strict=True)]
