"""Honest agents: they ask, answer, accept, report outcomes, offer work and do it.

Each has a quality that nobody sees. What one answer or piece of work is worth is its author's
quality and much chance; who judges it sees that worth and is mistaken a little.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from stoa.domain.limits import HOUR_MS
from stoa.sim.stage import BEGIN_MS, Actor, Handle, SimStage

TOPICS = ("backups", "caching", "css", "dns", "parsing", "queues", "sql", "typing")

_ASKS = 0.45
"""Questions that an agent of average activity asks a day."""

_OFFERS = 0.25
_APPLICANTS = 5
_REWARDS = (5, 10, 15, 20)
_SPREAD = 0.15
"""How much answers of one agent differ in worth (standard deviation)."""

_MISJUDGED = 0.1
_GOOD_ENOUGH = 0.3
_ACTIVITY = 0.25
"""How much agents differ in how much they do (standard deviation of its logarithm)."""

_READERS = 2
_MISREPORTED = 0.05
_LEARNS = 0.5


class _Answered(NamedTuple):
    """An answer, its true worth, and the worth that the asker sees in it, with an error."""

    reply: Handle
    author: "Honest"
    worth: float
    seems: float


class Honest:
    """An honest agent. It answers more where its answers are taken."""

    def __init__(self, actor: Actor, chance: Random) -> None:
        self.actor = actor
        self.quality = chance.betavariate(2, 2)
        self.activity = chance.lognormvariate(-(_ACTIVITY**2) / 2, _ACTIVITY)
        self.topics = frozenset(chance.sample(TOPICS, chance.randint(2, 4)))
        self.answers, self.accepted = 0, 0

    def eagerness(self) -> float:
        """How much it answers: by its activity and by how its answers went."""
        taken = (self.accepted + 1) / (self.answers + 4)
        return self.activity * (4 * taken) ** _LEARNS

    def makes(self, chance: Random) -> float:
        """What one answer or piece of work of it is worth."""
        return self.quality + chance.gauss(0, _SPREAD)


@dataclass
class SimMarket:
    """All who act on the market, the honest agents among them, and their days."""

    stage: SimStage
    chance: Random
    honest: list[Honest]
    members: list[Honest]
    asked: int = 0

    @classmethod
    async def open(cls, stage: SimStage, chance: Random, agents: int) -> "SimMarket":
        """Let the honest agents come, within the first day."""
        names = [f"honest{number:03}" for number in range(agents)]
        honest = [Honest(actor, chance) for actor in await stage.join(names, BEGIN_MS)]
        return cls(stage, chance, honest, list(honest))

    def day(self, begin: int) -> None:
        """What the members do on one day, which begins then."""
        for asker in self.members:
            if self.chance.random() < _ASKS * asker.activity:
                self._question(asker, begin + self.chance.randrange(8 * HOUR_MS))
            if self.chance.random() < _OFFERS * asker.activity:
                self._job(asker, begin + self.chance.randrange(8 * HOUR_MS))

    def _question(self, asker: Honest, at: int) -> None:
        topic = self.chance.choice(sorted(asker.topics))
        self.asked += 1
        thread = self.stage.ask(asker.actor, at, topic, self.asked)
        answered = [self._answer(one, thread, at) for one in self._answerers(asker, topic)]
        if not answered:
            return
        best = max(answered, key=lambda one: one.seems)
        if best.seems >= _GOOD_ENOUGH:
            later = at + self.chance.randrange(8 * HOUR_MS, 12 * HOUR_MS)
            self.stage.accept(later, thread, best.reply)
            best.author.accepted += 1
            self._read(asker, topic, answered, best, later)

    def _answerers(self, asker: Honest, topic: str) -> list[Honest]:
        able = [one for one in self.members if topic in one.topics and one is not asker]
        return chosen(
            self.chance, able, [one.eagerness() for one in able], self.chance.randint(2, 6)
        )

    def _answer(self, author: Honest, thread: Handle, at: int) -> _Answered:
        author.answers += 1
        worth = author.makes(self.chance)
        reply = self.stage.answer(author.actor, at + self.chance.randrange(1, 8 * HOUR_MS), thread)
        return _Answered(reply, author, worth, worth + self.chance.gauss(0, _MISJUDGED))

    def _read(
        self, asker: Honest, topic: str, answered: Sequence[_Answered], best: _Answered, at: int
    ) -> None:
        """The asker and some who have the same question use an answer and say how it went."""
        able = [one for one in self.members if topic in one.topics and one is not asker]
        readers = self.chance.sample(able, min(len(able), self.chance.randint(0, _READERS)))
        for reader in (asker, *readers):
            used = best if self.chance.random() < 0.7 else self.chance.choice(answered)
            if used.author is not reader and self.chance.random() < 0.7:
                worked = self.chance.random() < min(max(used.worth, 0), 1)
                if self.chance.random() < _MISREPORTED:
                    worked = not worked
                said_at = at + self.chance.randrange(1, 4 * HOUR_MS)
                self.stage.say(reader.actor, said_at, used.reply, worked=worked)

    def _job(self, creator: Honest, at: int) -> None:
        reward = self.chance.choice(_REWARDS)
        if creator.actor.credits < reward:
            return
        able = [one for one in self.members if one.topics & creator.topics and one is not creator]
        applicants = chosen(self.chance, able, [one.activity for one in able], _APPLICANTS)
        if not applicants:
            return
        worker = max(applicants, key=lambda one: one.makes(self.chance))
        seems = worker.makes(self.chance) + self.chance.gauss(0, _MISJUDGED)
        tries = 1 if seems >= 0.5 else 2 if seems >= _GOOD_ENOUGH else 0
        self.stage.work(creator.actor, worker.actor, at, reward, tries=tries)


def chosen(
    chance: Random, among: Sequence[Honest], weights: Sequence[float], count: int
) -> list[Honest]:
    """So many different ones, drawn by their weights."""
    keyed = [(chance.random() ** (1 / weight), number) for number, weight in enumerate(weights)]
    return [among[number] for _, number in sorted(keyed, reverse=True)[:count]]
