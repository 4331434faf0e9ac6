"""The results of a run: how well scores follow quality, what fake points cost, and what rings
have."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from stoa.domain.reputation import POINTS, ReputationEvent
from stoa.domain.standing import Edge, EdgeKind, Graph, standings
from stoa.sim.attacks import COLLUSION, Attack
from stoa.sim.playing import Played

Scores = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Price:
    """What one point cost: acts, credits, and both together as acts of honest work."""

    acts: float
    credits: float
    as_work: float


@dataclass(frozen=True, slots=True)
class PriceRow:
    """An attack, or honest work: its keys, the mean score of one, the best, the price of a point
    (none where it has no points) and that price beside the honest one."""

    name: str
    keys: int
    mean: float
    best: int
    price: Price | None
    beside_honest: float | None


@dataclass(frozen=True, slots=True)
class Measure:
    """One kind of score over a whole run. The first row is honest work."""

    name: str
    trusted: int
    tau: float
    rows: list[PriceRow]

    @property
    def honest_mean(self) -> float:
        """The mean score of an honest agent."""
        return self.rows[0].mean

    @property
    def ring_mean(self) -> float:
        """The mean score of a key of a ring, whatever the ring bought."""
        rings = [row for row in self.rows if row.name.startswith("ring")]
        keys = sum(row.keys for row in rings)
        return sum(row.mean * row.keys for row in rings) / keys if keys else 0.0

    @property
    def cheapest(self) -> PriceRow | None:
        """The attack whose points cost least beside honest work."""
        priced = [row for row in self.rows[1:] if row.beside_honest is not None]
        return min(priced, key=lambda row: row.beside_honest or 0, default=None)


def measures(played: Played) -> list[Measure]:
    """Standing with endorsements, standing without any, and `rep-v1`."""
    found: list[Measure] = []
    for name, trusted in (
        (f"standing, {len(played.endorsed)} endorsed", played.endorsed),
        ("standing, nobody endorsed", played.seasoned),
    ):
        scores = standings(Graph.of(played.edges), trusted)
        honestly = standings(Graph.of(without_faked(played)), trusted)
        found.append(_measure(name, len(trusted), played, scores, honestly))
    unfaked = _reputations(without_faked(played))
    return [*found, _measure("rep-v1", 0, played, played.reputations, unfaked)]


def _reputations(edges: Sequence[Edge]) -> dict[str, int]:
    """What `rep-v1` counts of these."""
    found = Counter[str]()
    for edge in edges:
        if edge.kind is EdgeKind.ACCEPTED:
            found[edge.target] += POINTS[ReputationEvent.ANSWER_ACCEPTED] * edge.times
        elif edge.kind is EdgeKind.SETTLED:
            found[edge.target] += POINTS[ReputationEvent.JOB_COMPLETED] * edge.times
    return found


def without_faked(played: Played) -> list[Edge]:
    """The edges that are left when pairs vouch for each other no more."""
    faked = played.attacks[COLLUSION].faked
    return [edge for edge in played.edges if (edge.source, edge.target) not in faked]


def _measure(name: str, trusted: int, played: Played, scores: Scores, honestly: Scores) -> Measure:
    honest = [one.actor for one in played.honest]
    of_honest = [scores.get(actor.name, 0) for actor in honest]
    tau = kendall(of_honest, [one.quality for one in played.honest])
    work = sum(actor.working_acts for actor in honest)
    per_credit = _acts_per_credit(played)
    points = sum(of_honest)
    price = Price(work / points, 0, work / points) if points else None
    rows = [PriceRow("honest work", len(honest), points / len(honest), max(of_honest), price, 1.0)]
    for label, attack in played.attacks.items():
        rows.append(_row(label, attack, scores, honestly, per_credit, price))
    return Measure(name, trusted, tau, rows)


def _row(
    label: str,
    attack: Attack,
    scores: Scores,
    honestly: Scores,
    per_credit: float,
    honest: Price | None,
) -> PriceRow:
    names = [actor.name for actor in attack.keys]
    of_keys = [scores.get(name, 0) for name in names]
    points, acts = sum(of_keys), attack.acts
    if label == COLLUSION:
        points -= sum(honestly.get(name, 0) for name in names)
    mean, best = sum(of_keys) / max(1, len(names)), max(of_keys, default=0)
    if points <= 0:
        return PriceRow(label, len(names), mean, best, None, None)
    as_work = (acts + attack.credits * per_credit) / points
    price = Price(acts / points, attack.credits / points, as_work)
    beside = as_work / honest.as_work if honest else None
    return PriceRow(label, len(names), mean, best, price, beside)


def _acts_per_credit(played: Played) -> float:
    """The acts of work by which an honest agent earns one credit."""
    earned = sum(one.actor.earned for one in played.honest)
    acts = sum(one.actor.job_acts for one in played.honest)
    return acts / earned if earned else 0.0


def kendall(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's tau-b of two rankings: 1 for the same, 0 for none, -1 for the reverse."""
    agreeing, first_ties, second_ties, pairs = 0, 0, 0, 0
    for (a, b), (c, d) in combinations(zip(first, second, strict=True), 2):
        pairs += 1
        first_ties += a == c
        second_ties += b == d
        agreeing += ((a > c) - (a < c)) * ((b > d) - (b < d))
    spread = (pairs - first_ties) * (pairs - second_ties)
    return agreeing / sqrt(spread) if spread else 0.0
