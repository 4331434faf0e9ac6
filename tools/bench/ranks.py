"""Whether one of two samples tends to be larger: the test of Mann and Whitney."""

import math
from collections.abc import Sequence
from itertools import groupby


def mann_whitney(one: Sequence[float], other: Sequence[float]) -> float:
    """The probability (two-sided) of samples that differ as much as these, if they were drawn from
    the same values. By the normal approximation with ties, for samples of some hundred."""
    values = sorted([(value, True) for value in one] + [(value, False) for value in other])
    total, below, ranks, ties = len(values), 0, 0.0, 0
    for _, group in groupby(values, key=lambda pair: pair[0]):
        equal = [is_one for _, is_one in group]
        ranks += sum(equal) * (below + (len(equal) + 1) / 2)
        below += len(equal)
        ties += len(equal) ** 3 - len(equal)
    pairs = len(one) * len(other)
    wins = ranks - len(one) * (len(one) + 1) / 2
    variance = pairs / 12 * (total + 1 - ties / (total * (total - 1)))
    if not variance:
        return 1.0
    return math.erfc(abs(wins - pairs / 2) / math.sqrt(2 * variance))
