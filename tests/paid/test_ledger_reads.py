"""The own balance and ledger over the API, and the grant that every key gets once."""

import re

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, SECOND
from tests.support.keys import Key
from tests.support.ledger import rows
from tests.support.moderation import act


def test_a_new_agent_has_its_grant_and_nothing_reserved(ada: Agent) -> None:
    assert jobs.balance(ada) == {
        "agentId": ada.id,
        "asset": "FORUM_CREDIT",
        "available": 100,
        "reserved": {"total": 0, "bounties": [], "jobs": []},
        "total": 100,
    }


def test_the_balance_lists_what_is_reserved_for_what_and_until_when(ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bounty={"credits": 12.5})
    job = jobs.job_in("SUBMITTED", ada, bob, rewardCredits=40)
    assert jobs.balance(ada) == {
        "agentId": ada.id,
        "asset": "FORUM_CREDIT",
        "available": 47.5,
        "reserved": {
            "total": 52.5,
            "bounties": [
                {
                    "id": thread["bounty"]["id"],
                    "threadId": thread["id"],
                    "amount": 12.5,
                    "status": "OPEN",
                    "expiresAt": "2027-01-18T08:00:00.000Z",
                }
            ],
            "jobs": [
                {
                    "id": job["id"],
                    "amount": 40,
                    "status": "SUBMITTED",
                    "deadline": "2027-01-22T08:00:00.000Z",
                }
            ],
        },
        "total": 100,
    }
    assert re.fullmatch(r"bty_[0-9a-z]{26}", thread["bounty"]["id"])


def test_the_ledger_lists_every_movement_newest_first(ada: Agent, bob: Agent) -> None:
    ada.app.clock.advance(SECOND)
    thread = ada.thread(bountyCredits=10)
    job = jobs.job_in("REJECTED_TERMINAL", ada, bob, rewardCredits=40)
    ada.app.clock.advance(3 * DAY)
    ada.sign_in()
    listed = ada.get("credits/ledger").ok()
    assert set(listed) == {"entries", "limit", "offset", "nextOffset", "nextCursor"}
    seen = [
        (entry["kind"], entry["amount"], entry["balanceAfter"], entry["referenceId"])
        for entry in listed["entries"]
    ]
    assert seen == [
        ("refund", 10, 100, thread["bounty"]["id"]),
        ("refund", 40, 90, job["id"]),
        ("hold", -40, 50, job["id"]),
        ("hold", -10, 90, thread["bounty"]["id"]),
        ("signup_grant", 100, 100, ada.id),
    ]
    assert [entry["referenceType"] for entry in listed["entries"]] == [
        "bounty",
        "job",
        "job",
        "bounty",
        "agent",
    ]
    assert len({entry["transactionId"] for entry in listed["entries"]}) == 5
    assert all(re.fullmatch(r"tx_[0-9a-z]{26}", e["transactionId"]) for e in listed["entries"])


def test_a_payout_is_in_the_ledger_of_who_is_paid(ada: Agent, bob: Agent) -> None:
    jobs.job_in("COMPLETED", ada, bob, rewardCredits=40)
    assert jobs.entries(bob) == [("signup_grant", 100), ("payout", 40)]
    assert jobs.entries(ada) == [("signup_grant", 100), ("hold", -40), ("paid_out", 0)]


@pytest.mark.promise("C22")
def test_the_payer_sees_at_sight_what_was_paid_and_what_is_held(ada: Agent, bob: Agent) -> None:
    thread, job = ada.thread("Why?", bountyCredits=10), jobs.job_in("SUBMITTED", ada, bob)
    ada.app.clock.advance(SECOND)
    ada.accept(thread, bob.reply(thread, "So.")).ok()
    ada.app.clock.advance(SECOND)
    held = jobs.offer(ada, 5)
    ada.app.clock.advance(SECOND)
    answer = jobs.act(ada, job, "accept").ok()
    paid = {"amount": 10, "asset": "FORUM_CREDIT", "payeeAgentId": bob.id, "balance": 75}
    assert answer["payment"] == paid
    lines = ada.get("credits/ledger?limit=4").ok()["entries"]
    told = [(one["kind"], one["amount"], one["balanceAfter"], one["referenceId"]) for one in lines]
    assert told == [
        ("paid_out", 0, 75, job["id"]),
        ("hold", -5, 75, held["id"]),
        ("paid_out", 0, 80, thread["bounty"]["id"]),
        ("hold", -10, 80, job["id"]),
    ]
    assert (lines[0]["title"], lines[0]["counterpartyAgentId"]) == ("A job", bob.id)
    assert (lines[2]["title"], lines[2]["referenceType"]) == ("Why?", "bounty")
    assert "title" not in lines[1]
    seen: list[str] = []
    cursor = ""
    while cursor is not None:
        page = ada.get(f"credits/ledger?limit=1&cursor={cursor}").ok()
        seen += [one["kind"] for one in page["entries"]]
        cursor = page["nextCursor"]
    assert seen == ["paid_out", "hold", "paid_out", "hold", "hold", "signup_grant"]
    assert ada.get("credits/ledger?limit=2&offset=1").ok()["entries"] == lines[1:3]


def test_the_title_of_what_is_hidden_is_in_no_ledger(stoa: App, ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("COMPLETED", ada, bob)
    act(stoa, job, "hide")
    line = ada.get("credits/ledger?limit=1").ok()["entries"][0]
    assert (line["kind"], "title" in line) == ("paid_out", False)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_each_form_of_an_accept_tells_what_was_paid(ada: Agent, bob: Agent) -> None:
    minimal = ada.post(
        f"jobs/{jobs.job_in('SUBMITTED', ada, bob)['id']}/accept",
        headers={"Prefer": "return=minimal"},
    ).ok()
    paid = {"amount": 10, "asset": "FORUM_CREDIT", "payeeAgentId": bob.id, "balance": 90}
    assert minimal["payment"] == paid
    thread = ada.thread("Why?")
    unpaid = ada.accept(thread, bob.reply(thread, "So.")).ok()
    assert unpaid["payment"] == {**paid, "amount": 0}
    job = jobs.job_in("SUBMITTED", ada, bob)
    lean = ada.post(f"jobs/{job['id']}/accept?view=lean").ok()
    assert lean["payment"] == {**paid, "balance": 80}


def test_a_posting_was_created_when_it_was_posted(ada: Agent) -> None:
    ada.thread(bountyCredits=10)
    ada.app.clock.advance(3 * DAY + 5 * SECOND)
    ada.sign_in()
    newest = ada.get("credits/ledger?limit=1").ok()["entries"][0]
    assert (newest["kind"], newest["createdAt"]) == ("refund", "2027-01-18T08:00:05.000Z")


def test_pages_of_the_ledger_neither_repeat_nor_skip_while_it_grows(ada: Agent) -> None:
    for _ in range(4):
        jobs.offer(ada, reward=1)
    before = jobs.entries(ada)
    seen: list[tuple[str, float]] = []
    cursor = ""
    while True:
        page = ada.get(f"credits/ledger?limit=2&cursor={cursor}").ok()
        assert page["limit"] == 2
        seen += [(entry["kind"], entry["amount"]) for entry in page["entries"]]
        jobs.offer(ada, reward=2)
        if page["nextCursor"] is None:
            break
        cursor = page["nextCursor"]
    assert seen == before[::-1]


@pytest.mark.parametrize("path", ["credits/balance", "credits/ledger"])
def test_credits_are_for_their_owner_alone(stoa: App, ada: Agent, path: str) -> None:
    stoa.get(path).refused(401, "missing_bearer_token")
    bad = stoa.get(path, headers={"Authorization": "Bearer stoa_nonsense"})
    bad.refused(401, "invalid_or_expired_token")
    answer = ada.get(path).ok()
    assert answer.headers["cache-control"] == "no-store"
    assert "etag" not in answer.headers


def test_signing_in_again_grants_nothing_more(stoa: App, ada: Agent) -> None:
    assert ada.signed_in["isNewAgent"] is True
    assert stoa.verify(Key("ada")).ok()["isNewAgent"] is False
    upper = stoa.post("auth/challenge", {"publicKey": Key("ada").public.upper()}).ok()["challenge"]
    again = {"publicKey": Key("ada").public.upper(), "challenge": upper}
    signed = stoa.post("auth/verify", {**again, "signature": Key("ada").sign(upper)}).ok()
    assert (signed["isNewAgent"], signed["agent"]["id"]) == (False, ada.id)
    assert jobs.entries(ada) == [("signup_grant", 100)]
    assert rows(stoa, "SELECT balance FROM account WHERE id = 'issuer'") == [(-10000,)]


def test_a_refused_sign_in_grants_nothing(stoa: App) -> None:
    body = {"publicKey": Key("eve").public, "challenge": stoa.challenge(Key("eve"))}
    stoa.post("auth/verify", {**body, "signature": Key("ada").sign(body["challenge"])}).refused(
        401, "signature_invalid"
    )
    assert rows(stoa, "SELECT count(*) FROM ledger_transaction") == [(0,)]
