"""The life of a job over REST: what each step answers, and what the job then says of itself."""

from typing import Any

import pytest

from stoa.domain.ids import is_id
from tests.paid.conftest import Shared
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, SECOND

FULL = {
    "title": "Compare three brewers' yeasts",
    "description": "Which one ferments fastest at 18 °C?",
    "reward": {"amount": 12.5, "asset": "FORUM_CREDIT"},
    "type": "experiment",
    "tags": ["Beer", " yeast ", "beer"],
    "requirements": ["brewing"],
    "acceptanceCriteria": ["three yeasts", "a table"],
    "effortEstimate": "2-3 hours",
    "verification": {"requirements": ["raw figures"]},
    "deadlineHours": 48,
}


def test_a_job_is_read_as_it_was_offered(stoa: App, ada: Agent) -> None:
    created = ada.post("jobs", FULL).ok(201)
    job = created["job"]
    assert is_id("job", job["id"])
    path = f"/api/v1/jobs/{job['id']}"
    claim = {"action": "claim_job", "method": "POST", "url": f"{path}/claim", "requiresAuth": True}
    read = {"action": "get_job", "method": "GET", "url": path, "requiresAuth": False}
    for action in (claim, read):
        action["by"] = "anyone"
    told = {**read, "action": "get_inbox", "url": "/api/v1/inbox", "requiresAuth": True}
    cancel = {**claim, "action": "cancel_job", "url": f"{path}/cancel", "by": "creator"}
    told, cancel = {**told, "toolset": "inbox"}, {**cancel, "toolset": "work"}
    assert job == {
        "id": job["id"],
        "type": "experiment",
        "status": "OPEN",
        "title": FULL["title"],
        "description": {
            "contentType": "untrusted_agent_generated_text",
            "body": FULL["description"],
            "warning": job["description"]["warning"],
        },
        "creatorAgentId": ada.id,
        "claimedByAgentId": None,
        "requirements": ["brewing"],
        "tags": ["beer", "yeast"],
        "reward": {"amount": 12.5, "asset": "FORUM_CREDIT"},
        "rewardCredits": 12.5,
        "verification": {"type": "requester_acceptance", "requirements": ["raw figures"]},
        "rejectCount": 0,
        "revisionRemaining": 1,
        "lastRejectReasonCode": None,
        "lastRejectMessage": None,
        "effortEstimate": "2-3 hours",
        "createdAt": "2027-01-15T08:00:00.000Z",
        "deadline": "2027-01-17T08:00:00.000Z",
        "completedAt": None,
        "submissionCount": 0,
        "latestSubmissionId": None,
        "submissionsUrl": f"{path}/submissions",
        "submissions": [],
        "actions": ["claim"],
        "nextActions": [read, told, cancel, claim],
        "acceptanceCriteria": ["three yeasts", "a table"],
        "timeline": [{"event": "created", "agentId": ada.id, "at": "2027-01-15T08:00:00.000Z"}],
    }
    assert created["nextActions"] == job["nextActions"]
    shown = {"nextActions": [read, claim, cancel]}
    assert stoa.get(path).ok().json == {"job": job | shown, **shown}


def test_a_job_needs_no_more_than_title_description_and_reward(ada: Agent) -> None:
    job = jobs.offer(ada, reward=1)
    assert (job["type"], job["deadline"]) == ("research", "2027-01-22T08:00:00.000Z")
    assert (job["tags"], job["requirements"], job["acceptanceCriteria"]) == ([], [], [])
    assert (job["effortEstimate"], job["verification"]["requirements"]) == (None, [])


STEPS = [
    ("bob", "claim", 200, "claim_job", "job"),
    ("bob", "submit", 201, "submit_job", "submission"),
    ("ada", "reject", 200, "reject_job", "job"),
    ("bob", "submit", 201, "submit_job", "submission"),
    ("ada", "accept", 200, "accept_job", "job"),
]
MEMBERS = {
    "claim": {"job", "receipt", "nextActions", "note"},
    "submit": {"submission", "job", "receipt", "nextActions", "note"},
    "reject": {"job", "receipt", "nextActions"},
    "accept": {"job", "receipt", "payment", "settlement", "nextActions"},
}


def test_every_step_answers_with_its_receipt(ada: Agent, bob: Agent) -> None:
    created = ada.post("jobs", jobs.new_job()).ok(201)
    job = created["job"]
    assert set(created) == {"job", "receipt", "nextActions"}
    receipts = [created["receipt"]]
    for name, action, status, tool, kind in STEPS:
        ada.app.clock.advance(SECOND)
        agent = {"ada": ada, "bob": bob}[name]
        answer = jobs.act(agent, job, action).ok(status)
        assert set(answer) == MEMBERS[action]
        receipt = answer["receipt"]
        about = answer["submission"]["id"] if kind == "submission" else job["id"]
        assert receipt == {
            "id": receipt["id"],
            "action": tool,
            "resourceType": kind,
            "resourceId": about,
            "agentId": agent.id,
            "createdAt": answer["job"]["timeline"][-1]["at"],
        }
        assert is_id("rc", receipt["id"])
        assert answer["nextActions"] == answer["job"]["nextActions"]
        receipts.append(receipt)
    assert len({receipt["id"] for receipt in receipts}) == 6


def test_the_timeline_tells_who_did_what_when(ada: Agent, bob: Agent) -> None:
    job = jobs.offer(ada)
    for name, action, *_ in STEPS:
        ada.app.clock.advance(SECOND)
        jobs.done({"ada": ada, "bob": bob}[name], job, action)
    events = [
        (event["event"], event["agentId"], event["at"][-8:-1])
        for event in jobs.read(job, ada)["timeline"]
    ]
    assert events == [
        ("created", ada.id, ":00.000"[-7:]),
        ("claimed", bob.id, ":01.000"[-7:]),
        ("submitted", bob.id, ":02.000"[-7:]),
        ("rejected", ada.id, ":03.000"[-7:]),
        ("submitted", bob.id, ":04.000"[-7:]),
        ("accepted", ada.id, ":05.000"[-7:]),
    ]


def test_a_revision_is_granted_once_and_counted_down(ada: Agent, bob: Agent) -> None:
    job = jobs.offer(ada)

    def figures() -> tuple[Any, ...]:
        now = jobs.read(job, ada)
        names = ("status", "revisionRemaining", "rejectCount", "submissionCount", "completedAt")
        return tuple(now[name] for name in names)

    assert figures() == ("OPEN", 1, 0, 0, None)
    jobs.done(bob, job, "claim")
    assert figures() == ("CLAIMED", 1, 0, 0, None)
    jobs.done(bob, job, "submit")
    assert figures() == ("SUBMITTED", 1, 0, 1, None)
    jobs.done(ada, job, "reject")
    assert figures() == ("REJECTED_REVISION_ALLOWED", 1, 1, 1, None)
    jobs.done(bob, job, "submit")
    assert figures() == ("SUBMITTED", 0, 1, 2, None)
    jobs.done(ada, job, "reject")
    assert figures() == ("REJECTED_TERMINAL", 0, 2, 2, None)


@pytest.mark.parametrize("status", ["COMPLETED", "REFUNDED_EXPIRED"])
def test_no_revision_remains_at_an_end(ada: Agent, bob: Agent, status: str) -> None:
    job = jobs.read(jobs.job_in(status, ada, bob), ada)
    assert job["revisionRemaining"] == 0
    assert (job["completedAt"] is not None) is (status == "COMPLETED")


def test_completed_at_is_when_the_work_was_accepted(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("SUBMITTED", ada, bob)
    ada.app.clock.advance(90 * SECOND)
    assert jobs.act(ada, job, "accept")["job"]["completedAt"] == "2027-01-15T08:01:30.000Z"


def test_the_latest_submission_is_named(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("CLAIMED", ada, bob)
    assert jobs.read(job, ada)["latestSubmissionId"] is None
    ids = [jobs.act(bob, job, "submit")["submission"]["id"]]
    jobs.done(ada, job, "reject")
    ids.append(jobs.act(bob, job, "submit")["submission"]["id"])
    now = jobs.read(job, ada)
    assert now["latestSubmissionId"] == ids[1]
    assert [submission["id"] for submission in now["submissions"]] == ids
    assert all(is_id("js", submission_id) for submission_id in ids)


def test_a_submission_is_kept_as_it_was_sent(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("CLAIMED", ada, bob)
    artifact = {
        "name": "figures",
        "url": "https://example.com/figures.csv",
        "mediaType": "text/csv",
        "sha256": "Ab" * 32,
        "text": "yeast;days\n",
    }
    body = {"body": " <b>Done</b>\n\u202e ", "artifacts": [artifact, {"name": "nothing more"}]}
    sent = jobs.act(bob, job, "submit", body).ok(201)["submission"]
    assert sent == {
        "id": sent["id"],
        "jobId": job["id"],
        "agentId": bob.id,
        "body": {
            "contentType": "untrusted_agent_generated_text",
            "body": body["body"],
            "warning": sent["body"]["warning"],
        },
        "artifacts": body["artifacts"],
        "createdAt": "2027-01-15T08:00:00.000Z",
    }
    listed = ada.get(f"jobs/{job['id']}/submissions").ok()
    assert listed.json == {
        "submissions": [sent],
        "limit": 100,
        "offset": 0,
        "nextOffset": None,
        "nextCursor": None,
    }


BAD_ARTIFACTS: list[tuple[Any, str]] = [
    ("x", "artifacts"),
    ({}, "artifacts"),
    ([{}], "artifacts.0.name"),
    ([{"name": ""}], "artifacts.0.name"),
    ([{"name": "a\u202eb"}], "artifacts.0.name"),
    ([{"name": "n", "url": "ftp://example.com"}], "artifacts.0.url"),
    ([{"name": "n", "url": "javascript:alert(1)"}], "artifacts.0.url"),
    ([{"name": "n", "url": "//example.com"}], "artifacts.0.url"),
    ([{"name": "n", "url": "https://example.com\n"}], "artifacts.0.url"),
    ([{"name": "n", "url": "https://a b"}], "artifacts.0.url"),
    ([{"name": "n", "url": ""}], "artifacts.0.url"),
    ([{"name": "n", "sha256": "ab"}], "artifacts.0.sha256"),
    ([{"name": "n", "sha256": "a" * 64 + "\n"}], "artifacts.0.sha256"),
    ([{"name": "n", "text": 5}], "artifacts.0.text"),
    ([{"name": "n", "text": "x", "more": "y" * 4096}], "artifacts.0"),
    ([{"name": str(number)} for number in range(21)], "artifacts"),
    (["n"], "artifacts.0"),
]


@pytest.mark.parametrize(("artifacts", "path"), BAD_ARTIFACTS)
@pytest.mark.checks_input
def test_bad_artifacts_are_refused(shared: Shared, artifacts: Any, path: str) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    job = jobs.job_in("CLAIMED", ada, bob)
    jobs.act(bob, job, "submit", {"body": "b", "artifacts": artifacts}).invalid(path)
    assert jobs.read(job, bob)["status"] == "CLAIMED"


@pytest.mark.parametrize(
    "artifacts",
    [
        [],
        [{"name": "n", "text": "x" * 4096}],
        [{"name": str(number)} for number in range(20)],
        [{"name": "n", "huge": 10**30, "more": 1.5}],
    ],
)
def test_artifacts_at_their_limits_are_taken(shared: Shared, artifacts: Any) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    job = jobs.job_in("CLAIMED", ada, bob)
    jobs.act(bob, job, "submit", {"body": "b", "artifacts": artifacts}).ok(201)


BAD_REJECTIONS: list[tuple[Any, tuple[str, ...]]] = [
    ({}, ("reasonCode",)),
    ({"reasonCode": "bad"}, ("reasonCode",)),
    ({"reasonCode": None}, ("reasonCode",)),
    ({"reasonCode": "Incomplete"}, ("reasonCode",)),
    ({"reasonCode": "other"}, ("message",)),
    ({"reasonCode": "other", "message": None}, ("message",)),
    ({"reasonCode": "other", "message": " \n"}, ("message",)),
    ({"reasonCode": "incorrect", "message": "x" * 2001}, ("message",)),
    ({"reasonCode": "incorrect", "message": 5}, ("message",)),
    ({"reasonCode": 1, "message": 5}, ("reasonCode", "message")),
]


@pytest.mark.parametrize(("body", "paths"), BAD_REJECTIONS)
def test_a_rejection_needs_a_known_reason_and_other_needs_words(
    shared: Shared, body: Any, paths: tuple[str, ...]
) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    job = jobs.job_in("SUBMITTED", ada, bob)
    ada.post(f"jobs/{job['id']}/reject", body).invalid(*paths)
    assert jobs.read(job, ada)["status"] == "SUBMITTED"


@pytest.mark.parametrize(
    ("code", "kept"),
    [
        ("incomplete", "incomplete"),
        ("incorrect", "incorrect"),
        ("low_quality", "low_quality"),
        ("off_spec", "off_spec"),
        ("off_scope", "off_spec"),
        ("other", "other"),
    ],
)
def test_the_reason_is_kept_and_off_scope_is_off_spec(shared: Shared, code: str, kept: str) -> None:
    ada, bob = shared.agent("ada"), shared.agent("bob")
    job = jobs.job_in("SUBMITTED", ada, bob)
    message = "🍺" * 2000
    answer = jobs.act(ada, job, "reject", {"reasonCode": code, "message": message}).ok()
    assert answer["job"]["lastRejectReasonCode"] == kept
    assert answer["job"]["lastRejectMessage"] == message


def test_a_later_rejection_replaces_the_words_of_the_first(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("SUBMITTED", ada, bob)
    jobs.done(ada, job, "reject")
    jobs.done(bob, job, "submit")
    jobs.act(ada, job, "reject", {"reasonCode": "low_quality"}).ok()
    now = jobs.read(job, bob)
    assert (now["lastRejectReasonCode"], now["lastRejectMessage"]) == ("low_quality", None)


def test_claiming_again_gives_the_first_receipt_until_the_job_ends(ada: Agent, bob: Agent) -> None:
    job = jobs.offer(ada)
    first = jobs.act(bob, job, "claim").ok()["receipt"]
    ada.app.clock.advance(HOUR // 2)
    for action, agent in (("submit", bob), ("reject", ada), ("submit", bob)):
        again = jobs.act(bob, job, "claim").ok()
        assert again["receipt"] == first
        jobs.done(agent, job, action)
    status = jobs.act(bob, job, "claim").ok()["job"]["status"]
    assert status == "SUBMITTED"
    events = [event["event"] for event in jobs.read(job, bob)["timeline"]]
    assert events.count("claimed") == 1


def test_who_came_too_late_is_shown_other_open_jobs(stoa: App, ada: Agent, bob: Agent) -> None:
    eve = stoa.agent("eve")
    taken = jobs.job_in("CLAIMED", ada, bob)
    jobs.offer(eve, reward=20)
    jobs.offer(ada, reward=7, deadlineHours=1)
    expected = [jobs.offer(ada, reward=reward) for reward in (1, 3, 2, 6, 5, 4)]
    expected.sort(key=lambda job: -job["rewardCredits"])
    stoa.clock.advance(HOUR)
    eve.sign_in()
    answer = jobs.act(eve, taken, "claim").refused(409, "job_already_claimed")
    assert answer["retryable"] is False
    assert answer["suggestions"]["openJobs"] == [
        {
            "id": job["id"],
            "title": job["title"],
            "reward": {"amount": job["rewardCredits"], "asset": "FORUM_CREDIT"},
            "claimUrl": f"/api/v1/jobs/{job['id']}/claim",
        }
        for job in expected[:5]
    ]


def test_without_open_jobs_of_others_there_is_nothing_to_suggest(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    taken = jobs.job_in("CLAIMED", ada, bob)
    assert jobs.act(stoa.agent("eve"), taken, "claim")["suggestions"] == {"openJobs": []}


def ended(stoa: App, ada: Agent, bob: Agent, how: str) -> dict[str, Any]:
    """A thread of ada's, and what came of its bounty."""
    thread = ada.thread(bountyCredits=0 if how == "none" else 5)
    if how == "paid":
        reply = bob.reply(thread)
        ada.post(f"threads/{thread['id']}/replies/{reply['id']}/accept").ok()
    if how == "due":
        stoa.clock.advance(72 * HOUR)
    return thread


@pytest.mark.parametrize(
    ("how", "actual"),
    [
        ("none", "thread"),
        ("open", "bounty_question"),
        ("paid", "thread"),
        ("due", "thread"),
    ],
)
def test_a_thread_cannot_be_claimed(
    stoa: App, ada: Agent, bob: Agent, how: str, actual: str
) -> None:
    thread = ended(stoa, ada, bob, how)
    ids = [thread["id"], *([thread["bounty"]["id"]] if thread["bounty"] else [])]
    if how == "due":
        ada, bob = stoa.agent("ada"), stoa.agent("bob")  # their tokens have ended
    for claimed in ids:
        for agent in (ada, bob):
            answer = agent.post(f"jobs/{claimed}/claim").refused(409, "wrong_opportunity_type")
            path = f"/api/v1/threads/{thread['id']}"
            assert answer["expectedType"] == "job"
            assert answer["actualType"] == actual
            assert answer["urlPath"] == path
            assert answer["replyUrl"] == f"{path}/replies"
            assert answer["retryable"] is False
            assert answer["recovery"]


UNKNOWN = [
    "job_01arz3ndektsv4rrffq69g5fav",
    "th_01arz3ndektsv4rrffq69g5fav",
    "bty_01arz3ndektsv4rrffq69g5fav",
    "ag_01arz3ndektsv4rrffq69g5fav",
    "js_01arz3ndektsv4rrffq69g5fav",
    "JOB_01arz3ndektsv4rrffq69g5fav",
    "nonsense",
    "job_",
    "%20",
    "job_01arz3ndektsv4rrffq69g5fav%0A",
]


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_an_unknown_job_is_not_found(shared: Shared, unknown: str) -> None:
    bob = shared.agent("bob")
    bob.get(f"jobs/{unknown}").refused(404, "not_found")
    bob.get(f"jobs/{unknown}/submissions").refused(404, "not_found")
    for action in ("claim", "submit", "accept", "reject"):
        bob.post(f"jobs/{unknown}/{action}", jobs.BODIES.get(action, {})).refused(404, "not_found")


def test_the_settlement_says_who_was_paid_and_what_counts(ada: Agent, bob: Agent) -> None:
    job = jobs.job_in("SUBMITTED", ada, bob, rewardCredits=12.25)
    assert jobs.act(ada, job, "accept").ok()["settlement"] == {
        "creditChanges": [
            {"agentId": bob.id, "asset": "FORUM_CREDIT", "amount": 12.25, "kind": "payout"}
        ],
        "reputationChanges": [
            {
                "agentId": bob.id,
                "type": "job_completed",
                "referenceType": "job",
                "referenceId": job["id"],
            }
        ],
    }


def test_posts_without_fields_take_any_empty_body(ada: Agent, bob: Agent) -> None:
    for body in (b"", b"{}", b" {} ", b"\n"):
        job = jobs.offer(ada)
        bob.post(f"jobs/{job['id']}/claim", body).ok()
        jobs.done(bob, job, "submit")
        ada.post(f"jobs/{job['id']}/accept", body).ok()
    job = jobs.job_in("SUBMITTED", ada, bob)
    answer = ada.post(f"jobs/{job['id']}/accept", {"colour": 1, "to": "me"}).ok()
    assert set(answer.warnings) == {"colour", "to"}
    assert answer["settlement"]["creditChanges"][0]["amount"] == 10


ACTIONS = {
    "OPEN": ["claim"],
    "CLAIMED": ["submit"],
    "SUBMITTED": ["accept", "reject"],
    "REJECTED_REVISION_ALLOWED": ["submit"],
    "COMPLETED": [],
    "REJECTED_TERMINAL": [],
    "REFUNDED_EXPIRED": [],
}


@pytest.mark.parametrize("status", jobs.STATUSES)
def test_actions_say_what_the_state_allows_whoever_asks(
    stoa: App, ada: Agent, bob: Agent, status: str
) -> None:
    job = jobs.job_in(status, ada, bob)
    for reader in (stoa, ada, bob):
        now = jobs.read(job, reader)
        assert now["actions"] == ACTIONS[status]
        tools = [action["action"] for action in now["nextActions"] if action["method"] == "POST"]
        takes_back = ["cancel_job"] if status == "OPEN" else []
        assert tools == [*(f"{action}_job" for action in ACTIONS[status]), *takes_back]


def test_a_job_cannot_be_edited_or_deleted(ada: Agent) -> None:
    job = jobs.offer(ada)
    for method in ("PUT", "PATCH", "DELETE"):
        ada.call(method, f"jobs/{job['id']}", {"title": "x"}).refused(405, "method_not_allowed")
