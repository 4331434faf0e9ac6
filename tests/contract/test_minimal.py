"""Minimal answers to writes, asked for by `Prefer` or `view=lean`."""

from typing import Any

import msgspec
import pytest

from stoa.schemas.fields import example_id
from stoa.schemas.minimal import minimal
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import NOTHING, Agent, App
from tests.support.faces import Face

MINIMAL = {"Prefer": "return=minimal"}


def write(agent: Agent, path: str, body: Any = NOTHING, prefer: str = "return=minimal") -> Answer:
    return agent.post(path, body, headers={"Prefer": prefer})


@pytest.mark.promise("V3")
def test_a_write_is_answered_with_ids_and_names_alone_when_that_is_preferred(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    opened = write(ada, "threads", {"title": "Bread?", "body": "How?"}).ok(201)
    assert opened.headers["preference-applied"] == "return=minimal"
    assert opened.json.keys() == {"id", "status", "receiptId", "nextActions"}
    assert opened["status"] == "open"
    path = f"threads/{opened['id']}"
    assert stoa.get(path).ok()["thread"]["title"] == "Bread?"
    replied = write(bob, f"{path}/replies", {"body": "Like this.", "colour": 1}).ok(201)
    assert replied.json.keys() == {"id", "receiptId", "nextActions", "warnings"}
    accepted = write(ada, f"{path}/replies/{replied['id']}/accept").ok()
    assert (accepted["id"], accepted["status"]) == (opened["id"], "answered")
    assert accepted["nextActions"] == ["get_thread", "reply_to_thread"]


def test_the_steps_of_a_job_tell_its_status(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    job = jobs.offer(ada, 5)
    told = [
        write(bob, f"jobs/{job['id']}/claim").ok(),
        write(bob, f"jobs/{job['id']}/submit", {"body": "Done."}).ok(201),
        write(ada, f"jobs/{job['id']}/accept").ok(),
    ]
    assert [answer["status"] for answer in told] == ["CLAIMED", "SUBMITTED", "COMPLETED"]
    other = write(ada, f"jobs/{jobs.offer(ada, 5)['id']}/cancel").ok()
    assert (other["status"], other["cancelled"]) == ("REFUNDED_EXPIRED", True)


@pytest.mark.parametrize("query", ["", "?view=lean"])
def test_a_minimal_answer_says_amounts_with_decimals(stoa: App, query: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    job = jobs.offer(ada, 2.51)
    jobs.done(bob, job, "claim", "submit")
    path = f"jobs/{job['id']}/accept{query}"
    accepted = (ada.post(path) if query else write(ada, path)).ok()
    paid = {"amount": 2.51, "payeeAgentId": bob.id, "balance": 97.49}
    assert accepted["payment"].items() >= paid.items()
    thread = ada.thread()
    path = f"threads/{thread['id']}/replies/{bob.reply(thread)['id']}/accept{query}"
    accepted = (ada.post(path) if query else write(ada, path)).ok()
    assert (accepted["payment"]["balance"], accepted["status"]) == (97.49, "answered")


@pytest.mark.parametrize("query", ["", "?view=lean", "?dryRun=true&view=lean"])
def test_the_claim_of_who_was_chosen_has_a_minimal_answer(stoa: App, query: str) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    job = jobs.offer(ada, 2, terms={"assignment": "chosen"})
    jobs.act(bob, job, "apply", {"message": "I can."}).ok()
    jobs.act(ada, job, "assign", {"agentId": bob.id}).ok()
    path = f"jobs/{job['id']}/claim"
    short = (bob.post(f"{path}{query}") if query else write(bob, path)).ok()
    assert (short["id"], short["status"]) == (job["id"], "CLAIMED")
    receipts = {bob.post(path).ok()["receipt"]["id"] for _ in range(2)}
    assert len(receipts) == 1
    assert ("dryRun" in query) or receipts == {short["receiptId"]}


@pytest.mark.promise("V12")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_minimal_answer_says_what_ends_when_and_what_silence_means(stoa: App) -> None:
    ada, bob = stoa.agent("Ada"), stoa.agent("Bob")
    terms = {"claimHours": 2, "reviewHours": 24, "onSilence": "pay"}
    path = f"jobs/{jobs.offer(ada, 5, terms=terms)['id']}"
    claimed = write(bob, f"{path}/claim").ok()
    assert claimed["claimExpiresAt"] == "2027-01-15T10:00:00.000Z"
    done = write(bob, f"{path}/submit", {"body": "Done."}).ok(201)
    assert done["decideBy"] == "2027-01-16T08:00:00.000Z"
    assert done["note"].endswith("the work is accepted and pays you.")
    assert "claimExpiresAt" not in done
    chosen = jobs.offer(ada, 5, terms={"assignment": "chosen"})
    applied = write(bob, f"jobs/{chosen['id']}/apply", {"message": "I can."}).ok()
    assert applied["expiresAt"] == "2027-01-18T08:00:00.000Z"
    assert applied["nextActions"] == ["withdraw_application", "get_inbox"]
    assert "expiresAt" not in write(bob, f"jobs/{chosen['id']}/apply/withdraw").ok()


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_minimal_answer_names_similar_threads_but_what_is_stored_does_not(stoa: App) -> None:
    ada = stoa.agent("Ada")
    first = ada.thread("Sourdough starter smells of acetone", "What is wrong with it?")
    again = {"title": "Sourdough starter smells of acetone", "body": "Again."}
    for query in ("?dryRun=true", ""):
        told = write(ada, f"threads{query}", again).ok(201)
        assert told["similar"] == [{"id": first["id"], "title": first["title"]}]
    full = msgspec.json.encode(ada.post("threads", again).ok(201).json)
    assert b"acetone" in minimal(full)
    assert b"acetone" not in minimal(full, to_keep=True)


@pytest.mark.parametrize(
    "prefer",
    [
        "return=minimal",
        "respond-async, return=minimal",
        'Return="minimal"; foo=bar',
        "wait=10 , return = minimal",
    ],
)
def test_the_preference_is_read_as_its_rfc_says(stoa: App, prefer: str) -> None:
    answer = write(stoa.agent("Ada"), "threads", {"title": "A", "body": "B"}, prefer).ok(201)
    assert answer.headers["preference-applied"] == "return=minimal"
    assert "thread" not in answer


@pytest.mark.parametrize("prefer", ["return=representation", "minimal", "foo; return=minimal", ""])
def test_other_preferences_are_ignored(stoa: App, prefer: str) -> None:
    answer = write(stoa.agent("Ada"), "threads", {"title": "A", "body": "B"}, prefer).ok(201)
    assert "preference-applied" not in answer.headers
    assert answer["thread"]["title"] == "A"


def test_a_read_and_a_sign_in_apply_no_preference(stoa: App) -> None:
    ada = stoa.agent("Ada")
    assert "preference-applied" not in stoa.get("threads", headers=MINIMAL).ok().headers
    signed_in = stoa.verify(ada.key, headers=MINIMAL).ok()
    assert "preference-applied" not in signed_in.headers
    assert signed_in["token"]


def test_the_lean_view_of_a_write_is_the_minimal_answer(stoa: App, face: Face) -> None:
    ada = stoa.agent("Ada")
    wanted = {"title": "Bread?", "body": "How?"}
    if face.__class__.__name__ == "Rest":
        answer = ada.post("threads?view=lean", wanted).ok(201)
        assert "preference-applied" not in answer.headers
    else:
        answer = face.call("create_thread", {**wanted, "view": "lean"}, ada).ok(201)
    assert answer.json.keys() == {"id", "status", "receiptId", "nextActions"}


def test_a_wrong_view_of_a_write_is_named_and_nothing_is_written(stoa: App) -> None:
    ada = stoa.agent("Ada")
    ada.post("threads?view=thin", {"title": "", "body": "B"}).invalid("query.view", "title")
    ada.post("threads?veiw=lean", {"title": "A", "body": "B"}).invalid("query.veiw")
    assert stoa.get("threads").ok()["threads"] == []


def test_a_view_in_the_body_is_an_unknown_member(stoa: App) -> None:
    answer = stoa.agent("Ada").post("threads", {"title": "A", "body": "B", "view": "lean"}).ok(201)
    assert answer.warnings.keys() == {"view"}


@pytest.mark.promise("V4")
def test_a_write_that_is_sent_again_is_answered_in_the_form_that_is_asked_for(stoa: App) -> None:
    ada = stoa.agent("Ada")
    body, key = {"title": "A", "body": "B"}, {"Idempotency-Key": "once"}
    full = ada.post("threads", body, headers=key).ok(201)
    short = ada.post("threads", body, headers={**key, **MINIMAL}).ok(201)
    assert short["receiptId"] == full["receipt"]["id"]
    assert ada.post("threads?view=lean", body, headers=key).ok(201).json == short.json
    assert ada.post("threads", body, headers=key).ok(201).json == full.json
    assert len(stoa.get("threads").ok()["threads"]) == 1


def test_ending_sessions_has_a_minimal_answer_without_next_actions(stoa: App) -> None:
    answer = write(stoa.agent("Ada"), "auth/revoke").ok()
    assert answer["nextActions"] == []
    assert answer["id"].startswith("ses_")


def test_a_minimal_answer_is_made_of_the_json_of_the_full_one() -> None:
    job_id, receipt_id, agent_id = example_id("job"), example_id("rc"), example_id("ag")
    full = {
        "job": {"id": job_id, "status": "OPEN", "creatorAgentId": agent_id},
        "receipt": {
            "id": receipt_id,
            "action": "create_job",
            "resourceId": job_id,
            "agentId": agent_id,
        },
        "nextActions": [
            {"action": "get_job", "by": "anyone"},
            {"action": "claim_job", "by": "anyone"},
            {"action": "cancel_job", "by": "creator"},
            {"action": "submit_job", "by": "claimer"},
            {"action": "get_job", "by": "anyone"},
        ],
    }
    assert msgspec.json.decode(minimal(msgspec.json.encode(full))) == {
        "id": job_id,
        "status": "OPEN",
        "receiptId": receipt_id,
        "nextActions": ["get_job", "cancel_job"],
    }
