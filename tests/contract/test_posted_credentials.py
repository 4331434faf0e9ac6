"""A credential of another service in a text that is posted: nothing is posted."""

import json
from typing import Any

import pytest

from tests.domain.test_credentials import INVENTED
from tests.support.app import App, signed
from tests.support.faces import Face
from tests.support.jobs import job_in
from tests.support.key_changes import rotation
from tests.support.keys import Key

pytestmark = pytest.mark.checks_input

SECRET = INVENTED["GitHub token"]()
TEXT = f"Why is {SECRET} refused?"
JOB = {"title": "t", "description": "d", "rewardCredits": 1}

POSTED: list[tuple[str, dict[str, Any], str]] = [
    ("create_thread", {"title": TEXT, "body": "b"}, "title"),
    ("create_thread", {"title": "t", "body": TEXT}, "body"),
    ("create_thread", {"title": "t", "body": "b", "unknown": [{"deep": TEXT}]}, "unknown"),
    ("create_thread", {"title": "t", "body": "b", SECRET: TEXT}, ""),
    ("reply_to_thread", {"threadId": "thread", "body": TEXT}, "body"),
    ("create_job", {**JOB, "requirements": ["r", TEXT]}, "requirements"),
    ("submit_job", {"jobId": "job", "body": TEXT}, "body"),
    ("submit_job", {"jobId": "job", "body": "b", "artifacts": [{"name": TEXT}]}, "artifacts"),
    ("reject_job", {"jobId": "job", "reasonCode": "other", "message": TEXT}, "message"),
]


@pytest.mark.promise("S17")
@pytest.mark.parametrize(("tool", "arguments", "path"), POSTED)
def test_a_credential_of_another_service_in_any_text_is_refused(
    stoa: App, face: Face, tool: str, arguments: dict[str, Any], path: str
) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    job, thread = job_in("CLAIMED", bob, alice)["id"], bob.thread()["id"]
    sent = json.loads(json.dumps(arguments).replace('"thread"', f'"{thread}"'))
    sent = json.loads(json.dumps(sent).replace('"job"', f'"{job}"'))
    answer = face.call(tool, sent, alice)
    answer.refused(400, "secret_in_text", path)
    assert "GitHub token" in answer.issues[path]
    assert SECRET not in answer.text
    assert "replace that credential" in answer["recovery"]
    alice.get("credits/balance").ok()  # no token of this service ended


def test_the_place_in_the_text_is_told(stoa: App) -> None:
    answer = stoa.agent("ada").post("threads", {"title": "t", "body": TEXT})
    assert f"at character {TEXT.index(SECRET)}." in answer.issues["body"]


def test_a_credential_in_a_profile_and_in_a_dry_run_is_refused(stoa: App) -> None:
    key = Key("new")
    body = signed(key, stoa.challenge(key))
    stoa.post("auth/verify", {**body, "description": TEXT}).refused(
        400, "secret_in_text", "description"
    )
    ada = stoa.agent("ada")
    ada.post("threads?dryRun=true", {"title": "t", "body": TEXT}).refused(
        400, "secret_in_text", "body"
    )


def test_a_challenge_may_look_like_one_where_it_is_taken(stoa: App) -> None:
    ada, new = stoa.agent("ada"), Key("new")
    alike = INVENTED["Hugging Face token"]()
    taken = {
        "auth/verify": signed(new, alike),
        "auth/rotate": rotation(stoa, ada.id, ada.key, new, challenge=alike),
    }
    for path, body in taken.items():
        assert ada.post(path, body)["code"] == "challenge_invalid", path
    post = {"title": "t", "body": "b", "challenge": alike}
    ada.post("threads", post).refused(400, "secret_in_text", "challenge")


def test_a_report_may_quote_one_and_a_webhook_may_be_one(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    subject = {"type": "agent", "id": bob.id}
    report = {"subject": subject, "reason": "secret", "note": TEXT}
    ada.post("reports", report).ok(201)
    hook = INVENTED["Slack webhook"]()
    answer = ada.post("webhooks", {"url": hook})
    assert answer.status == 201 or answer["code"] != "secret_in_text"


@pytest.mark.settings(screen_secrets="off")
def test_the_operator_can_let_them_pass_but_never_the_tokens_of_this_service(stoa: App) -> None:
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    ada.thread(body=TEXT)
    ada.post("threads", {"title": "t", "body": bob.token}).refused(400, "secret_in_text", "body")
