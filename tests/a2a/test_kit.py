"""The cases of the compatibility kit for A2A 1.0 that need no agent with a script.

They are those of its branch for 1.0, by the names of their requirements, sent as the kit does:
without a token. Its requirements of tasks need its scripted agent to make them; they are tested
here with jobs instead:

- CORE-SEND-001, 002, CORE-MULTI-001a, 003, 005, CORE-EXECUTION-MODE, CORE-LIST, CORE-GET-001,
  CORE-CANCEL-001, 002, CORE-HIST, DM-TASK, DM-ART, DM-MSG, STREAM-ORDER: `test_tasks.py`
- CORE-STREAM, DM-PART, DM-SERIAL, JSONRPC-FMT, JSONRPC-SSE, CARD-CACHE, CARD-DISC: here
- PUSH: `test_pushes.py`; VER-SERVER, JSONRPC-ERR, JSONRPC-SVC: here and `test_face.py`
- CARD-SIGN, CARD-STRUCT, CARD-PROTO: `test_sdk_client.py`
"""

import json
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from a2a.types import (
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
)
from google.protobuf.json_format import ParseDict
from google.protobuf.message import Message

from tests.support.a2a import A2A, VERSION, said
from tests.support.app import Agent, App

ABSENT = "tck-nonexistent-task"
TEXT = said("An error, please.")
RAW = said(parts=[{"raw": "dGNr", "mediaType": "application/x-unsupported"}])
LOST = said("Message to invalid task", taskId=ABSENT)
PUSH = {"taskId": ABSENT, "url": "https://a.example"}
INFO = "type.googleapis.com/google.rpc.ErrorInfo"


@pytest.fixture
def engine() -> str:
    """Nothing here depends on the engine."""
    return "sqlite"


@pytest.mark.parametrize(
    ("requirement", "method", "params", "code", "reason"),
    [
        ("CORE-ERR-001", "NonExistentMethod", {}, -32601, ""),
        ("CORE-ERR-002", "SendMessage", {}, -32602, ""),
        ("PUSH-CREATE-002", "CreateTaskPushNotificationConfig", PUSH, -32001, "TASK_NOT_FOUND"),
        ("CORE-CAP-003", "GetExtendedAgentCard", {}, -32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
        ("JSONRPC-ERR-003", "GetTask", {"id": ABSENT}, -32001, "TASK_NOT_FOUND"),
        ("CORE-CANCEL", "CancelTask", {"id": ABSENT}, -32001, "TASK_NOT_FOUND"),
        ("STREAM-SUB-003", "SubscribeToTask", {"id": ABSENT}, -32001, "TASK_NOT_FOUND"),
        ("CORE-MULTI-002a", "SendMessage", {"message": said("A", contextId=ABSENT)}, -32602, ""),
        ("CORE-MULTI-004", "SendMessage", {"message": LOST}, -32001, "TASK_NOT_FOUND"),
        ("CORE-SEND-003", "SendMessage", {"message": RAW}, -32005, "CONTENT_TYPE_NOT_SUPPORTED"),
    ],
)  # fmt: skip
def test_an_error_has_the_code_the_reason_and_the_form_of_its_kind(
    stoa: App, requirement: str, method: str, params: dict[str, Any], code: int, reason: str
) -> None:
    answer = A2A(stoa).ask(method, **params)
    assert answer.headers["content-type"] == "application/json", requirement
    assert answer.json.keys() == {"jsonrpc", "id", "error"}
    error = answer["error"]
    assert error.keys() <= {"code", "message", "data"}
    assert (error["code"], error["message"] != "") == (code, True)
    infos = [one for one in error.get("data", []) if one["@type"] == INFO]
    told = [(one["reason"], one["domain"]) for one in infos]
    assert told == ([(reason, "a2a-protocol.org")] if reason else [])


@pytest.mark.parametrize("version", ["99.0", ""])
def test_a_version_that_is_not_served_is_named_as_such(stoa: App, version: str) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": TEXT}}
    answer = stoa.post("/a2a", body, headers={"A2A-Version": version})
    assert answer["error"]["code"] == -32009


def test_another_content_type_is_an_error_of_the_protocol(stoa: App) -> None:
    headers = {**VERSION, "Content-Type": "text/plain"}
    answer = stoa.post("/a2a", b"{'jsonrpc': '2.0'}", headers=headers)
    assert (answer.status, answer["error"]["code"]) == (415, -32005)
    assert answer["error"]["data"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED"


def test_streams_have_the_envelope_of_json_rpc_and_begin_with_the_task(
    stoa: App, ada: Agent
) -> None:
    hirer = A2A(stoa, ada)
    text = hirer.ask("SendStreamingMessage", message=said("A question."))
    assert text.headers["content-type"].startswith("text/event-stream")
    (line,) = text.text.strip().split("\n\n")
    told = json.loads(line.removeprefix("data: "))
    assert (told["jsonrpc"], told["id"], list(told["result"])) == ("2.0", 1, ["message"])
    task = hirer.hire()
    hirer.result("CancelTask", id=task["id"])
    over = hirer.ask("SubscribeToTask", id=task["id"])
    assert over["error"]["code"] == -32004


def test_another_message_with_the_same_id_is_another_message(stoa: App, ada: Agent) -> None:
    # The kit sends each of its messages with the id that names its script.
    hirer = A2A(stoa, ada)
    told = [
        hirer.result("SendMessage", message=said(text, messageId="tck-complete-task"))["message"]
        for text in ("One question.", "Another one.", "One question.")
    ]
    threads = [one["contextId"] for one in told]
    assert threads[0] == threads[2] != threads[1]
    assert len(stoa.get("threads").ok()["threads"]) == 2


def test_a_task_that_is_over_takes_no_message(stoa: App, ada: Agent) -> None:  # CORE-SEND-002
    hirer = A2A(stoa, ada)
    task = hirer.hire()
    hirer.result("CancelTask", id=task["id"])
    for message in (
        said("Thanks.", taskId=task["id"]),
        said({"action": "accept"}, taskId=task["id"]),
    ):
        refused = hirer.ask("SendMessage", message=message)["error"]
        assert refused["code"] == -32004
        assert refused["data"][0]["reason"] == "UNSUPPORTED_OPERATION"


def test_ids_of_a_task_are_inferred_and_must_fit(stoa: App, ada: Agent) -> None:
    hirer = A2A(stoa, ada)
    one, other = hirer.hire(), hirer.hire()
    message = said("More.", taskId=one["id"], ownField=1)  # DM-SERIAL-005: it is ignored
    told = hirer.result("SendMessage", message=message)["message"]
    assert told["contextId"] == one["contextId"]  # CORE-MULTI-005
    mixed = said("More.", taskId=one["id"], contextId=other["contextId"])
    assert hirer.ask("SendMessage", message=mixed)["error"]["code"] == -32602  # CORE-MULTI-006
    for _ in range(2):  # PUSH-DEL-002
        hirer.result("DeleteTaskPushNotificationConfig", taskId=one["id"], id="none")


def test_what_is_answered_is_made_of_the_types_of_the_protocol(stoa: App, ada: Agent) -> None:
    hirer = A2A(stoa, ada)
    task = hirer.hire(requirements=["SQLite"])
    read: list[tuple[Message, Any]] = [
        (Task(), task),
        (Task(), hirer.result("GetTask", id=task["id"])),
    ]
    read += [(Task(), one) for one in hirer.result("ListTasks", includeArtifacts=True)["tasks"]]
    for kind, answer in read:
        ParseDict(answer, kind)  # raises for a member that the type does not have
    asked: list[tuple[Message, Any]] = [
        (SendMessageRequest(), {"message": TEXT, "configuration": {"returnImmediately": True}}),
        (GetTaskRequest(), {"id": task["id"], "historyLength": 1}),
        (ListTasksRequest(), {"pageSize": 1, "includeArtifacts": True}),
        (SubscribeToTaskRequest(), {"id": task["id"]}),
        (TaskPushNotificationConfig(), {"taskId": task["id"], "url": "https://a.example"}),
    ]
    for kind, params in asked:
        ParseDict(params, kind)


def test_the_card_can_be_kept_and_asked_for_again(stoa: App) -> None:
    card = stoa.get("/.well-known/agent-card.json").ok()
    assert "max-age" in card.headers["cache-control"]
    assert parsedate_to_datetime(card.headers["last-modified"])
    again = {"If-None-Match": card.headers["etag"]}
    assert stoa.get("/.well-known/agent-card.json", headers=again).status == 304
