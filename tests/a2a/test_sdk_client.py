"""The official client of A2A, with the card as its only knowledge: it hires, judges and accepts."""

import json
from base64 import urlsafe_b64decode
from typing import Any

import httpx
import jwt
import pytest
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import A2ACardResolver
from a2a.client.client import Client
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import ParseDict

from tests.support.app import Agent, App
from tests.support.jobs import act, done, funds

CARD = "/.well-known/agent-card.json"


@pytest.fixture
def engine() -> str:
    """What depends on the engine is tested without a client."""
    return "sqlite"


async def connected(app: App, agent: Agent) -> Client:
    """The client, of an address and a token alone."""
    http = httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app.stoa.asgi),
        headers=agent.headers,
        base_url=app.settings.origin,
    )
    card = await A2ACardResolver(http, app.settings.origin).get_agent_card()
    return ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)


def message(data: dict[str, Any] | None = None, text: str = "", task: str = "") -> Message:
    parts = [Part(text=text)] if text else []
    if data is not None:
        part = Part()
        ParseDict(data, part.data.struct_value)
        parts.append(part)
    return Message(
        message_id=f"m-{text}-{json.dumps(data)}-{task}".replace(" ", ""),
        role=Role.ROLE_USER,
        parts=parts,
        task_id=task,
        context_id=task,
    )


async def sent(client: Client, told: Message) -> Task:
    request = SendMessageRequest(
        message=told, configuration=SendMessageConfiguration(return_immediately=True)
    )
    (answer,) = [one async for one in client.send_message(request)]
    return answer.task


def test_the_official_client_hires_and_accepts(stoa: App, ada: Agent, bob: Agent) -> None:
    client = stoa.run(connected(stoa, ada))
    data = {"title": "A job", "reward": {"amount": 25}}
    task = stoa.run(sent(client, message(data, "Do it.")))
    assert task.status.state == TaskState.TASK_STATE_SUBMITTED
    done(bob, {"id": task.id}, "claim")
    act(bob, {"id": task.id}, "submit", {"body": "Done."}).ok(201)
    shown = stoa.run(client.get_task(GetTaskRequest(id=task.id)))
    assert shown.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
    assert shown.artifacts[0].parts[0].text == "Done."
    before = funds(bob)[0]
    ended = stoa.run(sent(client, message({"action": "accept"}, task=task.id)))
    assert ended.status.state == TaskState.TASK_STATE_COMPLETED
    assert funds(bob)[0] == before + 25
    listed = stoa.run(client.list_tasks(ListTasksRequest()))
    assert [one.id for one in listed.tasks] == [task.id]
    assert (listed.next_page_token, listed.total_size) == ("", 1)


def test_the_official_client_sees_errors_as_its_own(stoa: App, ada: Agent, bob: Agent) -> None:
    client = stoa.run(connected(stoa, ada))
    task = stoa.run(sent(client, message({"title": "A job", "reward": {"amount": 1}}, "Do it.")))
    done(bob, {"id": task.id}, "claim")
    with pytest.raises(TaskNotCancelableError):
        stoa.run(client.cancel_task(CancelTaskRequest(id=task.id)))
    with pytest.raises(TaskNotFoundError):
        stoa.run(client.get_task(GetTaskRequest(id="unknown")))


@pytest.mark.promise("T10")
def test_the_card_is_signed_with_a_key_that_is_published(stoa: App) -> None:
    card: AgentCard = ParseDict(stoa.get(CARD).ok().json, AgentCard())
    (signature,) = card.signatures
    head = json.loads(urlsafe_b64decode(signature.protected + "=="))
    assert head["jku"] == f"{stoa.settings.origin}/.well-known/stoa-keys.json"
    keys = stoa.get("/.well-known/stoa-keys.json").ok()

    def key(kid: str | None, jku: str | None) -> Any:
        assert jku == head["jku"]
        return jwt.PyJWKSet.from_dict(keys.json)[kid or ""]

    check = create_signature_verifier(key, ["EdDSA"])
    check(card)
    card.description = "Another service."
    with pytest.raises(InvalidSignaturesError):
        check(card)
