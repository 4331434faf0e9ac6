"""What is stored for replays of writes: bounded in bytes for an agent and a day."""

from typing import Any

import pytest

from stoa.calls import idempotency
from stoa.domain import limits
from stoa.settings import Settings
from tests.support.app import Agent, App
from tests.support.database import query
from tests.support.jobs import WORK, new_job
from tests.support.mcp import Mcp

pytestmark = pytest.mark.own_file  # the size of the file is looked at
REPLAYED = "idempotent-replayed"
LONG = "\U0001f989" * limits.BODY_CHARS
"""The longest text in UTF-8."""

CALLS = 600
CALLS_BYTES = 2 * 1000 * 1000


def key(number: int) -> dict[str, str]:
    """The header with a key as long as it may be, another for each number."""
    return {"Idempotency-Key": f"{number:0255}"}


def stored(settings: Settings) -> int:
    """The bytes of the whole database."""
    if settings.engine == "postgresql":
        tables = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
        return int(query(settings, tables)[0][0])
    pages = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    return query(settings, pages)[0][0]


def kept_bytes(stoa: App, agent: Agent) -> int:
    """The bytes of the answers that are stored for an agent."""
    length = "octet_length" if stoa.settings.engine == "postgresql" else "length"
    sum_of = f"SELECT coalesce(sum({length}(answer)), 0) FROM kept_answer WHERE agent_id = ?"
    return int(stoa.sql(sum_of, agent.id)[0][0])


def offered(ada: Agent, description: str = LONG) -> str:
    """The id of a new job."""
    return ada.post("jobs", {**new_job(1), "description": description}).ok(201)["job"]["id"]


def repeated(ada: Agent, bob: Agent) -> list[tuple[str, dict[str, str]]]:
    """Every write that bob can make again and again: it finds done what it was to do."""
    claim = f"jobs/{offered(ada)}/claim"
    bob.post(claim).ok()
    session = {"sessionId": bob.get("agents/me").ok()["sessions"][0]["id"]}
    bob.sign_in()
    bob.post("auth/revoke", session).ok()
    cursor = {"cursor": bob.get("inbox").ok()["nextCursor"]}
    bob.post("inbox/read", cursor).ok()
    return [(claim, {}), ("auth/revoke", session), ("inbox/read", cursor)]


def store_too_much(
    bob: Agent, calls: list[tuple[str, dict[str, str]]], times: int = CALLS
) -> list[str]:
    """The calls that store too much when the first is repeated so many times."""
    found, number = list[str](), 0
    for place, (path, body) in enumerate(calls):
        before, count = stored(bob.app.settings), times if place == 0 else times // 10
        for _ in range(count):
            number += 1
            bob.post(path, body, headers=key(number)).ok()
        if stored(bob.app.settings) - before > CALLS_BYTES * count / times:
            found.append(path)
    return found


@pytest.mark.costly
@pytest.mark.promise("W46")
def test_repeated_calls_with_new_keys_store_little(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    assert store_too_much(bob, repeated(ada, bob)) == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_repeated_calls_whose_whole_answers_are_stored_store_too_much(
    stoa: App, ada: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above."""

    async def keep_whole(*given: Any, changed: bool) -> None:
        await keep(*given, changed=True)

    keep = idempotency.keep
    monkeypatch.setattr(idempotency, "keep", keep_whole)
    bob = stoa.agent("bob")
    claim, *_ = repeated(ada, bob)
    assert store_too_much(bob, [claim], times=30) == [claim[0]]


def test_repeated_calls_without_keys_store_nothing(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    calls = repeated(ada, bob)
    tables = ("receipt", "event_log", "kept_answer")
    count = " + ".join(f"(SELECT count(*) FROM {table})" for table in tables)
    before = stoa.sql(f"SELECT {count}")
    for path, body in calls * 3:
        bob.post(path, body).ok()
    assert stoa.sql(f"SELECT {count}") == before


def test_a_repeated_claim_is_replayed_whole_from_its_receipt(stoa: App, ada: Agent) -> None:
    bob = stoa.agent("bob")
    claim = f"jobs/{offered(ada)}/claim"
    first = bob.post(claim, headers=key(1)).ok()
    second = bob.post(claim, headers=key(2)).ok()
    assert second.content == first.content
    assert kept_bytes(stoa, bob) < len(first.content) + 1000
    for number in (1, 2):
        again = bob.post(claim, headers=key(number)).ok()
        assert (again.content, again.headers[REPLAYED]) == (first.content, "true")
    minimal = bob.post(claim, headers={**key(2), "Prefer": "return=minimal"}).ok()
    assert minimal["receiptId"] == first["receipt"]["id"]
    over_mcp = Mcp(stoa).result(
        "claim_job", {"jobId": first["job"]["id"], "idempotencyKey": key(2)["Idempotency-Key"]}, bob
    )
    assert over_mcp == first.json


def test_what_cannot_be_made_again_is_replayed_as_the_minimal_answer(stoa: App, ada: Agent) -> None:
    bob, job = stoa.agent("bob"), offered(ada)
    claim = f"jobs/{job}/claim"
    first = bob.post(claim, headers=key(1)).ok()
    bob.post(claim, headers=key(2)).ok()
    bob.post(f"jobs/{job}/submit", WORK).ok(201)
    ada.post(f"jobs/{job}/accept").ok()
    bob.post(claim).refused(409, "job_already_terminal")
    assert bob.post(claim, headers=key(1)).ok().content == first.content
    again = bob.post(claim, headers=key(2)).ok()
    assert again.headers[REPLAYED] == "true"
    assert again.json == {"id": job, "receiptId": first["receipt"]["id"], "nextActions": []}
    assert (
        Mcp(stoa).result(
            "claim_job", {"jobId": job, "idempotencyKey": key(2)["Idempotency-Key"]}, bob
        )
        == again.json
    )
    assert stoa.get(f"jobs/{job}").ok()["job"]["status"] == "COMPLETED"


LEFT_OVER = 5
"""So many receipts have room where no other answer has."""


def fill(agent: Agent) -> int:
    """Store answers until no other is stored whole; the number of the next key."""
    number = 0
    for body in (LONG, LONG[: len(LONG) // 10], LONG[: len(LONG) // 100], "b"):
        size, room = 0, limits.ANSWERS_KEPT_BYTES - kept_bytes(agent.app, agent)
        while size <= room:
            question = {"title": f"{number}", "body": body}
            size += len(agent.post("threads", question, headers=key(number)).ok(201).content)
            number += 1
    return number


@pytest.mark.costly
@pytest.mark.promise("W47")
def test_beyond_the_bytes_of_a_day_a_key_is_honoured_and_the_replay_minimal(
    stoa: App, ada: Agent
) -> None:
    number = fill(ada)
    kept = kept_bytes(stoa, ada)
    assert kept <= limits.ANSWERS_KEPT_BYTES
    question = {"title": "One more", "body": LONG, "bountyCredits": 2}
    first = ada.post("threads", question, headers=key(number)).ok(201)
    assert first["thread"]["title"] == "One more"
    again = ada.post("threads", question, headers=key(number)).ok(201)
    assert again.headers[REPLAYED] == "true"
    assert (again["id"], again["receiptId"]) == (first["thread"]["id"], first["receipt"]["id"])
    assert "thread" not in again.json
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == 2
    assert kept_bytes(stoa, ada) - kept < 1000
    other = {**question, "title": "Another"}
    ada.post("threads", other, headers=key(number)).refused(422, "idempotency_key_reused")
    bob = stoa.agent("bob")  # the bytes are counted by agent
    first = bob.post("threads", question, headers=key(number)).ok(201)
    assert bob.post("threads", question, headers=key(number)).ok(201).content == first.content


@pytest.mark.soak
@pytest.mark.costly
def test_beyond_the_bytes_of_a_day_what_changes_nothing_is_not_stored(
    stoa: App, ada: Agent
) -> None:
    bob = stoa.agent("bob")
    fill(bob)
    calls = repeated(ada, bob)
    for number in range(LEFT_OVER):
        bob.post(calls[0][0], headers=key(2000 + number)).ok()
    before = stoa.sql("SELECT count(*) FROM kept_answer")
    for number, (path, body) in enumerate(calls * 2):
        answer = bob.post(path, body, headers=key(1000 + number)).ok()
        again = bob.post(path, body, headers=key(1000 + number)).ok()
        assert again.content == answer.content
    assert stoa.sql("SELECT count(*) FROM kept_answer") == before


@pytest.mark.soak
@pytest.mark.costly
def test_after_a_day_answers_are_stored_whole_again(stoa: App, ada: Agent) -> None:
    number = fill(ada)
    stoa.clock.advance(limits.ANSWERS_KEPT_MS + 1)
    ada.sign_in()
    question = {"title": "B", "body": LONG}
    first, again = (ada.post("threads", question, headers=key(number)).ok(201) for _ in range(2))
    assert (again.content, again.headers[REPLAYED]) == (first.content, "true")
