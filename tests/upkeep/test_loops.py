"""What several processes on one database do once among them, and what all of them learn."""

import asyncio
from collections.abc import Iterator
from typing import Any, cast

import pytest

from stoa.app import Service, new_counters
from stoa.domain import limits
from stoa.settings import Settings
from stoa.store import leases, ledger
from stoa.store.tx import StoreUnavailable, Tx
from stoa.upkeep.loops import every
from tests.support.app import App
from tests.support.clock import DAY, VirtualClock
from tests.support.logs import logged
from tests.support.loops import HastyLoop

MINUTE = 60_000


def take(app: App, holder: str) -> bool:
    async def work(tx: Tx) -> bool:
        return await leases.take(tx, "test", holder, MINUTE)

    return app.run(app.stoa.store.write(work))


def test_a_lease_has_one_holder_until_it_ends(stoa: App) -> None:
    assert take(stoa, "a")
    assert not take(stoa, "b")
    stoa.clock.advance(MINUTE - 1)
    assert not take(stoa, "b")
    stoa.clock.advance(1)
    assert take(stoa, "b")
    assert not take(stoa, "a")


def test_a_lease_is_prolonged_by_its_holder_alone(stoa: App) -> None:
    assert take(stoa, "a")
    stoa.clock.advance(MINUTE - 1)
    assert take(stoa, "a")
    stoa.clock.advance(MINUTE - 1)
    assert not take(stoa, "b")


def test_a_lease_that_is_given_up_is_free_and_no_other_can_give_it_up(stoa: App) -> None:
    store = stoa.stoa.store
    assert take(stoa, "a")
    stoa.run(store.write(lambda tx: leases.release(tx, "test", "b")))
    assert not take(stoa, "b")
    stoa.run(store.write(lambda tx: leases.release(tx, "test", "a")))
    assert take(stoa, "b")


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_service_that_runs_does_what_is_due_by_itself_again_and_again(
    stoa: App, clock: VirtualClock
) -> None:
    asker = stoa.agent("asker")
    asker.thread(bountyCredits=3)
    clock.advance(DAY)
    asker.sign_in()
    asker.thread(bountyCredits=3)
    stoa.close()
    clock.advance(2 * DAY)

    async def run() -> None:
        async with await Service.open(stoa.settings, clock) as running:
            for settled in (1, 2):
                while len(stoa.sql("SELECT * FROM settlement")) < settled:
                    await running.store.write(ledger.stopped)
                clock.advance(DAY)
            while not running.upkeep.audits:
                await running.store.write(ledger.stopped)

    asyncio.run(run())


class Unavailable:
    """Work that fails so many times, as the store is unavailable, and then ends."""

    def __init__(self, times: int) -> None:
        self.times, self.tries = times, 0

    async def __call__(self) -> None:
        self.tries += 1
        if self.tries > self.times:
            raise asyncio.CancelledError
        raise StoreUnavailable(f"try {self.tries}")


def test_what_cannot_be_done_for_a_while_is_told_once() -> None:
    with logged() as lines, pytest.raises(asyncio.CancelledError):
        asyncio.run(every(0.001, Unavailable(9), "sweep", new_counters().each[0], lambda: None))
    assert [line["loop"] for line in lines if line["event"] == "upkeep failed"] == ["sweep"]


def test_what_the_engine_has_told_is_not_told_of_each_loop() -> None:
    refused = Unavailable(3)

    def trouble() -> str | None:
        return None if refused.tries == 3 else "the database cannot be used"

    with logged() as lines, pytest.raises(asyncio.CancelledError):
        asyncio.run(every(0, refused, "sweep", new_counters().each[0], trouble))
    assert [line["reason"] for line in lines] == ["try 3"]


@pytest.mark.parametrize(
    ("seconds", "begun"),
    [(10, [0, 20, 60, 120, 180, 190, 200, 220]), (100, [*range(0, 800, 100)])],
)
def test_a_defect_makes_the_pauses_of_its_loop_longer_until_it_is_over(
    seconds: int, begun: list[int]
) -> None:
    found: list[float] = []
    counters = new_counters()

    async def work() -> None:
        found.append(asyncio.get_running_loop().time())
        if len(found) in (1, 2, 3, 4, 7):
            raise LookupError
        if len(found) == 6:
            raise StoreUnavailable("for a moment")
        if len(found) == 8:
            raise asyncio.CancelledError

    with (
        logged() as lines,
        asyncio.Runner(loop_factory=HastyLoop) as runner,
        pytest.raises(asyncio.CancelledError),
    ):
        runner.run(every(seconds, work, "sweep", counters.each[0], lambda: None))
    assert counters.loop_failures()["sweep"] == 6
    assert [line["event"] for line in lines] == ["upkeep failed"] * 3, "one of each for an outage"
    assert found == pytest.approx(begun)


@pytest.mark.own_file
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_service_tells_once_that_writing_stopped(stoa: App, clock: VirtualClock) -> None:
    stoa.agent("asker").thread(bountyCredits=3)
    stoa.close()
    clock.advance(4 * DAY)
    path, counters = stoa.settings.database_path, new_counters()
    ours = counters.each[0]

    async def run() -> None:
        async with await Service.open(stoa.settings, clock, counters=ours):
            path.rename(f"{path}.away")
            while not counters.loop_failures()["sweep"]:  # noqa: ASYNC110 - nothing else tells
                await asyncio.sleep(0)

    with logged() as lines:
        asyncio.run(run())
    events = [line["event"] for line in lines]
    assert (events.count("writing stopped"), events.count("upkeep failed")) == (1, 0)


# --- Two processes on one database.


@pytest.fixture
def other(stoa: App, settings: Settings, clock: VirtualClock) -> Iterator[App]:
    """A second process beside `stoa`, which it finds at work."""
    with App(settings, clock) as app:
        watch(stoa, app)
        yield app


def watch(*apps: App) -> None:
    for app in apps:
        app.run(app.stoa.upkeep.watch())


def audits(*apps: App) -> list[bool]:
    return [app.stoa.upkeep.audits for app in apps]


shared = pytest.mark.parametrize("engine", ["postgresql"])


@shared
def test_one_process_audits_and_another_once_it_has_ended(stoa: App, other: App) -> None:
    assert audits(stoa, other) == [True, False]
    stoa.clock.advance(limits.LEASE_RENEW_MS)
    watch(other, stoa)
    assert audits(stoa, other) == [True, False]
    stoa.close()
    watch(other)
    assert audits(other) == [True]


@shared
def test_another_process_audits_seconds_after_one_has_died(stoa: App, other: App) -> None:
    stoa.clock.advance(limits.LEASE_MS - 1)
    watch(other)
    assert audits(other) == [False]
    stoa.clock.advance(1)
    watch(other)
    assert audits(other) == [True]
    watch(stoa)
    assert audits(stoa, other) == [False, True]


@shared
def test_only_the_process_that_does_a_work_tells_the_age_of_its_last_success(
    stoa: App, other: App
) -> None:
    """Else the age of another would grow for ever."""
    counters, done = other.stoa.counters, asyncio.Event()
    told = new_counters()
    told.each[:] = [counters]

    async def work() -> None:
        done.set()

    async def begin() -> asyncio.Task[None]:
        counters.beat(0)
        counters.loop_well("audit")
        assert "audit" in told.loop_ages()
        led = asyncio.create_task(cast(Any, other.stoa.upkeep)._leading("audit", work)())
        await asyncio.sleep(0)
        return led

    led = other.run(begin())
    assert "audit" not in told.loop_ages()
    stoa.close()
    watch(other)
    other.run(asyncio.wait_for(led, 60))
    assert done.is_set()
    assert "audit" in told.loop_ages()


@shared
def test_a_stop_found_by_one_process_is_known_to_all_and_its_end_too(stoa: App, other: App) -> None:
    asker, worker = stoa.agent("asker"), stoa.agent("worker")
    thread = asker.thread(bountyCredits=3)
    reply = worker.reply(thread)
    stoa.sql("UPDATE account SET balance = balance + 1 WHERE id = 'issuer'")
    stoa.run(stoa.stoa.upkeep.audit())
    watch(other)
    found = [app.get("/readyz") for app in (stoa, other)]
    assert [ready.status for ready in found] == [503, 503]
    assert found[0]["reason"] == found[1]["reason"]
    path = f"threads/{thread['id']}/replies/{reply['id']}/accept"
    refused = other.post(path, headers=asker.headers)
    refused.refused(503, "temporarily_unavailable")
    stoa.sql("UPDATE account SET balance = balance - 1 WHERE id = 'issuer'")
    other.run(other.stoa.store.write(ledger.resume))
    watch(stoa, other)
    assert [app.get("/readyz").status for app in (stoa, other)] == [200, 200]
    other.post(path, headers=asker.headers).ok()


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_only_process_of_a_file_audits_without_a_lease(stoa: App) -> None:
    watch(stoa)
    assert audits(stoa) == [True]
    assert stoa.sql("SELECT * FROM lease") == []
