"""Records and receipts that the service signs, so that they can be shown to others."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.command import run_stoa_here
from tests.support.jobs import act, job_in

JOSE = {"Accept": "application/jose"}


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("APPLICATION/jose", "application/jose"),
        ("application/json, application/jose", "application/jose"),
        ("application/json;q=0.5, application/jose; q=0.9", "application/jose"),
        ("application/jose;q=0.5, application/json", "application/json"),
        ("application/jose;q=0", "application/json"),
        ("application/jose;q=0.000, */*", "application/json"),
        ("application/jose+json, text/html", "application/json"),
    ],
)
def test_a_record_comes_in_the_form_that_is_liked_best(
    stoa: App, ada: Agent, accept: str, kind: str
) -> None:
    answer = stoa.get(f"agents/{ada.id}/record", headers={"Accept": accept}).ok()
    assert answer.headers["content-type"] == kind


def decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


def claims(stoa: App, answer: Answer) -> Any:
    """What a signed answer says, once its signature was checked with the published key."""
    assert (answer.status, answer.headers["content-type"]) == (200, "application/jose")
    head, said, signature = answer.text.split(".")
    named = json.loads(decoded(head))
    [key] = stoa.get("/.well-known/stoa-keys.json").json["keys"]
    assert named == {"alg": "EdDSA", "kid": key["id"], "typ": "JWT"}
    public = VerifyKey(bytes.fromhex(key["publicKey"]))
    public.verify(f"{head}.{said}".encode(), decoded(signature))
    with pytest.raises(BadSignatureError):
        public.verify(f"{head}.{said}x".encode(), decoded(signature))
    return json.loads(decoded(said))


@pytest.mark.promise("C55")
def test_a_record_is_signed_with_the_key_of_the_service(stoa: App, ada: Agent, bob: Agent) -> None:
    job_in("COMPLETED", ada, bob)
    path = f"agents/{bob.id}/record"
    plain = stoa.get(path)
    for _ in range(2):
        said = claims(stoa, stoa.get(path, headers=JOSE))
        assert said == {
            "iss": stoa.settings.origin,
            "sub": bob.id,
            "iat": stoa.clock.now // 1000,
            "record": plain.json["record"],
        }
        assert plain.headers["vary"] == "Accept"
    assert "etag" not in stoa.get(path, headers=JOSE).headers
    stoa.get("agents/ag_01arz3ndektsv4rrffq69g5fav/record", headers=JOSE).refused(404, "not_found")
    unsigned = stoa.get(f"agents/{bob.id}", headers=JOSE)  # no such form of it exists
    assert unsigned.ok()["agent"]["id"] == bob.id


def test_a_receipt_is_read_by_who_acted_and_by_the_other_party(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy, job = stoa.agent("cy"), job_in("SUBMITTED", ada, bob)
    made = {
        "accept": (act(ada, job, "accept").ok()["receipt"], ada, bob),
        "create": (ada.post("jobs", {**NEW, "title": "Another"}).ok(201)["receipt"], ada, None),
    }
    thread = ada.thread()
    answered = bob.post(f"threads/{thread['id']}/replies", {"body": "So."}).ok(201)
    made["reply"] = (answered["receipt"], bob, ada)
    accepted = ada.accept(thread, answered["reply"]).ok()
    made["answer"] = (accepted["receipt"], ada, bob)
    work = job_in("CLAIMED", ada, bob)
    made["submit"] = (act(bob, work, "submit").ok(201)["receipt"], bob, ada)
    for name, (receipt, actor, other) in made.items():
        path = f"receipts/{receipt['id']}"
        for reader in filter(None, (actor, other)):
            assert reader.get(path).ok()["receipt"] == receipt, name
            said = claims(stoa, reader.get(path, headers={**reader.headers, **JOSE}))
            assert (said["sub"], said["receipt"]) == (receipt["id"], receipt)
        for stranger in (cy, *([] if other else [bob])):
            stranger.get(path).refused(404, "not_found")
        stoa.get(path).refused(401, "missing_bearer_token")


def test_what_is_said_of_an_answer_or_asked_about_a_job_has_another_party_too(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy, thread, job = stoa.agent("cy"), ada.thread(), ada.post("jobs", NEW).ok(201)["job"]
    outcomes = f"replies/{bob.reply(thread)['id']}/outcomes"
    said = cy.post(outcomes, {"result": "worked"}).ok(201)["receipt"]
    asked = cy.post(f"jobs/{job['id']}/messages", {"body": "Why?"}).ok(201)["receipt"]
    for receipt, other, stranger in ((said, bob, ada), (asked, ada, bob)):
        path = f"receipts/{receipt['id']}"
        for reader in (cy, other):
            assert reader.get(path).ok()["receipt"] == receipt
        stranger.get(path).refused(404, "not_found")


def test_a_receipt_stays_that_of_the_worker_who_was_chosen_then(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    cy, chosen = stoa.agent("cy"), {**NEW, "terms": {"assignment": "chosen"}}
    job, made = ada.post("jobs", chosen).ok(201)["job"], list[Any]()
    for worker in (bob, cy):
        act(worker, job, "apply", {"message": "Me."}).ok()
        made.append(act(ada, job, "assign", {"agentId": worker.id}).ok()["receipt"]["id"])
        stoa.clock.advance(1000)
        if worker is bob:
            act(bob, job, "release").ok()
    for receipt, worker, stranger in zip(made, (bob, cy), (cy, bob), strict=True):
        for reader in (ada, worker):
            reader.get(f"receipts/{receipt}").ok()
        stranger.get(f"receipts/{receipt}").refused(404, "not_found")


NEW = {"title": "A job", "description": "Do it well.", "rewardCredits": 1}


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_command_checks_a_signature_without_a_network(
    stoa: App, ada: Agent, tmp_path: Path
) -> None:
    signed = stoa.get(f"agents/{ada.id}/record", headers=JOSE).text
    (keys := tmp_path / "keys.json").write_text(stoa.get("/.well-known/stoa-keys.json").text)
    (file := tmp_path / "record.jose").write_text(signed)

    def verify() -> tuple[int, str, str]:
        done = run_stoa_here("verify", str(file), "--keys", str(keys))
        return done.code, done.out, done.err

    code, out, _ = verify()
    assert (code, json.loads(out)["record"]["agentId"]) == (0, ada.id)
    head, said, signature = signed.split(".")
    changed = decoded(said).replace(b'"paid":0', b'"paid":9')
    forged = urlsafe_b64encode(changed).rstrip(b"=").decode()
    none = urlsafe_b64encode(b'{"alg":"none","kid":"x"}').rstrip(b"=").decode()
    for text, why in (
        (f"{head}.{forged}.{signature}", "its signature is wrong"),
        (f"{head}.{said}.", "its signature is wrong"),
        (f"{none}.{said}.", "not signed with EdDSA"),
        ("ein.Datei", "no compact JWS"),
        ("a.b.c", "no base64url"),
    ):
        file.write_text(text)
        code, out, err = verify()
        assert (code, out, why in err) == (1, "", True), err
    file.write_text(signed)
    keys.write_text('{"keys": []}')
    assert "has no key" in verify()[2]
    keys.write_text("[]")
    code, _, err = verify()
    assert (code, f"cannot read {keys} as a saved /.well-known/stoa-keys.json: " in err) == (
        2,
        True,
    )
    file.unlink()
    code, _, err = verify()
    assert (code, f"cannot read {file} as a record or receipt" in err) == (2, True)
