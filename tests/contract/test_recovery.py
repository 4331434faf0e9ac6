"""Recovery: the recovery key outranks the current one, and nothing is spent while it runs."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR, MINUTE
from tests.support.database import query
from tests.support.faces import Face
from tests.support.jobs import WORK, new_job
from tests.support.key_changes import (
    chain,
    name_recovery,
    naming,
    recover,
    recovery,
    rotate,
    rotation,
    signed_text,
)
from tests.support.keys import Key
from tests.support.ledger import broken

OFFLINE = Key("the offline key")
NEW = Key("the new key")
DELAY = 72 * HOUR


def guarded(stoa: App, name: str = "Ada") -> Agent:
    """An agent with a recovery key."""
    agent = stoa.agent(name)
    name_recovery(agent, OFFLINE).ok()
    return agent


def recovering(stoa: App) -> Agent:
    """An agent whose recovery has just begun."""
    ada = guarded(stoa)
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    return ada


def pass_delay(stoa: App) -> None:
    """Let the delay pass; the server does not notice by itself here."""
    stoa.clock.advance(DELAY)


def sweep(stoa: App) -> None:
    """Let every process do what it does every 30 seconds."""
    for process in stoa.processes:
        stoa.run(process.upkeep.sweep())


def owner_of(stoa: App, key: Key) -> Any:
    """The id of the agent that signs in with this key."""
    return stoa.verify(key).ok()["agent"]["id"]


@pytest.mark.settings(limit_keys=2)
@pytest.mark.parametrize("engine", ["sqlite"])  # limits are counted in one process here
@pytest.mark.promise("K24")
def test_who_uses_up_the_changes_of_keys_keeps_no_recovery_from_beginning(stoa: App) -> None:
    ada = guarded(stoa)
    name_recovery(ada, Key("a thief's")).ok()
    name_recovery(ada, Key("another of the thief's")).refused(429, "rate_limited")
    rotate(ada, Key("the thief's next key")).refused(429, "rate_limited")
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    pass_delay(stoa)
    assert owner_of(stoa, NEW) == ada.id


# --- Naming a recovery key.


def test_the_first_recovery_key_is_in_force_at_once(stoa: App) -> None:
    ada = stoa.agent("Ada")
    assert ada.get("agents/me")["key"]["recovery"] is False
    answer = name_recovery(ada, OFFLINE).ok()
    assert answer["recoveryPublicKey"] == OFFLINE.public
    assert answer["inForceAt"] == answer["receipt"]["createdAt"]
    assert ada.get("agents/me")["key"]["recovery"] is True
    assert chain(stoa, ada.id)["recoveryKey"] == OFFLINE.public


@pytest.mark.promise("K11")
def test_a_replacement_of_the_recovery_key_is_in_force_after_the_delay(stoa: App) -> None:
    ada, other = guarded(stoa), Key("another offline key")
    name_recovery(ada, other).ok()
    assert chain(stoa, ada.id)["recoveryKey"] == OFFLINE.public
    recover(stoa, ada.id, other, NEW).refused(401, "signature_invalid")
    stoa.clock.advance(DELAY - 1)
    assert chain(stoa, ada.id)["recoveryKey"] == OFFLINE.public
    stoa.clock.advance(1)
    assert chain(stoa, ada.id)["recoveryKey"] == other.public
    recover(stoa, ada.id, OFFLINE, NEW).refused(401, "signature_invalid")
    recover(stoa, ada.id, other, NEW).ok()


def test_a_later_replacement_ends_one_that_waits(stoa: App) -> None:
    ada, thiefs, own = guarded(stoa), Key("thief's"), Key("own")
    name_recovery(ada, thiefs).ok()
    stoa.clock.advance(HOUR)
    ada.sign_in()
    name_recovery(ada, own).ok()
    stoa.clock.advance(DELAY - HOUR)
    assert chain(stoa, ada.id)["recoveryKey"] == OFFLINE.public
    stoa.clock.advance(HOUR)
    assert chain(stoa, ada.id)["recoveryKey"] == own.public
    assert [change["droppedAt"] is None for change in chain(stoa, ada.id)["changes"]] == [
        True,
        False,
        True,
    ]


def test_a_rotation_ends_a_replacement_that_waits(stoa: App) -> None:
    ada = guarded(stoa)
    name_recovery(ada, Key("thief's")).ok()
    rotate(ada, NEW).ok()
    pass_delay(stoa)
    assert chain(stoa, ada.id)["recoveryKey"] == OFFLINE.public


def test_the_recovery_key_is_named_by_the_current_key_alone(stoa: App) -> None:
    ada = stoa.agent("Ada")
    body = naming(stoa, ada.id, ada.key, OFFLINE)
    text = signed_text("rotate", ada.id, OFFLINE.public, body["challenge"])
    for signature in (
        ada.key.sign(body["challenge"]),
        ada.key.sign(text),
        OFFLINE.sign(signed_text("recovery", ada.id, OFFLINE.public, body["challenge"])),
    ):
        forged = {**body, "signature": signature}
        refused = ada.post("agents/me/recovery", forged).refused(401, "signature_invalid")
        assert "for recovery the recovery key in lower-case hex" in refused["recovery"]
    foreign = naming(stoa, ada.id, Key("thief"), OFFLINE)
    refused = ada.post("agents/me/recovery", foreign).refused(401, "challenge_invalid")
    assert "for the current one to name a recovery key" in refused["recovery"]
    ada.post("agents/me/recovery", body).ok()
    ada.post("agents/me/recovery", body).refused(401, "challenge_invalid")


def test_a_key_that_signs_in_is_no_recovery_key(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    for key in (ada.key, bob.key):
        name_recovery(ada, key).invalid("recoveryPublicKey")
    rotate(bob, Key("Bob's second")).ok()
    name_recovery(ada, bob.key).invalid("recoveryPublicKey")


# --- A recovery.


@pytest.mark.promise("K9")
def test_after_the_delay_the_new_key_is_in_force_and_the_old_one_retired(stoa: App) -> None:
    ada = guarded(stoa)
    begun = recover(stoa, ada.id, OFFLINE, NEW).ok()
    assert begun["agent"]["keyChangeAt"] == begun["keyChangeAt"]
    assert stoa.get(f"agents/{ada.id}")["agent"]["keyChangeAt"] == begun["keyChangeAt"]
    stoa.clock.advance(DELAY - 1)
    refusal = stoa.verify(NEW).refused(401, "key_pending")
    assert refusal["keyChangeAt"] == begun["keyChangeAt"]
    ada.sign_in()
    assert ada.get("agents/me")["sessions"][0]["id"]
    stoa.clock.advance(1)
    ada.get("agents/me").refused(401, "invalid_or_expired_token")
    stoa.verify(ada.key).refused(401, "key_retired")
    signed_in = stoa.verify(NEW).ok()
    assert signed_in["agent"]["id"] == ada.id
    assert "keyChangeAt" not in signed_in["agent"]
    assert [key["status"] for key in chain(stoa, ada.id)["keys"]] == ["retired", "current"]
    assert chain(stoa, ada.id)["keys"][1]["since"] == begun["keyChangeAt"]


@pytest.mark.parametrize("swept", [True, False])
def test_it_ends_without_being_asked_and_also_before_the_server_noticed(
    stoa: App, *, swept: bool
) -> None:
    ada = recovering(stoa)
    pass_delay(stoa)
    if swept:
        sweep(stoa)
    shown = stoa.get(f"agents/{ada.id}")["agent"]
    assert (shown["publicKey"], "keyChangeAt" in shown) == (NEW.public, False)
    stoa.verify(ada.key).refused(401, "key_retired")
    assert owner_of(stoa, NEW) == ada.id
    keys = [key["publicKey"] for key in chain(stoa, ada.id)["keys"]]
    assert keys == [ada.key.public, NEW.public]


def test_a_second_recovery_can_follow_the_first(stoa: App) -> None:
    ada = recovering(stoa)
    pass_delay(stoa)
    third = Key("third")
    recover(stoa, ada.id, OFFLINE, third).ok()
    assert stoa.verify(NEW).ok()["agent"]["keyChangeAt"]
    pass_delay(stoa)
    sweep(stoa)
    assert owner_of(stoa, third) == ada.id


@pytest.mark.settings(recovery_seconds=60)
def test_the_delay_is_the_operators(stoa: App) -> None:
    recovering(stoa)
    stoa.clock.advance(MINUTE)
    stoa.verify(NEW).ok()


def test_without_a_recovery_key_there_is_no_recovery(stoa: App) -> None:
    ada = stoa.agent("Ada")
    recover(stoa, ada.id, OFFLINE, NEW).refused(409, "no_recovery_key")


@pytest.mark.parametrize("member", ["signature", "newSignature"])
def test_a_recovery_is_signed_by_the_recovery_key_and_the_new_one(stoa: App, member: str) -> None:
    ada = guarded(stoa)
    body = recovery(stoa, ada.id, OFFLINE, NEW)
    text = signed_text("recover", ada.id, NEW.public, body["challenge"])
    for signature in (ada.key.sign(text), OFFLINE.sign(body["challenge"])):
        stoa.post("auth/recover", {**body, member: signature}).refused(401, "signature_invalid")
    stoa.post("auth/recover", body).ok()


@pytest.mark.parametrize("change", ["rotate", "recovery"])
def test_what_was_signed_for_another_change_recovers_nothing(stoa: App, change: str) -> None:
    ada = guarded(stoa)
    challenge = stoa.challenge(NEW)
    text = signed_text(change, ada.id, NEW.public, challenge)
    body = {
        "agentId": ada.id,
        "newPublicKey": NEW.public,
        "challenge": challenge,
        "signature": OFFLINE.sign(text),
        "newSignature": NEW.sign(text),
    }
    stoa.post("auth/recover", body).refused(401, "signature_invalid")


def test_a_recovery_of_one_agent_is_none_of_another(stoa: App) -> None:
    ada, bob = guarded(stoa), guarded(stoa, "Bob")
    body = recovery(stoa, ada.id, OFFLINE, NEW)
    stoa.post("auth/recover", {**body, "agentId": bob.id}).refused(401, "signature_invalid")


def test_the_new_key_is_one_that_no_agent_has_or_had(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    for key in (ada.key, bob.key, OFFLINE):
        recover(stoa, ada.id, OFFLINE, key).invalid("newPublicKey")
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    rotate(bob, NEW).invalid("newPublicKey")


# --- While it runs.


@pytest.mark.promise("K10")
def test_nothing_can_be_spent_or_promised_during_a_recovery(stoa: App, face: Face) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    question = ada.thread(bounty={"credits": 5})
    answer = bob.reply(question)
    job = ada.post("jobs", new_job(5)).ok(201)["job"]
    bob.post(f"jobs/{job['id']}/claim").ok()
    bob.post(f"jobs/{job['id']}/submit", WORK).ok(201)
    begun = recover(stoa, ada.id, OFFLINE, NEW).ok()
    balance = ada.get("credits/balance")["balance"]
    thread = {"title": "t", "body": "b", "bounty": {"credits": 1}}
    refused: list[Answer] = [
        face.call("create_thread", thread, ada),
        face.call("create_job", new_job(1), ada),
        face.call("accept_job", {"jobId": job["id"]}, ada),
        face.call("accept_reply", {"threadId": question["id"], "replyId": answer["id"]}, ada),
    ]
    for one in refused:
        one.refused(409, "recovery_running")
        assert (one["keyChangeAt"], one["agentId"]) == (begun["keyChangeAt"], ada.id)
    after = ada.get("credits/balance")["balance"]
    assert (after["available"], after["total"]) == (balance["available"], balance["total"])
    free = ada.thread()
    ada.accept(free, bob.reply(free)).ok()
    assert broken(stoa.settings) == {}


def test_no_text_is_withdrawn_during_a_recovery(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    texts = f"threads/{ada.thread()['id']}", f"replies/{ada.reply(bob.thread())['id']}"
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    for text in texts:
        ada.post(f"{text}/withdraw").refused(409, "recovery_running")


def test_what_is_refused_during_a_recovery_is_not_offered_to_its_agent(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    paying, free = ada.thread(bounty={"credits": 5}), ada.thread()
    for thread in (paying, free):
        bob.reply(thread)
    job = ada.post("jobs", new_job(5)).ok(201)["job"]

    def offered() -> tuple[list[list[str]], list[str]]:
        events = ada.get("inbox?kinds=reply.created").ok()["events"]
        read = ada.get(f"jobs/{job['id']}").ok()
        return [names(event) for event in events], names(read)

    told, own = offered()
    assert all("accept_reply" in one for one in told)
    assert "cancel_job" in own
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    told, own = offered()
    assert ["accept_reply" in one for one in told] == [False, True]
    assert "cancel_job" not in own


def names(answer: Any) -> list[str]:
    """The names of the next actions of an answer, or of an event in it."""
    return [action["action"] for action in answer["nextActions"]]


def test_the_keys_cannot_be_changed_during_a_recovery(stoa: App) -> None:
    ada = recovering(stoa)
    third = Key("third")
    calls: list[Callable[[], Answer]] = [
        lambda: rotate(ada, third),
        lambda: name_recovery(ada, third),
        lambda: recover(stoa, ada.id, OFFLINE, third),
    ]
    for call in calls:
        call().refused(409, "recovery_running")
    pass_delay(stoa)
    assert owner_of(stoa, NEW) == ada.id


@pytest.mark.promise("K12")
def test_a_recovery_ends_a_replacement_that_a_thief_began(stoa: App) -> None:
    ada = guarded(stoa)
    name_recovery(ada, Key("thief's")).ok()
    stoa.clock.advance(DELAY - 1)
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    pass_delay(stoa)
    assert chain(stoa, ada.id)["recoveryKey"] == OFFLINE.public
    assert owner_of(stoa, NEW) == ada.id


def test_a_session_of_a_recovery_ends_with_it(stoa: App) -> None:
    ada = recovering(stoa)
    stoa.clock.advance(DELAY - MINUTE)
    ada.sign_in()
    stoa.clock.advance(MINUTE - 1)
    ada.get("agents/me").ok()
    stoa.clock.advance(1)
    ada.get("agents/me").refused(401, "invalid_or_expired_token")


def submitted(creator: Agent, worker: Agent) -> str:
    """A job with submitted work; its id."""
    job = creator.post("jobs", new_job(5, deadlineHours=10)).ok(201)["job"]["id"]
    worker.post(f"jobs/{job}/claim").ok()
    worker.post(f"jobs/{job}/submit", WORK).ok(201)
    return job


def deadline(stoa: App, job: str) -> str:
    return stoa.get(f"jobs/{job}")["job"]["deadline"]


@pytest.mark.promise("K13")
def test_deadlines_of_submitted_work_and_of_bounties_wait(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    job = submitted(ada, bob)
    unclaimed = ada.post("jobs", new_job(5, deadlineHours=10)).ok(201)["job"]["id"]
    question = ada.thread(bounty={"credits": 5})
    answer = bob.reply(question)
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    stoa.clock.advance(DELAY)
    sweep(stoa)
    assert stoa.get(f"jobs/{unclaimed}")["job"]["status"] == "REFUNDED_EXPIRED"
    assert stoa.get(f"jobs/{job}")["job"]["status"] == "SUBMITTED"
    ada.key = NEW
    ada.sign_in()
    assert ada.post(f"jobs/{job}/accept").ok()["settlement"]["creditChanges"]
    assert ada.accept(question, answer).ok()["settlement"]["creditChanges"]
    assert broken(stoa.settings) == {}


@pytest.mark.promise("K31")
@pytest.mark.settings(limit_open_claims=1)
def test_of_chained_recoveries_the_first_alone_moves_a_deadline(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    job, question = submitted(ada, bob), ada.thread(bounty={"credits": 5})
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    pass_delay(stoa)
    bounty = stoa.get(f"threads/{question['id']}")["thread"]["bounty"]["expiresAt"]
    ends = deadline(stoa, job), bounty
    recover(stoa, ada.id, OFFLINE, Key("third")).ok()
    bounty = stoa.get(f"threads/{question['id']}")["thread"]["bounty"]["expiresAt"]
    assert (deadline(stoa, job), bounty) == ends
    bob.sign_in()
    claim = f"jobs/{stoa.agent('Cy').post('jobs', new_job(5)).ok(201)['job']['id']}/claim"
    bob.post(claim).refused(429, "claim_limit")
    pass_delay(stoa)
    sweep(stoa)
    assert stoa.get(f"jobs/{job}")["job"]["status"] == "REFUNDED_EXPIRED"
    bob.sign_in()
    bob.post(claim).ok()
    assert broken(stoa.settings) == {}


def test_the_deadline_of_work_submitted_during_a_recovery_waits_too(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    job = ada.post("jobs", new_job(5, deadlineHours=24)).ok(201)["job"]["id"]
    bob.post(f"jobs/{job}/claim").ok()
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    before = deadline(stoa, job)
    stoa.clock.advance(HOUR)
    bob.sign_in()
    bob.post(f"jobs/{job}/submit", WORK).ok(201)
    assert deadline(stoa, job) > before
    stoa.clock.advance(DELAY - HOUR)
    ada.key = NEW
    ada.sign_in()
    ada.post(f"jobs/{job}/accept").ok()
    assert broken(stoa.settings) == {}


@pytest.mark.parametrize("begins", ["before it is submitted", "while it is submitted"])
def test_the_deadline_of_work_that_is_rejected_and_submitted_again_waits_once(
    stoa: App, begins: str
) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    job = ada.post("jobs", new_job(5, deadlineHours=100)).ok(201)["job"]["id"]
    bob.post(f"jobs/{job}/claim").ok()
    if begins == "while it is submitted":
        bob.post(f"jobs/{job}/submit", WORK).ok(201)
        recover(stoa, ada.id, OFFLINE, NEW).ok()
    else:
        recover(stoa, ada.id, OFFLINE, NEW).ok()
        bob.post(f"jobs/{job}/submit", WORK).ok(201)
    waits_until = deadline(stoa, job)
    stoa.clock.advance(HOUR // 2)
    ada.post(f"jobs/{job}/reject", {"reasonCode": "incomplete"}).ok()
    stoa.clock.advance(HOUR // 4)
    again = bob.post(f"jobs/{job}/submit", WORK).ok(201)
    assert again["job"]["deadline"] == deadline(stoa, job) == waits_until
    assert ada.get("credits/balance")["balance"]["reserved"]["jobs"][0]["deadline"] == waits_until
    assert broken(stoa.settings) == {}


def test_the_deadline_of_work_that_was_rejected_before_a_recovery_waits(stoa: App) -> None:
    ada, bob = guarded(stoa), stoa.agent("Bob")
    job = submitted(ada, bob)
    ada.post(f"jobs/{job}/reject", {"reasonCode": "incomplete"}).ok()
    recover(stoa, ada.id, OFFLINE, NEW).ok()
    before = deadline(stoa, job)
    bob.post(f"jobs/{job}/submit", WORK).ok(201)
    assert deadline(stoa, job) > before


# --- At the same time.


def test_of_many_recoveries_at_once_one_begins(stoa: App) -> None:
    ada = guarded(stoa)
    news = [Key(f"new {number}") for number in range(8)]
    bodies = [recovery(stoa, ada.id, OFFLINE, new) for new in news]
    answers = stoa.together(*(stoa.ask("POST", "auth/recover", body) for body in bodies))
    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    [winner] = [new for new, answer in zip(news, answers, strict=True) if answer.status == 200]
    pass_delay(stoa)
    assert owner_of(stoa, winner) == ada.id


@pytest.mark.promise("K14")
def test_of_a_rotation_beside_a_recovery_the_recovery_wins(stoa: App) -> None:
    for attempt in range(4):
        ada = guarded(stoa, f"Ada {attempt}")
        thiefs, own = Key(f"thief's {attempt}"), Key(f"own {attempt}")
        stolen = rotation(stoa, ada.id, ada.key, thiefs)
        saved = recovery(stoa, ada.id, OFFLINE, own)
        calls = [
            ada.ask("POST", "auth/rotate", stolen),
            stoa.ask("POST", "auth/recover", saved),
        ]
        answers = stoa.together(*(calls if attempt % 2 else reversed(calls)))
        assert {answer.code for answer in answers} <= {None, "recovery_running"}
        pass_delay(stoa)
        assert owner_of(stoa, own) == ada.id
        assert own.public == chain(stoa, ada.id)["keys"][-1]["publicKey"]


def test_sign_ins_when_a_recovery_ends_put_it_in_force_once(stoa: App) -> None:
    ada = recovering(stoa)
    pass_delay(stoa)
    answers = stoa.together(
        *(stoa.ask("POST", "auth/verify", body) for body in sign_ins(stoa, NEW, 8))
    )
    assert [answer.ok()["agent"]["id"] for answer in answers] == [ada.id] * 8
    number = "SELECT key_number FROM agent WHERE id = ?"
    assert query(stoa.settings, number, ada.id) == [(2,)]


def sign_ins(stoa: App, key: Key, count: int) -> list[dict[str, Any]]:
    """So many bodies of sign-ins with a key."""
    challenges = [stoa.challenge(key) for _ in range(count)]
    return [
        {"publicKey": key.public, "challenge": one, "signature": key.sign(one)}
        for one in challenges
    ]
