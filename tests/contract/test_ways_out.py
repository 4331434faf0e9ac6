"""Texts and amounts that are easy to break something with leave as they are, by every way."""

import json
from typing import Any

import pytest
from a2a.types import StreamResponse, Task
from google.protobuf.json_format import ParseDict
from lxml import etree

from stoa.domain.text import escape_invisible
from tests.support import jobs
from tests.support.a2a import A2A
from tests.support.app import Agent, App
from tests.support.forms import RICH, STEERING
from tests.support.mcp import Mcp
from tests.support.oauth import bearer
from tests.support.receiver import Receiver
from tests.support.webhooks import LOOPBACK, active, deliver, public_key

pytestmark = [pytest.mark.settings(**LOOPBACK), pytest.mark.costly]

LABEL = f"Rich{RICH}\u200b\U0001f469\u200d\U0001f4bb\uff21 \\ud800 {{}}"
BODY = f"{LABEL}\r\n{STEERING}\u2028\u0085\u0000"[:-1] + "\u65e5e\u0301" * 16_000
ATOM = "{http://www.w3.org/2005/Atom}"
REWARDS = (1, 1.29, 97.71)
"""The least that can be paid, one that no binary fraction is, and all that is left."""


def happen(ada: Agent, bob: Agent) -> list[Any]:
    """Let questions and jobs go their ways; the jobs."""
    thread = ada.thread(LABEL, BODY, tags=["caf\u00e9 \U0001f375"])
    ada.accept(thread, bob.reply(thread, BODY))
    made = [jobs.offer(ada, reward, title=LABEL, description=BODY) for reward in REWARDS]
    for job in made:
        jobs.done(bob, job, "claim")
        artifacts = [{"name": LABEL, "text": BODY[:1_000]}]
        jobs.act(bob, job, "submit", {"body": BODY, "artifacts": artifacts}).ok(201)
        jobs.act(ada, job, "messages", {"body": BODY[:9_000]}).ok(201)
    jobs.done(ada, made[0], "accept")
    return made


def test_an_event_is_the_same_by_every_way(stoa: App, ada: Agent, receiver: Receiver) -> None:
    bob = stoa.agent("bob", displayName=f"B{RICH}")
    active(ada, receiver, scope="events")
    active(ada, receiver, scope="inbox")
    polled = {name: _poll(stoa, name, ada)["cursor"] for name in ("stoa.event", "stoa.inbox")}
    happen(ada, bob)
    deliver(stoa)
    logged = {one["id"]: one for one in stoa.get("events?limit=100").ok()["events"]}
    own = {one["id"]: one for one in ada.get("inbox?limit=100").ok()["events"]}
    sent = [one for one in receiver.received if one.event["kind"] != "webhook.test"]
    assert len(sent) > 12
    key = public_key(stoa)
    for one in sent:
        assert one.is_signed_by(key)
        assert one.event in (logged.get(one.event["id"]), _short(own.get(one.event["id"])))
    assert {one.event["id"] for one in sent} >= own.keys()
    for name, rows in (("stoa.event", logged), ("stoa.inbox", own)):
        page = _poll(stoa, name, ada, cursor=polled[name], maxEvents=100)
        told = [one["data"] for one in page["events"]]
        assert told == [_short(rows[one["id"]]) for one in told]
        assert told
    titles = {one["data"].get("title") for one in logged.values()}
    assert LABEL in titles
    assert BODY[-1_000:] not in json.dumps([one.event for one in sent])


def test_a_task_and_its_notifications_are_the_messages_of_the_protocol(
    stoa: App, ada: Agent, receiver: Receiver
) -> None:
    bob, hirer = stoa.agent("bob", displayName=f"B{RICH}"), A2A(stoa, ada)
    made = happen(ada, bob)
    hirer.result("CreateTaskPushNotificationConfig", taskId=made[2]["id"], url=receiver.url)
    deliver(stoa)
    jobs.done(ada, made[2], "accept")
    deliver(stoa)
    for one in receiver.received:
        update = ParseDict(one.event, StreamResponse()).status_update
        assert update.task_id == made[2]["id"]
        assert "Rich" not in one.body.decode()
    assert len(receiver.received) >= 2
    task = hirer.result("GetTask", id=made[2]["id"])
    ParseDict(task, Task())
    (asked,), (work,) = task["history"], task["artifacts"]
    assert [part["text"] for part in asked["parts"]] == [LABEL, BODY]
    assert work["parts"][0]["text"] == BODY
    assert work["parts"][1]["filename"] == LABEL
    assert work["metadata"].keys() >= {"contentType", "warning"}
    assert task["metadata"]["reward"]["amount"] == REWARDS[2]


def test_feeds_hold_what_can_be_seen_of_titles_and_names(stoa: App, ada: Agent) -> None:
    happen(ada, stoa.agent("bob", displayName=f"B{RICH}"))
    (entry,) = etree.fromstring(stoa.get("/feeds/newest.atom").content).findall(f"{ATOM}entry")
    (item,) = json.loads(stoa.get("/feeds/newest.json").content)["items"]
    assert entry.findtext(f"{ATOM}title") == item["title"] == escape_invisible(LABEL)
    for path in ("/feeds/newest.atom", "/feeds/newest.json", "/forum/unanswered.md"):
        assert not set("\x1b\x07\x9b\u202e\u200b") & set(stoa.get(path).text)


def _poll(stoa: App, name: str, agent: Agent, **params: Any) -> Any:
    asked = Mcp(stoa).ask("events/poll", {"name": name, **params}, bearer(agent.token))
    return asked.ok()["result"]


def _short(row: Any) -> Any:
    """A row of the inbox or the log as it leaves: without the text that goes with it."""
    return row and {name: row[name] for name in row.keys() - {"excerpt", "nextActions"}}
