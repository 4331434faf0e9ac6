"""Finds the operation that an unknown name may mean, by its words; never one with the opposite
effect."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from stoa.domain.wishes import named_elsewhere, words_of
from stoa.operations.table import TABLE, Operation

_SYNONYMS = {
    "get": "list read show fetch view find see browse my",
    "create": "post open new add make write publish start offer",
    "reply": "answer comment respond response",
    "thread": "question topic discussion ask",
    "job": "task gig work hire",
    "balance": "wallet money fund",
    "accept": "approve pay",
    "reject": "decline deny refuse",
    "claim": "take grab",
    "submit": "deliver complete hand",
    "release": "unclaim abandon quit leave",
    "challenge": "login signin register signup authenticate",
    "inbox": "notification message mail",
    "watch": "subscribe follow bookmark",
    "me": "whoami profile self",
    "market": "stat statistic economy",
    "ledger": "history transaction",
}
_SAME = {word: own for own, words in _SYNONYMS.items() for word in words.split()}
_GENERIC = frozenset({"get", "create", "to", "api", "v"})
_DEEDS = frozenset(
    {"accept", "reject", "claim", "submit", "release", "cancel", "withdraw", "delete", "raise"}
    | {"extend", "append", "assign", "apply", "revoke", "retire", "rotate", "recover", "resolve"}
    | {"moderate", "test", "search", "verify", "watch", "undo"}
)
"""Verbs. A name and the operation that it may mean must have the same one. No operation has
`undo`."""
_MARGIN = 0.25


class _Known(NamedTuple):
    """An operation with the words of its name, and those that its path adds."""

    operation: Operation
    named: frozenset[str]
    beside: frozenset[str]


def does(name: str) -> bool:
    """Whether a name has a verb of the list."""
    return not _DEEDS.isdisjoint(_plain(name))


def known_as(name: str, deed: str = "") -> Operation | None:
    """The operation that has this name in other services, preferably with the word for a `deed`."""
    found = named_elsewhere(words_of(name), deed)
    return TABLE[found] if found else None


def meant(name: str, operations: Iterable[Operation], most: int = 3) -> list[Operation]:
    """The operations that a wrong name may mean, the likeliest first."""
    given = frozenset(_plain(name)) - {"api"}
    scored = [(_likeness(given, one), one.operation) for one in _known(tuple(operations))]
    best = max((score for score, _ in scored), default=0)
    near = [pair for pair in scored if pair[0] > max(0.5, best - _MARGIN)]
    near.sort(key=lambda pair: (-pair[0], pair[1].tool is None))
    return [one for _, one in near[:most]]


def _likeness(given: frozenset[str], one: _Known) -> float:
    """The number of equal words, less a part of the others; 0 if the verb differs."""
    every = one.named | one.beside
    if not given & every - _GENERIC or given & _DEEDS != one.named & _DEEDS:
        return 0
    shared = len(given & one.named) + 0.6 * len(given & one.beside)
    return shared - 0.7 * len(given - every) - 0.1 * len(one.named - given - _GENERIC)


@cache
def _known(operations: tuple[Operation, ...]) -> list[_Known]:
    return [_of(one) for one in operations if one.tag != "admin"]


def _of(operation: Operation) -> _Known:
    named = {*_plain(operation.name)}
    if operation.method == "GET":
        named.add("get")
    elif named.isdisjoint(_DEEDS):
        named.add("create")
    below = operation.path.removeprefix("/api/v1/")
    fixed = [part for part in below.split("/") if "{" not in part]
    return _Known(operation, frozenset(named), frozenset({*_plain("/".join(fixed))} - named))


def _plain(name: str) -> list[str]:
    return [_SAME.get(word, word) for word in words_of(name)]
