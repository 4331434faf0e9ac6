"""Agents that want reputation and standing without the work: rings, buyers, whitewashers, pairs.

What they buy costs what a piece of work costs on this market. Credits come from the grants of new
keys, passed on as pay for work that nobody does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from stoa.domain.limits import HOUR_MS
from stoa.sim.market import Honest, SimMarket
from stoa.sim.stage import Actor

RING = 20
"""New keys of a ring, of which one comes each day."""

PRICE = 12
"""Credits that an honest agent takes for an accept: about what a job pays."""

_PASSED_ON = 95
_ROUNDS = 3
_FUNDS = 12
"""New keys whose grants pay for what a buyer buys."""

_HEADS, _EDGES = 5, 6
"""How many keys of the most costly kind of ring buy how many edges each."""

_PAIRS = 8
_WHITEWASHERS = 8
_WHITEWASH_DAYS = 10
_BAD = 0.1
_SELLERS = 0.2
"""How many agents sell accepts, beside so many honest ones."""

_BEST = 4
"""The best sellers: the first quarter of them."""


RINGS = {"ring, nothing bought": 0, "ring, one edge": 1, "ring, six edges on one key": _EDGES}
SPREAD = "ring, thirty edges on five keys"
_RING_NAMES = (*RINGS, SPREAD)
BUYERS = "buyer, of anybody"
BEST_BUYERS = "buyer, of the best"
WHITEWASH = "whitewasher"
COLLUSION = "pair of requester and worker"


@dataclass
class Attack:
    """The keys of one kind of attack, and what it has spent."""

    keys: list[Actor] = field(default_factory=list[Actor])
    helpers: list[Actor] = field(default_factory=list[Actor])
    credits: int = 0
    bought: int = 0
    faking_acts: int = 0
    works: bool = False
    faked: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    @property
    def acts(self) -> int:
        """What it did for its points: all acts, unless its keys also act as honest agents do; then
        only their faking or their work counts."""
        if self.faking_acts:
            return self.faking_acts
        if self.works:
            return sum(actor.working_acts for actor in self.keys)
        return sum(actor.acts for actor in (*self.keys, *self.helpers))


class Attackers:
    """All attackers and their days."""

    def __init__(self, market: SimMarket, chance: Random) -> None:
        self._market, self._stage, self._chance = market, market.stage, chance
        self.attacks = {
            name: Attack() for name in (*RINGS, SPREAD, BUYERS, BEST_BUYERS, WHITEWASH, COLLUSION)
        }
        count = max(2, round(_SELLERS * len(market.honest)))
        self.attacks[WHITEWASH].works = True
        self._sellers = chance.sample(market.honest, count)
        self._buyers: dict[str, Actor] = {}
        self._washed: list[Honest] = []
        self._pairs: list[tuple[Honest, Honest]] = []

    async def day(self, number: int, begin: int) -> None:
        """What attackers do on this day. Sellers, pairs and buyers come on the first."""
        if number == 0:
            await self._sellers_come(begin)
            await self._pairs_come(begin)
            await self._buyers_come(begin)
        if number % _WHITEWASH_DAYS == 0:
            await self._wash(number, begin)
        await self._ring(number, begin)
        for name, buyer in self._buyers.items():
            at = begin + 13 * HOUR_MS
            if buyer.credits >= PRICE:
                self._buy(self.attacks[name], buyer, self._seller(name), at)
        for pair in self._pairs:
            self._collude(pair, begin)

    # --- Rings and buyers.

    async def _ring(self, number: int, begin: int) -> None:
        name = _RING_NAMES[number % len(_RING_NAMES)]
        attack = self.attacks[name]
        names = [f"ring{number:03}-{place:02}" for place in range(RING)]
        keys = await self._stage.join(names, begin)
        attack.keys += keys
        for turn in range(1, _ROUNDS + 1):
            for place, key in enumerate(keys):
                mate = keys[(place + turn) % RING]
                self._fake(attack, key, mate, begin + turn * HOUR_MS + place * 1000)
        treasurer = keys[0]
        self._pass_on(keys[1:], treasurer, begin + 5 * HOUR_MS)
        at = begin + 13 * HOUR_MS
        if name == SPREAD:
            for key in keys[:_HEADS]:
                self._buy_all(attack, treasurer, key, _EDGES, at)
            self._vouch_for_all(attack, keys, begin + 20 * HOUR_MS)
        else:
            self._buy_all(attack, treasurer, treasurer, RINGS[name], at)

    def _buy_all(self, attack: Attack, payer: Actor, owner: Actor, count: int, at: int) -> None:
        """Buy accepts of so many different agents."""
        for seller in self._chance.sample(self._sellers, min(count, len(self._sellers))):
            self._buy(attack, payer, seller, at, owner)

    def _vouch_for_all(self, attack: Attack, keys: Sequence[Actor], at: int) -> None:
        """The keys whose accepts were bought vouch for all others."""
        for head in keys[:_HEADS]:
            for place, key in enumerate(keys[_HEADS:]):
                self._fake(attack, head, key, at + 10_000 * place)

    def _fake(self, attack: Attack, asker: Actor, mate: Actor, at: int) -> None:
        """A question whose answer is accepted, whatever it says, and said to work."""
        thread = self._stage.ask(asker, at, "faked", attack.acts)
        reply = self._stage.answer(mate, at + 1, thread)
        self._stage.accept(at + 2, thread, reply)
        self._stage.say(asker, at + 3, reply, worked=True)

    def _pass_on(self, keys: Sequence[Actor], treasurer: Actor, at: int) -> None:
        for place, key in enumerate(keys):
            self._stage.work(key, treasurer, at + 20 * place, _PASSED_ON, tries=1)

    def _buy(
        self, attack: Attack, payer: Actor, seller: Honest, at: int, owner: Actor | None = None
    ) -> None:
        """Pay an honest agent, as for a job, for accepting an answer of `owner`."""
        at += 100 * attack.bought
        self._stage.work(payer, seller.actor, at, PRICE, tries=1)
        thread = self._stage.ask(seller.actor, at + 20, "bought", attack.bought)
        reply = self._stage.answer(owner or payer, at + 21, thread)
        self._stage.accept(at + 22, thread, reply)
        attack.credits += PRICE
        attack.bought += 1

    async def _sellers_come(self, begin: int) -> None:
        """Agents who do what honest ones do, and accept for pay beside it."""
        count = max(2, round(_SELLERS * len(self._market.honest)))
        names = [f"seller{number:03}" for number in range(count)]
        joined = await self._stage.join(names, begin)
        self._sellers = [Honest(actor, self._chance) for actor in joined]
        self._market.members += self._sellers

    async def _buyers_come(self, begin: int) -> None:
        for name in (BUYERS, BEST_BUYERS):
            attack = self.attacks[name]
            label = name.replace(", ", "-").replace(" ", "-")
            funds = [f"{label}-{place:02}" for place in range(_FUNDS)]
            buyer, *helpers = await self._stage.join([label, *funds], begin)
            attack.keys.append(buyer)
            attack.helpers += helpers
            self._pass_on(attack.helpers, buyer, begin + HOUR_MS)
            self._buyers[name] = buyer

    def _seller(self, name: str) -> Honest:
        if name == BUYERS:
            return self._chance.choice(self._sellers)
        best = sorted(self._sellers, key=lambda one: -one.quality)
        return self._chance.choice(best[: max(2, len(best) // _BEST)])

    # --- Agents of the market that cheat beside what they do there.

    async def _pairs_come(self, begin: int) -> None:
        for number in range(min(_PAIRS, len(self._market.honest) // 4)):
            names = [f"pair{number}-{side}" for side in ("requester", "worker")]
            two = [Honest(actor, self._chance) for actor in await self._stage.join(names, begin)]
            self.attacks[COLLUSION].keys += [one.actor for one in two]
            self._market.members += two
            self._pairs.append((two[0], two[1]))

    def _collude(self, pair: tuple[Honest, Honest], begin: int) -> None:
        """The requester takes whatever the worker does, and gets its pay back in the same way."""
        requester, worker = (one.actor for one in pair)
        attack, at = self.attacks[COLLUSION], begin + 14 * HOUR_MS
        before = requester.acts + worker.acts
        self._fake(attack, requester, worker, at)
        if min(requester.credits, worker.credits) >= PRICE:
            self._stage.work(requester, worker, at + 100, PRICE, tries=1)
            self._stage.work(worker, requester, at + 200, PRICE, tries=1)
        attack.faking_acts += requester.acts + worker.acts - before
        attack.faked |= {(requester.name, worker.name), (worker.name, requester.name)}

    async def _wash(self, number: int, begin: int) -> None:
        """Agents of bad quality throw their keys away and come back as new ones."""
        for washed in self._washed:
            self._market.members.remove(washed)
        count = min(_WHITEWASHERS, len(self._market.honest) // 4)
        names = [f"washed{number:03}-{place}" for place in range(count)]
        self._washed = [
            Honest(actor, self._chance) for actor in await self._stage.join(names, begin)
        ]
        for washed in self._washed:
            washed.quality = _BAD
        self.attacks[WHITEWASH].keys += [washed.actor for washed in self._washed]
        self._market.members += self._washed
