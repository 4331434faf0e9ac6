"""A hundred clients against a real server: one winner, nothing overspent, everything paid once."""

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from functools import partial
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
from tests.support.processes import until
from tests.support.server import Server

APART_S = 0.007
Race = Callable[[Crowd], Coroutine[Any, Any, None]]

pytestmark = pytest.mark.usefixtures("engine")


def run(server: Server, race: Race) -> None:
    """Run a race; the ledger of the running server must be sound behind it."""
    earlier = len(server.log)

    async def through() -> None:
        async with Crowd(server.url) as crowd:
            await race(crowd)

    asyncio.run(through())
    assert broken(server.database) == {}
    levels = {json.loads(line)["level"] for line in server.log[earlier:].splitlines()}
    assert levels <= {"debug", "info", "warning"}, server.log


def statuses(answers: list[Answer]) -> Counter[int]:
    """How often each status came."""
    return Counter(answer.status for answer in answers)


@pytest.fixture
def town(towns: Callable[[str], Server], engine: str) -> Server:
    """The server of the engine, with what the tests before this one have left there."""
    return towns(engine)


def one_claim_wins(town: Server, claims: int) -> None:
    """So many agents claim one job at the same time."""

    async def race(crowd: Crowd) -> None:
        creator = await crowd.member("creator")
        workers = await crowd.members("worker", claims)
        job = (await creator.post("jobs", new_job(1))).ok(201)["job"]
        path = f"jobs/{job['id']}/claim"
        answers = await asyncio.gather(*(worker.post(path) for worker in workers))
        assert statuses(answers) == {200: 1, 409: claims - 1}
        assert {answer.code for answer in answers} == {None, "job_already_claimed"}
        (winner,) = [w for w, answer in zip(workers, answers, strict=True) if answer.status == 200]
        won = next(answer for answer in answers if answer.status == 200)
        assert won["job"]["claimedByAgentId"] == winner.id
        again = await asyncio.gather(*(winner.post(path) for _ in range(20)))
        assert [answer["receipt"] for answer in again] == [won["receipt"]] * 20

    run(town, race)


def test_of_a_hundred_claims_one_wins(town: Server) -> None:
    one_claim_wins(town, 100)


@pytest.mark.soak
def test_of_a_thousand_claims_one_wins(town: Server) -> None:
    one_claim_wins(town, 1000)


def ten_holds_fit(server: Server, offers_of_each_kind: int) -> None:
    """An agent makes so many jobs and as many bounties of a tenth of its balance at once."""
    title = f"One of {offers_of_each_kind}"
    agents: list[str] = []

    async def race(crowd: Crowd) -> None:
        ada = await crowd.member(title)
        agents.append(ada.id)
        job, asked = new_job(10), {"body": "b", "bountyCredits": 10}
        offers = [("jobs", job), ("threads", asked)] * offers_of_each_kind
        answers = await asyncio.gather(
            *(ada.post(path, {**body, "title": title}) for path, body in offers)
        )
        assert statuses(answers) == {201: 10, 402: len(offers) - 10}
        own = (await ada.get("credits/balance")).ok()["balance"]
        assert (own["available"], own["reserved"]["total"]) == (0, 100)

    run(server, race)
    (ada,) = agents
    held = f"SELECT count(*), sum(amount) FROM hold WHERE agent_id = '{ada}'"
    assert query(server.database, held) == [(10, 10000)]
    made = " + ".join(
        f"(SELECT count(*) FROM {table} WHERE title = '{title}')" for table in ("job", "thread")
    )
    assert query(server.database, f"SELECT {made}") == [(10,)]


def test_of_a_hundred_holds_of_ten_a_balance_of_a_hundred_takes_ten(
    shared_servers: Callable[[str], Server], engine: str
) -> None:
    ten_holds_fit(shared_servers(engine), 50)


@pytest.mark.soak
def test_of_five_hundred_holds_of_ten_a_balance_of_a_hundred_takes_ten(
    shared_servers: Callable[[str], Server], engine: str
) -> None:
    ten_holds_fit(shared_servers(engine), 250)


GRANTS = "SELECT count(*) FROM ledger_transaction WHERE kind = 'signup_grant'"


def test_of_fifty_first_sign_ins_of_a_key_one_is_granted(town: Server) -> None:
    key = Key("everywhere")
    before = query(town.database, GRANTS)

    async def race(crowd: Crowd) -> None:
        challenges = await asyncio.gather(*(crowd.challenge(key) for _ in range(50)))
        bodies = [signed(key, challenge) for challenge in challenges]
        answers = await asyncio.gather(
            *(crowd.ask("POST", "auth/verify", body=body) for body in bodies)
        )
        assert statuses(answers) == {200: 50}
        assert sum(answer["isNewAgent"] for answer in answers) == 1
        assert len({answer["agent"]["id"] for answer in answers}) == 1
        tokens = [answer["token"] for answer in answers]
        assert len(set(tokens)) == 50
        balances = await asyncio.gather(
            *(crowd.ask("GET", "credits/balance", token) for token in tokens)
        )
        assert {answer["balance"]["total"] for answer in balances} == {1000}
        again = await asyncio.gather(
            *(crowd.ask("POST", "auth/verify", body=body) for body in bodies)
        )
        assert {answer.code for answer in again} == {"challenge_invalid"}

    run(town, race)
    assert query(town.database, GRANTS) == [(before[0][0] + 1,)]


@dataclass
class Pace:
    """How quickly this machine goes: what a race around a deadline has to reckon with."""

    seconds_for_each: float = 0.0
    """From the time it took to make the jobs, which is as many calls as the race."""
    on_the_way: float = 0.0
    """Seconds from sending a call until it is answered, as of the last ones."""
    around: float = 0.05
    """So many seconds before and behind the deadline calls are sent."""

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

    A slow machine gets more time in the next attempt; what was left behind expires by itself. The
    test's own time limit ends the attempts.
    """
    in_advance = 2 + pace.around
    while True:
        began = time.time()
        apart = max(APART_S, 3 * pace.seconds_for_each)
        deadlines = [round(began + in_advance + apart * number, 3) for number in range(count)]
        jobs = await submitted(pairs, deadlines)
        took = time.time() - began
        pace.seconds_for_each = took / count
        if took < in_advance - 1 - pace.around and 2 * pace.seconds_for_each <= apart:
            return jobs
        in_advance = 2 * took + 2 + pace.around


async def at(moment: float, pace: Pace, call: Callable[[], Coroutine[Any, Any, Answer]]) -> Answer:
    """Make a call so that it is decided around a moment."""
    around = random.uniform(-pace.around, pace.around)
    sent = moment + around - pace.on_the_way
    while (left := sent - time.time()) > 0:
        await asyncio.sleep(min(left, 0.05))
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


OPEN_HOLDS = "SELECT count(*) FROM hold WHERE status = 'OPEN' AND expires_at <= ?"
LOST = {"job_expired", "job_not_submitted", "job_already_terminal"}


async def settled(crowd: Crowd, town: Server, raced: list[Raced]) -> Counter[str]:
    """Wait until no hold is open past its deadline; how many jobs then have each status."""
    last = max(deadline for _, _, deadline in raced)
    are_open = partial(query, town.database, OPEN_HOLDS, round(last * 1000))
    await asyncio.to_thread(until, lambda: are_open() == [(0,)])
    answers = await asyncio.gather(*(crowd.ask("GET", f"jobs/{one}") for one, _, _ in raced))
    return Counter(answer["job"]["status"] for answer in answers)


def settled_once(town: Server, holds: int) -> None:
    """So many holds are raced for around their deadline."""

    async def race(crowd: Crowd) -> None:
        pairs = list(
            zip(await crowd.members("creator", 16), await crowd.members("worker", 16), strict=True)
        )
        pace = Pace()
        # Both sides win some, or it was no race: the machine did not keep its pace.
        while not all((await settle_around_their_time(crowd, pairs, pace)).values()):
            pace = Pace(seconds_for_each=2 * pace.seconds_for_each, around=4 * pace.around)

    async def settle_around_their_time(
        crowd: Crowd, pairs: list[tuple[Member, Member]], pace: Pace
    ) -> dict[str, int]:
        raced = await ready_jobs(pairs, holds, pace)
        answers = await asyncio.gather(*(call for job in raced for call in race_for(*job, pace)))
        codes = Counter(answer.code for answer in answers)
        assert set(codes) <= {None, *LOST}
        paid = sum("settlement" in answer for answer in answers if answer.status == 200)
        outcomes = await settled(crowd, town, raced)
        assert outcomes["COMPLETED"] == paid
        assert outcomes["COMPLETED"] + outcomes["REFUNDED_EXPIRED"] == holds
        return {ended: outcomes[ended] for ended in ("COMPLETED", "REFUNDED_EXPIRED")}

    run(town, race)
    settlements = "SELECT count(*) FROM settlement s JOIN job j ON j.id = s.hold_id"
    assert query(town.database, settlements)[0][0] >= holds


@pytest.mark.promise("C11")
def test_forty_holds_raced_for_around_their_deadline_are_settled_once(town: Server) -> None:
    settled_once(town, 40)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_five_hundred_holds_raced_for_around_their_deadline_are_settled_once(town: Server) -> None:
    settled_once(town, 500)


BOUNTIES = 15
SETTLED_BOUNTIES = (
    "SELECT count(*) FROM settlement s JOIN hold h ON h.id = s.hold_id WHERE h.type = 'bounty'"
)


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
        outcomes = await asyncio.gather(*(ask_and_accept(ada, bob) for _ in range(BOUNTIES)))
        for thread_id, paid in outcomes:
            thread = (await crowd.ask("GET", f"threads/{thread_id}"))["thread"]
            assert thread["status"] == "answered"
            assert thread["bounty"]["status"] == ("PAID" if paid else "REFUNDED")
            assert thread["bountyCredits"] == paid

    (before,) = query(town.database, SETTLED_BOUNTIES)[0]
    run(town, race)
    assert query(town.database, SETTLED_BOUNTIES) == [(before + BOUNTIES,)]
