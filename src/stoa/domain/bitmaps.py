"""Sets of numbers as the bits of one large integer: to join or intersect ten thousand of them takes
about a microsecond."""

from collections.abc import Iterable, Iterator


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
