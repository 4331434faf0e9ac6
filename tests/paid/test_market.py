"""The market: numbers that add up, hints with reasons, a snapshot that is never old."""

import asyncio
import random
from datetime import datetime
from typing import Any

import pytest

from stoa.calls.snapshots import Snapshots
from stoa.schemas.base import Answer
from stoa.store import market as store
from stoa.store.market import Finished, MarketRow
from stoa.store.tx import Tx
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, MINUTE, SECOND
from tests.support.database import query
from tests.support.moderation import act


def market(app: App) -> Any:
    """The market now: the clock moves on so that no older snapshot is served."""
    app.clock.advance(6 * SECOND)
    return app.get("market").ok()["market"]


def economy(app: App) -> Any:
    """The hints now."""
    app.clock.advance(6 * SECOND)
    return app.get("market").ok()["economy"]


def test_an_empty_market_is_all_zeros(stoa: App) -> None:
    shown = stoa.get("market").ok()["market"]
    daily, daily_jobs = shown.pop("daily"), shown.pop("dailyJobs")
    assert shown == {
        "asOf": "2027-01-15T08:00:00.000Z",
        "agents": {"total": 0, "active24h": 0},
        "threads": {"total": 0, "open": 0, "answered": 0, "unanswered": 0},
        "replies": 0,
        "jobs": {"total": 0, "byStatus": dict.fromkeys(jobs.STATUSES, 0)},
        "bounties": {"open": 0, "paid": 0, "refunded": 0},
        "credits": {"issued": 0, "available": 0, "reserved": 0, "paid24h": 0, "paid7d": 0},
        "reward": {"median": None, "p90": None},
        "acceptanceRate": None,
        "hoursTo": {"claim": None, "submit": None, "decide": None},
        "topTags": [],
    }
    assert [daily[0]["date"], daily[-1]["date"], len(daily)] == ["2026-12-17", "2027-01-15", 30]
    figures = {"agents", "threads", "answers", "jobsCreated", "jobsCompleted", "creditsPaid"}
    assert all(set(day) == figures | {"date"} for day in daily)
    assert not any(day[name] for day in daily for name in figures)
    none = {"byStatus": dict.fromkeys(jobs.STATUSES, 0), "hoursToDecide": None}
    assert daily_jobs == [{"date": day["date"], **none} for day in daily]


@pytest.fixture
def town(stoa: App, ada: Agent, bob: Agent) -> App:
    """Jobs in every state and threads of every kind, spread over some days."""
    for number, status in enumerate(jobs.STATUSES[:6]):
        jobs.job_in(status, ada, bob, rewardCredits=1 + number, tags=["beer"])
    jobs.offer(ada, 7, tags=["beer", "wine"], deadlineHours=1)
    answered, paid, asked = (ada.thread(bountyCredits=b, tags=["wine"]) for b in (0, 2.5, 3))
    for thread in (answered, paid):
        ada.accept(thread, bob.reply(thread)).ok()
    bob.reply(asked)
    ada.reply(asked)
    bob.thread(bountyCredits=4)
    return stoa


def check_sums(shown: Any) -> None:
    """What must add up in every market."""
    threads, counts, credits_ = shown["threads"], shown["jobs"], shown["credits"]
    assert threads["total"] == threads["open"] + threads["answered"]
    assert threads["unanswered"] <= threads["open"]
    assert set(counts["byStatus"]) == set(jobs.STATUSES)
    assert counts["total"] == sum(counts["byStatus"].values())
    total = credits_["available"] + credits_["reserved"]
    assert credits_["issued"] == pytest.approx(total, abs=1e-9)
    assert credits_["paid24h"] <= credits_["paid7d"] <= credits_["issued"]
    assert len(shown["daily"]) == len(shown["dailyJobs"]) == 30
    for day, jobs_of_day in zip(shown["daily"], shown["dailyJobs"], strict=True):
        assert jobs_of_day["date"] == day["date"]
        assert sum(jobs_of_day["byStatus"].values()) == day["jobsCreated"]


def offered_in_30_days(shown: Any) -> dict[str, int]:
    """The jobs of the days together, by status."""
    return {
        status: sum(day["byStatus"][status] for day in shown["dailyJobs"])
        for status in jobs.STATUSES
    }


def test_counts_add_up(town: App) -> None:
    shown = market(town)
    check_sums(shown)
    assert shown["agents"] == {"total": 2, "active24h": 2}
    assert shown["threads"] == {"total": 4, "open": 2, "answered": 2, "unanswered": 1}
    assert shown["replies"] == 4
    assert shown["jobs"]["byStatus"] == {
        "OPEN": 2,
        "CLAIMED": 1,
        "SUBMITTED": 1,
        "REJECTED_REVISION_ALLOWED": 1,
        "COMPLETED": 1,
        "REJECTED_TERMINAL": 1,
        "REFUNDED_EXPIRED": 0,
    }
    assert shown["bounties"] == {"open": 2, "paid": 1, "refunded": 0}
    assert shown["credits"] == {
        "issued": 200,
        "available": 176,
        "reserved": 24,
        "paid24h": 7.5,
        "paid7d": 7.5,
    }
    assert shown["topTags"] == [
        {"tag": "wine", "open": 2, "reward": 10},
        {"tag": "beer", "open": 2, "reward": 8},
    ]


def test_tags_that_most_offers_have_come_first_whatever_they_pay(stoa: App, ada: Agent) -> None:
    jobs.offer(ada, 30, tags=["rich"])
    for reward in (1, 2):
        jobs.offer(ada, reward, tags=["often"])
    assert [row["tag"] for row in market(stoa)["topTags"]] == ["often", "rich"]


def test_what_is_due_counts_as_refunded(town: App) -> None:
    town.clock.advance(2 * HOUR)
    shown = market(town)
    check_sums(shown)
    assert shown["jobs"]["byStatus"]["REFUNDED_EXPIRED"] == 1
    assert shown["credits"]["reserved"] == 17
    town.clock.advance(8 * DAY)
    shown = market(town)
    check_sums(shown)
    assert shown["jobs"]["byStatus"]["REFUNDED_EXPIRED"] == 5
    assert shown["bounties"] == {"open": 0, "paid": 1, "refunded": 2}
    assert shown["credits"] == {
        "issued": 200,
        "available": 200,
        "reserved": 0,
        "paid24h": 0,
        "paid7d": 0,
    }
    assert shown["topTags"] == []
    assert shown["agents"] == {"total": 2, "active24h": 0}


def test_a_new_agent_is_active_at_once_and_one_that_comes_back_within_a_minute(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    stoa.clock.advance(2 * DAY)
    for _ in stoa.processes:
        assert market(stoa)["agents"] == {"total": 2, "active24h": 0}
    stoa.agent("cy")
    ada.sign_in()
    for _ in stoa.processes:
        assert market(stoa)["agents"] == {"total": 3, "active24h": 1}
    stoa.clock.advance(MINUTE)
    for _ in stoa.processes:
        assert market(stoa)["agents"] == {"total": 3, "active24h": 2}


def test_every_day_has_its_row(stoa: App, ada: Agent, bob: Agent) -> None:
    jobs.job_in("COMPLETED", ada, bob, rewardCredits=10)
    thread = ada.thread(bountyCredits=2.25)
    reply = bob.reply(thread)
    stoa.clock.advance(DAY)
    ada.sign_in()
    ada.accept(thread, reply).ok()
    cy = stoa.agent("cy")
    jobs.offer(cy)
    days = {day.pop("date"): day for day in market(stoa)["daily"]}
    assert days["2027-01-15"] == {
        "agents": 2,
        "threads": 1,
        "answers": 1,
        "jobsCreated": 1,
        "jobsCompleted": 1,
        "creditsPaid": 10,
    }
    assert days["2027-01-16"] == {
        "agents": 1,
        "threads": 0,
        "answers": 0,
        "jobsCreated": 1,
        "jobsCompleted": 0,
        "creditsPaid": 2.25,
    }
    assert not any(days["2027-01-14"].values())
    stoa.clock.advance(29 * DAY)
    assert [day["agents"] for day in market(stoa)["daily"]][:2] == [1, 0]


@pytest.mark.costly
def test_the_jobs_of_the_days_are_those_of_the_whole_while_none_is_older(town: App) -> None:
    for wait in (0, 2 * HOUR, 8 * DAY):
        town.clock.advance(wait)
        shown = market(town)
        check_sums(shown)
        assert offered_in_30_days(shown) == shown["jobs"]["byStatus"]
    town.clock.advance(22 * DAY)
    shown = market(town)
    assert not any(offered_in_30_days(shown).values())
    assert shown["jobs"]["total"] == 7


def test_a_day_shows_the_median_wait_for_its_decisions(stoa: App, ada: Agent, bob: Agent) -> None:
    waits = (HOUR, 2 * HOUR, 4 * HOUR)
    for wait, decision in zip(waits, ("accept", "reject", "accept"), strict=True):
        job = jobs.offer(ada)
        jobs.done(bob, job, "claim", "submit")
        if decision == "reject":
            jobs.done(ada, job, "reject")
            jobs.done(bob, job, "submit")
        stoa.clock.advance(wait)
        for agent in (ada, bob):
            agent.sign_in()
        jobs.done(ada, job, decision)
    stoa.clock.advance(DAY)
    waits_by_day = {day["date"]: day["hoursToDecide"] for day in market(stoa)["dailyJobs"]}
    assert waits_by_day["2027-01-15"] == 2
    assert [wait for wait in waits_by_day.values() if wait is not None] == [2]


@pytest.mark.costly
def test_what_does_not_change_any_more_is_counted_once(stoa: App, ada: Agent, bob: Agent) -> None:
    jobs.job_in("COMPLETED", ada, bob)
    thread = ada.thread()
    bob.reply(thread)
    for wait, replies in ((0, 1), (2 * HOUR, 2), (DAY, 3), (12 * DAY, 4)):
        stoa.clock.advance(wait)
        bob.sign_in()
        if replies > 1:
            bob.reply(thread)
        shown = market(stoa)
        assert shown["replies"] == replies
        assert shown["jobs"]["byStatus"]["COMPLETED"] == 1
    ada.sign_in()
    jobs.job_in("COMPLETED", ada, bob)
    query(stoa.settings, "UPDATE thread SET created_at = 0 RETURNING 1")
    query(stoa.settings, "UPDATE job SET decided_at = decided_at + 1 RETURNING 1")
    shown = market(stoa)
    assert shown["jobs"]["byStatus"]["COMPLETED"] == 2
    days = {day["date"]: day for day in shown["daily"]}
    assert [days[f"2027-01-{day}"]["answers"] for day in (15, 16, 28)] == [2, 1, 1]
    assert days["2027-01-15"]["threads"] == 1
    assert [days[f"2027-01-{day}"]["jobsCompleted"] for day in (15, 16, 28)] == [1, 0, 1]


def test_a_payment_by_silence_that_is_booked_late_counts_for_its_day(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job = jobs.offer(ada, terms={"onSilence": "pay", "reviewHours": 1})
    jobs.done(bob, job, "claim", "submit")
    stoa.clock.advance(20 * HOUR)
    for _ in stoa.processes:
        market(stoa)
    jobs.sweep(stoa)
    for _ in stoa.processes:
        shown = market(stoa)
        completed = {day["date"]: day["jobsCompleted"] for day in shown["daily"]}
        waits = {day["date"]: day["hoursToDecide"] for day in shown["dailyJobs"]}
        assert (completed["2027-01-15"], waits["2027-01-15"]) == (1, 1)


def forty_steps(app: App, ada: Agent, bob: Agent, kept: Finished) -> list[tuple[MarketRow, ...]]:
    """Two months of jobs and bounties; after each step what is counted with what was `kept`, and
    what is counted anew."""
    chance = random.Random(4)
    open_jobs: list[Any] = []
    found: list[tuple[MarketRow, ...]] = []

    async def both(tx: Tx) -> tuple[MarketRow, ...]:
        return await store.read(tx, kept), await store.read(tx, Finished())

    for _ in range(40):
        app.clock.advance(chance.choice((HOUR // 2, 5 * HOUR, DAY, 3 * DAY)))
        for agent in (ada, bob):
            agent.sign_in()
        offered = jobs.offer(ada, chance.randint(1, 3), deadlineHours=chance.choice((2, 48, 168)))
        open_jobs = [*open_jobs[-3:], offered]
        for job in open_jobs:
            for agent, action in ((bob, "claim"), (bob, "submit"), (ada, "accept")):
                if chance.random() < 0.6:
                    jobs.act(agent, job, action)
        thread = bob.thread(bountyCredits=1)
        if chance.random() < 0.5:
            bob.accept(thread, ada.reply(thread)).ok()
        found.append(app.run(app.stoa.store.read(both)))
    return found


@pytest.mark.costly
def test_what_was_counted_before_is_what_a_full_count_finds(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    kept = Finished()
    for known, anew in forty_steps(stoa, ada, bob, kept):
        assert known == anew
    assert {name for name, days in kept.series.items() if days.known} == {
        *store.SERIES[1:],  # the agents came more than a month before
        "wait",
    }
    assert {status for day in kept.statuses.known.values() for status in day} == {
        "COMPLETED",
        "REFUNDED_EXPIRED",
    }


@pytest.mark.costly
def test_that_comparison_notices_what_was_kept_too_early(stoa: App, ada: Agent, bob: Agent) -> None:
    found = forty_steps(stoa, ada, bob, Finished(settled_ms=-8 * DAY))
    for figure in ("daily", "daily_status", "daily_wait", "paid_week"):
        differs = [getattr(known, figure) != getattr(anew, figure) for known, anew in found]
        assert any(differs), figure


def test_a_day_begins_at_midnight_utc(stoa: App, ada: Agent) -> None:
    stoa.clock.advance(16 * HOUR - 1)
    ada.sign_in()
    ada.thread()
    jobs.offer(ada)
    stoa.clock.advance(1)
    for _ in range(2):
        ada.thread()
        jobs.offer(ada)
    found = market(stoa)
    days = {day["date"]: day["threads"] for day in found["daily"]}
    assert (days["2027-01-15"], days["2027-01-16"]) == (1, 2)
    offered = {day["date"]: day["byStatus"]["OPEN"] for day in found["dailyJobs"]}
    assert (offered["2027-01-15"], offered["2027-01-16"]) == (1, 2)


def test_what_is_usual_is_read_off_the_last_jobs(stoa: App, ada: Agent, bob: Agent) -> None:
    for number in range(1, 11):
        job = jobs.offer(ada, number)
        if number > 4:
            continue
        stoa.clock.advance(number * HOUR // 8)
        jobs.done(bob, job, "claim")
        stoa.clock.advance(HOUR // 4)
        for agent in (ada, bob):
            agent.sign_in()
        jobs.done(bob, job, "submit")
        jobs.done(ada, job, "accept" if number > 1 else "reject")
    shown = market(stoa)
    assert shown["reward"] == {"median": 5, "p90": 9}
    assert shown["acceptanceRate"] == 1
    assert shown["hoursTo"] == {"claim": 0.25, "submit": 0.25, "decide": 0}
    jobs.job_in("REJECTED_TERMINAL", ada, bob)
    assert market(stoa)["acceptanceRate"] == 0.75


def test_a_revision_that_is_given_back_is_no_decision(stoa: App, ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("REJECTED_REVISION_ALLOWED", ada, bob)
    stoa.clock.advance(HOUR // 2)
    jobs.done(bob, job, "release")
    assert jobs.read(job, ada)["status"] == "REJECTED_TERMINAL"
    shown = market(stoa)
    assert shown["hoursTo"]["decide"] is None
    assert {day["hoursToDecide"] for day in shown["dailyJobs"]} == {None}


def test_time_to_submit_is_the_workers_and_not_the_creators(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    once, twice = jobs.job_in("CLAIMED", ada, bob), jobs.job_in("CLAIMED", ada, bob)
    stoa.clock.advance(HOUR // 4)
    jobs.done(bob, once, "submit")
    jobs.done(bob, twice, "submit")
    assert market(stoa)["hoursTo"]["submit"] == 0.25
    stoa.clock.advance(20 * HOUR)
    for agent in (ada, bob):
        agent.sign_in()
    jobs.done(ada, twice, "reject")
    jobs.done(bob, twice, "submit")
    assert market(stoa)["hoursTo"]["submit"] == 0.25
    jobs.done(ada, twice, "accept")
    jobs.done(ada, once, "reject")
    jobs.done(bob, once, "submit")
    assert market(stoa)["hoursTo"]["submit"] is None


def test_only_the_last_thirty_days_are_usual(stoa: App, ada: Agent, bob: Agent) -> None:
    jobs.job_in("COMPLETED", ada, bob, rewardCredits=50)
    stoa.clock.advance(31 * DAY)
    shown = market(stoa)
    assert (shown["reward"]["median"], shown["acceptanceRate"]) == (None, None)
    check_sums(shown)


KINDS = {"recirculate_demand", "unanswered_backlog", "stale_submissions"}


def test_every_hint_is_given_or_its_silence_explained(stoa: App) -> None:
    shown = economy(stoa)
    assert shown["hints"] == []
    assert {item["kind"] for item in shown["hintsSuppressed"]} == KINDS
    assert all(set(item) == {"kind", "reason"} for item in shown["hintsSuppressed"])
    assert all(item["reason"] for item in shown["hintsSuppressed"])


@pytest.mark.costly
def test_hints_are_given_when_they_are_due(stoa: App, ada: Agent, bob: Agent) -> None:
    agents = [stoa.agent(f"agent {number}") for number in range(8)]
    for giver in (ada, *agents):
        jobs.job_in("COMPLETED", giver, bob, rewardCredits=100)
    for _ in range(10):
        ada.thread()
    act(stoa, bob.thread(bountyCredits=1), "lock")  # no opportunity, and waits for no answer
    job = jobs.job_in("SUBMITTED", bob, ada, rewardCredits=1, deadlineHours=48)
    stoa.clock.advance(DAY + SECOND)
    shown = economy(stoa)
    assert {hint["kind"]: hint["data"] for hint in shown["hints"]} == {
        "recirculate_demand": {"holders": 1, "openOpportunities": 0},
        "unanswered_backlog": {"unanswered": 10, "open": 11},
        "stale_submissions": {"submissions": 1},
    }
    assert all(set(hint) == {"kind", "message", "data"} for hint in shown["hints"])
    assert shown["hintsSuppressed"] == []
    bob.sign_in()
    jobs.done(bob, job, "accept")
    for _ in range(5):
        jobs.offer(bob, 1)
    reasons = {item["kind"]: item["reason"] for item in economy(stoa)["hintsSuppressed"]}
    assert set(reasons) == {"recirculate_demand", "stale_submissions"}
    assert reasons["recirculate_demand"] == "there is enough open demand"


@pytest.mark.costly
def test_the_richest_are_a_tenth_of_the_agents(stoa: App, ada: Agent, bob: Agent) -> None:
    for giver in (ada, *[stoa.agent(f"agent {number}") for number in range(17)]):
        jobs.job_in("COMPLETED", giver, bob, rewardCredits=100)
    for agents, holders in ((19, 1), (20, 2)):
        assert market(stoa)["agents"]["total"] == agents
        (hint,) = economy(stoa)["hints"]
        assert hint["data"]["holders"] == holders
        stoa.agent("one more")


@pytest.mark.costly
def test_a_token_changes_nothing(stoa: App, town: App, ada: Agent) -> None:
    public, own = stoa.get("market").ok(), ada.get("market").ok()
    assert (public.content, public.headers["etag"]) == (own.content, own.headers["etag"])
    asked = {"If-None-Match": public.headers["etag"]}
    assert stoa.get("market", headers=asked).status == 304
    assert set(public) == {"market", "economy"}


def test_unknown_parameters_are_warned_about_beside_the_snapshot(stoa: App) -> None:
    plain = stoa.get("market").ok()
    warned = stoa.get("market?days=7").ok()
    assert set(warned.warnings) == {"query.days"}
    assert warned["market"] == plain["market"]
    assert "warnings" not in stoa.get("market").ok()


async def all_remade() -> None:
    """Wait for what is remade in the background: the clock of a test must not jump meanwhile."""
    making = [task for task in asyncio.all_tasks() if "Snapshots._make" in repr(task.get_coro())]
    await asyncio.gather(*making)


@pytest.mark.costly
def test_the_snapshot_is_at_most_five_seconds_old(stoa: App, ada: Agent) -> None:
    assert stoa.get("market").ok()["market"]["threads"]["total"] == 0
    for _ in range(40):
        ada.thread()
        stoa.clock.advance(777)
        shown = stoa.get("market").ok()["market"]
        age = stoa.clock.now - _milliseconds(shown["asOf"])
        assert 0 <= age <= 5000
        made_then = stoa.get("threads?limit=100").ok()["threads"]
        known = [t for t in made_then if t["createdAt"] <= shown["asOf"]]
        assert len(known) - 1 <= shown["threads"]["total"] <= len(known)
        stoa.run(all_remade())
    stoa.clock.advance(5001)
    assert stoa.get("market").ok()["market"]["threads"]["total"] == 40


def _milliseconds(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)


class _Counted(Answer, kw_only=True):
    number: int


def test_a_snapshot_is_made_by_one_call_while_others_wait() -> None:
    made = 0

    async def make() -> Answer:
        nonlocal made
        made += 1
        await asyncio.sleep(0)
        return _Counted(number=made)

    async def many() -> list[int]:
        snapshots = Snapshots()
        first = await asyncio.gather(*(snapshots.get("m", 0, make) for _ in range(50)))
        second = await asyncio.gather(*(snapshots.get("m", 6000, make) for _ in range(50)))
        return [made, len({id(one) for one in first}), len({id(one) for one in second})]

    assert asyncio.run(many()) == [2, 1, 1]


def test_a_snapshot_past_half_its_life_is_remade_beside_the_calls_it_serves() -> None:
    made: list[int] = []

    async def make() -> Answer:
        made.append(len(made))
        return _Counted(number=len(made))

    async def ages() -> list[int]:
        snapshots = Snapshots()
        seen: list[int] = []
        for now in (0, 2500, 2501, 2502, 7501, 12503):
            seen.append((await snapshots.get("m", now, make)).made_at)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return seen

    assert asyncio.run(ages()) == [0, 0, 0, 2501, 2501, 12503]


def test_a_snapshot_that_was_being_made_when_it_was_forgotten_is_for_those_who_waited() -> None:
    made, held = 0, [asyncio.Event(), asyncio.Event()]

    async def make() -> _Counted:
        nonlocal made
        made += 1
        number = made
        await held[number - 1].wait()
        return _Counted(number=number)

    async def numbers() -> list[int]:
        snapshots = Snapshots()
        first = asyncio.create_task(snapshots.get("m", 0, make))
        await asyncio.sleep(0)
        snapshots.forget()
        second = asyncio.create_task(snapshots.get("m", 0, make))
        await asyncio.sleep(0)
        held[0].set()
        told = [(await first).answer.number]
        third = asyncio.create_task(snapshots.get("m", 0, make))
        await asyncio.sleep(0)
        held[1].set()
        told += [(await one).answer.number for one in (second, third)]
        return [*told, (await snapshots.get("m", 0, make)).answer.number]

    assert asyncio.run(numbers()) == [1, 2, 2, 2]


def test_a_failure_to_make_a_snapshot_is_told_to_all_and_forgotten() -> None:
    async def fail() -> Answer:
        raise ValueError("no")

    async def make() -> Answer:
        return _Counted(number=1)

    async def attempt() -> list[object]:
        snapshots = Snapshots()
        waiting = (snapshots.get("m", 0, fail) for _ in range(3))
        told = await asyncio.gather(*waiting, return_exceptions=True)
        return [*(type(error) for error in told), (await snapshots.get("m", 0, make)).made_at]

    assert asyncio.run(attempt()) == [ValueError, ValueError, ValueError, 0]
