"""Changes of which nothing is asked: they may wait, and are made in their order all the same."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from stoa.domain.credits import Credits, hold
from stoa.entropy import IdGenerator
from stoa.store import ledger
from stoa.store.engines.postgres.connection import opened
from stoa.store.engines.postgres.tx import PostgresTx
from stoa.store.tx import NotTouched, Statement, Tx
from tests.support.app import Agent, App
from tests.support.ledger import rows

T = TypeVar("T")
BALANCE = "ledger.balance"


def write(stoa: App, step: Callable[[Tx], Awaitable[T]]) -> T:
    """The outcome of one transaction."""

    async def work(tx: Tx) -> T:
        return await step(tx)

    return stoa.run(stoa.stoa.store.write(work))


async def balance(tx: Tx, account: str) -> int | None:
    """What is in an account, None if there is none."""
    row = await tx.one(BALANCE, id=account)
    return row[0] if row else None


def test_what_waits_is_there_for_whatever_is_asked_next(stoa: App) -> None:
    async def step(tx: Tx) -> list[int | None]:
        await tx.put("ledger.give", id="escrow:a", amount=5)
        given = await balance(tx, "escrow:a")
        await tx.put("ledger.give", id="escrow:a", amount=5)
        await tx.put("ledger.give", id="escrow:a", amount=5)
        taken = await tx.run("ledger.take", id="escrow:a", amount=15)
        await tx.put("ledger.give", id="escrow:b", amount=1)
        moved = await tx.run_all(
            ("ledger.give", {"id": "escrow:a", "amount": 1}),
            ("ledger.take", {"id": "escrow:b", "amount": 2}),
        )
        await tx.put("ledger.give", id="escrow:c", amount=1)
        await tx.lock("account", "escrow:c")
        return [given, taken, *moved, await balance(tx, "escrow:c")]

    assert write(stoa, step) == [5, 1, 1, 0, 1]


def test_a_change_that_finds_nothing_undoes_all_that_was_done(stoa: App) -> None:
    async def step(tx: Tx) -> None:
        await tx.put("ledger.give", id="escrow:a", amount=5)
        await tx.put("ledger.take", 0, id="escrow:none", amount=1)
        await tx.put("ledger.take", id="escrow:none", amount=1)

    with pytest.raises(NotTouched, match=r"ledger\.take"):
        write(stoa, step)
    assert rows(stoa, "SELECT count(*) FROM account WHERE id LIKE 'escrow:%'") == [(0,)]


def test_the_postings_of_a_movement_come_before_their_seal(stoa: App, ada: Agent) -> None:
    """The seal is refused before them: see the triggers of both tables."""

    async def step(tx: Tx) -> str:
        return await ledger.book(tx, IdGenerator(), hold("job", "job_1", ada.id, Credits(100)))

    made = write(stoa, step)
    found = rows(stoa, "SELECT count(*) FROM posting WHERE transaction_id = ?", made)
    assert found == [(2,)]


def test_a_dry_run_leaves_nothing_that_waits(stoa: App) -> None:
    async def give(tx: Tx) -> None:
        await tx.put("ledger.give", id="escrow:a", amount=5)

    async def step(tx: Tx) -> int | None:
        await tx.undone(give)
        return await balance(tx, "escrow:a")

    assert write(stoa, step) is None


def test_two_changes_of_one_row_are_both_made(stoa: App, ada: Agent) -> None:
    """One statement that changes a row twice carries out one of the changes on PostgreSQL."""
    asked = "SELECT reputation, last_seen_at FROM agent WHERE id = ?"
    ((points, seen),) = rows(stoa, asked, ada.id)

    async def step(tx: Tx) -> None:
        tx.defer("agents.seen", agent_id=ada.id, at=seen + 5_000)
        await tx.put("reputation.add_points", agent_id=ada.id, points=7)

    write(stoa, step)
    assert rows(stoa, asked, ada.id) == [(points + 7, seen + 5_000)]


class Told(PostgresTx):
    """Tells which changes were sent together."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.sent: list[tuple[str, ...]] = []

    async def run_all(self, *changes: Statement) -> list[int]:
        self.sent.append(tuple(name for name, _ in changes))
        return await super().run_all(*changes)


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_changes_of_different_tables_go_as_one(stoa: App, ada: Agent) -> None:
    async def sent() -> list[tuple[str, ...]]:
        async with opened(stoa.settings.database_url) as connection, connection.transaction():
            tx = Told(connection, stoa.clock)
            points = {"agent_id": ada.id, "points": 1}
            await tx.put("reputation.add_points", **points)
            await tx.put("reputation.add_points_to_capabilities", 0, **points)
            await tx.put("ledger.give", id="escrow:a", amount=5)
            tx.defer("agents.seen", agent_id=ada.id, at=tx.now + 5_000)
            await tx.finish()
            return tx.sent

    assert stoa.run(sent()) == [
        ("reputation.add_points", "reputation.add_points_to_capabilities", "ledger.give"),
        ("agents.seen",),
    ]
