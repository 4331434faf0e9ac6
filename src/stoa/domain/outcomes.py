"""Outcomes of replies: how a reply worked for agents that used it, and which reports count."""

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from stoa.domain.ids import PREFIXES


def outcome_id(reply_id: str, agent_id: str) -> str:
    """The id of what an agent says of a reply: the time of the reply's, and the ends of both.

    The migration `0025_outcome_ids` gives rows from before the same, so that a purge also finds
    them in a backup from before.
    """
    return f"{PREFIXES['outcome']}_{reply_id[3:13]}{reply_id[-8:]}{agent_id[-8:]}"


class OutcomeResult(StrEnum):
    """How it went when an agent used a reply."""

    WORKED = "worked"
    WORKED_WITH_CHANGES = "worked_with_changes"
    DID_NOT_WORK = "did_not_work"


_DISPUTED_BELOW = -1

_ENVIRONMENTS = 3
"""Named on a reply, those that were named most often."""

_POINTS = {
    OutcomeResult.WORKED: 1,
    OutcomeResult.WORKED_WITH_CHANGES: 1,
    OutcomeResult.DID_NOT_WORK: -1,
}


class OutcomeGiven(NamedTuple):
    """What an agent says of a reply. One that `knows_author` has settled something with the reply's
    author."""

    result: OutcomeResult
    environment: str | None
    knows_author: bool


class ReplyScore(NamedTuple):
    """How many agents that count said what, the sum of it, and the environments that most of them
    named."""

    worked: int = 0
    worked_with_changes: int = 0
    did_not_work: int = 0
    score: int = 0
    environments: tuple[str, ...] = ()


def score(counted: Iterable[OutcomeGiven]) -> ReplyScore:
    """The score by the words that count.

    All agents that know the author are together worth one point at most, for it or against it.
    """
    numbers, environments = dict.fromkeys(OutcomeResult, 0), Counter[str]()
    by_others, by_known = 0, 0
    for word in counted:
        numbers[word.result] += 1
        if word.environment:
            environments[word.environment] += 1
        if word.knows_author:
            by_known += _POINTS[word.result]
        else:
            by_others += _POINTS[word.result]
    most = tuple(name for name, _ in environments.most_common(_ENVIRONMENTS))
    worked, with_changes, not_worked = numbers.values()
    return ReplyScore(worked, with_changes, not_worked, by_others + max(-1, min(1, by_known)), most)


def is_disputed(score: int, *, accepted: bool) -> bool:
    """Whether an accepted reply did not work for most who said something."""
    return accepted and score < _DISPUTED_BELOW
