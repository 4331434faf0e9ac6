"""The model of paid work notices when a part of the service is wrong."""

from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import Phase, seed
from hypothesis.errors import Flaky

from stoa.domain import jobs as rules
from stoa.operations.parts import escrow
from stoa.operations.parts import moderation as acts
from stoa.store import applications, holds, reputation
from stoa.store import idempotency as stored_answers
from stoa.store.engines.sqlite.tx import SqliteTx
from stoa.store.tx import Work
from tests.model.test_market_model import MarketWork
from tests.model.test_paid_model import PaidWork, explore
from tests.support.soaking import few

T = TypeVar("T")


async def _nothing_due(*_: Any) -> list[Any]:
    return []


async def _no_events(*_: Any) -> tuple[int, int]:
    return 0, 0


async def _no_answer(*_: Any) -> None:
    return None


async def _not_undone(tx: SqliteTx, work: Work[T]) -> T:
    return await work(tx)


async def _done(*_: Any) -> bool:
    return True


def _not_abandoned(*_: Any, **__: Any) -> bool:
    return False


def _always_a_revision(*_: Any) -> rules.JobEvent:
    return rules.JobEvent.REJECT


def _never(*_: Any) -> None:
    return None


class Mutation(NamedTuple):
    """A wrong part of the service. From `seed` on the model mostly finds it at once."""

    owner: Any
    name: str
    wrong: Any
    seed: int
    machine: type[PaidWork] = PaidWork


MUTATIONS = {
    "due refunds are forgotten": Mutation(holds, "due_for", _nothing_due, 1),
    "nothing happens by itself": Mutation(rules, "due", _never, 1),
    "an answer is not found again": Mutation(stored_answers, "get", _no_answer, 1),
    "a hidden thread keeps its bounty": Mutation(acts, "_refund_bounty", _no_answer, 1),
    "a dry run is not undone": Mutation(SqliteTx, "undone", _not_undone, 6),
    "a chosen worker stays an applicant": Mutation(applications, "delete", _done, 2, MarketWork),
    "a raise reserves nothing": Mutation(escrow, "add", _no_answer, 1, MarketWork),
    "a pair is never counted": Mutation(reputation, "pair_events", _no_events, 2),
    "every rejection leaves a revision": Mutation(rules, "rejection", _always_a_revision, 2),
    "no claim is abandoned": Mutation(rules, "is_abandoned", _not_abandoned, 1),
    "a recovery moves nothing": Mutation(escrow, "postpone_decisions", _no_answer, 3, MarketWork),
}


@pytest.mark.parametrize("mutation", few(MUTATIONS))
def test_the_model_finds_it_when(monkeypatch: pytest.MonkeyPatch, mutation: str) -> None:
    owner, name, wrong, first, machine = MUTATIONS[mutation]
    monkeypatch.setattr(owner, name, wrong)
    # Calls at the same time end in an order of their own, so no seed alone finds it always.
    assert any(found(machine, number) for number in range(first, first + 10))


def found(machine: type[PaidWork], number: int) -> bool:
    """Whether the model sees something wrong in one of 30 towns from this seed."""
    seeded = seed(number)(type("Mutated", (machine,), {}))
    try:
        explore(30, 80, seeded, database=None, phases=[Phase.generate])
    except (AssertionError, ExceptionGroup, Flaky):
        return True
    return False
