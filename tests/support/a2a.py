"""Speaks A2A 1.0 to an application in this process."""

from typing import Any
from uuid import uuid4

from tests.support.answers import Answer
from tests.support.app import Agent, App

VERSION = {"A2A-Version": "1.0"}
AT_ONCE = {"returnImmediately": True}


class A2A:
    """A client of `POST /a2a`: nobody, or an agent."""

    def __init__(self, app: App, agent: Agent | None = None) -> None:
        self.app = app
        self.headers = {**VERSION, **(agent.headers if agent else {})}

    def ask(self, method: str, **params: Any) -> Answer:
        """Send one request."""
        return self.app.run(self.asking(method, **params))

    async def asking(self, method: str, **params: Any) -> Answer:
        """The same, to be run beside others."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self.app.ask("POST", "/a2a", body, headers=self.headers)

    def result(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        return self.ask(method, **params).ok()["result"]

    def send(self, *parts: Any, task: str | None = None, **message: Any) -> Any:
        """The result of a message that is answered at once."""
        told = said(*parts, task=task, **message)
        return self.result("SendMessage", message=told, configuration=AT_ONCE)

    def hire(self, reward: float = 10, **more: Any) -> Any:
        """The task of a new job."""
        return self.send({"title": "A job", "reward": {"amount": reward}, **more}, "Do it.")["task"]


def said(*parts: Any, task: str | None = None, **message: Any) -> dict[str, Any]:
    """A message of texts and data."""
    told = {
        "messageId": str(uuid4()),
        "role": "ROLE_USER",
        "parts": [{"text": one} if isinstance(one, str) else {"data": one} for one in parts],
    }
    return told | ({"taskId": task, "contextId": task} if task else {}) | message


def state(task: Any) -> str:
    """The state of a task, in short."""
    return task["status"]["state"].removeprefix("TASK_STATE_")


def problem(answer: Answer) -> tuple[int, str]:
    """The code of an error and the reason that it gives."""
    error = answer["error"]
    reasons = [one["reason"] for one in error.get("data", []) if "reason" in one]
    return error["code"], "".join(reasons)
