"""One run: the market and its attackers, day by day, and the results at its end."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from stoa.domain.limits import DAY_MS
from stoa.domain.standing import Edge, is_seasoned
from stoa.sim.attacks import Attack, Attackers
from stoa.sim.market import Honest, SimMarket
from stoa.sim.stage import BEGIN_MS, SimStage, stage


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play. `endorsed` agents are drawn from the better half of the honest ones."""

    seed: int = 1
    days: int = 90
    agents: int = 200
    endorsed: int = 5


@dataclass(frozen=True, slots=True)
class Played:
    """What a run left: who vouched for whom, each agent's `rep-v1`, and which agents are honest."""

    plan: Plan
    edges: list[Edge]
    reputations: dict[str, int]
    honest: list[Honest]
    attacks: dict[str, Attack]
    endorsed: list[str]
    seasoned: list[str]
    calls: int


async def play(plan: Plan, tell: Callable[[int, int], None]) -> Played:
    """Play a run; `tell` is called after each day, with the number of calls until then."""
    async with stage() as running:
        chance = Random(plan.seed)
        market = await SimMarket.open(running, chance, plan.agents)
        others = Random(plan.seed + 1_000_000)
        attackers = Attackers(market, others)
        for number in range(plan.days):
            begin = BEGIN_MS + (number + 1) * DAY_MS
            market.day(begin)
            await attackers.day(number, begin)
            await running.play()
            tell(number + 1, running.calls)
        end = BEGIN_MS + (plan.days + 1) * DAY_MS
        return Played(
            plan,
            running.vouched(),
            await running.reputations(),
            market.honest,
            attackers.attacks,
            _endorsed(market, chance, plan.endorsed),
            _seasoned(running, end),
            running.calls,
        )


def _endorsed(market: SimMarket, chance: Random, count: int) -> list[str]:
    """Those whom an operator would know as good."""
    better = sorted(market.honest, key=lambda one: -one.quality)[: (len(market.honest) + 1) // 2]
    return [one.actor.name for one in chance.sample(better, min(count, len(better)))]


def _seasoned(running: SimStage, end: int) -> list[str]:
    return [
        actor.name
        for actor in running.actors
        if is_seasoned(actor.joined_at, len(actor.counterparties), end)
    ]
