"""Standing: how far an agent's record comes from others who have a record themselves.

A power iteration over who vouched for whom, restarted at agents that are trusted. How it was chosen
stands in docs/decisions/0027-standing.md.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from math import log2
from typing import NamedTuple

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


class _Voice(NamedTuple):
    """The agents that one agent vouched for, by their numbers, and the share that each gets."""

    source: int
    shares: tuple[tuple[int, float], ...]


def is_seasoned(joined_at: int, counterparties: int, now: int) -> bool:
    """Whether an agent is trusted on a Stoa whose operator endorsed nobody."""
    return now - joined_at >= SEASONED_AFTER_MS and counterparties >= SEASONED_COUNTERPARTIES


def standings(
    edges: Iterable[Edge], trusted: Collection[str], pause: Pausing = without_pause
) -> dict[str, int]:
    """The standing of each agent that has one of at least 1; the best has 100.

    Being trusted gives an agent a voice and no standing: that comes from others alone. It calls
    `pause` again and again, so that it need not take a whole core.
    """
    pairs = _pairs(edges, pause)
    names = _in_order(pairs, pause)
    numbers = {name: number for number, name in enumerate(paced(names, pause))}
    restart = [0.0] * len(names)
    for name in set(trusted) & numbers.keys():
        restart[numbers[name]] = 1 / len(set(trusted))
    voices = _voices(pairs, numbers, pause)
    heard = _said_of(voices, _even(_iterate(voices, restart, pause), restart), pause)
    most = max(heard, default=0.0)
    if not most:
        return {}
    scaled = {name: int(value / most * HIGHEST) for name, value in zip(names, heard, strict=True)}
    return {name: value for name, value in scaled.items() if value}


def _pairs(edges: Iterable[Edge], pause: Pausing) -> dict[tuple[str, str], float]:
    """What each agent says for each other one, whatever the order of the edges; nobody vouches for
    itself."""
    said = defaultdict[tuple[str, str], float](float)
    for source, target, kind, times in paced(edges, pause):
        if source != target and times > 0:
            said[source, target] += _WORTH[kind] * times
    return said


def _in_order(pairs: Iterable[tuple[str, str]], pause: Pausing) -> list[str]:
    """The agents of these pairs, in an order that depends on nothing else: by the ends of their
    names first, as sorting hundreds of thousands at once would hold up all other threads."""
    by_end = defaultdict[str, set[str]](set)
    for name in chain.from_iterable(paced(pairs, pause)):
        by_end[name[-2:]].add(name)
    names: list[str] = []
    for end in sorted(by_end):
        names += sorted(by_end[end])
        pause()
    return names


def _voices(
    pairs: Mapping[tuple[str, str], float], numbers: Mapping[str, int], pause: Pausing
) -> list[_Voice]:
    """Whom each agent vouched for, always in the same order. Each further time counts less."""
    weights = defaultdict[int, list[tuple[int, float]]](list)
    for (source, target), said in paced(pairs.items(), pause):
        weights[numbers[source]].append((numbers[target], log2(1 + said)))
    voices: list[_Voice] = []
    for source in paced(numbers.values(), pause):
        targets = sorted(weights.get(source, ()))
        if not targets:
            continue
        total = _RESERVE + sum(weight for _, weight in targets)
        voices.append(
            _Voice(source, tuple((target, _DAMPING * weight / total) for target, weight in targets))
        )
    return voices


def _iterate(voices: Sequence[_Voice], restart: Sequence[float], pause: Pausing) -> list[float]:
    """How loud each agent is heard of in the end, each voice being the restart and how its agent is
    heard of. It grows from round to round, towards where it stays."""
    heard = [0.0] * len(restart)
    for _ in range(_ROUNDS):
        before = heard
        heard = _said_of(voices, [a + b for a, b in zip(restart, before, strict=True)], pause)
        if sum(heard) - sum(before) < _EXACT_ENOUGH:
            break
    return heard


def _said_of(voices: Sequence[_Voice], loud: Sequence[float], pause: Pausing) -> list[float]:
    """What is said of each agent by voices that are so loud."""
    heard, strongest = [0.0] * len(loud), [0.0] * len(loud)
    for source, shares in paced(voices, pause):
        if voice := loud[source]:
            for target, share in shares:
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
