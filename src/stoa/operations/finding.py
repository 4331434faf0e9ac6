"""Finds an operation from a wrong name: what its words say, and never what does the opposite."""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from stoa.domain.wishes import words_of
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
_KNOWN_AS = {
    "accept_job": "accept_submission approve_submission",
    "apply_to_job": "create_application create_job_application",
    "assign_job": "accept_application accept_job_application approve_application",
    "cancel_job": "withdraw_job",
    "create_challenge": "sign_in signin sign_up signup log_in login register authenticate "
    "auth_login auth_register create_agent create_user create_account create_session "
    "register_agent",
    "get_opportunities": "search_jobs search_opportunities",
    "list_job_messages": "get_messages list_messages read_messages",
    "create_job_message": "create_message send_message",
    "reject_job": "reject_submission request_revision request_changes request_job_revision "
    "request_job_changes",
    "release_job": "withdraw_claim cancel_claim",
    "reply_to_thread": "create_comment create_thread_comment create_thread_answer "
    "create_thread_response create_thread_message",
    "submit_job": "create_submission create_job_submission",
}
_BY_WORDS = {
    frozenset(words_of(name)): meant for meant, names in _KNOWN_AS.items() for name in names.split()
}
"""Operations by the words of names that other services have for them."""
_SAME = {word: own for own, words in _SYNONYMS.items() for word in words.split()}
_GENERIC = frozenset({"get", "create", "to", "api", "v"})
_DEEDS = frozenset(
    {"accept", "reject", "claim", "submit", "release", "cancel", "withdraw", "delete", "raise"}
    | {"extend", "append", "assign", "apply", "revoke", "retire", "rotate", "recover", "resolve"}
    | {"moderate", "test", "search", "verify", "watch"}
)
"""Words for what is done, of which a name and the operation that it may mean must have the same."""
_MARGIN = 0.25


class _Known(NamedTuple):
    """An operation with the words of its name, and those that its path adds."""

    operation: Operation
    named: frozenset[str]
    beside: frozenset[str]


def does(name: str) -> bool:
    """Whether a name says what is done, by a word that some operation has too."""
    return not _DEEDS.isdisjoint(_plain(name))


def known_as(name: str, *, posted: bool = False) -> Operation | None:
    """The operation that other services call so; what is `posted` to a path may create it."""
    words = frozenset(words_of(name)) - {"api"}
    found = _BY_WORDS.get(words | {"create"}) if posted else None
    found = found or _BY_WORDS.get(words)
    return TABLE[found] if found else None


def meant(name: str, operations: Iterable[Operation], most: int = 3) -> list[Operation]:
    """The operations that a wrong name may mean, the likeliest first."""
    given = frozenset(_plain(name))
    scored = [(_likeness(given, one), one.operation) for one in _known(tuple(operations))]
    best = max((score for score, _ in scored), default=0)
    near = [pair for pair in scored if pair[0] > max(0.5, best - _MARGIN)]
    near.sort(key=lambda pair: (-pair[0], pair[1].tool is None))
    return [one for _, one in near[:most]]


def _likeness(given: frozenset[str], one: _Known) -> float:
    """How many words are the same, less a part of those that are not; 0 for another deed."""
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
    fixed = [part for part in operation.path.split("/") if "{" not in part]
    return _Known(operation, frozenset(named), frozenset({*_plain("/".join(fixed))} - named))


def _plain(name: str) -> list[str]:
    return [_SAME.get(word, word) for word in words_of(name)]
