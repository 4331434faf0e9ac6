"""Sets of numbers as the bits of one large integer: to join or intersect ten thousand of them takes
about a microsecond."""

from collections.abc import Iterator, Sequence

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
