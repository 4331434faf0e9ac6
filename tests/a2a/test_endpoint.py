"""The endpoint of A2A: versions, errors, limits, and what is no request."""

from typing import Any

import pytest

from stoa.schemas.fields import example_id
from tests.support.a2a import A2A, AT_ONCE, problem, said
from tests.support.app import Agent, App

UNKNOWN = example_id("job")
JOB = {"title": "A job", "reward": {"amount": 10}}
PUSH = {"taskId": UNKNOWN, "url": "https://a.example/push"}
KEY = {"credentials": "secret"}
PUSHED = {"taskPushNotificationConfig": {"url": "http://a.example"}}


@pytest.fixture
def engine() -> str:
    """Nothing here depends on the engine."""
    return "sqlite"


@pytest.mark.parametrize(
    ("headers", "query", "spoken"),
    [
        ({"A2A-Version": "1.0"}, "", True),
        ({}, "?A2A-Version=1.0", True),
        ({}, "", False),
        ({"A2A-Version": "0.3"}, "", False),
        ({"A2A-Version": "2.0"}, "?A2A-Version=1.0", False),
    ],
)
@pytest.mark.parametrize("path", ["/a2a", "/a2a/"])
def test_one_version_is_spoken(
    stoa: App, path: str, headers: dict[str, str], query: str, spoken: bool
) -> None:
    body = {"jsonrpc": "2.0", "id": "x", "method": "GetTask", "params": {"id": "job_x"}}
    answer = stoa.post(f"{path}{query}", body, headers=headers)
    assert (answer.status, answer["id"]) == (200, "x")
    expected = (-32001, "TASK_NOT_FOUND") if spoken else (-32009, "VERSION_NOT_SUPPORTED")
    assert problem(answer) == expected


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("message/send", {}, -32601),
        ("tasks/get", {}, -32601),
        ("GetExtendedAgentCard", {}, -32007),
        ("CreateTaskPushNotificationConfig", {}, -32602),
        ("CreateTaskPushNotificationConfig", {"taskId": "job_x", "url": "ftp://a"}, -32602),
        ("CreateTaskPushNotificationConfig", {**PUSH, "token": "a\r\nHost: b"}, -32602),
        ("CreateTaskPushNotificationConfig", {**PUSH, "authentication": "Bearer x"}, -32602),
        ("CreateTaskPushNotificationConfig", {**PUSH, "authentication": KEY}, -32602),
        ("CreateTaskPushNotificationConfig", PUSH, -32001),
        ("GetTaskPushNotificationConfig", {"taskId": UNKNOWN, "id": "x"}, -32001),
        ("SendMessage", {"message": said(JOB, "A"), "configuration": PUSHED}, -32602),
        ("GetTask", {}, -32602),
        ("GetTask", {"id": 5}, -32602),
        ("GetTask", {"id": "everything"}, -32001),
        ("GetTask", {"id": "rp_x"}, -32001),
        ("CancelTask", {"id": UNKNOWN}, -32001),
        ("CancelTask", {"id": "th_x"}, -32001),
        ("SubscribeToTask", {"id": "job_x"}, -32001),
        ("ListTasks", {"pageSize": 0}, -32602),
        ("ListTasks", {"pageToken": "later"}, -32602),
        ("ListTasks", {"pageSize": "many"}, -32602),
        ("ListTasks", {"status": "TASK_STATE_OPEN"}, -32602),
        ("ListTasks", {"status": ["TASK_STATE_WORKING"]}, -32602),
        ("ListTasks", {"statusTimestampAfter": "yesterday"}, -32602),
        ("GetTask", {"id": "job_x", "historyLength": -1}, -32001),
        ("SendMessage", {}, -32602),
        ("SendMessage", {"message": said()}, -32602),
        ("SendMessage", {"message": said("A", role="ROLE_AGENT")}, -32602),
        ("SendMessage", {"message": said("A", messageId="")}, -32602),
        ("SendMessage", {"message": said("A", messageId=5)}, -32602),
        ("SendMessage", {"message": said("A", messageId="two words")}, -32602),
        ("SendMessage", {"message": said("A", contextId="mine")}, -32602),
        ("SendMessage", {"message": said("A", taskId="mine")}, -32001),
        ("SendMessage", {"message": said("A", taskId=5)}, -32602),
        ("SendMessage", {"message": said("A", taskId=["job_x"])}, -32602),
        ("SendMessage", {"message": said("A", contextId={})}, -32602),
        ("SendMessage", {"message": said("A", taskId="job_x", contextId="th_x")}, -32602),
        ("SendMessage", {"message": said({}, {})}, -32602),
        ("SendMessage", {"message": said(parts=[{"raw": "AA=="}])}, -32005),
        ("SendMessage", {"message": said(parts=[{"url": "https://a.example"}])}, -32005),
        ("SendMessage", {"message": said(parts=["text"])}, -32602),
        ("SendMessage", {"message": said(" ")}, -32602),
        ("SendMessage", {"message": said({"action": "accept"})}, -32602),
        ("SendMessage", {"message": said({"action": "pay"}, task=UNKNOWN)}, -32602),
        ("SendMessage", {"message": said({"action": "accept"}, taskId="th_x")}, -32001),
        ("SendMessage", {"message": said({"action": "accept"}, task=UNKNOWN)}, -32001),
        ("SendMessage", {"message": said(JOB, task=UNKNOWN)}, -32602),
        ("SendMessage", {"message": said(JOB)}, -32602),
        ("SendMessage", {"message": said({**JOB, "reward": {"amount": 10**6}}, "A")}, -32602),
    ],
)
def test_a_wrong_request_is_an_error_of_the_protocol(
    stoa: App, ada: Agent, method: str, params: dict[str, Any], code: int
) -> None:
    answer = A2A(stoa, ada).ask(method, **params)
    assert (answer.status, answer["id"]) == (200, 1)
    assert answer["error"]["code"] == code, answer.text
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"[]", -32600),
        (b'{"jsonrpc": "2.0", "method": "GetTask"}', -32600),
        (b'{"jsonrpc": "1.0", "id": 1, "method": "GetTask"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "GetTask"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": []}', -32600),
    ],
)
def test_what_is_no_request_is_refused(stoa: App, body: bytes, code: int) -> None:
    answer = stoa.post("/a2a", body, headers={"A2A-Version": "1.0"})
    assert (answer.status, answer["error"]["code"]) == (200, code)


def test_an_error_has_the_whole_body_that_the_call_has_over_rest(stoa: App, ada: Agent) -> None:
    message = said({"title": "", "reward": {"amount": 10}}, "Do it.")
    error = A2A(stoa, ada).ask("SendMessage", message=message)["error"]
    (told,) = error["data"]
    assert told["value"]["code"] == "invalid_request"
    assert told["value"]["issues"][0]["path"] == "message.parts.data.title"
    assert "message.parts.data.title" in error["message"]


@pytest.mark.promise("T9")
@pytest.mark.settings(limit_threads=3)
def test_scopes_limits_and_tokens_are_those_of_rest(stoa: App, ada: Agent) -> None:
    nobody = A2A(stoa).ask("SendMessage", message=said("A question."), configuration=AT_ONCE)
    assert (nobody.status, nobody["error"]["data"][0]["value"]["code"]) == (
        401,
        "missing_bearer_token",
    )
    assert "www-authenticate" in nobody.headers
    hirer = A2A(stoa, ada)
    one = hirer.ask("SendMessage", message=said("A question."), configuration=AT_ONCE)
    assert one.headers["x-ratelimit-resource"] == "threads"
    for _ in range(stoa.settings.limit_threads - 1):
        hirer.ask("SendMessage", message=said("A question."), configuration=AT_ONCE).ok()
    full = hirer.ask("SendMessage", message=said("A question."), configuration=AT_ONCE)
    assert full.status == 429
    assert int(full.headers["retry-after"]) > 0
    assert full["error"]["data"][0]["value"]["resource"] == "threads"


def test_the_refusal_of_each_method_says_where_to_sign_in(stoa: App, ada: Agent) -> None:
    task, push = A2A(stoa, ada).hire()["id"], {"url": "https://push.example/"}
    for how in ("Create", "Get", "List", "Delete"):
        method = f"{how}TaskPushNotificationConfig{'s' if how == 'List' else ''}"
        refused = A2A(stoa).ask(method, taskId=task, id="own", **push).json["error"]
        told = refused["data"][0]["value"]
        assert f"POST {stoa.settings.origin}/api/v1/auth/challenge" in told["recovery"], method


@pytest.mark.settings(limit_uncharged=3)
def test_requests_that_reach_no_operation_are_limited_by_address(stoa: App) -> None:
    for _ in range(3):
        assert A2A(stoa).ask("tasks/get").status == 200
    A2A(stoa).ask("tasks/get").refused(429, "rate_limited")


def test_other_methods_and_hosts_are_refused_before_the_body_is_read(
    stoa: App,
) -> None:
    assert stoa.get("/a2a").refused(405, "method_not_allowed").headers["allow"] == "POST"
    stoa.post("/a2a", {}, headers={"Host": "evil.example"}).refused(421, "wrong_host")
