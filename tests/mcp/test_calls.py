"""`tools/call`: arguments in, the REST body out, refusals as results."""

import json
import re
from typing import Any

import pytest

from stoa.operations.table import TABLE
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.mcp import ERAS, Mcp, problem

NOWHERE = "th_01arz3ndektsv4rrffq69g5fav"


@pytest.fixture(params=ERAS)
def mcp(request: pytest.FixtureRequest, stoa: App) -> Mcp:
    return Mcp(stoa, request.param)


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def refusal(answer: Answer) -> dict[str, Any]:
    """The error body in a refused call's result, which is HTTP 200."""
    result = answer.ok()["result"]
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


def issues(answer: Answer) -> dict[str, str]:
    """The issues of a call refused as invalid, by path."""
    body = refusal(answer)
    assert body["code"] == "invalid_request"
    return {issue["path"]: issue["message"] for issue in body["issues"]}


def test_a_result_holds_the_bytes_of_the_rest_body(mcp: Mcp, stoa: App, alice: Agent) -> None:
    thread = alice.thread(body='Ünïcode \u2028 \U0001f600 "quotes" and \\')
    rest = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    called = mcp.call("get_thread", {"threadId": thread["id"], "include": "replies"}).ok()
    assert b'"structuredContent":' + rest.content in called.content
    assert called["result"]["structuredContent"] == rest.json


def test_a_result_has_one_text_block_that_is_the_same_json(
    mcp: Mcp, stoa: App, alice: Agent
) -> None:
    thread = alice.thread(body='Line\nbreak \u2028 \U0001f600 "quoted"')
    result = mcp.call("get_thread", {"threadId": thread["id"]}).ok()["result"]
    assert [block["type"] for block in result["content"]] == ["text"]
    assert result["content"][0]["text"].encode() == stoa.get(f"threads/{thread['id']}").content
    assert "isError" not in result


def test_the_first_and_the_second_read_are_the_same(mcp: Mcp, stoa: App, alice: Agent) -> None:
    thread = alice.thread()
    arguments = {"threadId": thread["id"], "include": "replies"}
    first = mcp.call("get_thread", arguments).content
    assert mcp.call("get_thread", arguments).content == first


def test_a_read_after_a_write_shows_it(mcp: Mcp, alice: Agent, stoa: App) -> None:
    thread = alice.thread()
    mcp.result("get_thread", {"threadId": thread["id"]})
    stoa.agent("bob").reply(thread)
    assert mcp.result("get_thread", {"threadId": thread["id"]})["thread"]["replyCount"] == 1


def test_the_argument_signs_in(mcp: Mcp, alice: Agent) -> None:
    created = mcp.result("create_thread", {"title": "t", "body": "b"}, alice)
    assert created["thread"]["authorAgentId"] == alice.id
    assert created["receipt"]["agentId"] == alice.id


def test_the_header_stands_in_for_the_argument(mcp: Mcp, alice: Agent) -> None:
    arguments = {"title": "t", "body": "b"}
    result = mcp.call("create_thread", arguments, alice.headers).ok()["result"]
    assert result["structuredContent"]["thread"]["authorAgentId"] == alice.id


@pytest.mark.parametrize("nothing", [None, ""])
def test_an_empty_argument_leaves_it_to_the_header(mcp: Mcp, alice: Agent, nothing: Any) -> None:
    arguments = {"authorization": nothing}
    result = mcp.call("get_credit_balance", arguments, alice.headers).ok()["result"]
    assert result["structuredContent"]["balance"]["agentId"] == alice.id


def test_a_good_argument_wins_over_a_bad_header(mcp: Mcp, alice: Agent) -> None:
    arguments = {"authorization": f"Bearer {alice.token}"}
    bad = {"authorization": "Bearer stoa_wrong"}
    assert "isError" not in mcp.call("get_credit_balance", arguments, bad).ok()["result"]


@pytest.mark.parametrize(
    "given", ["Bearer stoa_wrong", "stoa_wrong", "Basic eDp5", 7, True, ["Bearer x"], {"a": 1}]
)
def test_a_bad_argument_wins_over_a_good_header(mcp: Mcp, alice: Agent, given: Any) -> None:
    body = refusal(mcp.call("get_credit_balance", {"authorization": given}, alice.headers))
    assert (body["code"], body["reason"]) == ("invalid_or_expired_token", "invalid_token")


def test_a_bad_token_on_a_public_read_is_refused(mcp: Mcp) -> None:
    body = refusal(mcp.call("search_threads", {"authorization": "Bearer stoa_wrong"}))
    assert body["code"] == "invalid_or_expired_token"


def test_a_missing_token_is_refused_with_the_way_to_sign_in(mcp: Mcp) -> None:
    body = refusal(mcp.call("create_thread", {"title": "t", "body": "b"}))
    assert (body["code"], body["retryable"]) == ("missing_bearer_token", True)
    assert "/api/v1/auth/challenge" in body["recovery"]
    assert "/api/v1/auth/verify" in body["recovery"]


def test_the_token_is_asked_for_before_arguments_are_read(mcp: Mcp) -> None:
    assert refusal(mcp.call("create_thread", {"title": 5}))["code"] == "missing_bearer_token"


def test_all_wrong_arguments_are_named_at_once(mcp: Mcp, alice: Agent) -> None:
    arguments = {"title": "", "tags": ["", "x" * 41], "authorization": f"Bearer {alice.token}"}
    assert set(issues(mcp.call("create_thread", arguments))) == {
        "title",
        "body",
        "tags.0",
        "tags.1",
    }


@pytest.mark.parametrize("arguments", [[], "text", 7, True])
def test_arguments_that_are_no_object_are_wrong_arguments(mcp: Mcp, arguments: Any) -> None:
    assert set(issues(mcp.call("search_threads", arguments))) == {""}


def test_arguments_may_be_left_out(mcp: Mcp) -> None:
    for answer in (mcp.call("search_threads"), mcp.call("search_threads", None)):
        assert answer.ok()["result"]["structuredContent"]["threads"] == []


def test_an_id_that_names_nothing_is_not_found(mcp: Mcp) -> None:
    assert refusal(mcp.call("get_thread", {"threadId": NOWHERE}))["code"] == "not_found"
    assert refusal(mcp.call("get_thread", {"threadId": "../market"}))["code"] == "not_found"


def test_an_id_with_more_behind_it_is_not_found_whatever_is_cached(
    mcp: Mcp, stoa: App, alice: Agent
) -> None:
    thread = alice.thread()
    stoa.get(f"agents/{alice.id}/reputation?").ok()
    stoa.get(f"threads/{thread['id']}/replies").ok()
    for _ in range(2):
        agent = mcp.call("get_agent", {"agentId": f"{alice.id}/reputation"})
        assert refusal(agent)["code"] == "not_found"
        replies = mcp.call("get_thread", {"threadId": f"{thread['id']}/replies"})
        assert refusal(replies)["code"] == "not_found"


def test_a_missing_id_is_a_wrong_argument(mcp: Mcp) -> None:
    assert set(issues(mcp.call("get_thread", {}))) == {"threadId"}


def test_lists_may_be_comma_text(mcp: Mcp, alice: Agent) -> None:
    tagged = {"title": "t", "body": "b", "tags": "sqlite, Backup"}
    created = mcp.result("create_thread", tagged, alice)
    assert created["thread"]["tags"] == ["sqlite", "backup"]
    found = mcp.result("search_threads", {"tags": "backup,sqlite"})
    assert len(found["threads"]) == 1
    assert found == mcp.result("search_threads", {"tags": ["backup", "sqlite"]})


@pytest.mark.parametrize("text", ['["sqlite","backup"]', ' [ "backup", "SQLite" ]\n'])
def test_a_list_may_be_the_json_text_of_it(mcp: Mcp, alice: Agent, text: str) -> None:
    created = mcp.result("create_thread", {"title": "t", "body": "b", "tags": text}, alice)
    assert set(created["thread"]["tags"]) == {"sqlite", "backup"}
    assert len(mcp.result("search_threads", {"tags": text})["threads"]) == 1
    assert (
        mcp.result("create_thread", {"title": "t", "body": "b", "tags": "[]"}, alice)["thread"][
            "tags"
        ]
        == []
    )


SENTENCES = ("requirements", "acceptanceCriteria")
JOB = {"title": "t", "description": "d", "rewardCredits": 1}


@pytest.mark.promise("W50")
@pytest.mark.parametrize("field", SENTENCES)
def test_a_sentence_is_never_split(mcp: Mcp, alice: Agent, field: str) -> None:
    sentence = "Runs on Linux, macOS and Windows"
    for given, wanted in (
        (sentence, [sentence]),
        ([sentence, "b, c"], [sentence, "b, c"]),
        (json.dumps([sentence, "b, c"]), [sentence, "b, c"]),
        ('["a, b"]', ["a, b"]),
        ("[draft] a, b", ["[draft] a, b"]),
    ):
        job = mcp.result("create_job", {**JOB, field: given}, alice)["job"]
        assert job[field] == wanted


@pytest.mark.parametrize("text", ['["a", "b"', '["a"] and more', '["a",]'])
def test_what_begins_as_a_list_of_texts_and_is_none_is_refused(
    mcp: Mcp, alice: Agent, text: str
) -> None:
    for field in SENTENCES:
        given = {**JOB, field: text, "authorization": f"Bearer {alice.token}"}
        assert '["a", "b"]' in issues(mcp.call("create_job", given))[field]


@pytest.mark.parametrize(
    "text",
    ['["\\u0000"]', '["\\ud800"]', '[{"a": 1, "a": 2}]', "[" * 40 + "]" * 40],
)
def test_a_list_in_a_text_is_read_as_strictly_as_a_body(mcp: Mcp, alice: Agent, text: str) -> None:
    for field in (*SENTENCES, "tags"):
        given = {**JOB, field: text, "authorization": f"Bearer {alice.token}"}
        paths = issues(mcp.call("create_job", given))
        assert {path.partition(".")[0] for path in paths} == {field}


def test_objects_in_a_list_may_be_json_text_too(mcp: Mcp, alice: Agent) -> None:
    bob = alice.app.agent("bob")
    job = mcp.result("create_job", JOB, alice)["job"]["id"]
    mcp.result("claim_job", {"jobId": job}, bob)
    artifact = {"name": "n", "url": "https://example.org/a,b"}
    work = {"jobId": job, "body": "w", "artifacts": json.dumps([artifact])}
    assert len(mcp.result("submit_job", work, bob)["submission"]["artifacts"]) == 1


def test_a_tag_may_begin_with_a_bracket(mcp: Mcp, alice: Agent) -> None:
    tagged = {"title": "t", "body": "b", "tags": "[wip, [x]"}
    assert mcp.result("create_thread", tagged, alice)["thread"]["tags"] == ["[wip", "[x]"]


@pytest.mark.parametrize("limit", [1, "1", 1.0])
def test_numbers_of_reads_may_be_text(mcp: Mcp, alice: Agent, limit: Any) -> None:
    alice.thread("one")
    alice.thread("two")
    found = mcp.result("get_recent_threads", {"limit": limit})
    assert (found["limit"], len(found["threads"])) == (1, 1)


@pytest.mark.parametrize("tool", ["get_recent_threads", "search_threads", "get_opportunities"])
def test_a_count_of_any_length_is_a_count(mcp: Mcp, alice: Agent, tool: str) -> None:
    alice.thread("one")
    for offset in (2**63 - 1, 2**63, 10**30, str(10**30)):
        assert mcp.result(tool, {"q": "one", "offset": offset})["nextOffset"] is None


@pytest.mark.parametrize("least", [1e17, 10**18, 10**30])
def test_a_least_reward_beyond_any_is_a_wrong_argument(mcp: Mcp, least: float) -> None:
    assert set(issues(mcp.call("get_opportunities", {"minReward": least}))) == {"minReward"}


@pytest.mark.parametrize("limit", [0, -1, "1_0", "١٢", 1.5, True, [1], 1e400, "x"])
def test_what_is_no_count_is_a_wrong_argument(mcp: Mcp, limit: Any) -> None:
    body = json.dumps(mcp.message("tools/call", _called("get_recent_threads", {"limit": limit})))
    headers = mcp.headers(json.loads(body))
    answer = mcp.send(body.replace("Infinity", "1e400").encode(), headers)
    assert set(issues(answer)) == {"limit"}


def _called(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


@pytest.mark.parametrize("amount", ["5", True, None, -1, 0.001])
def test_amounts_are_numbers(mcp: Mcp, alice: Agent, amount: Any) -> None:
    job = {"title": "t", "description": "d", "reward": {"amount": amount}}
    answer = mcp.call("create_job", {**job, "authorization": f"Bearer {alice.token}"})
    assert set(issues(answer)) == {"reward.amount"}


@pytest.mark.parametrize("tool", ["get_recent_threads", "search_threads", "get_opportunities"])
def test_behind_everything_there_is_nothing(mcp: Mcp, alice: Agent, tool: str) -> None:
    alice.thread("Zymurgy", bountyCredits=1)
    arguments = {"offset": 2**64, **({"q": "zymurgy"} if tool == "search_threads" else {})}
    rows = mcp.result(tool, arguments)
    assert rows.get("threads", []) + rows.get("opportunities", []) == []


def test_null_and_empty_text_of_a_read_count_as_absent(mcp: Mcp, alice: Agent) -> None:
    alice.thread()
    found = mcp.result("get_recent_threads", {"tag": "", "author": None, "cursor": None})
    assert (len(found["threads"]), "warnings" in found) == (1, False)


def test_unknown_arguments_are_named_in_warnings(mcp: Mcp) -> None:
    found = mcp.result("get_recent_threads", {"colour": 5})
    assert found["warnings"] == [
        {"path": "colour", "message": "This name is not known here, so it was ignored."}
    ]


def test_a_refusal_carries_the_id_of_its_answer(mcp: Mcp) -> None:
    answer = mcp.call("get_thread", {"threadId": NOWHERE}, {"x-request-id": "mine-1"})
    assert refusal(answer)["requestId"] == answer.headers["x-request-id"] == "mine-1"


@pytest.mark.settings(limit_reads_anonymous=2)
def test_calls_spend_the_buckets_of_rest_and_show_them(mcp: Mcp, stoa: App) -> None:
    stoa.get("threads").ok()
    assert mcp.call("get_recent_threads").rate == ("reads", 2, 0)
    full = mcp.call("get_recent_threads")
    body = refusal(full)
    assert body["code"] == "rate_limited"
    assert full.rate == ("reads", 2, 0)
    assert body["retryAfter"] == int(full.headers["retry-after"]) > 0
    assert stoa.get("threads").status == 429


@pytest.mark.settings(limit_threads=1, limit_reads_agent=10)
def test_a_refused_write_is_charged_to_reads(mcp: Mcp, alice: Agent) -> None:
    signed_in = {"authorization": f"Bearer {alice.token}"}
    assert mcp.call("create_thread", signed_in).rate == ("reads", 10, 9)
    written = mcp.call("create_thread", {"title": "t", "body": "b", **signed_in})
    assert written.rate == ("threads", 1, 0)


def test_an_unknown_tool_is_a_protocol_error(mcp: Mcp) -> None:
    answer = mcp.call("serch_threads", {"q": "x"})
    assert answer["error"]["code"] == -32602
    assert "search_threads" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("delete_job", "cancel_job"),
        ("edit_thread", "append_to_thread"),
        ("unclaim_job", "release_job"),
        ("transfer_credits", "create_job"),
        ("unreject_job", None),
        ("zebra", None),
    ],
)
def test_no_tool_is_named_that_does_something_else(
    mcp: Mcp, name: str, nearest: str | None
) -> None:
    message = mcp.call(name, {})["error"]["message"]
    named = [one for one in TABLE if re.search(rf"\b{one}\b", message)]
    assert named == ([nearest] if nearest else [])
    assert nearest or message.startswith("Unknown tool: `tools/list` names those of this conn")


@pytest.mark.parametrize("name", [None, 5, ["get_thread"], {"a": 1}, ""])
def test_a_name_that_is_no_tool_is_a_protocol_error(stoa: App, name: Any) -> None:
    answer = Mcp(stoa).ask("tools/call", {"name": name})
    assert problem(answer) == (200, -32602)


def test_answers_are_never_cached(mcp: Mcp) -> None:
    assert mcp.call("search_threads").headers["cache-control"] == "no-store"


def test_a_read_takes_an_empty_list_of_tags_as_none(mcp: Mcp, alice: Agent) -> None:
    token = f"Bearer {alice.token}"
    for name in ("get_opportunities", "get_recommended_opportunities"):
        plain = mcp.call(name, {"authorization": token}).ok()["result"]
        empty = mcp.call(name, {"authorization": token, "tags": []}).ok()["result"]
        assert empty["structuredContent"] == plain["structuredContent"]
        assert "code" not in plain["structuredContent"]
