"""The guards of paid work, with each taken out in turn: without them the checks of races fail.

All readers look before any writer writes, as they would on a server that reads and then writes in
two transactions. With the guard in its place the outcome is right all the same.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from stoa.domain.credits import Credits, hold, payout, refund
from stoa.domain.errors import Refusal
from stoa.domain.jobs import Due, JobEvent, JobStatus
from stoa.entropy import IdGenerator
from stoa.settings import Settings
from stoa.store import applications, holds, jobs, ledger, statements, submissions
from stoa.store.engines.migration_steps import MigrationStep as Migration
from stoa.store.engines.sqlite import migrations as sqlite_migrations
from stoa.store.holds import HoldRow
from stoa.store.jobs import JobHistory, SubmissionRow
from stoa.store.submissions import NewSubmission
from stoa.store.tx import NotTouched, Tx
from tests.support.app import Agent, App
from tests.support.jobs import done, offer
from tests.support.ledger import broken, rows
from tests.support.limits_off import LIMITS_OFF

GUARDS = {
    "jobs.claim": [" AND status = 'OPEN' AND due_at > :now"],
    "jobs.submit": [" AND status = :was AND due_at > :now"],
    "jobs.reject": [" AND status = 'SUBMITTED' AND due_at > :now"],
    "jobs.complete": [" AND status = 'SUBMITTED' AND due_at > :now"],
    "jobs.step": [" AND status = :was"],
    "jobs.raise": [" AND status = :was AND due_at > :now"],
    "ledger.take": [" AND (balance - :amount >= 0 OR id = 'issuer')"],
    "holds.close": [" AND status = 'OPEN'"],
}
CONSTRAINTS = {
    "  balance INTEGER NOT NULL,\n  CHECK (balance >= 0 OR id = 'issuer')\n": (
        "  balance INTEGER NOT NULL\n"
    ),
    "hold_id TEXT PRIMARY KEY REFERENCES hold (id)": "hold_id TEXT REFERENCES hold (id)",
}


def take_out_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the guards out of statements; each must be there to be taken."""
    known = statements.load("sqlite")
    for name, guards in GUARDS.items():
        naive = known[name]
        for guard in guards:
            assert naive.replace("\n", " ").count(guard) == 1
            naive = naive.replace("\n", " ").replace(guard, "")
        monkeypatch.setitem(known, name, naive)


def settings_in(folder: Path, without: Mapping[str, str]) -> Settings:
    """The settings of a database whose schema is without these constraints."""
    settings = msgspec.convert({"data_dir": str(folder), **LIMITS_OFF}, Settings)
    steps: list[Migration] = []
    for step in sqlite_migrations.steps():
        sql = step.sql
        for constraint, less in without.items():
            sql = sql.replace(constraint, less)
        steps.append(step._replace(sql=sql))
    assert (steps == sqlite_migrations.steps()) is not bool(without)
    folder.mkdir()
    with closing(apsw.Connection(str(settings.database_path))) as connection:
        sqlite_migrations.migrate(connection, steps)
    return settings


@pytest.fixture(params=["guarded", "naive"])
def guarded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """With every guard, and with none."""
    if request.param == "naive":
        take_out_guards(monkeypatch)
    return request.param == "guarded"


@pytest.fixture
def app(guarded: bool, tmp_path: Path) -> Iterator[App]:
    with App(settings_in(tmp_path / "data", {} if guarded else CONSTRAINTS)) as app:
        yield app


@pytest.fixture
def ada(app: App) -> Agent:
    return app.agent("ada")


@pytest.fixture
def bob(app: App) -> Agent:
    return app.agent("bob")


Step = Callable[[Tx], Awaitable[Any]]


def look_then_write(app: App, looks: list[tuple[Step, Step]]) -> list[Any]:
    """Everybody looks; then everybody whose look says so writes. What the writes gave."""

    async def one(look: Step, write: Step, all_looked: asyncio.Barrier) -> Any:
        may = await app.stoa.store.read(lambda tx: _run(look, tx))
        await all_looked.wait()
        if may:
            with suppress(Refusal, NotTouched):
                return await app.stoa.store.write(lambda tx: _run(write, tx))
        return None

    async def everybody() -> list[Any]:
        barrier = asyncio.Barrier(len(looks))
        return await asyncio.gather(*(one(look, write, barrier) for look, write in looks))

    return app.run(everybody())


async def _run(step: Step, tx: Tx) -> Any:
    return await step(tx)


def test_without_its_guard_a_job_has_many_winners(app: App, ada: Agent, guarded: bool) -> None:
    job_id = offer(ada)["id"]
    workers = [app.agent(f"worker {number}").id for number in range(20)]

    async def is_open(tx: Tx) -> bool:
        job = await jobs.get(tx, job_id)
        return job is not None and job.status == "OPEN"

    def claim(worker: str) -> Step:
        async def write(tx: Tx) -> bool:
            job = await jobs.get(tx, job_id)
            assert job
            await jobs.claim(tx, await jobs.life(tx, job), worker)
            return True

        return write

    outcomes = look_then_write(app, [(is_open, claim(worker)) for worker in workers])
    assert outcomes.count(True) == (1 if guarded else 20)


Change = Callable[[Tx, JobHistory, str], Coroutine[Any, Any, Any]]
"""A change of a job as it was seen before, by the worker with this id, another or nobody."""


async def submits(tx: Tx, seen: JobHistory, worker: str) -> None:
    submission_id = IdGenerator().new("sub", tx.now)
    row = SubmissionRow(submission_id, seen.job.id, worker, "Done.", "[]", tx.now)
    await jobs.submit(tx, seen, row, 0)
    await submissions.insert(tx, NewSubmission(row, {}))


def by_itself(event: JobEvent) -> Change:
    """What time does, or an agent in its place."""
    return lambda tx, seen, _: jobs.step(tx, seen, Due(tx.now, event))


def accepts(tx: Tx, seen: JobHistory, _: str) -> Coroutine[Any, Any, Any]:
    return jobs.complete(tx, seen)


def rejects(tx: Tx, seen: JobHistory, _: str) -> Coroutine[Any, Any, Any]:
    return jobs.reject(tx, seen, JobStatus.REJECTED_REVISION_ALLOWED, "incomplete", None)


RACES: dict[str, tuple[tuple[str, ...], tuple[Change, ...]]] = {
    "at the end of a review": (
        ("claim", "submit"),
        (accepts, rejects, by_itself(JobEvent.SILENCE)),
    ),
    "at the end of a claim": (("claim",), (submits, by_itself(JobEvent.RELEASE))),
    "cancel and claim": (
        (),
        (by_itself(JobEvent.CANCEL), jobs.claim),
    ),
    "accept and raise": (
        ("claim", "submit"),
        (accepts, lambda tx, seen, _: jobs.raise_reward(tx, seen, 2000)),
    ),
}
"""What is done with a job first, and what is done then, one after the other, by all who saw the
same."""


@pytest.mark.parametrize("race", RACES)
def test_without_its_guard_a_job_goes_two_ways_at_once(
    app: App, ada: Agent, bob: Agent, guarded: bool, race: str
) -> None:
    before, changes = RACES[race]
    job = offer(ada)
    done(bob, job, *before)

    async def look(tx: Tx) -> JobHistory:
        found = await jobs.get(tx, job["id"])
        assert found
        return await jobs.life(tx, found)

    seen = app.run(app.stoa.store.read(look))

    def went(change: Change) -> bool:
        with suppress(NotTouched):
            app.run(app.stoa.store.write(lambda tx: change(tx, seen, bob.id)))
            return True
        return False

    assert [went(change) for change in changes] == [True, *[not guarded] * (len(changes) - 1)]


def test_without_its_guard_a_balance_is_overspent(app: App, ada: Agent, guarded: bool) -> None:
    ids = IdGenerator()
    account = f"agent:{ada.id}"

    async def can_pay(tx: Tx) -> bool:
        return await ledger.balance(tx, account) >= Credits(1000)

    async def reserve(tx: Tx) -> bool:
        hold_id = ids.new("bty", tx.now)
        movement = hold("bounty", hold_id, ada.id, Credits(1000))
        await ledger.book(tx, ids, movement)
        row = HoldRow(hold_id, "bounty", hold_id, ada.id, 1000, "OPEN", tx.now, tx.now + 1)
        await holds.insert(tx, row)
        return True

    outcomes = look_then_write(app, [(can_pay, reserve)] * 50)
    assert outcomes.count(True) == (10 if guarded else 50)
    overspent = "no account but the issuer's is below zero" in broken(app.settings)
    assert overspent is not guarded


def test_without_its_guard_a_hold_is_settled_twice(
    app: App, ada: Agent, bob: Agent, guarded: bool
) -> None:
    ids = IdGenerator()
    hold_ids = [ada.thread(bountyCredits=5)["bounty"]["id"] for _ in range(20)]

    def race_for(hold_id: str) -> list[tuple[Step, Step]]:
        async def is_open(tx: Tx) -> bool:
            row = await holds.get(tx, hold_id)
            return row is not None and row.status == "OPEN"

        def settle(to_worker: bool) -> Step:
            async def write(tx: Tx) -> bool:
                row = await holds.get(tx, hold_id)
                assert row
                agent_id = bob.id if to_worker else ada.id
                move = payout if to_worker else refund
                movement = move("bounty", hold_id, agent_id, Credits(row.amount))
                transaction_id = await ledger.book(tx, ids, movement)
                outcome = "payout" if to_worker else "refund"
                await holds.settle(tx, row, outcome, agent_id, transaction_id)
                return True

            return write

        return [(is_open, settle(to_worker)) for to_worker in (True, False, True)]

    races = [race for hold_id in hold_ids for race in race_for(hold_id)]
    outcomes = look_then_write(app, races)
    assert outcomes.count(True) == (20 if guarded else 60)
    found = broken(app.settings)
    assert ("a hold is settled at most once" in found) is not guarded
    settled = rows(app, "SELECT count(*) FROM settlement")[0][0]
    assert settled == (20 if guarded else 60)


@pytest.mark.parametrize("looks_again", [True, False])
def test_without_a_look_under_the_lock_who_has_withdrawn_is_assigned(
    tmp_path: Path, looks_again: bool
) -> None:
    """As the calls do it, a writer looks once more when it holds the job."""
    values: dict[str, Any] = {"data_dir": str(tmp_path / "data"), **LIMITS_OFF}
    with App(msgspec.convert(values, Settings)) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        job_id = offer(ada, terms={"assignment": "chosen"})["id"]
        bob.post(f"jobs/{job_id}/apply", {"message": "I can."}).ok()

        async def applies(tx: Tx) -> bool:
            return await applications.get(tx, job_id, bob.id) is not None

        def write(assigns: bool) -> Step:
            async def step(tx: Tx) -> bool:
                if looks_again and not await applies(tx):
                    return False
                job = await jobs.held(tx, job_id)
                assert job
                if assigns:
                    await jobs.claim(tx, await jobs.life(tx, job), bob.id, ada.id)
                await applications.delete(tx, job_id, bob.id)
                return True

            return step

        outcomes = look_then_write(app, [(applies, write(True)), (applies, write(False))])
        assert outcomes.count(True) == (1 if looks_again else 2)


def test_the_guard_of_the_settlement_alone_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even on an account that could go below zero, the key of the settlement pays once."""
    known = statements.load("sqlite")
    for name in ("ledger.take", "holds.close"):
        naive = known[name].replace("\n", " ")
        for guard in GUARDS[name]:
            naive = naive.replace(guard, "")
        monkeypatch.setitem(known, name, naive)
    of_balances, _ = CONSTRAINTS.items()
    with App(settings_in(tmp_path / "data", dict([of_balances]))) as app:
        ada, bob = app.agent("ada"), app.agent("bob")
        test_without_its_guard_a_hold_is_settled_twice(app, ada, bob, guarded=True)
