"""Killed between the moment that silence pays and its posting: paid once, soon after the start."""

import asyncio
import time
from collections.abc import Callable
from functools import partial

import pytest

from tests.support.crowd import Crowd, Member
from tests.support.database import query
from tests.support.jobs import WORK, new_job
from tests.support.ledger import broken
from tests.support.processes import until
from tests.support.server import Server

REVIEW_S = 1
JOBS = 3
SETTLED = "SELECT count(*), count(DISTINCT hold_id) FROM settlement WHERE outcome = 'payout'"
USUAL = {"signup_grant": 1000, "terms_min_seconds": REVIEW_S}


async def hand_in(server: Server, number: int) -> list[str]:
    """Some jobs with work in them that silence pays, and nobody decides about."""
    async with Crowd(server.url, 1) as crowd:
        return [await _handed_in(crowd, f"{number}.{one}") for one in range(JOBS)]


async def _handed_in(crowd: Crowd, name: str) -> str:
    """A job with work in it, whose creator and worker have no other job. Neither writes again: a
    later write of one of them would book the payment that is due, which the sweep is to do."""
    creator, worker = await crowd.member(f"creator {name}"), await crowd.member(f"worker {name}")
    terms = {"onSilence": "pay", "reviewHours": REVIEW_S / 3600}
    job = (await creator.post("jobs", new_job(1, terms=terms))).ok(201)["job"]["id"]
    (await worker.post(f"jobs/{job}/claim")).ok()
    (await worker.post(f"jobs/{job}/submit", WORK)).ok(201)
    return job


def _is_shown_as_paid(server: Server, jobs: list[str]) -> bool:
    return asyncio.run(_statuses(server, jobs)) == {"COMPLETED"}


async def _statuses(server: Server, jobs: list[str]) -> set[str]:
    async with Crowd(server.url, 1) as crowd:
        reader = Member(crowd, "", "")
        return {(await reader.get(f"jobs/{job}")).ok()["job"]["status"] for job in jobs}


def _is_settled(server: Server, count: int) -> bool:
    return query(server.database, SETTLED) == [(count, count)]


@pytest.mark.costly
@pytest.mark.long
@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
@pytest.mark.parametrize(
    "kills", [1, pytest.param(20, marks=[pytest.mark.soak, pytest.mark.timeout(1800)])]
)
def test_what_silence_pays_is_paid_once_after_a_kill(
    start_server: Callable[..., Server], engine: str, kills: int
) -> None:
    server = start_server(sweep_seconds=3600, **USUAL)
    for number in range(1, kills + 1):
        jobs = asyncio.run(hand_in(server, number))
        until(partial(_is_shown_as_paid, server, jobs))
        before = JOBS * (number - 1)
        assert _is_settled(server, before), "the sweep came before the kill"
        server.kill()
        server = start_server(server.data_dir, sweep_seconds=1, **USUAL)
        up_again = time.monotonic()
        until(partial(_is_settled, server, before + JOBS))
        assert time.monotonic() - up_again < 60
        assert _is_shown_as_paid(server, jobs)
        assert broken(server.database) == {}
        if number < kills:
            server.stop()
            server = start_server(server.data_dir, sweep_seconds=3600, **USUAL)
