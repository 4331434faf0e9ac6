"""Standing: how far an agent's record comes from others who have a record themselves.

A power iteration over who vouched for whom, restarted at agents that are trusted. How it was chosen
stands in docs/decisions/0027-standing.md.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from itertools import accumulate
from math import log2
from typing import NamedTuple, Self

from stoa.domain.limits import DAY_MS
from stoa.domain.paced import Pausing, paced, without_pause

HIGHEST = 100

SEASONED_AFTER_MS = 30 * DAY_MS
SEASONED_COUNTERPARTIES = 5

_DAMPING = 0.85
"""The share of a voice that goes on to those whom its agent vouched for."""

_RESERVE = 10.0
"""Added to the weight of all that an agent vouched for: who vouched for few gives away only
a part of its voice, so that no single edge is worth a whole voice."""

_STRONGEST = 0.1
"""How much the strongest word for an agent counts, beside all others for it: so that little hangs
on one bought edge."""

_ROUNDS = 60
_EXACT_ENOUGH = 1e-9


class EdgeKind(StrEnum):
    """How an agent vouches for another."""

    SETTLED = "settled"
    ACCEPTED = "accepted"
    OUTCOME = "outcome"


_WORTH = {EdgeKind.SETTLED: 2.0, EdgeKind.ACCEPTED: 1.0, EdgeKind.OUTCOME: 0.5}


class Edge(NamedTuple):
    """The agent `source` vouched so many `times` for the agent `target`."""

    source: str
    target: str
    kind: EdgeKind
    times: int


_TARGET_BITS = 32


class Graph:
    """What agents say for each other, whatever the order of the edges; nobody vouches for itself.

    It is a few large objects: Python would look through hundreds of thousands of small ones
    whenever it collects garbage, and hold up all calls meanwhile.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """The agents in the order in which edges named them."""
        self.said: dict[int, float] = {}
        """By the number of who vouched, in front of that of the agent vouched for."""

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> Self:
        """The graph of these edges."""
        graph = cls()
        graph.add(edges)
        return graph

    def add(self, edges: Iterable[Edge]) -> None:
        """Add what these edges say."""
        numbers, said = self.numbers, self.said
        for source, target, kind, times in edges:
            if source != target and times > 0:
                from_ = numbers.setdefault(source, len(numbers))
                pair = from_ << _TARGET_BITS | numbers.setdefault(target, len(numbers))
                said[pair] = said.get(pair, 0.0) + _WORTH[kind] * times

    def counterparties(self, pause: Pausing = without_pause) -> dict[str, int]:
        """With how many others each agent had to do."""
        counts = [0] * len(self.numbers)
        for pair in paced(self.said, pause):
            source, target = _ends(pair)
            if source < target or target << _TARGET_BITS | source not in self.said:
                counts[source] += 1
                counts[target] += 1
        return dict(zip(self.numbers, counts, strict=True))


class _Voices(NamedTuple):
    """Whom the agents vouched for: the `targets` of an agent, and the `shares` of its voice that
    they get, stand from `begins` of its number on, up to that of the next."""

    begins: "array[int]"
    targets: "array[int]"
    shares: "array[float]"


def is_seasoned(joined_at: int, counterparties: int, now: int) -> bool:
    """Whether an agent is trusted on a Stoa whose operator endorsed nobody."""
    return now - joined_at >= SEASONED_AFTER_MS and counterparties >= SEASONED_COUNTERPARTIES


def standings(
    graph: Graph, trusted: Collection[str], pause: Pausing = without_pause
) -> dict[str, int]:
    """The standing of each agent that has one of at least 1; the best has 100.

    Being trusted gives an agent a voice and no standing: that comes from others alone. It calls
    `pause` again and again, so that it need not take a whole core.
    """
    names = _in_order(graph.numbers, pause)
    places = array("I", bytes(4 * len(names)))
    for place, name in enumerate(paced(names, pause)):
        places[graph.numbers[name]] = place
    restart = [0.0] * len(names)
    for name in set(trusted) & graph.numbers.keys():
        restart[places[graph.numbers[name]]] = 1 / len(set(trusted))
    voices = _voices(graph, places, pause)
    heard = _said_of(voices, _even(_iterate(voices, restart, pause), restart), pause)
    most = max(heard, default=0.0)
    if not most:
        return {}
    scaled = {name: int(value / most * HIGHEST) for name, value in zip(names, heard, strict=True)}
    return {name: value for name, value in scaled.items() if value}


def _ends(pair: int) -> tuple[int, int]:
    return pair >> _TARGET_BITS, pair & (1 << _TARGET_BITS) - 1


def _in_order(agents: Iterable[str], pause: Pausing) -> list[str]:
    """These agents in an order that depends on nothing else: by the ends of their names first, as
    sorting hundreds of thousands at once would hold up all other threads."""
    by_end = defaultdict[str, list[str]](list)
    for name in paced(agents, pause):
        by_end[name[-2:]].append(name)
    names: list[str] = []
    for end in sorted(by_end):
        names += sorted(by_end[end])
        pause()
    return names


def _voices(graph: Graph, places: Sequence[int], pause: Pausing) -> _Voices:
    """Whom each agent vouched for, by their places. Each further time counts less."""
    counts = array("I", bytes(4 * len(places)))
    for pair in paced(graph.said, pause):
        counts[places[_ends(pair)[0]]] += 1
    begins = array("I", accumulate(counts, initial=0))
    ends, pairs = begins[:-1], array("Q", bytes(8 * len(graph.said)))
    for pair in paced(graph.said, pause):
        source = places[_ends(pair)[0]]
        pairs[ends[source]] = pair
        ends[source] += 1
    targets, shares = array("I"), array("d")
    for begin, end in paced(zip(begins, ends, strict=False), pause):
        weights = sorted(
            (places[_ends(pair)[1]], log2(1 + graph.said[pair])) for pair in pairs[begin:end]
        )
        total = _RESERVE + sum(weight for _, weight in weights)
        targets.extend(target for target, _ in weights)
        shares.extend(_DAMPING * weight / total for _, weight in weights)
    return _Voices(begins, targets, shares)


def _iterate(voices: _Voices, restart: Sequence[float], pause: Pausing) -> list[float]:
    """How loud each agent is heard of in the end, each voice being the restart and how its agent is
    heard of. It grows from round to round, towards where it stays."""
    heard = [0.0] * len(restart)
    for _ in range(_ROUNDS):
        before = heard
        heard = _said_of(voices, [a + b for a, b in zip(restart, before, strict=True)], pause)
        if sum(heard) - sum(before) < _EXACT_ENOUGH:
            break
    return heard


def _said_of(voices: _Voices, loud: Sequence[float], pause: Pausing) -> list[float]:
    """What is said of each agent by voices that are so loud."""
    begins, targets, shares = voices
    heard, strongest = [0.0] * len(loud), [0.0] * len(loud)
    for source, voice in enumerate(paced(loud, pause)):
        if voice:
            said = slice(begins[source], begins[source + 1])
            for target, share in zip(targets[said], shares[said], strict=True):
                word = voice * share
                heard[target] += min(word, strongest[target])
                strongest[target] = max(word, strongest[target])
    return [rest + _STRONGEST * word for rest, word in zip(heard, strongest, strict=True)]


def _even(heard: Sequence[float], restart: Sequence[float]) -> list[float]:
    """Voices of which none counts more than a usual one.

    The usual one is the mean over all that is heard, not over agents: however many have hardly a
    voice, they do not lower it.
    """
    total = sum(heard)
    usual = sum(value * value for value in heard) / total if total else 1.0
    return [min(a + b, usual) for a, b in zip(heard, restart, strict=True)]
