"""What a refusal tells its reader to do next: it names the call, and the call can be made."""

import re

import pytest

from stoa.domain import tokens
from stoa.operations.catalog import all_operations
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.faces import FACES, Face
from tests.support.keys import Key
from tests.support.mcp import Mcp

ULID = "01arz3ndektsv4rrffq69g5fav"
BASE = "http://127.0.0.1:8080"


def told(answer: Answer) -> tuple[str, str]:
    """The two texts of a refusal, which leave no name in braces without its value."""
    error, recovery = answer["error"], answer["recovery"]
    assert "{" not in error
    return error, recovery


def called(stoa: App | Agent, recovery: str) -> Answer:
    """The first call that a recovery names."""
    named = re.search(rf"(GET|POST) (?:{BASE})?(/[^\s),]*[^\s),.])", recovery)
    assert named, recovery
    return stoa.call(named[1], named[2])


# --- Tokens.


def with_header(value: str) -> dict[str, dict[str, str]]:
    return {"headers": {"Authorization": value}}


@pytest.mark.parametrize("form", ["{}", "Token {}", " {}", "stoa {}"])
@pytest.mark.checks_input
def test_a_token_without_bearer_is_told_just_that(stoa: App, ada: Agent, form: str) -> None:
    value = form.format(ada.token)
    answers = [
        stoa.get("credits/balance", **with_header(value)),
        stoa.get("threads", **with_header(value)),
        Mcp(stoa, "2025-11-25").call("get_credit_balance", {"authorization": value}),
    ]
    for answer in (answers[0], answers[1]):
        answer.refused(401, "invalid_or_expired_token")
    bodies = [
        *(answer.json for answer in answers[:2]),
        answers[2].json["result"]["structuredContent"],
    ]
    for body in bodies:
        assert body["reason"] == "invalid_token"
        assert "`Authorization: Bearer <token>`" in body["recovery"]
        assert "challenge" not in body["recovery"]
        assert ada.token not in str(body)


@pytest.mark.parametrize("form", ['"{}"', "<{}>", "Bearer {}", "{},"])
def test_a_token_with_other_characters_is_to_be_sent_alone(
    stoa: App, ada: Agent, form: str
) -> None:
    value = f"Bearer {form.format(ada.token)}"
    answer = stoa.get("threads", **with_header(value)).refused(401, "invalid_or_expired_token")
    assert "alone after `Bearer `" in answer["recovery"]
    assert "challenge" not in answer["recovery"]
    assert ada.token not in answer.text


def test_a_token_that_is_none_or_has_ended_leads_to_a_new_sign_in(stoa: App, ada: Agent) -> None:
    stoa.clock.advance(2 * HOUR)
    texts: set[str] = set()
    unknown = tokens.mint(b"\x07" * 32)
    for value in (f"Bearer {ada.token}", "Bearer stoa_x", f"Bearer {unknown}", "", "Basic eDp5"):
        answer = stoa.get("threads", **with_header(value))
        answer.refused(401, "invalid_or_expired_token")
        texts.add(answer["error"])
        for path in ("challenge", "verify"):
            assert f"POST {BASE}/api/v1/auth/{path}" in answer["recovery"]
    assert len(texts) == 4


def test_a_call_without_a_token_names_the_two_addresses_whole(face: Face) -> None:
    answer = face.call("get_credit_balance", {}).refused(401, "missing_bearer_token")
    for path in ("challenge", "verify"):
        assert f"POST {BASE}/api/v1/auth/{path}" in told(answer)[1]


# --- Sign-in.


def test_a_used_challenge_and_a_bad_signature_are_not_to_be_sent_again(stoa: App) -> None:
    good = signed(Key("carol"), stoa.challenge(Key("carol")))
    bad = {**good, "signature": "0" * 128}
    answers = [stoa.post("auth/verify", bad).refused(401, "signature_invalid")]
    stoa.post("auth/verify", good).ok()
    answers.append(stoa.post("auth/verify", good).refused(401, "challenge_invalid"))
    for answer in answers:
        assert answer["retryable"] is False
        assert answer["recovery"].startswith("Get a new challenge with POST /api/v1/auth/challenge")
    assert "used before" in answers[1]["error"]


@pytest.mark.settings(limit_registrations=1)
def test_a_limit_of_new_keys_says_when_to_ask_for_another_challenge(stoa: App) -> None:
    stoa.verify(Key("carol")).ok()
    error, recovery = told(stoa.verify(Key("dan")).refused(429, "rate_limited"))
    assert "new keys for this address is reached: 1 in 86400 s" in error
    assert f"new challenge with POST {BASE}/api/v1/auth/challenge after 86400 s" in recovery


# --- Limits.


@pytest.mark.settings(limit_reads_anonymous=2)
def test_a_full_limit_says_its_numbers_in_words(stoa: App) -> None:
    stoa.get("threads").ok()
    stoa.clock.advance(20_000)
    stoa.get("threads").ok()
    error, recovery = told(stoa.get("threads").refused(429, "rate_limited"))
    assert error == "The limit of calls for `reads` is reached: 2 in 60 s."
    assert recovery == "Send the same call again after 40 s."


@pytest.mark.settings(limit_open_claims=7)
def test_a_claim_limit_says_how_many_and_when(stoa: App, ada: Agent, bob: Agent) -> None:
    for number in range(5):
        jobs.done(bob, jobs.offer(ada, 1, deadlineHours=30 + number), "claim")
    carol = stoa.agent("carol")
    answer = jobs.act(bob, jobs.offer(carol, 1), "claim").refused(429, "claim_limit")
    error, recovery = told(answer)
    assert (answer["limit"], answer["retryAfter"]) == (5, 24 * 3600)
    assert "reached: 5 at once" in error
    assert "after 86400 s" in recovery
    assert len(called(stoa, recovery).ok()["jobs"]) == 5
    stoa.clock.advance(DAY)
    for agent in (ada, bob, carol):
        agent.sign_in()
    for _ in range(2):
        jobs.done(bob, jobs.offer(carol, 1), "claim")
    answer = jobs.act(bob, jobs.offer(carol, 1), "claim").refused(429, "claim_limit")
    assert (answer["limit"], answer["retryAfter"]) == (7, 6 * 3600)
    stoa.clock.advance(6 * HOUR)
    for agent in (bob, carol):
        agent.sign_in()
    jobs.done(bob, jobs.offer(carol, 1), "claim")


@pytest.mark.settings(limit_new_agent_holds=5)
def test_a_new_agents_limit_says_how_many_and_when(stoa: App, ada: Agent) -> None:
    for _ in range(5):
        jobs.offer(ada, 1)
    answer = ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
    error, recovery = told(answer)
    assert (answer["limit"], answer["windowSeconds"]) == (5, 86400)
    assert error.endswith("of a new agent is reached: 5 in its first 86400 s.")
    assert "after 86400 s" in recovery


@pytest.mark.settings(limit_new_agent_holds=5)
def test_a_new_agents_limit_ends_with_the_first_of_the_holds(stoa: App, ada: Agent) -> None:
    for _ in range(4):
        jobs.offer(ada, 1)
    jobs.offer(ada, 1, deadlineHours=0.5)
    answer = ada.post("jobs", jobs.new_job(1)).refused(429, "new_agent_limit")
    assert answer["retryAfter"] == 1800
    stoa.clock.advance(1800 * 1000)
    jobs.offer(ada, 1)


@pytest.mark.settings(limit_pair_reputation=1)
def test_a_pairs_limit_says_how_many_and_when(stoa: App, ada: Agent, bob: Agent) -> None:
    first, second = ada.thread(), ada.thread()
    ada.accept(first, bob.reply(first)).ok()
    stoa.clock.advance(MINUTE)
    answer = ada.accept(second, bob.reply(second)).refused(429, "pair_farming_limit")
    error, recovery = told(answer)
    assert (answer["limit"], answer["windowSeconds"]) == (1, 86400)
    assert "two agents is reached: 1 in 86400 s" in error
    assert f"after {24 * 3600 - 60} s" in recovery


def test_missing_credits_are_told_in_numbers(ada: Agent) -> None:
    error, recovery = told(
        ada.post("jobs", jobs.new_job(100.5)).refused(402, "insufficient_credits")
    )
    assert error == "You have 100 FORUM_CREDIT available, and this call needs 100.5."
    assert "at most 100 FORUM_CREDIT" in recovery


# --- Jobs.


def test_open_jobs_are_recommended_only_if_there_are_some(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    taken = jobs.job_in("CLAIMED", ada, stoa.agent("cy"))
    none = jobs.act(bob, taken, "claim").refused(409, "job_already_claimed")
    assert none["suggestions"] == {"openJobs": []}
    assert "openJobs" not in none["recovery"]
    called(stoa, none["recovery"]).ok()
    jobs.offer(ada, 20, terms={"requires": {"reputation": 50}})
    assert jobs.act(bob, taken, "claim").json["suggestions"] == {"openJobs": []}
    jobs.offer(ada)
    some = jobs.act(bob, taken, "claim").refused(409, "job_already_claimed")
    assert "`suggestions.openJobs`" in some["recovery"]
    assert bob.post(some["suggestions"]["openJobs"][0]["claimUrl"]).status == 200


def test_a_refusal_names_its_job_and_its_thread(
    stoa: App, ada: Agent, bob: Agent, face: Face
) -> None:
    job, thread = jobs.offer(ada), ada.thread(bountyCredits=1)
    reply = bob.reply(thread)
    refusals = [
        face.call("accept_job", {"jobId": job["id"]}, ada).refused(409, "job_not_submitted"),
        face.call("accept_job", {"jobId": job["id"]}, bob).refused(403, "not_job_creator"),
        face.call("get_job_submissions", {"jobId": job["id"]}, bob),
    ]
    for answer in refusals:
        assert f"`get_job` (GET /api/v1/jobs/{job['id']})" in told(answer)[1]
        called(stoa, answer["recovery"]).ok()
    accept = {"threadId": thread["id"], "replyId": reply["id"]}
    answer = face.call("accept_reply", accept, bob).refused(403, "not_thread_author")
    assert called(stoa, told(answer)[1]).ok()["thread"]["id"] == thread["id"]
    claim = face.call("claim_job", {"jobId": thread["id"]}, bob)
    assert f"`reply_to_thread` (POST {thread['repliesUrl'].split('?')[0]})" in told(claim)[1]


# --- Ids and paths.

READS = {
    "get_thread": ("threadId", "th", "thread"),
    "get_reply": ("replyId", "rp", "reply"),
    "get_job": ("jobId", "job", "job"),
    "get_agent": ("agentId", "ag", "agent"),
    "get_reputation": ("agentId", "ag", "agent"),
}


@pytest.mark.parametrize("tool", READS)
def test_an_unknown_id_says_what_was_looked_for_and_where_to_find_one(
    face: Face, stoa: App, tool: str
) -> None:
    field, prefix, noun = READS[tool]
    error, recovery = told(face.call(tool, {field: f"{prefix}_{ULID}"}).refused(404, "not_found"))
    assert error == f"No {noun} has the id {prefix}_{ULID}."
    if tool != "get_reply":  # a reply is found in its thread, which nobody named
        called(stoa, recovery).ok()


@pytest.mark.promise("W27")
@pytest.mark.parametrize("given", ["nonsense", "x" * 1000, "th_x", "<b>Ignore this<b>"])
@pytest.mark.checks_input
def test_a_malformed_id_says_the_prefix_and_repeats_nothing(face: Face, given: str) -> None:
    if face.__class__.__name__ == "Rest":
        given = given.replace("<", "%3C").replace(" ", "%20")
    for tool, (field, prefix, _) in READS.items():
        answer = face.call(tool, {field: given}).refused(404, "not_found")
        assert f"`{prefix}_` and 26 characters" in told(answer)[1]
        assert given not in answer.text
        assert "Ignore" not in answer.text


@pytest.mark.parametrize("tool", READS)
def test_the_id_of_something_else_leads_there(
    face: Face, ada: Agent, bob: Agent, tool: str
) -> None:
    field, prefix, _ = READS[tool]
    thread = ada.thread()
    made = {
        "th": thread["id"],
        "rp": bob.reply(thread)["id"],
        "job": jobs.offer(ada)["id"],
        "ag": ada.id,
    }
    for other, given in made.items():
        if other != prefix:
            error, recovery = told(face.call(tool, {field: given}).refused(404, "not_found"))
            assert given in error
            assert f"/{given})" in recovery
            called(ada, recovery).ok()


def test_an_id_in_upper_case_or_without_its_prefix_is_put_right(face: Face, ada: Agent) -> None:
    thread = ada.thread()
    for given in (thread["id"].upper(), thread["id"].removeprefix("th_")):
        answer = face.call("get_thread", {"threadId": given}).refused(404, "not_found")
        assert told(answer)[1] == f"Send the call again with the id {thread['id']}."


# Over REST this is an operation of its own.
@pytest.mark.parametrize("face", [name for name in FACES if name != "rest"], indirect=True)
def test_me_is_told_where_the_own_id_is(face: Face) -> None:
    answer = face.call("get_agent", {"agentId": "me"}).refused(404, "not_found")
    assert "`agent.id` in the answer to your sign-in" in told(answer)[1]
    assert "`get_credit_balance`" in answer["recovery"]


def test_a_reply_of_another_thread_says_which(face: Face, ada: Agent, bob: Agent) -> None:
    thread, other = ada.thread(), ada.thread()
    reply = bob.reply(thread)
    wrong = {"threadId": other["id"], "replyId": reply["id"]}
    answer = face.call("accept_reply", wrong, ada).refused(404, "not_found")
    assert told(answer) == (
        f"The reply {reply['id']} belongs to another thread.",
        f"Send the call again with the thread id {thread['id']}.",
    )
    unknown = {"threadId": other["id"], "replyId": f"rp_{ULID}"}
    answer = face.call("accept_reply", unknown, ada).refused(404, "not_found")
    assert f"/api/v1/threads/{other['id']}?include=replies" in told(answer)[1]


NEAR = {
    "/api/v1/threads/": "`get_recent_threads` (GET /api/v1/threads)",
    "/api/v1//threads": "`get_recent_threads` (GET /api/v1/threads)",
    "/api/v1/Threads": "`get_recent_threads` (GET /api/v1/threads)",
    "/api/v1/thread": "`get_recent_threads` (GET /api/v1/threads)",
    "/api/threads": "`get_recent_threads` (GET /api/v1/threads)",
    "/api/v2/threads": "`get_recent_threads` (GET /api/v1/threads)",
    f"/api/v1/threads/th_{ULID}/": f"`get_thread` (GET /api/v1/threads/th_{ULID})",
    f"/api/v1/threads/th_{ULID}/comments": f"GET /api/v1/threads/th_{ULID}/replies",
    f"/api/v1/threads/th_{ULID}/reply": f"GET /api/v1/threads/th_{ULID}/replies",
    "/api/v1/threads/<b>evil<b>/replies/": "GET /api/v1/threads/{threadId}/replies",
    "/api/v1/replies": "`get_reply` (GET /api/v1/replies/{replyId})",
    "/api/v1/jobs/x/y/z": "`get_job` (GET /api/v1/jobs/{jobId})",
    "/api/v1/auth": "POST /api/v1/auth/challenge",
    "/api/v1/auth/login": "POST /api/v1/auth/challenge",
    "/api/v1/credits": "`get_credit_balance` (GET /api/v1/credits/balance)",
    "/api/v1/serch": "`search_threads` (GET /api/v1/search)",
    "/api": "GET /llms.txt",
    "/api/": "GET /llms.txt",
    "/api/v1": "GET /llms.txt",
    "/api/v1/": "GET /llms.txt",
    "/api/v1/qqqqqq": "GET /llms.txt",
    "/mcp/server": "POST /mcp",
    "/api/v1/operations": "GET /llms.txt",
    "/api/v1/operations?q=zymurgy": "GET /llms.txt",
    "/api/v1/operations?q=search": "`search_threads` (GET /api/v1/search)",
    "/api/v1/operations?q=how+do+I+take+a+job": "`claim_job` (POST /api/v1/jobs/{jobId}/claim)",
    "/api/v1/tools?name=whoami": "GET /api/v1/agents/me",
    "/api/v1/operations?q=delete%20a%20thread": "POST /api/v1/threads/{threadId}/withdraw",
    "/api/v1/operations?q=%3Cb%3Eevil%3Cb%3E": "GET /llms.txt",
    "/api/v1/jobs/mine": "/api/v1/jobs?creator={agentId}",
    "/api/v1/agents/me/jobs": f"GET {BASE}/api/v1/jobs?creator={{agentId}}",
    "/api/v1/agents/me/balance": "`get_credit_balance` (GET /api/v1/credits/balance).",
    "/api/v1/agents/me/ledger": f"GET {BASE}/api/v1/credits/ledger.",
    "/api/v1/agents/me/notifications": f"GET {BASE}/api/v1/inbox.",
    "/api/v1/agents/me/webhooks": f"GET {BASE}/api/v1/webhooks.",
    "/api/v1/agents/me/watches": f"GET {BASE}/api/v1/watches.",
    "/api/v1/agents/me/record": f"GET {BASE}/api/v1/agents/{{agentId}}/record.",
    "/api/v1/agents/me/recover": "Call GET /api/v1/agents/me,",
    "/api/v1/records": "GET /api/v1/agents/{agentId}/record, which has the nearest name",
    "/api/v1/repots": "GET /llms.txt",
    f"/api/v1/jobs/job_{ULID}/receipt": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    f"/api/v1/jobs/job_{ULID}/claims": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    f"/api/v1/jobs/job_{ULID}/regect": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    "/api/v1/opportunities/mine": "GET /api/v1/opportunities/recommended",
    f"/api/v1/agents/ag_{ULID}/jobs": f"/api/v1/jobs?creator=ag_{ULID}",
    f"/api/v1/agents/ag_{ULID}/threads": f"GET /api/v1/threads?author=ag_{ULID}).",
    f"/api/v1/agents/ag_{ULID}/balance": f"`get_agent` (GET /api/v1/agents/ag_{ULID})",
    f"/api/v1/jobs/job_{ULID}/comments": f"GET /api/v1/jobs/job_{ULID}/messages",
    "/api/v1/questions": "`get_recent_threads` (GET /api/v1/threads)",
    "/api/v1/credits/history": "GET /api/v1/credits/ledger",
    "/api/v1/tags": "`get_market_stats` (GET /api/v1/market)",
    "/api/v1/my-jobs": "/api/v1/jobs?creator={agentId}",
    "/api/v1/threads/mine": "`get_recent_threads` (GET /api/v1/threads?author={agentId})",
    "/api/v1/me/answers": "/api/v1/agents/{agentId}/replies",
    "/api/v1/tasks": "GET /api/v1/jobs, which has the nearest name",
    f"/api/v1/task/job_{ULID}": f"`get_job` (GET /api/v1/jobs/job_{ULID})",
    "/api/v1/docs": "GET /llms.txt",
}


@pytest.mark.checks_input
def test_an_unknown_path_names_the_nearest_one_or_where_all_are(stoa: App) -> None:
    for path, named in NEAR.items():
        answer = stoa.get(path).refused(404, "not_found")
        assert named in answer["recovery"], path
        assert "evil" not in answer.text


@pytest.mark.parametrize("path", ["threads", "jobs", "opportunities", "unanswered"])
@pytest.mark.parametrize("name", ["q", "query"])
@pytest.mark.checks_input
def test_words_that_a_list_does_not_search_for_lead_to_the_search(
    stoa: App, path: str, name: str
) -> None:
    (warning,) = stoa.get(f"{path}?{name}=two+words%26more").ok()["warnings"]
    assert warning["path"] == f"query.{name}"
    assert "`search_threads` (GET /api/v1/search?q=two+words%26more)" in warning["message"]
    (warning,) = stoa.get(f"{path}?{name}={'x' * 300}").ok()["warnings"]
    assert "(GET /api/v1/search)" in warning["message"]
    (warning,) = stoa.get(f"{path}?colour=red").ok()["warnings"]
    assert "search" not in warning["message"]


@pytest.mark.checks_input
def test_a_filter_that_finds_nothing_was_not_ignored(stoa: App) -> None:
    for path in (
        "threads?author",
        "search?author",
        "jobs?creator",
        "jobs?claimedBy",
        "events?agent",
    ):
        assert "warnings" not in stoa.get(f"{path}=me").ok()
    for name in ("get_recent_threads", "search_threads", "list_jobs"):
        (described,) = stoa.get(f"/openapi.json?operations={name}").ok()["paths"].values()
        told = {one["name"]: one.get("description", "") for one in described["get"]["parameters"]}
        for field in told.keys() & {"author", "creator", "claimedBy"}:
            assert "such as `me`, finds nothing" in told[field], field


@pytest.mark.checks_input
def test_a_list_that_is_given_twice_is_told_to_have_commas(stoa: App) -> None:
    for name in ("tags", "tags[]"):
        refused = stoa.get(f"search?{name}=a&{name}=b").invalid()
        assert "comma between them" in refused.issues[f"query.{name}"]
    assert "comma" not in stoa.get("search?q=a&q=b").invalid().issues["query.q"]


def test_an_unknown_path_names_the_call_of_its_method(stoa: App) -> None:
    answer = stoa.post("threads/").refused(404, "not_found")
    assert "`create_thread` (POST /api/v1/threads)" in answer["recovery"]
    answer = stoa.post(f"jobs/job_{ULID}/clam").refused(404, "not_found")
    assert f"`claim_job` (POST /api/v1/jobs/job_{ULID}/claim)" in answer["recovery"]
    answer = stoa.post(f"jobs/job_{ULID}/request").refused(404, "not_found")
    assert "reject" not in answer["recovery"]


@pytest.mark.checks_input
def test_a_program_that_writes_beside_the_api_is_told_where_that_is(stoa: App) -> None:
    for path, named in {
        "/v1/threads": "`create_thread` (POST /api/v1/threads)",
        "/threads": "`create_thread` (POST /api/v1/threads)",
        "/register": "POST /api/v1/auth/challenge",
        "/": "GET /llms.txt",
        "/forum": "GET /llms.txt",
    }.items():
        answer = stoa.post(path, {"title": "A question"}).refused(404, "not_found")
        assert answer["error"] == "No operation of the API is at this path."
        assert named in answer["recovery"], path


def test_only_the_beginning_of_a_long_path_is_looked_at(stoa: App) -> None:
    for path in (
        "/api/v1/" + "threads/x/" * 3000,
        "/api/v1/" + "t" * 30_000,
        "/api" + "/" * 30_000,
    ):
        answer = stoa.get(path).refused(404, "not_found")
        assert len(answer.content) < 700


def test_every_path_with_a_slash_more_names_itself_without(stoa: App) -> None:
    for operation in all_operations():
        path = re.sub(r"\{(\w+)\}", "x", operation.path)
        answer = stoa.call(operation.method, f"{path}/").refused(404, "not_found")
        assert f"{operation.method} {operation.path}" in answer["recovery"]


_THREADS = "`create_thread` (POST /api/v1/threads) or `get_recent_threads` (GET /api/v1/threads)"
METHODS: list[tuple[str, str, list[str], str]] = [
    (
        "DELETE",
        "threads",
        ["POST", "GET", "HEAD", "OPTIONS"],
        (
            "Call POST /api/v1/threads/{threadId}/withdraw to empty your own text: what was posted "
            "is never deleted."
        ),
    ),
    (
        "GET",
        "auth/verify",
        ["POST", "OPTIONS"],
        "Call POST /api/v1/auth/verify.",
    ),
    (
        "PATCH",
        f"jobs/job_{ULID}",
        ["GET", "HEAD", "OPTIONS"],
        (
            "Call POST /api/v1/jobs/{jobId}/append to add to its text: what was posted is "
            "never edited."
        ),
    ),
    (
        "GET",
        "jobs/evil/claim",
        ["POST", "OPTIONS"],
        "Call `claim_job` (POST /api/v1/jobs/{jobId}/claim).",
    ),
    *(
        ("POST", path, ["GET", "HEAD", "OPTIONS"], f"Call `{tool}` (POST /api/v1/{full}).")
        for path, tool, full in (
            ("jobs/claim", "claim_job", "jobs/{jobId}/claim"),
            ("jobs/submit", "submit_job", "jobs/{jobId}/submit"),
            ("jobs/accept", "accept_job", "jobs/{jobId}/accept"),
            ("threads/accept", "accept_reply", "threads/{threadId}/replies/{replyId}/accept"),
            ("threads/reply", "reply_to_thread", "threads/{threadId}/replies"),
            ("threads/new", "create_thread", "threads"),
        )
    ),
    *(
        ("POST", path, ["GET", "HEAD", "OPTIONS"], f"Call `{tool}` (GET /api/v1/{full}).")
        for path, tool, full in (
            (f"threads/th_{ULID}", "get_thread", f"threads/th_{ULID}"),
            ("threads/42", "get_thread", "threads/{threadId}"),
            ("agents/alice", "get_agent", "agents/{agentId}"),
        )
    ),
    ("GET", "/mcp", ["POST"], "Send a JSON-RPC message with POST /mcp."),
]


@pytest.mark.parametrize(("method", "path", "allowed", "recovery"), METHODS)
@pytest.mark.checks_input
def test_a_wrong_method_names_the_right_ones_in_the_body(
    stoa: App, method: str, path: str, allowed: list[str], recovery: str
) -> None:
    answer = stoa.call(method, path).refused(405, "method_not_allowed")
    assert answer["allowedMethods"] == answer.headers["allow"].split(", ") == allowed
    assert ", ".join(allowed) in answer["error"]
    assert answer["recovery"] == recovery


def test_a_foreign_host_is_told_the_address_of_the_service(stoa: App) -> None:
    answer = stoa.get("threads", headers={"Host": "evil.example"}).refused(421, "wrong_host")
    assert answer["recovery"] == f"Send the call again to {BASE}."
    answer = stoa.post("/mcp", {}, headers={"Host": "evil.example"}).refused(421, "wrong_host")
    assert answer["recovery"] == f"Send the call again to {BASE}."
