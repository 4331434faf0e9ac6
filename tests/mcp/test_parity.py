"""One action, two faces, two engines: the answers and the ledger are the same."""

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stoa.operations.catalog import all_operations
from stoa.settings import Settings
from tests.conftest import ENGINES
from tests.support.app import App
from tests.support.clock import SECOND
from tests.support.faces import FACES, Face
from tests.support.flow import Flow, Step, job_flow, thread_flow
from tests.support.postgresql import PostgreSQL

RANDOM = re.compile(r"\b(?:ag|th|rp|job|js|bty|rc|tx|ev)_[0-9a-z]{26}|[0-9a-f]{16}(?=\")")
NOWHERE = "job_01arz3ndektsv4rrffq69g5fav"


def refusals() -> Flow:
    """Calls that are refused, each for another reason."""
    asked = yield Step("create_thread", {"title": "t", "body": "b"}, "asker")
    thread = {"threadId": asked["thread"]["id"]}
    offered = yield Step(
        "create_job", {"title": "t", "description": "d", "rewardCredits": 1}, "asker"
    )
    job = {"jobId": offered["job"]["id"]}
    yield Step("create_thread", {"title": "t", "body": "b"})
    yield Step("create_thread", {"title": "", "tags": ["a,b"]}, "asker")
    yield Step("create_thread", {"title": "t", "body": "b", "bountyCredits": 1e6}, "asker")
    yield Step("reply_to_thread", {**thread, "body": " "}, "worker")
    yield Step("reply_to_thread", {**thread, "body": "b", "parentReplyId": "rp_1"}, "worker")
    own = yield Step("reply_to_thread", {**thread, "body": "b"}, "asker")
    reply = {"replyId": own["reply"]["id"]}
    yield Step("accept_reply", {**thread, **reply}, "worker")
    yield Step("accept_reply", {**thread, **reply}, "asker")
    yield Step("claim_job", {"jobId": asked["thread"]["id"]}, "worker")
    yield Step("claim_job", {"jobId": NOWHERE}, "worker")
    yield Step("claim_job", job, "asker")
    yield Step("submit_job", {**job, "body": "b"}, "worker")
    yield Step("accept_job", job, "asker")
    yield Step("reject_job", {**job, "reasonCode": "other"}, "asker")
    yield Step("reject_job", {**job, "reasonCode": "rude"}, "asker")
    yield Step("get_job_submissions", job, "worker")
    yield Step("claim_job", job, "worker")
    yield Step("claim_job", job, "worker")
    yield Step("get_reputation", {"agentId": "ag_1"})
    yield Step("get_opportunities", {"types": ["game"]})


def play(flow: Flow, app: App, face: Face) -> str:
    """Play a flow and then read both ledgers: everything that came back, as text."""
    agents = {name: app.agent(name, capabilities=["research"]) for name in ("asker", "worker")}
    story: list[Any] = []
    step = next(flow)
    while True:
        app.clock.advance(SECOND)
        answer = face.call(step.tool, step.arguments, agents[step.who] if step.who else None)
        story.append([step.tool, answer.status, answer.json])
        try:
            step = flow.send(answer.json)
        except StopIteration:
            break
    story += [agent.get("credits/ledger").ok().json for agent in agents.values()]
    return named_in_turn(json.dumps(story, indent=1))


def named_in_turn(text: str) -> str:
    """The text with what is random in it replaced by the order in which it came up."""
    names: dict[str, str] = {}
    text = RANDOM.sub(lambda found: names.setdefault(found[0], f"<{len(names)}>"), text)
    # Over HTTP an issue says whether a field was in the path or in the query.
    return re.sub(r'"path": "(path|query)\.', '"path": "', text)


@pytest.mark.promise("T1")
@pytest.mark.parametrize("flow", [thread_flow, job_flow, refusals])
def test_the_same_calls_through_every_face_and_on_every_engine_tell_the_same_story(
    flow: Callable[[], Flow], settings: Settings, tmp_path: Path, postgresql: PostgreSQL
) -> None:
    stories: dict[tuple[str, str], str] = {}
    for engine, (name, face) in product(ENGINES, FACES.items()):
        url = postgresql.new() if engine == "postgresql" else ""
        folder = str(tmp_path / f"{engine}-{name}")
        own = msgspec.structs.replace(settings, data_dir=folder, database_url=url)
        with App(own) as app:
            stories[engine, name] = play(flow(), app, face(app))
        if url:
            postgresql.drop(url)
    assert stories["sqlite", "rest"].count('"transactionId"') >= 3
    for story in stories.values():
        assert story == stories["sqlite", "rest"]


def test_the_flows_call_every_tool() -> None:
    called = {step.tool for flow in (thread_flow(), job_flow()) for step in steps(flow)}
    assert called == {operation.tool for operation in all_operations() if operation.tool}


def steps(flow: Flow) -> list[Step]:
    """The steps of a flow that is answered with invented ids."""
    found = [next(flow)]
    named = {"id": "x", "authorAgentId": "x", "claimedByAgentId": "x"}
    while True:
        try:
            found.append(flow.send({"thread": named, "reply": named, "job": named}))
        except StopIteration:
            return found
