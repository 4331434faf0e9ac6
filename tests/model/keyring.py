"""A model of an agent's keys: who holds which, and what each holder can bring about."""

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

OWNER, THIEF = "owner", "thief"
Act = Literal["rotate", "name", "recover", "spend", "retire", "sign in", "delay"]
Holders = frozenset[str]
BOTH: Holders = frozenset({OWNER, THIEF})


class Move(NamedTuple):
    """What one of the two tries, or that the delay passes."""

    who: str
    act: Act


class Begun(NamedTuple):
    """What happens when the delay has passed, and for whom."""

    act: Literal["name", "recover"]
    whom: Holders


class Ring(NamedTuple):
    """Who holds the current key, the recovery key in force and a live token, and what has begun."""

    current: Holders
    recovery: Holders
    tokens: Holders
    begun: Begun | None = None
    retired: bool = False

    @property
    def recovering(self) -> bool:
        """Whether a recovery runs."""
        return self.begun is not None and self.begun.act == "recover"


MOVES = [
    *(
        Move(who, act)
        for who in (OWNER, THIEF)
        for act in ("rotate", "name", "recover", "spend", "retire", "sign in")
    ),
    Move("", "delay"),
]


def starts() -> Iterator[Ring]:
    """An agent with a recovery key and one without, and a thief with each combination of things."""
    for named in (True, False):
        things = ("key", "token", "recovery") if named else ("key", "token")
        for count in range(len(things) + 1):
            for stolen in combinations(things, count):
                yield Ring(
                    BOTH if "key" in stolen else frozenset({OWNER}),
                    _holders("recovery" in stolen) if named else frozenset(),
                    _holders("token" in stolen),
                )


def _holders(stolen: bool) -> Holders:
    return BOTH if stolen else frozenset({OWNER})


def after(ring: Ring, move: Move) -> Ring | None:
    """What a move leads to; None if it is refused."""
    who, act = move
    if act == "delay":
        return _delayed(ring)
    if ring.retired:
        return None
    if act == "sign in":
        return ring._replace(tokens=ring.tokens | {who}) if who in ring.current else None
    return None if ring.recovering else _acted(ring, who, act)


def _acted(ring: Ring, who: str, act: Act) -> Ring | None:
    """What is refused while a recovery runs, at another time."""
    own, holds_key = frozenset({who}), who in ring.current
    match act:
        case "rotate" if holds_key:
            return Ring(own, ring.recovery, frozenset())
        case "name" if holds_key and not ring.recovery:
            return ring._replace(recovery=own, tokens=ring.tokens | own)
        case "name" if holds_key:
            return ring._replace(begun=Begun("name", own), tokens=ring.tokens | own)
        case "recover" if who in ring.recovery:
            return ring._replace(begun=Begun("recover", own))
        case "spend" if who in ring.tokens:
            return ring
        case "retire" if who in ring.tokens:
            return Ring(frozenset(), frozenset(), frozenset(), retired=True)
        case _:
            return None


def _delayed(ring: Ring) -> Ring:
    """Tokens live much shorter than the delay lasts."""
    kept = ring._replace(tokens=frozenset(), begun=None)
    if ring.begun is None:
        return kept
    if ring.begun.act == "recover":
        return kept._replace(current=ring.begun.whom)
    return kept._replace(recovery=ring.begun.whom)


def reachable(start: Ring, moves: int) -> dict[Ring, list[Move]]:
    """Every state that any order of so many moves leads to, with a shortest way to it."""
    found: dict[Ring, list[Move]] = {start: []}
    last = [start]
    for _ in range(moves):
        fresh: list[Ring] = []
        for ring in last:
            for move in MOVES:
                reached = after(ring, move)
                if reached is not None and reached not in found:
                    found[reached] = [*found[ring], move]
                    fresh.append(reached)
        last = fresh
    return found
