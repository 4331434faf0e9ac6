"""Push notifications: the official client names where, and a receiver is told each new state."""

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import pytest
from a2a.types import (
    AuthenticationInfo,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest,
    StreamResponse,
    TaskPushNotificationConfig,
)
from a2a.utils.errors import TaskNotFoundError
from google.protobuf.json_format import ParseDict

from stoa.domain import limits
from tests.a2a.test_sdk_client import connected
from tests.support.a2a import A2A, AT_ONCE, problem, said
from tests.support.app import Agent, App
from tests.support.jobs import act, done
from tests.support.keys import Key
from tests.support.moderation import moderate
from tests.support.oauth import granted
from tests.support.receiver import Receiver, receiving, status
from tests.support.webhooks import LOOPBACK, deliver, listed, public_key

pytestmark = pytest.mark.settings(**LOOPBACK)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """Where notifications go."""
    with receiving() as one:
        yield one


def told(receiver: Receiver) -> list[str]:
    """The events and states that were told, as `event STATE`."""
    updates = [one.event["statusUpdate"] for one in receiver.received]
    return [
        f"{one['metadata']['event']} {one['status']['state'].removeprefix('TASK_STATE_')}"
        for one in updates
    ]


def configured(hirer: A2A, task: Any) -> list[str]:
    """The ids of the push configurations of a task."""
    page = hirer.result("ListTaskPushNotificationConfigs", taskId=task["id"])
    return [one["id"] for one in page["configs"]]


def set_up(hirer: A2A, task: Any, receiver: Receiver, **more: Any) -> Any:
    """A push configuration of a task."""
    asked = {"taskId": task["id"], "url": receiver.url, **more}
    return hirer.result("CreateTaskPushNotificationConfig", **asked)


@pytest.mark.promise("T11")
def test_the_official_client_is_told_each_state_of_its_job(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    client, task = stoa.run(connected(stoa, ada)), A2A(stoa, ada).hire()
    asked = TaskPushNotificationConfig(
        task_id=task["id"],
        id="mine",
        url=receiver.url,
        token="known",
        authentication=AuthenticationInfo(scheme="Bearer", credentials="of the receiver"),
    )
    made = stoa.run(client.create_task_push_notification_config(asked))
    assert (made.id, made.task_id, made.url) == ("mine", task["id"], receiver.url)
    assert (made.token, made.authentication.credentials) == ("", "")
    deliver(stoa)
    done(bob, task, "claim")
    deliver(stoa)
    act(bob, task, "submit", {"body": "The secret work."}).ok(201)
    deliver(stoa)
    assert configured(A2A(stoa, ada), task) == ["mine"]
    act(ada, task, "accept", {}).ok()
    deliver(stoa)
    assert configured(A2A(stoa, ada), task) == []
    assert told(receiver) == [
        "webhook.test SUBMITTED",
        "job.claimed WORKING",
        "job.submitted INPUT_REQUIRED",
        "job.accepted COMPLETED",
    ]
    for one in receiver.received:
        ParseDict(one.event, StreamResponse())
        assert one.headers["content-type"] == "application/a2a+json"
        assert one.headers["authorization"] == "Bearer of the receiver"
        assert one.headers["x-a2a-notification-token"] == "known"
        assert one.is_signed_by(public_key(stoa))
        assert b"secret work" not in one.body
    assert listed(ada) == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_configurations_are_read_replaced_and_deleted_by_their_agent_alone(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    client, task = stoa.run(connected(stoa, ada)), A2A(stoa, ada).hire()
    first = set_up(A2A(stoa, ada), task, receiver)
    assert first == {"id": task["id"], "taskId": task["id"], "url": receiver.url}
    again = set_up(A2A(stoa, ada), task, receiver, authentication={"scheme": "Basic"})
    assert again["authentication"] == {"scheme": "Basic"}
    asked = ListTaskPushNotificationConfigsRequest(task_id=task["id"])
    page = stoa.run(client.list_task_push_notification_configs(asked))
    assert [one.id for one in page.configs] == [task["id"]]
    assert A2A(stoa, bob).result("ListTaskPushNotificationConfigs", taskId=task["id"]) == {
        "configs": [],
        "nextPageToken": "",
    }
    named = {"task_id": task["id"], "id": task["id"]}
    wanted = GetTaskPushNotificationConfigRequest(**named)
    assert stoa.run(client.get_task_push_notification_config(wanted)).url == receiver.url
    for _ in range(2):
        gone = DeleteTaskPushNotificationConfigRequest(**named)
        stoa.run(client.delete_task_push_notification_config(gone))
    with pytest.raises(TaskNotFoundError):
        stoa.run(client.get_task_push_notification_config(wanted))
    deliver(stoa)
    assert receiver.received == []


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_session_that_may_only_read_sets_and_deletes_no_configuration(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    hirer = A2A(stoa, ada)
    task = hirer.hire()
    set_up(hirer, task, receiver)
    reading = copy(ada)
    reading.token = granted(stoa, ada, "read").access_token
    reader = A2A(stoa, reading)
    named = {"taskId": task["id"], "id": task["id"]}
    for method in ("CreateTaskPushNotificationConfig", "DeleteTaskPushNotificationConfig"):
        error = reader.ask(method, url=receiver.url, **named)
        assert (error.status, problem(error)[1]) == (403, "UNSUPPORTED_OPERATION"), method
        assert error["error"]["data"][-1]["value"]["code"] == "insufficient_scope"
    assert reader.result("GetTaskPushNotificationConfig", **named)["url"] == receiver.url


def test_a_message_may_bring_the_configuration_of_its_task(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    configuration = {**AT_ONCE, "taskPushNotificationConfig": {"url": receiver.url}}
    offer = said({"title": "A question", "bounty": {"credits": 5}}, "Why?")
    hirer = A2A(stoa, ada)
    task = hirer.result("SendMessage", message=offer, configuration=configuration)["task"]
    deliver(stoa)
    reply = bob.post(f"threads/{task['id']}/replies", {"body": "So."}).ok(201)["reply"]
    deliver(stoa)
    hirer.send({"action": "accept", "replyId": reply["id"]}, task=task["id"])
    deliver(stoa)
    assert told(receiver) == [
        "webhook.test SUBMITTED",
        "reply.created SUBMITTED",
        "reply.accepted COMPLETED",
    ]
    plain = hirer.result("SendMessage", message=said("No task."), configuration=configuration)[
        "message"
    ]
    (warning,) = plain["parts"][1]["data"]["warnings"]
    assert warning["path"] == "configuration.taskPushNotificationConfig"


@pytest.mark.settings(hold_first=2, admin_keys=[Key("mod").public])
def test_a_task_that_waits_for_a_moderator_is_told_of(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    configuration = {**AT_ONCE, "taskPushNotificationConfig": {"url": receiver.url}}
    hirer, mod = A2A(stoa, ada), stoa.agent("mod")
    for offer in ({"title": "A job", "reward": {"amount": 5}}, {"title": "?", "bountyCredits": 5}):
        message = said(offer, "Why?")
        task = hirer.result("SendMessage", message=message, configuration=configuration)["task"]
        deliver(stoa)
        [waits] = [one.event["statusUpdate"]["status"] for one in receiver.received[-1:]]
        assert "waits for a moderator" in waits["message"]["parts"][0]["text"]
        moderate(mod, task["id"], "release").ok()
        deliver(stoa)
    assert told(receiver) == 2 * ["webhook.test SUBMITTED"]


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.promise("T12")
def test_an_address_that_does_not_answer_or_whose_session_is_revoked_is_told_nothing_more(
    stoa: App, ada: Agent, bob: Agent, receiver: Receiver
) -> None:
    hirer = A2A(stoa, ada)
    task = hirer.hire()
    receiver.answer = status(500)
    set_up(hirer, task, receiver)
    deliver(stoa)
    done(bob, task, "claim")
    deliver(stoa)
    assert told(receiver) == ["webhook.test SUBMITTED"]
    receiver.answer = status(204)
    set_up(hirer, task, receiver)
    deliver(stoa)
    assert told(receiver)[1:] == ["webhook.test WORKING"]
    ada.post("auth/revoke").ok()
    act(bob, task, "submit", {"body": "Work."}).ok(201)
    deliver(stoa)
    assert len(receiver.received) == 2


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_replies=0, **LOOPBACK)
def test_an_agent_has_a_bounded_number_of_configurations(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    hirer = A2A(stoa, ada)
    task = hirer.hire()
    for number in (*range(limits.SUBSCRIPTIONS), 0):
        set_up(hirer, task, receiver, id=f"number {number}")
    asked = {"taskId": task["id"], "url": receiver.url, "id": "three"}
    error = hirer.ask("CreateTaskPushNotificationConfig", **asked)["error"]
    assert error["data"][-1]["value"]["code"] == "webhook_limit"


@pytest.mark.settings(limit_replies=1, **LOOPBACK)
def test_a_task_is_told_of_though_its_configuration_is_refused(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    hirer = A2A(stoa, ada)
    set_up(hirer, hirer.hire(), receiver)
    configuration = {**AT_ONCE, "taskPushNotificationConfig": {"url": receiver.url}}
    offer = said({"title": "A job", "reward": {"amount": 5}}, "Do it.")
    task = hirer.result("SendMessage", message=offer, configuration=configuration)["task"]
    [warning] = task["metadata"]["warnings"]
    assert warning["path"] == "configuration.taskPushNotificationConfig"
    assert "`replies`" in warning["message"]
    assert hirer.result("GetTask", id=task["id"])["id"] == task["id"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_live_token_anywhere_in_a_configuration_is_revoked(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    task = A2A(stoa, ada).hire()
    places: dict[str, Callable[[str], dict[str, Any]]] = {
        "id": lambda token: {"id": token},
        "url": lambda token: {"url": f"{receiver.url}{token}"},
        "token": lambda token: {"token": token},
        "authentication.scheme": lambda token: {"authentication": {"scheme": token}},
        "authentication.credentials": lambda token: {
            "authentication": {"scheme": "Bearer", "credentials": token}
        },
    }
    for place, holding in places.items():
        asked = {"taskId": task["id"], "url": receiver.url, **holding(ada.token)}
        refused = A2A(stoa, ada).ask("CreateTaskPushNotificationConfig", **asked)
        told = refused["error"]["data"][-1]["value"]
        assert (told["code"], told["issues"][0]["path"]) == ("secret_in_text", place)
        ada.get("agents/me").refused(401, "invalid_or_expired_token")
        ada.sign_in()


@pytest.mark.settings(limit_reads_agent=99, **LOOPBACK)
def test_what_is_asked_of_a_configuration_says_what_it_is_charged(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    hirer = A2A(stoa, ada)
    task = hirer.hire()
    named = {"taskId": task["id"], "id": set_up(hirer, task, receiver)["id"]}
    left = ada.get("threads").rate[2]
    for method in ("Get", "List", "Delete"):
        name = f"{method}TaskPushNotificationConfig{'s' if method == 'List' else ''}"
        left -= 1
        assert hirer.ask(name, **named).rate == ("reads", 99, left), method
    unknown = hirer.ask("GetTaskPushNotificationConfig", **named)
    assert (problem(unknown)[0], unknown.rate[2]) == (-32001, left - 1)


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_replies=1, limit_reads_agent=99, **LOOPBACK)
def test_a_configuration_that_is_refused_is_charged_to_reads(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    hirer = A2A(stoa, ada)
    task = hirer.hire()
    refused = hirer.ask(
        "CreateTaskPushNotificationConfig",
        taskId=task["id"],
        url=receiver.url,
        token=ada.token,
    )
    assert refused["error"]["data"][-1]["value"]["code"] == "secret_in_text"
    ada.sign_in()
    left = {one["resource"]: one["remaining"] for one in ada.get("agents/me").ok()["limits"]}
    assert left["replies"] == 1
    set_up(A2A(stoa, ada), task, receiver)
    full = A2A(stoa, ada).ask(
        "CreateTaskPushNotificationConfig", taskId=task["id"], url=receiver.url
    )
    assert full["error"]["data"][-1]["value"]["resource"] == "replies"
    assert (full.headers["x-ratelimit-resource"], full.headers["x-ratelimit-remaining"]) == (
        "replies",
        "0",
    )
