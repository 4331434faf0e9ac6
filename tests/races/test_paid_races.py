"""A hundred clients against a real server: one winner, nothing overspent, everything paid once."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle
from typing import Any

import pytest

from tests.support.answers import Answer
from tests.support.app import signed
from tests.support.crowd import Crowd, Member
from tests.support.database import query
from tests.support.jobs import REJECTION, WORK, new_job
from tests.support.keys import Key
from tests.support.ledger import broken
from tests.support.server import Server

AROUND_S = 0.05
APART_S = 0.007
Race = Callable[[Crowd], Coroutine[Any, Any, None]]

pytestmark = [pytest.mark.usefixtures("engine"), pytest.mark.long]


def run(server: Server, race: Race) -> None:
    """Run a race; the ledger of the running server must be sound behind it."""

    async def through() -> None:
        async with Crowd(server.url) as crowd:
            await race(crowd)

    asyncio.run(through())
    assert broken(server.database) == {}
    levels = {json.loads(line)["level"] for line in server.log.splitlines()}
    assert levels <= {"debug", "info", "warning"}, server.log


def statuses(answers: list[Answer]) -> Counter[int]:
    """How often each status came."""
    return Counter(answer.status for answer in answers)


@pytest.fixture
def town(
    request: pytest.FixtureRequest, start_server: Callable[..., Server], engine: str
) -> Server:
    """A server that sweeps every second and lets bounties live for six, on PostgreSQL with two
    workers."""
    several: dict[str, Any] = {}
    if engine == "postgresql":
        several = {"workers": 2, **request.getfixturevalue("together")}
    return start_server(sweep_seconds=1, bounty_ttl_seconds=6, signup_grant=1000, **several)


def test_of_a_thousand_claims_one_wins(town: Server) -> None:
    async def race(crowd: Crowd) -> None:
        creator = await crowd.member("creator")
        workers = await crowd.members("worker", 1000)
        job = (await creator.post("jobs", new_job(1))).ok(201)["job"]
        path = f"jobs/{job['id']}/claim"
        answers = await asyncio.gather(*(worker.post(path) for worker in workers))
        assert statuses(answers) == {200: 1, 409: 999}
        assert {answer.code for answer in answers} == {None, "job_already_claimed"}
        (winner,) = [w for w, answer in zip(workers, answers, strict=True) if answer.status == 200]
        won = next(answer for answer in answers if answer.status == 200)
        assert won["job"]["claimedByAgentId"] == winner.id
        again = await asyncio.gather(*(winner.post(path) for _ in range(20)))
        assert [answer["receipt"] for answer in again] == [won["receipt"]] * 20

    run(town, race)


def test_of_five_hundred_holds_of_ten_a_balance_of_a_hundred_takes_ten(
    start_server: Callable[..., Server],
) -> None:
    server = start_server(signup_grant=100)

    async def race(crowd: Crowd) -> None:
        ada = await crowd.member("ada")
        asked = {"title": "t", "body": "b", "bountyCredits": 10}
        offers = [("jobs", new_job(10)), ("threads", asked)] * 250
        answers = await asyncio.gather(*(ada.post(path, body) for path, body in offers))
        assert statuses(answers) == {201: 10, 402: 490}
        own = (await ada.get("credits/balance")).ok()["balance"]
        assert (own["available"], own["reserved"]["total"]) == (0, 100)

    run(server, race)
    assert query(server.database, "SELECT count(*), sum(amount) FROM hold") == [(10, 10000)]
    made = "SELECT (SELECT count(*) FROM job) + (SELECT count(*) FROM thread)"
    assert query(server.database, made) == [(10,)]


def test_of_two_hundred_first_sign_ins_of_a_key_one_is_granted(town: Server) -> None:
    key = Key("everywhere")

    async def race(crowd: Crowd) -> None:
        challenges = await asyncio.gather(*(crowd.challenge(key) for _ in range(200)))
        bodies = [signed(key, challenge) for challenge in challenges]
        answers = await asyncio.gather(
            *(crowd.ask("POST", "auth/verify", body=body) for body in bodies)
        )
        assert statuses(answers) == {200: 200}
        assert sum(answer["isNewAgent"] for answer in answers) == 1
        assert len({answer["agent"]["id"] for answer in answers}) == 1
        tokens = [answer["token"] for answer in answers]
        assert len(set(tokens)) == 200
        balances = await asyncio.gather(
            *(crowd.ask("GET", "credits/balance", token) for token in tokens)
        )
        assert {answer["balance"]["total"] for answer in balances} == {1000}
        again = await asyncio.gather(
            *(crowd.ask("POST", "auth/verify", body=body) for body in bodies)
        )
        assert {answer.code for answer in again} == {"challenge_invalid"}

    run(town, race)
    assert query(town.database, "SELECT count(*) FROM ledger_transaction") == [(1,)]


@dataclass
class Pace:
    """How quickly this machine goes: what a race around a deadline has to reckon with."""

    seconds_for_each: float = 0.0
    """From the time it took to make the jobs, which is as many calls as the race."""
    on_the_way: float = 0.0
    """Seconds from sending a call until it is answered, as of the last ones."""

    def answered(self, seconds: float) -> None:
        self.on_the_way += (seconds - self.on_the_way) / 8


Raced = tuple[str, Member, float]
"""A job's id, its creator and its deadline."""


async def submitted(pairs: list[tuple[Member, Member]], deadlines: list[float]) -> list[Raced]:
    """Jobs with submitted work that end at these times, if all went quickly enough."""

    async def one(creator: Member, worker: Member, deadline: float) -> Raced:
        ends = datetime.fromtimestamp(deadline).astimezone().isoformat(timespec="milliseconds")
        created = await creator.post("jobs", new_job(1, deadline=ends))
        if created.status == 400:  # the deadline has passed already
            return "", creator, deadline
        job_id = created.ok(201)["job"]["id"]
        claimed = await worker.post(f"jobs/{job_id}/claim")
        if claimed.code != "job_expired":
            claimed.ok()
            submitted = await worker.post(f"jobs/{job_id}/submit", WORK)
            assert submitted.code in (None, "job_expired"), submitted.text
        return job_id, creator, deadline

    jobs = zip(cycle(pairs), deadlines, strict=False)
    return await asyncio.gather(*(one(*pair, deadline) for pair, deadline in jobs))


async def ready_jobs(pairs: list[tuple[Member, Member]], count: int, pace: Pace) -> list[Raced]:
    """Jobs to race for, all submitted before the first ends.

    A slow machine gets more time in the next attempt; what was left behind expires by itself.
    """
    in_advance = 4.0
    for _ in range(4):
        began = time.time()
        apart = max(APART_S, 3 * pace.seconds_for_each)
        deadlines = [round(began + in_advance + apart * number, 3) for number in range(count)]
        jobs = await submitted(pairs, deadlines)
        took = time.time() - began
        pace.seconds_for_each = took / count
        if took < in_advance - 1 and 2 * pace.seconds_for_each <= apart:
            return jobs
        in_advance = 2 * took + 2
    raise AssertionError("the machine is too slow to race")


async def at(moment: float, pace: Pace, call: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    """Make a call so that it is decided around a moment."""
    around = random.uniform(-AROUND_S, AROUND_S)
    sent = moment + around - pace.on_the_way
    while (left := sent - time.time()) > 0:
        await asyncio.sleep(min(left, AROUND_S))
        sent = moment + around - pace.on_the_way
    began = time.time()
    answer = await call()
    pace.answered(time.time() - began)
    return answer


def race_for(
    job_id: str, creator: Member, deadline: float, pace: Pace
) -> list[Coroutine[Any, Any, Answer]]:
    """Accept, reject, accept and a lazy expiry, each around the deadline."""
    path = f"jobs/{job_id}"
    calls: list[Callable[[], Coroutine[Any, Any, Answer]]] = [
        lambda: creator.post(f"{path}/accept"),
        lambda: creator.post(f"{path}/reject", REJECTION),
        lambda: creator.post(f"{path}/accept"),
        lambda: creator.get("credits/balance"),
    ]
    return [at(deadline, pace, call) for call in calls]


OPEN_HOLDS = "SELECT count(*) FROM hold WHERE status = 'OPEN'"
LOST = {"job_expired", "job_not_submitted", "job_already_terminal"}


@pytest.mark.promise("C11")
def test_five_hundred_holds_raced_for_around_their_deadline_are_settled_once(
    town: Server,
) -> None:
    async def race(crowd: Crowd) -> None:
        pairs = list(
            zip(await crowd.members("creator", 32), await crowd.members("worker", 32), strict=True)
        )
        pace = Pace()
        for _ in range(4):
            # Both sides win some, or it was no race: the machine did not keep its pace.
            if all((await settle_around_their_time(crowd, pairs, pace)).values()):
                return
            pace = Pace(seconds_for_each=2 * pace.seconds_for_each)
        raise AssertionError("the machine is too slow to race")

    async def settle_around_their_time(
        crowd: Crowd, pairs: list[tuple[Member, Member]], pace: Pace
    ) -> dict[str, int]:
        raced = await ready_jobs(pairs, 500, pace)
        answers = await asyncio.gather(*(call for job in raced for call in race_for(*job, pace)))
        codes = Counter(answer.code for answer in answers)
        assert set(codes) <= {None, *LOST}
        paid = sum("settlement" in answer for answer in answers if answer.status == 200)
        outcomes = await settled(crowd, town, [job_id for job_id, _, _ in raced])
        assert outcomes["COMPLETED"] == paid
        assert outcomes["COMPLETED"] + outcomes["REFUNDED_EXPIRED"] == 500
        return {ended: outcomes[ended] for ended in ("COMPLETED", "REFUNDED_EXPIRED")}

    run(town, race)
    settlements = "SELECT count(*) FROM settlement s JOIN job j ON j.id = s.hold_id"
    assert query(town.database, settlements)[0][0] >= 500


async def settled(crowd: Crowd, town: Server, job_ids: list[str]) -> Counter[str]:
    """Wait for the sweep to book what is due; the final states."""
    while await asyncio.to_thread(query, town.database, OPEN_HOLDS) != [(0,)]:
        continue
    answers = await asyncio.gather(*(crowd.ask("GET", f"jobs/{one}") for one in job_ids))
    return Counter(answer["job"]["status"] for answer in answers)


def test_bounties_accepted_around_their_time_are_paid_or_refunded_once(town: Server) -> None:
    pace = Pace()

    async def ask_and_accept(ada: Member, bob: Member) -> tuple[str, int]:
        body = {"title": "t", "body": "b", "bountyCredits": 1}
        thread = (await ada.post("threads", body)).ok(201)["thread"]
        path = f"threads/{thread['id']}/replies"
        reply = (await bob.post(path, {"body": "b"})).ok(201)["reply"]
        ends = datetime.fromisoformat(thread["bounty"]["expiresAt"]).timestamp()
        accept = f"{path}/{reply['id']}/accept"
        answers = await asyncio.gather(
            at(ends, pace, lambda: ada.post(accept)),
            at(ends, pace, lambda: ada.get("credits/balance")),
            at(ends, pace, lambda: ada.post(accept)),
        )
        accepted = [answer for answer in answers if "settlement" in answer]
        assert len(accepted) == 1, [answer.code for answer in answers]
        return thread["id"], len(accepted[0]["settlement"]["creditChanges"])

    async def race(crowd: Crowd) -> None:
        ada, bob = await crowd.members("agent", 2)
        outcomes = await asyncio.gather(*(ask_and_accept(ada, bob) for _ in range(100)))
        for thread_id, paid in outcomes:
            thread = (await crowd.ask("GET", f"threads/{thread_id}"))["thread"]
            assert thread["status"] == "answered"
            assert thread["bounty"]["status"] == ("PAID" if paid else "REFUNDED")
            assert thread["bountyCredits"] == paid

    run(town, race)
    assert query(town.database, "SELECT count(*) FROM settlement") == [(100,)]
