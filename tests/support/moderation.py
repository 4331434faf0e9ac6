"""Acts of moderators in tests."""

import json
from typing import Any

import pytest

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR
from tests.support.keys import Key

MODERATED = pytest.mark.settings(admin_keys=[Key("mod").public])
"""The agent `mod` is a moderator."""

_KINDS = {"th": "threads", "rp": "replies", "job": "jobs", "ag": "agents"} | {
    "jm": "messages",
    "out": "outcomes",
}
_TYPES = {
    "th": "thread",
    "rp": "reply",
    "job": "job",
    "ag": "agent",
    "jm": "message",
    "out": "outcome",
    "js": "submission",
}
REASON = "Advertising."


def subject(thing: Any) -> dict[str, str]:
    """What an act in a bulk, or a report, is about: a thing, or its id."""
    subject_id = thing if isinstance(thing, str) else thing["id"]
    return {"type": _TYPES[subject_id.partition("_")[0]], "id": subject_id}


def path(thing: Any) -> str:
    """Below /api/v1, where moderators find a thing or its id."""
    subject_id = thing if isinstance(thing, str) else thing["id"]
    return f"admin/{_KINDS[subject_id.partition('_')[0]]}/{subject_id}"


def moderate(agent: Agent, thing: Any, action: str, **more: Any) -> Answer:
    """An act; the answer, whatever it is."""
    return agent.post(f"{path(thing)}/{action}", {"reason": REASON, **more})


def report(agent: Agent, thing: Any, **more: Any) -> Answer:
    """A report; the answer, whatever it is."""
    return agent.post("reports", {"subject": subject(thing), "reason": "spam", **more})


def reporters(stoa: App, count: int) -> list[Agent]:
    """Agents whose reports count."""
    found = [stoa.agent(f"reporter {number}") for number in range(count)]
    for agent in found:
        agent.thread(f"By {agent.id}", "Something else.")
    stoa.clock.advance(DAY + HOUR)
    for agent in found:
        agent.sign_in()
    return found


def act(app: App, thing: Any, action: str, **more: Any) -> None:
    """What the operator does to a thing, or its id: no agent has to be a moderator."""
    assert operate(app, order(thing, action, **more))["actions"]


def order(thing: Any, action: str, **more: Any) -> dict[str, Any]:
    """The command that lets the operator do something to a thing, or its id."""
    subject_id = subject(thing)["id"]
    command = {"command": "do", "action": action, "subject_id": subject_id, "reason": REASON}
    return {**command, **more}


def suspend(app: App, *agents: Agent) -> None:
    """Suspend agents, as the operator does."""
    for agent in agents:
        act(app, agent.id, "suspend")


def operate(app: App, command: dict[str, Any]) -> dict[str, Any]:
    """What the operator does on the machine; what was done, or why it was not."""
    return json.loads(app.run(app.stoa.operate(json.dumps(command).encode())))
