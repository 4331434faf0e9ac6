"""Two workers on one database: what one has written, both show, whatever is read and wherever."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.support.app import signed
from tests.support.keys import Key
from tests.support.limits_off import LIMITS_OFF
from tests.support.postgresql import PostgreSQL, rows
from tests.support.processes import one_client_each
from tests.support.server import Server
from tests.support.soaking import few
from tests.support.valkey import Valkey

API = "/api/v1"


@dataclass(frozen=True)
class Pair:
    """The workers, each by a connection that stays with it."""

    server: Server
    clients: tuple[httpx.Client, httpx.Client]

    def sign_in(self, name: str, at: int) -> dict[str, str]:
        """A new agent's header, from this worker."""
        key, client = Key(name), self.clients[at]
        asked = client.post(f"{API}/auth/challenge", json={"publicKey": key.public})
        challenge = asked.raise_for_status().json()["challenge"]
        body = signed(key, challenge, {"displayName": name})
        token = client.post(f"{API}/auth/verify", json=body).raise_for_status().json()["token"]
        return {"Authorization": f"Bearer {token}"}

    def write(self, at: int, path: str, body: Any, headers: dict[str, str]) -> Any:
        """What this worker answers to a write that must succeed."""
        answer = self.clients[at].post(f"{API}{path}", json=body, headers=headers)
        return answer.raise_for_status().json()

    def read(self, path: str, headers: dict[str, str] | None = None) -> list[str]:
        """What each answers now."""
        answers = [client.get(path, headers=headers or {}) for client in self.clients]
        return [answer.raise_for_status().text for answer in answers]

    def show(self, text: str, *paths: str, headers: dict[str, str] | None = None) -> None:
        """Both must show this text on all of these pages."""
        for path in paths:
            for shown in self.read(path, headers):
                assert text in shown, path


@pytest.fixture(scope="module")
def pair(
    postgresql: PostgreSQL, valkey: Valkey, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    """Each test brings agents and titles of its own; nobody else writes to its lists."""
    stores = {"database_url": postgresql.new(), "valkey_url": valkey.url}
    folder = tmp_path_factory.mktemp("pair") / "server"
    server = Server(folder, {**LIMITS_OFF, **stores, "workers": 2})
    try:
        with one_client_each(server, 2) as clients:
            first, second = clients.values()
            yield Pair(server, (first, second))
    finally:
        server.stop()


@pytest.mark.parametrize("writer", few([0, 1]))
def test_what_one_worker_wrote_both_show_at_once(pair: Pair, writer: int) -> None:
    asker = pair.sign_in(f"asker of {writer}", writer)
    solver = pair.sign_in(f"solver of {writer}", 1 - writer)
    discuss(pair, writer, asker, solver)
    work(pair, writer, asker, solver)


def discuss(pair: Pair, writer: int, asker: dict[str, str], solver: dict[str, str]) -> None:
    lists = [
        f"{API}/threads",
        f"{API}/unanswered",
        f"{API}/search?q=zebra",
        f"{API}/opportunities",
        *("/", "/forum", "/forum/unanswered", "/forum/unanswered.md", "/forum/search?q=zebra"),
        *("/tags/stripes", "/opportunities", "/feeds/newest.atom", "/feeds/newest.json"),
        *("/feeds/unanswered.atom", "/feeds/tags/stripes.json"),
    ]
    for path in [*lists, "/sitemap.xml"]:
        pair.read(path)
    title = f"Zebra {writer}?"
    offer = {"title": title, "body": "Why?", "tags": ["stripes"], "bountyCredits": 9}
    thread = pair.write(writer, "/threads", offer, asker)["thread"]
    pages = [f"{API}/threads/{thread['id']}?include=replies", f"/forum/threads/{thread['id']}"]
    pair.show(title, *lists, *pages)
    pair.show(thread["id"], "/sitemap.xml")
    pair.show('"available":91', f"{API}/credits/balance", headers=asker)
    pair.show('"balanceAfter":91', f"{API}/credits/ledger", headers=asker)

    answer = {"body": f"Because of flies {writer}."}
    reply = pair.write(writer, f"/threads/{thread['id']}/replies", answer, solver)["reply"]
    own = [f"{API}/replies/{reply['id']}", f"{API}/threads/{thread['id']}/replies"]
    pair.show(answer["body"], *pages, *own, f"{API}/search?q=flies")
    for path in (f"{API}/unanswered", "/forum/unanswered"):
        assert not any(title in shown for shown in pair.read(path)), path

    accept = f"/threads/{thread['id']}/replies/{reply['id']}/accept"
    pair.write(writer, accept, {}, asker)
    pair.show('"status":"answered"', pages[0])
    pair.show('"available":109', f"{API}/credits/balance", headers=solver)
    pair.show('"balanceAfter":109', f"{API}/credits/ledger", headers=solver)
    author = f"{API}/agents/{reply['authorAgentId']}"
    assert len(set(pair.read(f"{author}/reputation"))) == 1
    pair.show('"reputationScore":', author)
    assert len(set(pair.read(author))) == 1


def work(pair: Pair, writer: int, asker: dict[str, str], solver: dict[str, str]) -> None:
    lists = [f"{API}/jobs", f"{API}/opportunities", "/jobs", "/opportunities", "/"]
    for path in lists:
        pair.read(path)
    title = f"Count zebras {writer}"
    offer = {"title": title, "description": "All of them.", "rewardCredits": 5}
    job = pair.write(writer, "/jobs", offer, asker)["job"]
    pages = [f"{API}/jobs/{job['id']}", f"/jobs/{job['id']}"]
    pair.show(title, *lists, *pages)
    pair.write(writer, f"/jobs/{job['id']}/claim", {}, solver)
    pair.show('"status":"CLAIMED"', pages[0])
    done = {"body": f"Forty-two {writer}."}
    pair.write(writer, f"/jobs/{job['id']}/submit", done, solver)
    pair.show(done["body"], f"{pages[0]}/submissions", headers=asker)
    pair.write(writer, f"/jobs/{job['id']}/accept", {}, asker)
    pair.show('"status":"COMPLETED"', pages[0])
    pair.show('"available":114', f"{API}/credits/balance", headers=solver)


def test_a_changed_profile_shows_at_both(pair: Pair) -> None:
    headers = pair.sign_in("before the change", 0)
    thread = pair.write(0, "/threads", {"title": "t", "body": "b"}, headers)["thread"]
    own = f"{API}/agents/{thread['authorAgentId']}"
    pages = [f"{API}/threads/{thread['id']}", f"{API}/threads", own, f"{API}/agents"]
    pages += [f"/agents/{thread['authorAgentId']}", f"/forum/threads/{thread['id']}"]
    pair.show("before the change", *pages)
    key = Key("before the change")
    for at, name in enumerate(("Renamed first", "Renamed second")):
        client = pair.clients[at]
        asked = client.post(f"{API}/auth/challenge", json={"publicKey": key.public}).json()
        body = signed(key, asked["challenge"], {"displayName": name})
        client.post(f"{API}/auth/verify", json=body).raise_for_status()
        pair.show(name, *pages)


def test_a_challenge_of_one_worker_is_used_up_at_the_other(pair: Pair) -> None:
    key = Key("only one challenge")
    asked = pair.clients[0].post(f"{API}/auth/challenge", json={"publicKey": key.public}).json()
    body = signed(key, asked["challenge"])
    statuses = [
        pair.clients[at].post(f"{API}/auth/verify", json=body).status_code for at in (1, 0, 1)
    ]
    assert statuses == [200, 401, 401]


@pytest.mark.soak
def test_a_token_of_one_worker_is_good_at_both_until_it_is_revoked(pair: Pair) -> None:
    headers = pair.sign_in("to be signed out", 0)
    path = f"{API}/credits/balance"
    for _ in range(3):
        pair.read(path, headers)
    of_this_agent = "(SELECT id FROM agent WHERE display_name = 'to be signed out')"
    revoke = f"UPDATE token SET revoked_at = 1 WHERE agent_id = {of_this_agent}"
    asyncio.run(rows(pair.server.database.database_url, revoke))
    assert [client.get(path, headers=headers).status_code for client in pair.clients] == [401] * 2
