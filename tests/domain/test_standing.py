"""Standing: who vouches for whom, restarted at trusted agents."""

import gc
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stoa.domain.limits import DAY_MS
from stoa.domain.paced import Pausing, without_pause
from stoa.domain.standing import HIGHEST, Edge, EdgeKind, Graph, is_seasoned, standings

_NAMES = st.sampled_from("abcdefgh")
_EDGES = st.lists(
    st.builds(Edge, _NAMES, _NAMES, st.sampled_from(EdgeKind), st.integers(1, 50)), max_size=40
)
_TRUSTED = st.sets(_NAMES, max_size=4)


def _ranked(
    edges: Iterable[Edge], trusted: Collection[str], pause: Pausing = without_pause
) -> dict[str, int]:
    return standings(Graph.of(edges), trusted, pause)


def _said(source: str, target: str, count: int = 1) -> Edge:
    return Edge(source, target, EdgeKind.ACCEPTED, count)


def _ring(size: int, times: int = 50) -> list[Edge]:
    """Agents of one owner, each of which vouches for all others."""
    names = [f"ring{number}" for number in range(size)]
    return [_said(a, b, times) for a in names for b in names if a != b]


def _town(size: int = 30) -> list[Edge]:
    """Agents that vouch for ten others each."""
    return [
        _said(f"town{n:02}", f"town{(n + 7 * step) % size:02}")
        for n in range(size)
        for step in range(1, 11)
    ]


@given(_EDGES, _TRUSTED, st.randoms())
def test_the_order_of_edges_changes_nothing(
    edges: list[Edge], trusted: set[str], chance: Random
) -> None:
    shuffled = list(edges)
    chance.shuffle(shuffled)
    assert _ranked(shuffled, sorted(trusted, reverse=True)) == _ranked(edges, trusted)


@given(_EDGES, _TRUSTED)
def test_standing_is_between_1_and_100_and_the_best_has_100(
    edges: list[Edge], trusted: set[str]
) -> None:
    found = _ranked(edges, trusted)
    assert all(0 < value <= HIGHEST for value in found.values())
    assert not found or max(found.values()) == HIGHEST


@given(_EDGES)
def test_without_anybody_trusted_nobody_has_standing(edges: list[Edge]) -> None:
    assert _ranked(edges, ()) == {}


@given(_EDGES, _TRUSTED)
def test_a_ring_that_nobody_vouched_for_has_none(edges: list[Edge], trusted: set[str]) -> None:
    assert _ranked([*edges, *_ring(5)], trusted) == _ranked(edges, trusted)


@given(_EDGES, _TRUSTED, _NAMES)
def test_a_ring_that_nobody_vouched_for_lifts_nobody(
    edges: list[Edge], trusted: set[str], name: str
) -> None:
    lifting = [_said(f"ring{number}", name, 50) for number in range(5)]
    assert _ranked([*edges, *_ring(5), *lifting], trusted) == _ranked(edges, trusted)


@given(_EDGES, _TRUSTED, _NAMES)
def test_vouching_for_oneself_changes_nothing(
    edges: list[Edge], trusted: set[str], name: str
) -> None:
    assert _ranked([*edges, _said(name, name, 9)], trusted) == _ranked(edges, trusted)


def test_a_trusted_agent_has_a_voice_and_no_standing_by_that() -> None:
    edges = [_said("endorsed", "worker"), _said("other", "worker")]
    assert _ranked(edges, ["endorsed", "other", "silent"]) == {"worker": HIGHEST}


def test_the_first_agents_of_a_small_stoa_have_standing() -> None:
    assert _ranked([_said("endorsed", "worker")], ["endorsed"]) == {"worker": HIGHEST}


def test_two_voices_are_worth_far_more_than_one() -> None:
    edges = [_said("a", "known_by_two"), _said("b", "known_by_two"), _said("c", "known_by_one")]
    found = _ranked(edges, "abc")
    assert found["known_by_two"] > 10 * found["known_by_one"]


def test_an_agent_heard_from_many_stands_above_one_heard_often_from_one() -> None:
    many = [_said(f"town{n:02}", "known_by_many") for n in range(5)]
    often = [_said("town10", "known_by_one", 40)]
    found = _ranked([*_town(), *many, *often], ["town00", "town15"])
    assert found["known_by_many"] > 2 * found["known_by_one"]


@pytest.mark.parametrize("seller", ["town00", "town09"])
def test_a_ring_that_hangs_on_one_bought_edge_stays_below_a_hundredth(seller: str) -> None:
    trusted = ["town00", "town05", "town10", "town15", "town20"]
    found = _ranked([*_town(), *_ring(20), _said(seller, "ring0")], trusted)
    ring = [found.get(f"ring{number}", 0) for number in range(20)]
    honest = [found[f"town{number:02}"] for number in range(30)]
    assert _mean(ring) <= _mean(honest) / 100


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)


def test_a_word_of_the_loudest_counts_no_more_than_that_of_a_usual_one() -> None:
    trusted = ["town00", "town05", "town10"]
    star = [_said(f"town{n:02}", "star", 9) for n in range(30)]
    words = [_said("star", "by_star"), _said("town09", "by_town")]
    words += [_said(f"town{n:02}", by) for n in range(3, 9) for by in ("by_star", "by_town")]
    found = _ranked([*_town(), *star, *words], trusted)
    assert found["star"] == HIGHEST
    assert found["by_town"] < found["by_star"] <= 3 * found["by_town"]


@pytest.mark.parametrize(
    ("days", "counterparties", "expected"),
    [(30, 5, True), (29.99, 5, False), (30, 4, False), (400, 50, True)],
)
def test_seasoned_is_who_has_been_there_for_30_days_with_five_counterparties(
    days: float, counterparties: int, expected: bool
) -> None:
    assert is_seasoned(1000, counterparties, 1000 + round(days * DAY_MS)) is expected


def test_it_pauses_again_and_again() -> None:
    pauses: list[int] = []
    edges = [_said(f"a{n}", f"b{n % 97}") for n in range(2_000)]
    assert _ranked(edges, ["a1"], lambda: pauses.append(1)) == _ranked(edges, ["a1"])
    assert len(pauses) > 10 * len(edges) // 500


@given(_EDGES)
def test_counterparties_are_counted_once_whoever_vouched(edges: list[Edge]) -> None:
    known = defaultdict[str, set[str]](set)
    for source, target, _, _ in edges:
        if source != target:
            known[source].add(target)
            known[target].add(source)
    expected = {agent: len(others) for agent, others in known.items()}
    assert Graph.of(edges).counterparties() == expected


def test_the_collector_of_garbage_has_not_to_look_through_each_edge() -> None:
    edges = [_said(f"a{n}", f"b{n % 97}") for n in range(2_000)]
    gc.collect()
    before = len(gc.get_objects())
    graph = Graph.of(edges)
    assert len(gc.get_objects()) - before < 20
    assert graph.said
