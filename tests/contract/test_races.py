"""What must happen once, attempted by many connections at once on a real server."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.app import signed
from tests.support.database import query
from tests.support.keys import Key
from tests.support.remote import Remote
from tests.support.server import Server
from tests.support.soaking import few

MANY = 200
CONNECTIONS = 16


@pytest.fixture
def server(engine: str, shared_servers: Callable[[str], Server]) -> Server:
    """The shared server of each engine in turn."""
    return shared_servers(engine)


def at_once(server: Server, bodies: Iterable[Any], post: Callable[[Remote, Any], Any]) -> list[Any]:
    """`post` with each of `bodies`, over as many connections as there are threads."""

    def run(share: list[Any]) -> list[Any]:
        with Remote(server.url) as remote:
            return [post(remote, body) for body in share]

    rows = list(bodies)
    shares = [rows[start::CONNECTIONS] for start in range(CONNECTIONS)]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return [result for results in pool.map(run, shares) for result in results]


def verify(remote: Remote, body: Any) -> tuple[int, Any]:
    answer = remote.post("auth/verify", body)
    return answer.status_code, answer.json()


@pytest.mark.promise("S1")
def test_one_challenge_verified_two_hundred_times_at_once_gives_one_token(server: Server) -> None:
    key = Key("replay")
    with Remote(server.url) as remote:
        body = signed(key, remote.challenge(key))
    answers = at_once(server, [body] * MANY, verify)
    assert Counter(status for status, _ in answers) == {200: 1, 401: MANY - 1}
    assert {answer["code"] for status, answer in answers if status == 401} == {"challenge_invalid"}
    owner = "SELECT id FROM agent WHERE public_key = ?"
    tokens = f"SELECT count(*) FROM token WHERE agent_id = ({owner})"
    assert query(server.database, tokens, bytes.fromhex(key.public)) == [(1,)]


@pytest.mark.soak
def test_a_used_challenge_stays_used_after_a_restart(start_server: Callable[..., Server]) -> None:
    key = Key("restart")
    first = start_server()
    with Remote(first.url) as remote:
        body, unused = (signed(key, remote.challenge(key)) for _ in range(2))
        assert verify(remote, body)[0] == 200
    first.kill()
    second = start_server(first.data_dir, port=first.address[1])
    with Remote(second.url) as remote:
        assert verify(remote, body)[0] == 401
        assert verify(remote, unused)[0] == 200


@pytest.mark.promise("S2")
def test_two_hundred_first_sign_ins_of_one_key_register_one_agent(server: Server) -> None:
    key = Key("twins")
    with Remote(server.url) as remote:
        spellings = [key.public, key.public.upper(), key.public.title(), key.public.swapcase()]
        bodies = [
            {**signed(key, remote.challenge(key)), "publicKey": spellings[number % 4]}
            for number in range(MANY)
        ]
    answers = at_once(server, bodies, verify)
    assert Counter(status for status, _ in answers) == {200: MANY}
    assert Counter(answer["isNewAgent"] for _, answer in answers) == {True: 1, False: MANY - 1}
    assert len({answer["agent"]["id"] for _, answer in answers}) == 1
    tokens = [answer["token"] for _, answer in answers]
    assert len(set(tokens)) == MANY

    def read(remote: Remote, token: str) -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return remote.call("GET", "credits/balance", headers=headers).status_code

    assert set(at_once(server, tokens, read)) == {200}
    with Remote(server.url) as remote:
        remote.sign_in(key)
        entries = remote.get("credits/ledger").json()["entries"]
        assert [entry["kind"] for entry in entries] == ["signup_grant"]


def test_of_accepts_over_many_connections_one_wins(server: Server) -> None:
    with Remote(server.url) as author, Remote(server.url) as worker:
        author.sign_in(Key("race author"))
        worker.sign_in(Key("race worker"))
        thread = author.post("threads", {"title": "t", "body": "b"}).json()["thread"]["id"]
        path = f"threads/{thread}/replies"
        replies = [worker.post(path, {"body": "b"}).json()["reply"]["id"] for _ in range(4)]

    def accept(remote: Remote, reply: str) -> int:
        remote.sign_in(Key("race author"))
        return remote.post(f"{path}/{reply}/accept").status_code

    assert Counter(at_once(server, replies * 8, accept)) == {200: 1, 409: 31}


@pytest.mark.promise("C7")
def test_of_claims_over_many_connections_one_wins(server: Server) -> None:
    with Remote(server.url) as creator:
        creator.sign_in(Key("race creator"))
        offer = {"title": "t", "description": "d", "rewardCredits": 1}
        jobs = [creator.post("jobs", offer).json()["job"]["id"] for _ in range(5)]
    ready = threading.Barrier(CONNECTIONS, timeout=60)

    def claim(remote: Remote, worker: int) -> list[int]:
        remote.sign_in(Key(f"claimer {worker}"))
        statuses: list[int] = []
        for job in jobs:
            ready.wait()
            statuses.append(remote.post(f"jobs/{job}/claim").status_code)
        return statuses

    claims = at_once(server, range(CONNECTIONS), claim)
    for number in range(len(jobs)):
        statuses = Counter(statuses[number] for statuses in claims)
        assert statuses == {200: 1, 409: CONNECTIONS - 1}


@pytest.mark.promise("C8")
def test_nobody_offers_more_than_they_have_over_many_connections(server: Server) -> None:
    with Remote(server.url) as spender:
        spender.sign_in(Key("race spender"))
        offers = [{"title": "t", "body": "b", "bountyCredits": 10}] * 60

        def create(remote: Remote, offer: Any) -> int:
            remote.sign_in(Key("race spender"))
            return remote.post("threads", offer).status_code

        assert Counter(at_once(server, offers, create)) == {201: 10, 402: 50}
        balance = spender.get("credits/balance").json()["balance"]
        assert (balance["available"], balance["reserved"]["total"]) == (0, 100)


@pytest.mark.promise("L1")
@pytest.mark.parametrize("workers", few([1, 2]))
def test_limits_hold_over_many_connections(
    start_server: Callable[..., Server], request: pytest.FixtureRequest, workers: int
) -> None:
    several: dict[str, str] = request.getfixturevalue("together") if workers > 1 else {}
    limited = start_server(limit_reads_anonymous=120, workers=workers, **several)
    headers = [{"X-Forwarded-For": f"10.0.{number}.1"} for number in range(300)]

    def read(remote: Remote, forged: dict[str, str]) -> int:
        return remote.call("GET", "unanswered", headers=forged).status_code

    assert Counter(at_once(limited, headers, read)) == {200: 120, 429: 180}
