"""What the terms of jobs promise holds however calls and clocks race: one outcome, paid once."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

import pytest

from tests.races.test_paid_races import run
from tests.support.answers import Answer
from tests.support.crowd import Crowd, Member
from tests.support.jobs import REJECTION, WORK, new_job
from tests.support.server import Server

pytestmark = pytest.mark.usefixtures("engine")
SECONDS = 2 / 3600
"""Two seconds in hours, the life of a claim and of a review."""
Call = Callable[[], Coroutine[Any, Any, Answer]]


async def at(moment: str, *calls: Call) -> list[Answer]:
    """The answers of calls that are sent at a time, one a little after the other."""
    left = datetime.fromisoformat(moment).timestamp() - time.time()
    await asyncio.sleep(max(0, left - 0.01))

    async def later(number: int, call: Call) -> Answer:
        await asyncio.sleep(number * 0.007)
        return await call()

    return await asyncio.gather(*(later(number, call) for number, call in enumerate(calls)))


async def handed_in(creator: Member, worker: Member, terms: dict[str, Any]) -> Any:
    """A job with work in it that waits for a decision."""
    job = (await creator.post("jobs", new_job(1, terms=terms))).ok(201)["job"]
    (await worker.post(f"jobs/{job['id']}/claim")).ok()
    return (await worker.post(f"jobs/{job['id']}/submit", WORK)).ok(201)["job"]


def silence_races(town: Server, count: int) -> None:
    """So many jobs are accepted, rejected and paid by silence at the same moment."""

    async def race(crowd: Crowd) -> None:
        creator, worker = await crowd.member("creator"), await crowd.member("worker")
        terms = {"onSilence": "pay", "reviewHours": SECONDS}
        made = [handed_in(creator, worker, terms) for _ in range(count)]
        jobs: list[Any] = await asyncio.gather(*made)

        async def one(job: Any, place: int) -> str:
            path = f"jobs/{job['id']}"
            calls: list[Call] = [
                lambda: creator.post(f"{path}/reject", REJECTION),
                lambda: worker.get("credits/balance"),
                lambda: creator.post(f"{path}/accept"),
            ]
            await at(job["decideBy"], *calls[place % 3 :], *calls[: place % 3])
            return (await worker.get(path)).ok()["job"]["status"]

        outcomes = Counter(await asyncio.gather(*map(one, jobs, range(count))))
        paid = outcomes["COMPLETED"]
        assert paid + outcomes["REJECTED_REVISION_ALLOWED"] == count
        own = (await worker.get("credits/balance")).ok()["balance"]
        assert own["available"] == 1000 + paid

    run(town, race)


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_work_is_decided_once_whatever_comes_at_the_promised_moment(
    towns: Callable[[str], Server], engine: str, count: int
) -> None:
    silence_races(towns(engine), count)


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_a_claim_ends_once_or_has_work_whatever_comes_at_its_end(
    towns: Callable[[str], Server], engine: str, count: int
) -> None:
    async def race(crowd: Crowd) -> None:
        creator, worker = await crowd.member("cy"), await crowd.member("dan")

        async def one(place: int) -> str:
            terms = {"claimHours": SECONDS}
            job = (await creator.post("jobs", new_job(1, terms=terms))).ok(201)["job"]
            path = f"jobs/{job['id']}"
            claimed = (await worker.post(f"{path}/claim")).ok()["job"]
            calls: list[Call] = [
                lambda: worker.post(f"{path}/submit", WORK),
                lambda: worker.post(f"{path}/release"),
            ]
            await at(claimed["claimExpiresAt"], *calls[place % 2 :], *calls[: place % 2])
            shown = (await creator.get(path)).ok()["job"]
            ended = [step["event"] for step in shown["timeline"]][2:]
            assert ended in (["submitted"], ["released"])
            return shown["status"]

        outcomes = Counter(await asyncio.gather(*map(one, range(count))))
        assert outcomes["OPEN"] + outcomes["SUBMITTED"] == count

    run(towns(engine), race)


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_of_a_cancellation_and_a_claim_one_wins_and_what_is_raised_in_time_is_paid(
    towns: Callable[[str], Server], engine: str, count: int
) -> None:
    async def race(crowd: Crowd) -> None:
        creator, worker = await crowd.member("ada"), await crowd.member("bob")

        async def one(_: int) -> float:
            job = (await creator.post("jobs", new_job(1))).ok(201)["job"]
            path = f"jobs/{job['id']}"
            answers = await asyncio.gather(
                creator.post(f"{path}/cancel"), worker.post(f"{path}/claim")
            )
            assert sorted(answer.status for answer in answers) == [200, 409]
            if answers[0].status == 200:
                return 0
            (await worker.post(f"{path}/submit", WORK)).ok(201)
            raised, accepted = await asyncio.gather(
                creator.post(f"{path}/raise", {"rewardCredits": 2}), creator.post(f"{path}/accept")
            )
            assert (accepted.status, raised.code) in (
                (200, None),
                (200, "job_already_terminal"),
            )
            shown = (await worker.get(path)).ok()["job"]
            assert shown["rewardCredits"] == (2 if raised.status == 200 else 1)
            return shown["rewardCredits"]

        paid = sum(await asyncio.gather(*map(one, range(count))))
        own = (await worker.get("credits/balance")).ok()["balance"]
        assert own["available"] == 1000 + paid

    run(towns(engine), race)


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.soak)])
def test_of_an_assignment_and_a_withdrawal_one_wins(
    towns: Callable[[str], Server], engine: str, count: int
) -> None:
    async def race(crowd: Crowd) -> None:
        creator, worker = await crowd.member("eve"), await crowd.member("fay")

        async def one(place: int) -> str:
            offer = new_job(1, terms={"assignment": "chosen"})
            path = f"jobs/{(await creator.post('jobs', offer)).ok(201)['job']['id']}"
            (await worker.post(f"{path}/apply", {"message": "I can."})).ok()
            calls: list[Call] = [
                lambda: creator.post(f"{path}/assign", {"agentId": worker.id}),
                lambda: worker.post(f"{path}/apply/withdraw"),
            ]
            answers = await asyncio.gather(
                *(call() for call in (*calls[place % 2 :], *calls[: place % 2]))
            )
            assert sorted(answer.status for answer in answers) == [200, 409]
            assert {answer.code for answer in answers} == {None, "no_application"}
            assigned = next(one for one in answers if one.status == 200).json.get("job")
            shown = (await creator.get(path)).ok()["job"]
            assert shown["status"] == ("CLAIMED" if assigned else "OPEN")
            return shown["status"]

        outcomes = Counter(await asyncio.gather(*map(one, range(count))))
        assert outcomes.keys() <= {"CLAIMED", "OPEN"}

    run(towns(engine), race)
