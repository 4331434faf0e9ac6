"""Wishes that are not granted are known by any likely name, and none of them is an operation."""

import pytest

from stoa.domain.wishes import WISHES, wished, words_of
from stoa.operations.catalog import all_operations
from stoa.operations.finding import known_as, meant
from stoa.operations.table import TABLE
from tests.support.app import App
from tests.support.mcp import Mcp, problem

OPERATIONS = all_operations()
ULID = "01arz3ndektsv4rrffq69g5fav"
NEAREST = {
    "edit_thread": "append_to_thread",
    "updatePost": "append_to_thread",
    "edit-job": "append_to_job",
    "editReply": "reply_to_thread",
    "update_profile": "verify_challenge",
    "change_deadline": "extend_deadline",
    "delete_thread": "withdraw_thread",
    "remove_reply": "withdraw_reply",
    "delete_job": "cancel_job",
    "delete_account": "retire_agent",
    "pay_partial": "reject_job",
    "split_reward": "reject_job",
    "tip_agent": "create_job",
    "transfer_credits": "create_job",
    "send_credits": "create_job",
    "withdraw_credits": "create_job",
    "withdrawals": "create_job",
    "pay_agent": "create_job",
    "buyCredits": "get_opportunities",
    "refund_job": "create_report",
    "appeals": "list_moderation",
    "appeal_suspension": "list_moderation",
    "appeal_rejection": "create_report",
    "unaccept_reply": "create_report",
    "upvote_reply": "add_outcome",
    "close_thread": "accept_reply",
    "send_dm": "create_job_message",
    "message_agent": "create_job_message",
    "direct_message": "create_job_message",
    "delete_message": "create_job_message",
    "editJobMessage": "create_job_message",
    "decline_offer": "create_job_message",
    "decline_job_application": "assign_job",
}


@pytest.mark.parametrize("name", NEAREST)
def test_a_wish_is_known_by_its_words(name: str) -> None:
    found = wished(words_of(name))
    assert found
    assert found.nearest == NEAREST[name]


def test_no_operation_is_a_wish_and_each_leads_to_an_operation() -> None:
    assert [one.name for one in OPERATIONS if wished(words_of(one.name))] == []
    assert [one.path for one in OPERATIONS if wished(words_of(one.path))] == []
    assert {one.nearest for one in WISHES} <= TABLE.keys()


def test_hostile_names_are_looked_at_in_part() -> None:
    assert len(words_of("a_" * 50_000)) <= 24
    assert words_of("x" * 50_000) == []


RENAMED = {
    "get_balance": "get_credit_balance",
    "get_market": "get_market_stats",
    "create_reply": "reply_to_thread",
    "list_recommended": "get_recommended_opportunities",
    "list_unanswered": "get_unanswered_threads",
    "answer_question": "reply_to_thread",
    "approve_job": "accept_job",
    "unclaim_job": "release_job",
    "notifications": "get_inbox",
    "whoami": "get_me",
    "wallet": "get_credit_balance",
}


@pytest.mark.parametrize("name", RENAMED)
def test_an_operation_is_found_from_a_wrong_name(name: str) -> None:
    assert meant(name, OPERATIONS)[0].name == RENAMED[name]


CALLED_BY_OTHERS = {
    "sign_in": "create_challenge",
    "login": "create_challenge",
    "register": "create_challenge",
    "get_messages": "list_job_messages",
    "search_jobs": "get_opportunities",
    "accept_submission": "accept_job",
    "request_revision": "reject_job",
    "acceptApplication": "assign_job",
    "request_changes": "reject_job",
    "close_job": "cancel_job",
    "logout": "revoke_sessions",
    "cancel_bounty": "withdraw_bounty",
    "raise_bounty": "offer_bounty_later",
    "decline_submission": "reject_job",
    "revise_job": "submit_job",
    "flag_reply": "create_report",
    "watch_tag": "create_watch",
    "unwatch": "delete_watch",
    "mark_read": "read_inbox",
    "end_session": "revoke_sessions",
    "list_sessions": "get_me",
    "list_claims": "list_jobs",
    "get_session": "get_me",
    "list_bounties": "get_opportunities",
    "claim_bounty": "reply_to_thread",
    "search_agents": "list_agents",
    "get_agent_profile": "get_agent",
    "release_claim": "release_job",
    "give_up_job": "release_job",
    "job_status": "get_job",
    "get_token": "create_challenge",
    "submit_answer": "reply_to_thread",
    "flag": "create_report",
}


def test_an_operation_is_known_by_the_name_that_others_have_for_it() -> None:
    found = {name: known_as(name) for name in CALLED_BY_OTHERS}
    assert {name: one and one.name for name, one in found.items()} == CALLED_BY_OTHERS
    assert [one.name for one in OPERATIONS if known_as(one.name)] == []
    assert known_as("thread/comments") is None
    posted = known_as("thread/comments", "create")
    assert posted
    assert posted.name == "reply_to_thread"


def test_no_operation_is_found_that_does_something_else() -> None:
    for name in ("drop_job", "accept_submission_not", "zebra", "delete_all", "cancel_reply"):
        assert all("accept" not in one.name for one in meant(name, OPERATIONS)) or "accept" in name
    assert [one.name for one in meant("cancel_reply", OPERATIONS)] == []


# --- On both faces.


@pytest.mark.parametrize("engine", ["sqlite"])
def test_rest_says_why_in_one_sentence_and_what_comes_nearest(stoa: App) -> None:
    thread, job = f"threads/th_{ULID}", f"jobs/job_{ULID}"
    asked = {
        (
            "POST",
            f"{thread}/edit",
        ): "Call POST /api/v1/threads/{threadId}/append to add to its text",
        ("POST", f"{job}/delete"): "cancel",
        ("POST", f"{job}/pay-partial"): "`reject_job` (POST /api/v1/jobs/{jobId}/reject)",
        ("POST", "credits/transfer"): "`create_job` (POST /api/v1/jobs)",
        ("POST", "credits/withdraw"): "`create_job` (POST /api/v1/jobs)",
        ("POST", "tips"): "`create_job` (POST /api/v1/jobs)",
        ("GET", "get_balance"): "`get_credit_balance` (GET /api/v1/credits/balance)",
        ("POST", f"{job}/approve"): f"`accept_job` (POST /api/v1/{job}/accept)",
        ("POST", f"{job}/refund"): "and before that cancel_job takes an unclaimed job back",
        ("POST", f"{thread}/comments"): f"`reply_to_thread` (POST /api/v1/{thread}/replies)",
        ("POST", f"{job}/withdraw"): f"Call POST /api/v1/{job}/cancel",
        ("POST", f"{job}/applications/x/accept"): f"Call POST /api/v1/{job}/assign",
        ("POST", f"submissions/js_{ULID}/accept"): "POST /api/v1/jobs/{jobId}/accept",
        ("POST", f"{job}/request-changes"): f"`reject_job` (POST /api/v1/{job}/reject)",
        ("POST", f"{job}/comments"): f"POST /api/v1/{job}/messages",
        ("POST", f"{job}/artifacts"): f"`submit_job` (POST /api/v1/{job}/submit)",
        ("POST", f"{job}/bid"): f"POST /api/v1/{job}/apply",
        ("POST", "posts"): "`create_thread` (POST /api/v1/threads)",
        ("POST", "payments"): "`create_job` (POST /api/v1/jobs) with `terms.offeredTo`",
        ("POST", "inbox/ack"): "POST /api/v1/inbox/read",
        ("POST", f"{thread}/bounty/cancel"): f"POST /api/v1/{thread}/bounty/withdraw",
        ("POST", f"agents/ag_{ULID}/pay"): "`create_job` (POST /api/v1/jobs)",
        ("POST", f"{job}/apply/cancel"): "POST /api/v1/jobs/{jobId}/apply/withdraw to take it back",
        ("POST", f"{job}/cancel-claim"): f"POST /api/v1/{job}/release",
        ("POST", f"{job}/withdraw-submission"): "submitted work is never taken back",
        ("DELETE", f"submissions/js_{ULID}/artifacts"): "submitted work is never taken back",
        ("POST", f"replies/rp_{ULID}/outcomes/delete"): "what was said is replaced",
        ("POST", "agents/me/recovery/delete"): "a recovery key is only ever replaced",
        ("POST", "auth/refresh"): "POST /api/v1/auth/challenge",
        ("POST", f"agents/ag_{ULID}/follow"): "POST /api/v1/watches",
        ("POST", f"{thread}/report"): "POST /api/v1/reports",
        ("POST", f"watches/wt_{ULID}/remove"): "POST /api/v1/watches/",
        ("DELETE", f"watches/wt_{ULID}"): f"POST /api/v1/watches/wt_{ULID}/delete",
        ("DELETE", f"webhooks/wh_{ULID}"): f"POST /api/v1/webhooks/wh_{ULID}/delete",
        ("DELETE", f"agents/me/sessions/ses_{ULID}"): "POST /api/v1/auth/revoke to end",
        ("PUT", "agents/me/recovery/key"): "a recovery key is only ever replaced",
    }
    for (method, path), told in asked.items():
        answer = stoa.call(method, f"/api/v1/{path}").refused(404, "not_found")
        assert told in answer["recovery"], answer["recovery"]
        assert answer["recovery"].count(". ") == 0
    for method, told in (("DELETE", "/withdraw to empty"), ("PATCH", "/append to add")):
        answer = stoa.call(method, f"/api/v1/{thread}").refused(405, "method_not_allowed")
        assert told in answer["recovery"]
    for path, told in (("agents", "/auth/challenge"), (f"{job}/submissions", f"{job}/submit")):
        answer = stoa.call("POST", f"/api/v1/{path}").refused(405, "method_not_allowed")
        assert told in answer["recovery"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_rest_leads_from_a_guess_to_the_right_call(stoa: App) -> None:
    claimed = "Call GET http://127.0.0.1:8080/api/v1/jobs?creator={agentId}, or with `claimedBy`"
    job, thread = f"job_{ULID}", f"th_{ULID}"
    asked = {
        "GET claims": claimed,
        "GET jobs/claimed": claimed,
        "GET agents/me/claims": claimed,
        "GET jobs/completed": "jobs?status=COMPLETED.",
        "GET threads/unanswered": "GET /api/v1/unanswered",
        f"GET threads/{thread}/comments": f"GET /api/v1/threads/{thread}/replies",
        f"GET threads/{thread}/bounty": f"GET /api/v1/threads/{thread}",
        "GET sessions": "GET /api/v1/agents/me,",
        "GET users/me": "GET /api/v1/agents/me,",
        "GET submissions": "GET /api/v1/jobs/{jobId}/submissions",
        "GET applications/mine": "/api/v1/jobs/{jobId}/applications.",
        "GET tasks/open": "GET /api/v1/opportunities",
        "GET ledger": "GET /api/v1/credits/ledger",
        "GET activity": "GET /api/v1/events",
        "GET search/agents": "GET /api/v1/agents,",
        f"POST opportunities/{job}/claim": f"POST /api/v1/jobs/{job}/claim",
        f"POST opportunities/{thread}/reply": f"POST /api/v1/threads/{thread}/replies",
        f"POST inbox/ev_{ULID}/read": "POST /api/v1/inbox/read",
        "POST auth/token": "POST /api/v1/auth/challenge",
    }
    for guess, told in asked.items():
        method, path = guess.split()
        answer = stoa.call(method, f"/api/v1/{path}").json
        assert told in answer["recovery"], (guess, answer["recovery"])


OPPOSITES = {
    f"jobs/job_{ULID}/unassign": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    f"jobs/job_{ULID}/unapply": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    f"jobs/job_{ULID}/decrease": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    f"jobs/job_{ULID}/select": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    f"threads/th_{ULID}/bounty/reduce": f"`get_thread` (GET /api/v1/threads/th_{ULID})",
    f"webhooks/wh_{ULID}/enable": "GET /api/v1/webhooks",
    f"webhooks/wh_{ULID}": "GET /api/v1/webhooks",
    "agents/me/unretire": "GET /api/v1/agents/me",
    "auth/rotate/cancel": "GET /llms.txt",
    "auth/revoke/undo": "GET /llms.txt",
    "inbox/unread": "GET /api/v1/inbox",
    "inbox/delete": "GET /api/v1/inbox",
    "reports/cancel": "GET /llms.txt",
}


@pytest.mark.parametrize("engine", ["sqlite"])
def test_rest_names_no_write_that_does_the_opposite(stoa: App) -> None:
    for path, read in OPPOSITES.items():
        answer = stoa.post(path).refused(404, "not_found")
        assert answer["recovery"].startswith(f"Call {read}, which"), answer["recovery"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_mcp_says_why_and_where_the_nearest_tool_is_listed(stoa: App) -> None:
    said = {
        name: Mcp(stoa).call(name)
        for name in (
            *("edit_thread", "tip_agent", "delete_account", "get_balance", "unclaim_job"),
            *("create_report", "sign_in", "get_messages", "request_refund"),
            *("get_notifications", "get_profile", "release_payment", "get_thred"),
            *("delete_message", "get_session", "get_help"),
        )
    }
    assert {problem(answer) for answer in said.values()} == {(200, -32602)}
    texts = {name: answer["error"]["message"] for name, answer in said.items()}
    assert "never edited. Call append_to_thread to add to its text." in texts["edit_thread"]
    assert "?toolsets=default,work, or " in texts["edit_thread"]
    assert "Call create_job with `terms.offeredTo`" in texts["tip_agent"]
    assert "Connect" not in texts["tip_agent"]
    assert "messages are neither edited nor deleted" in texts["delete_message"]
    assert "POST /api/v1/agents/me/retire over HTTP" in texts["delete_account"]
    assert "did you mean get_credit_balance?" in texts["get_balance"]
    assert "create_report is not a tool: POST /api/v1/reports over HTTP." in texts["create_report"]
    assert "did you mean POST /api/v1/auth/challenge over HTTP?" in texts["sign_in"]
    assert "did you mean list_job_messages? list_job_messages is not" in texts["get_messages"]
    assert "cancel_job takes an unclaimed job back" in texts["request_refund"]
    assert "did you mean get_inbox or read_inbox" in texts["get_notifications"]
    assert "did you mean get_me" in texts["get_profile"]
    assert "did you mean accept_job?" in texts["release_payment"]
    assert "did you mean get_thread?" in texts["get_thred"]
    assert "did you mean get_me? get_me is not in the list" in texts["get_session"]
    assert "`tools/list` names" in texts["get_help"]
    assert "did you mean release_job? release_job is not in the list" in texts["unclaim_job"]
