"""Sets of numbers as the bits of one large integer: to join or intersect ten thousand of them takes
about a microsecond."""

from collections.abc import Iterable, Iterator, Sequence

_FIRST_BITS, _MOST_BITS = 512, 8_192


def bitmap(numbers: Sequence[int]) -> int:
    """The set of these numbers, none of which is negative."""
    if not numbers:
        return 0
    digits = bytearray(b"0") * (max(numbers) + 1)
    for number in numbers:
        digits[-1 - number] = 0x31  # a one
    return int(digits, 2)


def descending(bits: int, more: int = 0) -> Iterator[int]:
    """The numbers of a set, the largest first, and so much more each.

    A large set is taken apart into parts, each larger than the one before, so that its first
    numbers cost little. The first parts are left in it, as to take one out is a way through all.
    """
    size, above, place = _FIRST_BITS, 0, bits.bit_length()
    while place:
        step = min(size, place)
        place -= step
        upto = bits >> place
        rest, first = upto ^ above << step, place + more
        while rest:
            top = rest.bit_length() - 1
            rest ^= 1 << top
            yield first + top
        if size < _MOST_BITS:
            above, size = upto, 4 * size
        else:
            bits ^= upto << place
            above, place = 0, bits.bit_length()


def largest(bits: int, n: int) -> tuple[int, int]:
    """The `n`th largest number of a set, from 1, or 0 if there are fewer; and how many numbers,
    `n` at most, it has from there on."""
    if bits.bit_length() <= n:
        return 0, bits.bit_count()
    place, count = 0, 0
    while length := bits.bit_length():
        half = length // 2
        above = bits >> half
        more = above.bit_count()
        if count + more >= n and half:
            bits, place = above, place + half
        elif half:
            bits, count = bits & (1 << half) - 1, count + more
        else:
            return (place, n) if count + more == n else (0, count + more)
    return 0, count


def smallest(bits: int, n: int) -> int:
    """The set of the `n` smallest numbers of a set, or of all if there are fewer."""
    if bits.bit_count() <= n:
        return bits
    low, high = n, bits.bit_length()
    while low < high:
        middle = (low + high) // 2
        if (bits & (1 << middle) - 1).bit_count() < n:
            low = middle + 1
        else:
            high = middle
    return bits & (1 << low) - 1


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
