"""A name that nearly is a known one is refused through every face, and null counts as absent."""

from typing import Any

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.faces import Face
from tests.support.keys import Key
from tests.support.mcp import Mcp

pytestmark = pytest.mark.checks_input

THREAD: dict[str, Any] = {"title": "t", "body": "b"}
JOB: dict[str, Any] = {"title": "t", "description": "d", "rewardCredits": 5}
ARTIFACT = {"name": "report"}


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {kept: value for kept, value in values.items() if kept != name}


NEAR: list[tuple[str, dict[str, Any], str, str]] = [
    ("create_thread", {**THREAD, "bounty_credits": 5}, "bounty_credits", "bountyCredits"),
    ("create_thread", {**THREAD, "Bounty": {"credits": 5}}, "Bounty", "bounty"),
    ("create_thread", {**THREAD, "bountyCreditz": 5}, "bountyCreditz", "bountyCredits"),
    ("create_thread", {**THREAD, "tag": ["a"]}, "tag", "tags"),
    ("create_thread", {**THREAD, "bounty": {"amount": 5}}, "bounty.amount", "credits"),
    ("create_thread", {**THREAD, "bounty": {"credits": 5, "Asset": "x"}}, "bounty.Asset", "asset"),
    ("create_thread", {"title": "t", "text": "b"}, "text", "body"),
    ("create_thread", {"titel": "t", "content": "b"}, "titel", "title"),
    ("create_job", {**JOB, "deadline_hours": 5}, "deadline_hours", "deadlineHours"),
    ("create_job", {**JOB, "deadlineHuors": 5}, "deadlineHuors", "deadlineHours"),
    ("create_job", {**without(JOB, "rewardCredits"), "bounty": {"amount": 5}}, "bounty", "reward"),
    ("create_job", {**without(JOB, "description"), "body": "d"}, "body", "description"),
    ("create_job", {**JOB, "assignment": "chosen"}, "assignment", "terms.assignment"),
    ("create_job", {**JOB, "offered_to": "ag_1"}, "offered_to", "terms.offeredTo"),
    ("create_job", {**JOB, "terms": {"reputation": 5}}, "terms.reputation", "requires.reputation"),
    ("create_job", {**JOB, "standing": 5}, "standing", "terms.requires.standing"),
    ("create_job", {**JOB, "terms": {"deadlineHours": 5}}, "terms.deadlineHours", "deadlineHours"),
    ("create_job", {**JOB, "terms": {"requires": {"tags": []}}}, "terms.requires.tags", "tags"),
    ("create_thread", {**THREAD, "bounty": {"credits": 5, "Tags": []}}, "bounty.Tags", "tags"),
    ("submit_job", {"body": "b", "artifacts": [ARTIFACT, {**ARTIFACT, "uri": "x"}]},
     "artifacts.1.uri", "url"),
    ("reply_to_thread", {"content": "b"}, "content", "body"),
    ("reply_to_thread", {"body": "b", "parent_reply_id": None}, "parent_reply_id", "parentReplyId"),
    ("reject_job", {"reason": "other"}, "reason", "reasonCode"),
    ("add_outcome", {"result": "did_not_work", "body": "It ends at once."}, "body", "note"),
    ("add_outcome", {"result": "worked", "description": "At once."}, "description", "note"),
    ("cancel_job", {"message": "It was done elsewhere."}, "message", "reason"),
]  # fmt: skip
IDS = {
    "add_outcome": {"replyId": "rp_01arz3ndektsv4rrffq69g5fav"},
    "cancel_job": {"jobId": "job_01arz3ndektsv4rrffq69g5fav"},
    "submit_job": {"jobId": "job_01arz3ndektsv4rrffq69g5fav"},
    "reject_job": {"jobId": "job_01arz3ndektsv4rrffq69g5fav"},
    "reply_to_thread": {"threadId": "th_01arz3ndektsv4rrffq69g5fav"},
}


@pytest.mark.promise("W23")
@pytest.mark.parametrize(("tool", "arguments", "path", "meant"), NEAR)
def test_a_member_that_nearly_is_a_known_one_is_refused_and_nothing_is_written(
    stoa: App, face: Face, alice: Agent, tool: str, arguments: dict[str, Any], path: str, meant: str
) -> None:
    answer = face.call(tool, {**IDS.get(tool, {}), **arguments}, alice).invalid()
    assert f"Did you mean `{meant}`?" in answer.issues[path]
    assert stoa.get("threads").ok()["threads"] == []
    assert stoa.get("jobs").ok()["jobs"] == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_webhook_is_not_made_for_all_kinds_where_some_were_meant(alice: Agent) -> None:
    for name in ("events", "event_types"):
        asked = {"url": "https://agent.example/hook", name: ["reply.created"]}
        assert "`kinds`?" in alice.post("webhooks", asked).invalid().issues[name]
    assert alice.get("webhooks").ok()["webhooks"] == []
    assert "`query`?" in alice.post("watches", {"q": "sqlite"}).invalid().issues["q"]


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "meant"),
    [
        ("search_threads", {"query": "sqlite"}, "query", "q"),
        ("search_threads", {"Q": "sqlite"}, "Q", "q"),
        ("search_threads", {"q": "sqlite", "tag": "a"}, "tag", "tags"),
        ("get_recent_threads", {"Limit": 5}, "Limit", "limit"),
        ("get_recent_threads", {"limitt": 5}, "limitt", "limit"),
        ("get_recent_threads", {"page": 2}, "page", "offset"),
        ("get_opportunities", {"min_reward": 5}, "min_reward", "minReward"),
        ("get_opportunities", {"maxReward": 5}, "maxReward", "minReward"),
    ],
)
def test_a_parameter_that_nearly_is_a_known_one_is_refused(
    stoa: App, face: Face, tool: str, arguments: dict[str, Any], name: str, meant: str
) -> None:
    answer = face.call(tool, arguments).invalid()
    (issue,) = answer["issues"]
    assert issue["path"].removeprefix("query.") == name
    assert issue["message"].startswith(f"Did you mean `{meant}`?")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_thread", {**THREAD, "priority": 5, "x.y": 1, "x" * 50_000: 1, "bounty": None}),
        ("create_thread", {**THREAD, "bounty": {"credits": 0, "zzz": 1}}),
        ("create_job", {**JOB, "visibility": "all"}),
        ("get_recent_threads", {"foo": "bar", "utm_source": "x"}),
    ],
)
def test_other_unknown_names_stay_warnings(
    stoa: App, face: Face, alice: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    answer = face.call(tool, arguments, alice)
    assert answer.status in (200, 201), answer.content
    assert answer.warnings


def test_a_missing_field_whose_misspelt_twin_is_there_is_told_once(
    face: Face, alice: Agent
) -> None:
    answer = face.call("create_thread", {"titel": "t", "Body": "b"}, alice).invalid("titel", "Body")
    assert len(answer["issues"]) == 2
    job = {"title": "t", "description": "d", "credits": 5}
    face.call("create_job", job, alice).invalid("credits")


def test_what_else_is_wrong_with_a_misspelt_member_is_told_as_well(
    face: Face, alice: Agent
) -> None:
    arguments = {"titel": 5, "body": "", "Tags": ["a,b"]}
    answer = face.call("create_thread", arguments, alice)
    answer.invalid("titel", "title", "body", "Tags", "tags.0")


def test_a_misspelt_twin_of_a_field_that_is_there_too_is_refused(face: Face, alice: Agent) -> None:
    answer = face.call("create_thread", {**THREAD, "text": "another"}, alice).invalid("text")
    assert "`body`" in answer.issues["text"]


def test_an_id_for_the_argument_of_a_tool_is_refused_with_the_name_of_the_id(stoa: App) -> None:
    mcp = Mcp(stoa)
    for tool, given, meant in (
        ("get_thread", {"id": "x"}, "threadId"),
        ("get_thread", {"thread_id": "x"}, "threadId"),
        ("get_job", {"id": "x"}, "jobId"),
        ("get_reply", {"id": "x"}, "replyId"),
        ("get_agent", {"agent": "x"}, "agentId"),
        ("get_thread", {"threadId": "x", "token": "y"}, "authorization"),
    ):
        body = mcp.call(tool, given).ok()["result"]["structuredContent"]
        assert [f"Did you mean `{meant}`?" in row["message"] for row in body["issues"]] == [True]


def test_an_id_beside_another_means_the_one_that_is_not_there(stoa: App, alice: Agent) -> None:
    arguments = {"threadId": "x", "id": "y", "authorization": f"Bearer {alice.token}"}
    body = Mcp(stoa).call("accept_reply", arguments).ok()["result"]["structuredContent"]
    assert "`replyId`" in body["issues"][0]["message"]


def test_a_field_of_the_path_is_not_meant_where_the_path_already_has_it(
    stoa: App, alice: Agent
) -> None:
    thread = alice.thread()
    assert stoa.get(f"threads/{thread['id']}?id=x").ok().warnings
    body = {"body": "b", "thread_id": thread["id"]}
    assert alice.post(f"threads/{thread['id']}/replies", body).ok(201).warnings


def test_a_near_name_is_refused_after_the_token_and_the_limits_are_checked(
    face: Face, stoa: App
) -> None:
    face.call("create_thread", {"titel": "t"}).refused(401, "missing_bearer_token")


def test_a_sign_in_tells_near_names_before_the_challenge_is_used(stoa: App) -> None:
    answer = stoa.verify(Key("bob"), {"display_name": "Bob"}).invalid("display_name")
    assert "`displayName`" in answer.issues["display_name"]


# --- Names that would change what is done.


@pytest.mark.promise("W63")
def test_a_wish_to_pay_in_part_or_for_other_work_is_refused_and_nothing_is_paid(
    stoa: App, face: Face, alice: Agent
) -> None:
    bob = stoa.agent("bob")
    job = jobs.job_in("SUBMITTED", alice, bob, reward=4)
    thread = alice.thread(bountyCredits=4)
    reply = bob.reply(thread)
    before = [one.get("credits/ledger").ok().json for one in (alice, bob)]
    accepts: list[tuple[str, dict[str, Any]]] = [
        ("accept_job", {"jobId": job["id"]}),
        ("accept_reply", {"threadId": thread["id"], "replyId": reply["id"]}),
    ]
    for tool, ids in accepts:
        for name in ("amount", "partial", "reward_credits", "percent", "tip", "ammount"):
            answer = face.call(tool, {**ids, name: 2}, alice).invalid(name)
            assert "is paid or nothing" in answer.issues[name]
    old = {"jobId": job["id"], "submission_id": job["latestSubmissionId"]}
    answer = face.call("accept_job", old, alice).invalid("submission_id")
    assert "the latest submission is accepted" in answer.issues["submission_id"]
    assert [one.get("credits/ledger").ok().json for one in (alice, bob)] == before
    assert jobs.read(job, alice)["status"] == "SUBMITTED"
    for tool, ids in accepts:
        assert face.call(tool, {**ids, "thanks": "Well done."}, alice).ok().warnings


def test_a_wish_to_pay_in_part_is_refused_in_a_query_and_a_dry_run(stoa: App, alice: Agent) -> None:
    job = jobs.job_in("SUBMITTED", alice, stoa.agent("bob"))
    accept = f"jobs/{job['id']}/accept"
    alice.post(f"{accept}?amount=2").invalid("query.amount")
    alice.post(f"{accept}?dryRun=true", {"amount": 2}).invalid("amount")
    arguments = {
        "jobId": job["id"],
        "partial": True,
        "dryRun": True,
        "authorization": f"Bearer {alice.token}",
    }
    body = Mcp(stoa).call("accept_job", arguments).ok()["result"]["structuredContent"]
    assert [issue["path"] for issue in body["issues"]] == ["partial"]
    assert jobs.read(job, alice)["status"] == "SUBMITTED"


@pytest.mark.parametrize("name", ["idempotencyKey", "idempotency_key"])
def test_an_idempotency_key_in_a_body_or_query_is_refused(alice: Agent, name: str) -> None:
    for path, body, place in (
        ("threads", {**THREAD, name: "one"}, name),
        (f"threads?{name}=one", THREAD, f"query.{name}"),
    ):
        answer = alice.post(path, body).invalid(place)
        assert "Did you mean `Idempotency-Key`?" in answer.issues[place]
    assert alice.get("threads").ok()["threads"] == []


# --- Null.


@pytest.mark.promise("W24")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_thread", {**THREAD, "asset": None, "tags": None, "bounty": None}),
        ("create_thread", {**THREAD, "bounty": {"credits": 5, "asset": None}}),
        ("create_job", {**JOB, "asset": None, "type": None, "tags": None, "requirements": None}),
        ("create_job", {**JOB, "acceptanceCriteria": None, "verification": {"requirements": None}}),
        ("create_job", {**without(JOB, "rewardCredits"), "reward": {"amount": 5, "asset": None}}),
    ],
)
def test_null_for_an_optional_field_counts_as_absent_at_every_depth(
    face: Face, alice: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    answer = face.call(tool, arguments, alice).ok(201)
    made = answer["thread"] if tool == "create_thread" else answer["job"]
    assert made["reward"]["asset"] == "FORUM_CREDIT"
    assert made["tags"] == []


def test_null_in_an_artifact_counts_as_absent(stoa: App, face: Face, alice: Agent) -> None:
    bob = stoa.agent("bob")
    job = face.call("create_job", JOB, alice).ok(201)["job"]
    face.call("claim_job", {"jobId": job["id"]}, bob).ok()
    artifact = {"name": "a", "url": None, "text": None, "sha256": None, "mediaType": None}
    work = {"jobId": job["id"], "body": "b", "artifacts": [artifact]}
    submitted = face.call("submit_job", work, bob).ok(201)["submission"]
    assert submitted["artifacts"] == [{"name": "a"}]


def test_null_for_a_required_field_or_in_a_list_is_refused(face: Face, alice: Agent) -> None:
    arguments = {"title": None, "body": "b", "tags": [None], "bounty": {"credits": None}}
    answer = face.call("create_thread", arguments, alice)
    answer.invalid("title", "tags.0", "bounty.credits")


def test_null_and_absent_are_one_call_for_an_idempotency_key(alice: Agent) -> None:
    headers = {"Idempotency-Key": "one"}
    first = alice.post("threads", {**THREAD, "asset": None}, headers=headers).ok(201)
    again = alice.post("threads", THREAD, headers=headers).ok(201)
    assert first["thread"]["id"] == again["thread"]["id"]
