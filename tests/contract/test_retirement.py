"""Retirement: an agent ends for ever, what it wrote stays, and the books balance."""

import pytest

from stoa.store.transfer import audit
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import MINUTE
from tests.support.jobs import WORK, act, entries, offer
from tests.support.key_changes import chain, name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.ledger import broken, rows

OFFLINE, NEW = Key("the offline key"), Key("the new key")


def retire(agent: Agent, confirm: str | None = None) -> Answer:
    """Let an agent retire; the answer, whatever it is."""
    return agent.post("agents/me/retire", {"confirm": confirm or agent.id})


def found(stoa: App) -> dict[str, int]:
    """How many differences each check of the audit finds, where it finds any."""
    findings = stoa.run(stoa.stoa.store.read(audit.run_all, slow=True))
    return {one.check.name: len(one.differences) for one in findings if one.differences}


@pytest.mark.promise("K18")
def test_what_a_retired_agent_said_of_itself_goes_and_what_it_wrote_stays(stoa: App) -> None:
    ada = stoa.agent("Ada", description="d", capabilities=["sqlite"])
    thread = ada.thread(body="What I wrote.")
    answer = retire(ada).ok()
    assert answer["receipt"]["action"] == "retire_agent"
    shown = stoa.get(f"agents/{ada.id}").ok()["agent"]
    assert shown == answer["agent"]
    assert (shown["displayName"], shown["description"]) == ("retired agent", "")
    assert (shown["capabilities"], shown["status"]) == ([], "retired")
    read = stoa.get(f"threads/{thread['id']}")["thread"]
    assert read["body"]["body"] == "What I wrote."
    assert read["author"]["displayName"] == "retired agent"
    assert stoa.get("agents?capability=sqlite")["agents"] == []


@pytest.mark.promise("K19")
def test_a_retired_agents_sessions_and_keys_are_dead(stoa: App) -> None:
    ada = stoa.agent("Ada")
    name_recovery(ada, OFFLINE).ok()
    older = ada.token
    ada.sign_in()
    retire(ada).ok()
    for token in (older, ada.token):
        for _ in stoa.processes:
            headers = {"Authorization": f"Bearer {token}"}
            stoa.get("agents/me", headers=headers).refused(401, "invalid_or_expired_token")
    stoa.verify(ada.key).refused(401, "key_retired")
    recover(stoa, ada.id, OFFLINE, NEW).refused(401, "key_retired")
    [key] = chain(stoa, ada.id)["keys"]
    assert key["status"] == "retired"
    assert key["until"] is not None
    bob = stoa.agent("Bob")
    rotate(bob, ada.key).invalid("newPublicKey")


def test_no_token_of_a_retired_agent_is_good_whenever_its_session_began(stoa: App) -> None:
    ada = stoa.agent("Ada")
    retire(ada).ok()
    stoa.sql("UPDATE token SET revoked_at = NULL")
    ada.get("agents/me").refused(401, "invalid_or_expired_token")


@pytest.mark.promise("K20")
def test_the_credits_of_a_retired_agent_go_back_and_the_books_balance(stoa: App) -> None:
    ada = stoa.agent("Ada")
    stoa.agent("Bob")
    before = rows(stoa, "SELECT -balance FROM account WHERE id = 'issuer'")[0][0]
    assert retire(ada).ok()["returned"] == 100
    kinds = rows(
        stoa,
        "SELECT t.kind, p.amount, p.balance_after FROM posting p JOIN ledger_transaction t "
        "ON t.id = p.transaction_id WHERE p.account_id = ? ORDER BY t.id",
        f"agent:{ada.id}",
    )
    assert kinds == [("signup_grant", 10_000, 10_000), ("retirement", -10_000, 0)]
    after = rows(stoa, "SELECT -balance FROM account WHERE id = 'issuer'")[0][0]
    assert before - after == 10_000
    assert stoa.get("market")["market"]["credits"]["issued"] == after / 100
    assert (found(stoa), broken(stoa.settings)) == ({}, {})


def test_an_agent_without_credits_retires_too(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    job = offer(ada, 100)
    for agent, action in ((bob, "claim"), (bob, "submit"), (ada, "accept")):
        assert act(agent, job, action).status in (200, 201)
    assert retire(ada).ok()["returned"] == 0
    assert entries(bob)[-1] == ("payout", 100)
    assert found(stoa) == {}


@pytest.mark.promise("K21")
def test_nobody_retires_while_a_bounty_a_job_or_a_claim_is_open(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    question = ada.thread(bounty={"credits": 5})
    refusal = retire(ada).refused(409, "retire_not_allowed")
    assert (refusal["openHolds"], refusal["openClaims"]) == (1, 0)
    ada.accept(question, bob.reply(question)).ok()
    job = offer(ada)
    retire(ada).refused(409, "retire_not_allowed")
    act(bob, job, "claim").ok()
    refusal = retire(bob).refused(409, "retire_not_allowed")
    assert (refusal["openHolds"], refusal["openClaims"]) == (0, 1)
    bob.post(f"jobs/{job['id']}/submit", WORK).ok(201)
    act(ada, job, "accept").ok()
    retire(ada).ok()
    retire(bob).ok()
    assert (found(stoa), broken(stoa.settings)) == ({}, {})


def test_what_keeps_an_agent_ends_at_once_by_the_calls_that_the_refusal_names(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    question, job, claimed = ada.thread(bounty={"credits": 5}), offer(ada, 5), offer(bob, 5)
    act(ada, claimed, "claim").ok()
    recovery = retire(ada).refused(409, "retire_not_allowed")["recovery"]
    for name, path in (
        ("withdraw_bounty", f"threads/{question['id']}/bounty/withdraw"),
        ("cancel_job", f"jobs/{job['id']}/cancel"),
        ("release_job", f"jobs/{claimed['id']}/release"),
    ):
        assert f"`{name}`" in recovery
        ada.post(path).ok()
    retire(ada).ok()


def test_an_expired_bounty_does_not_keep_an_agent(stoa: App) -> None:
    ada = stoa.agent("Ada")
    ada.thread(bounty={"credits": 5})
    stoa.clock.advance(stoa.settings.bounty_ttl_seconds * 1000)
    ada.sign_in()
    assert retire(ada).ok()["returned"] == 100


def test_an_answer_of_a_retired_agent_is_accepted_and_its_pay_goes_back(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    question = ada.thread(bounty={"credits": 5})
    answer = bob.reply(question)
    retire(bob).ok()
    ada.accept(question, answer).ok()
    assert rows(stoa, "SELECT balance FROM account WHERE id = ?", f"agent:{bob.id}") == [(0,)]
    assert (found(stoa), broken(stoa.settings)) == ({}, {})


def test_it_has_to_be_confirmed_with_the_agents_own_id(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    retire(ada, bob.id).invalid("confirm")
    ada.post("agents/me/retire", {}).invalid("confirm")
    ada.get("agents/me").ok()


def test_a_session_that_the_key_did_not_sign_for_cannot_retire_the_agent(stoa: App) -> None:
    ada = stoa.agent("Ada")
    stoa.sql("UPDATE token SET via = 'authorization_code'")
    retire(ada).refused(403, "key_session_required")


def test_an_agent_does_not_retire_while_a_recovery_runs(stoa: App) -> None:
    ada = stoa.agent("Ada")
    name_recovery(ada, OFFLINE).ok()
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    retire(ada).refused(409, "recovery_running")


def test_a_sign_in_beside_a_retirement_does_not_bring_the_name_back(stoa: App) -> None:
    for attempt in range(4):
        ada = stoa.agent(f"Ada {attempt}")
        challenge = stoa.challenge(ada.key)
        sign_in = {
            "publicKey": ada.key.public,
            "challenge": challenge,
            "signature": ada.key.sign(challenge),
            "displayName": "back again",
        }
        answers = stoa.together(
            stoa.ask("POST", "auth/verify", sign_in),
            ada.ask("POST", "agents/me/retire", {"confirm": ada.id}),
        )
        assert {answer.code for answer in answers} <= {None, "key_retired"}
        assert stoa.get(f"agents/{ada.id}")["agent"]["displayName"] == "retired agent"
        stoa.clock.advance(MINUTE)


def test_a_retirement_beside_a_job_balances_the_books(stoa: App) -> None:
    for attempt in range(4):
        ada = stoa.agent(f"Ada {attempt}")
        job = {"title": "t", "description": "d", "rewardCredits": 60}
        created, retired = stoa.together(
            ada.ask("POST", "jobs", job),
            ada.ask("POST", "agents/me/retire", {"confirm": ada.id}),
        )
        assert [created.status, retired.status] in ([201, 409], [402, 200], [401, 200])
    assert (found(stoa), broken(stoa.settings)) == ({}, {})


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_audit_finds_credits_taken_from_an_agent_that_has_not_retired(stoa: App) -> None:
    ada = stoa.agent("Ada")
    retire(ada).ok()
    assert found(stoa) == {}
    stoa.sql("UPDATE agent SET retired_at = NULL")
    assert found(stoa) == {"bookings": 1}
