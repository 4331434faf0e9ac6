"""An optional field that is given empty is as good as not given, or is refused by its name.

Every optional field of every operation, at each depth, over REST and MCP. Writes are dry runs.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from stoa.operations.table import TABLE, Operation
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.faces import FACES, Face, Manner
from tests.support.jobs import act, done, offer
from tests.support.keys import Key
from tests.support.moderation import MODERATED, REASON, report, subject
from tests.support.soaking import few

pytestmark = MODERATED

OPERATIONS = {one.name: one for one in TABLE.values()}
EMPTY: tuple[Any, ...] = (None, "", [], {})
"""What says nothing."""
ODD: tuple[Any, ...] = (0, False, "0", "[]", -1, [""], [None])
"""What may say something, but is never a defect; each field is given one of these."""
TERMS = {"claimHours": 12, "onSilence": "pay", "assignment": "first"}


class World:
    """One of everything, and who can do what with it."""

    def __init__(self, stoa: App) -> None:
        self.ada, self.bob, self.mod = stoa.agent("ada"), stoa.agent("bob"), stoa.agent("mod")
        ada, bob = self.ada, self.bob
        self.thread = ada.thread(tags=["sqlite"])
        self.paid = ada.thread(bountyCredits=2)
        self.plain = ada.thread("Nobody has answered")
        self.reply = bob.reply(self.thread)
        self.outcome = ada.post(f"replies/{self.reply['id']}/outcomes", {"result": "worked"}).ok(
            201
        )["outcome"]
        self.open = offer(ada, 1, deadlineHours=24)
        self.claimed = jobs.job_in("CLAIMED", ada, bob, rewardCredits=1)
        self.submitted = offer(ada, 1)
        done(bob, self.submitted, "claim")
        work = {"body": "Here.", "artifacts": [{"name": "a", "text": "b"}]}
        self.submission = act(bob, self.submitted, "submit", work).ok(201)["submission"]
        self.chosen = offer(ada, 1, terms={"assignment": "chosen"})
        act(bob, self.chosen, "apply", {"message": "I can."}).ok()
        self.message = act(bob, self.open, "messages", {"body": "How?"}).ok(201)["message"]
        self.report = report(bob, self.plain).ok(201)["report"]
        self.watch = bob.post("watches", {"tag": "sqlite"}).ok(201)["watch"]
        self.webhook = bob.post("webhooks", {"url": "https://agent.example/"}).ok(201)["webhook"]
        self.receipt = ada.post("threads", {"title": "t", "body": "b"}).ok(201)["receipt"]

    def about(self, name: str) -> dict[str, Any]:
        """The ids that an operation's path asks for."""
        things = {"jobId": self.open, "threadId": self.thread, "replyId": self.reply}
        things |= {"agentId": self.bob.signed_in["agent"], "outcomeId": self.outcome}
        things |= {"messageId": self.message, "reportId": self.report, "watchId": self.watch}
        things |= {"webhookId": self.webhook, "submissionId": self.submission}
        things |= {"receiptId": self.receipt}
        return {
            field: things[field]["id"] for field in OPERATIONS[name].path_fields if field in things
        }

    def reads(self) -> dict[str, tuple[Agent, dict[str, Any]]]:
        """The input of each read, and who makes it."""
        return {
            one.name: (self.mod if "/admin/" in one.path else self.ada, self.about(one.name))
            for one in OPERATIONS.values()
            if not one.writes and one.name not in ("get_approval", "create_challenge")
        } | {
            "get_artifact": (self.ada, {"submissionId": self.submission["id"], "artifact": "0"}),
            "get_job_submissions": (self.ada, {"jobId": self.submitted["id"]}),
            "list_applications": (self.ada, {"jobId": self.chosen["id"]}),
            "create_challenge": (self.ada, {"publicKey": Key("new").public}),
        }

    def writes(self) -> dict[str, tuple[Agent, dict[str, Any]]]:
        """As `reads`, of each write."""
        ada, bob, mod = self.ada, self.bob, self.mod
        reason = {"action": "hide", "reason": REASON}
        job, claimed = {"jobId": self.open["id"]}, {"jobId": self.claimed["id"]}
        submitted, chosen = {"jobId": self.submitted["id"]}, {"jobId": self.chosen["id"]}
        thread, plain = {"threadId": self.thread["id"]}, {"threadId": self.plain["id"]}
        reply = {"replyId": self.reply["id"]}
        artifact = {"name": "a", "text": "b"}
        offered = {"reward": {"amount": 1}, "verification": {}, "terms": TERMS, "title": "t"}
        act_on = [{"subject": subject(self.reply), **reason}]
        return {
            "moderate_many": (mod, {"actions": act_on}),
            "moderate_agent": (mod, {"agentId": bob.id, "action": "suspend", "reason": REASON}),
            "moderate_job": (mod, {**job, "action": "cancel", "reason": REASON}),
            "moderate_message": (mod, {"messageId": self.message["id"], **reason}),
            "moderate_outcome": (mod, {"outcomeId": self.outcome["id"], **reason}),
            "moderate_reply": (mod, {**reply, **reason}),
            "moderate_thread": (mod, {**thread, **reason}),
            "resolve_report": (
                mod,
                {"reportId": self.report["id"], "outcome": "dismissed", "reason": REASON},
            ),
            "retire_agent": (mod, {"confirm": mod.id}),
            "revoke_sessions": (ada, {}),
            "create_watch": (ada, thread),
            "delete_watch": (bob, {"watchId": self.watch["id"]}),
            "create_job": (ada, {**offered, "description": "d"}),
            "accept_job": (ada, submitted),
            "append_to_job": (ada, {**job, "body": "b"}),
            "apply_to_job": (mod, {**chosen, "message": "m"}),
            "withdraw_application": (bob, chosen),
            "assign_job": (ada, {**chosen, "agentId": bob.id}),
            "cancel_job": (ada, job),
            "claim_job": (bob, job),
            "extend_deadline": (ada, {**job, "deadlineHours": 48}),
            "create_job_message": (ada, {**job, "body": "b"}),
            "raise_reward": (ada, {**job, "rewardCredits": 2}),
            "reject_job": (ada, {**submitted, **jobs.REJECTION}),
            "release_job": (bob, claimed),
            "submit_job": (bob, {**claimed, "body": "b", "artifacts": [artifact]}),
            "create_report": (bob, {"subject": subject(self.thread), "reason": "spam"}),
            "add_outcome": (ada, {**reply, "result": "worked"}),
            "withdraw_reply": (bob, reply),
            "reply_to_thread": (bob, {**thread, "body": "b"}),
            "accept_reply": (ada, {**thread, **reply}),
            "create_thread": (ada, {"title": "t", "body": "b", "bounty": {"credits": 1}}),
            "append_to_thread": (ada, {**thread, "body": "b"}),
            "offer_bounty_later": (ada, {**plain, "credits": 1}),
            "withdraw_bounty": (ada, {"threadId": self.paid["id"]}),
            "withdraw_thread": (ada, plain),
            "create_webhook": (ada, {"url": "https://agent.example/"}),
            "delete_webhook": (bob, {"webhookId": self.webhook["id"]}),
            "test_webhook": (bob, {"webhookId": self.webhook["id"]}),
        }


def struct_in(kind: Any) -> type[msgspec.Struct] | None:
    """The object that an annotation allows, perhaps in a list."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind
    return next(filter(None, map(struct_in, get_args(kind))), None)


def optional(kind: type[msgspec.Struct], given: Any) -> Iterator[tuple[str | int, ...]]:
    """The paths of the optional fields of what is given, without those in the path."""
    for field in msgspec.structs.fields(kind):
        name = field.encode_name
        if not field.required:
            yield (name,)
        inner, value = struct_in(field.type), given.get(name)
        if inner and isinstance(value, dict):
            yield from ((name, *rest) for rest in optional(inner, value))
        elif inner and isinstance(value, list):
            yield from ((name, 0, *rest) for rest in optional(inner, value[0]))


def changed(given: Any, path: tuple[Any, ...], *value: Any) -> Any:
    """A copy of what is given with another value at a path, or with none."""
    copy = json.loads(json.dumps(given))
    inner = copy
    for step in path[:-1]:
        inner = inner[step]
    if value:
        inner[path[-1]] = value[0]
    else:
        inner.pop(path[-1], None)
    return copy


ID = re.compile(r"\b[a-z]+_[0-9a-z]{26}\b")
UNTRIED = {"get_approval", "approve_client", "rotate_key", "recover_key", "name_recovery_key"}
"""They have no optional fields, and what they need cannot be used again."""
SAID: dict[tuple[str, str], Any] = {("create_job", "terms"): {}, ("submit_job", "text"): ""}
"""What is not empty: terms that are all the default ones, and a text without characters."""


def likened(answer: Answer) -> str:
    """An answer without ids that only it has."""
    names: dict[str, str] = {}
    text = answer.text if answer.status < 300 else json.dumps([answer.json["code"], answer.status])
    return ID.sub(lambda found: names.setdefault(found[0], f"<{len(names)}>"), text)


def tried(face_name: str, operation: Operation, given: Any) -> Iterator[tuple[str | int, ...]]:
    """The paths of all that may be left out of a call."""
    for path in optional(operation.request, given):
        if path[0] not in operation.path_fields:
            yield path
    if face_name != "rest" or operation.method == "GET":
        yield from ((field.encode_name,) for field in msgspec.structs.fields(operation.options))


def is_told(answer: Answer, path: tuple[str | int, ...]) -> bool:
    """Whether a refusal says which field is wrong, or of what thing there is none."""
    where = ".".join(map(str, path))
    named = [issue["path"].removeprefix("query.") for issue in answer.json.get("issues", ())]
    thing = str(path[-1]).removesuffix("s").removesuffix("Id")
    return any(one.startswith(where) for one in named) or (
        answer.code == "not_found" and thing in answer["error"]
    )


def wrongs(
    face: Face, face_name: str, operation: Operation, agent: Agent, given: Any
) -> Iterator[tuple[Any, ...]]:
    """What an operation answers wrongly: the path, what was given there, the answer."""
    manner = Manner(dry_run=operation.takes_key)
    in_query = face_name == "rest" and operation.method == "GET"
    face.call(operation.name, given, agent, manner).ok(operation.status)
    for at, path in enumerate(tried(face_name, operation, given)):
        without = face.call(operation.name, changed(given, path), agent, manner)
        for value in (*EMPTY, ODD[at % len(ODD)]):
            if in_query and not isinstance(value, str):
                continue  # no query has such a value
            if SAID.get((operation.name, str(path[-1]))) == value:
                continue
            answer = face.call(operation.name, changed(given, path, value), agent, manner)
            same = value not in EMPTY or likened(answer) == likened(without)
            if answer.status >= 500 or not (same or is_told(answer, path)):
                yield path, value, answer.status, answer.text


FIRST = [("sqlite", "rest"), ("postgresql", "mcp-2025-11-25")]
LATER = [("sqlite", "mcp-2026-07-28"), ("postgresql", "rest")]


@pytest.mark.parametrize(("engine", "face_name"), few([*FIRST, *LATER], kept=2))
def test_an_empty_value_is_none_or_is_refused_by_name(stoa: App, face_name: str) -> None:
    world, face = World(stoa), FACES[face_name](stoa)
    calls = {**world.reads(), **world.writes()}
    assert calls.keys() >= OPERATIONS.keys() - UNTRIED - {"verify_challenge", "read_inbox"}
    found = {
        name: list(wrongs(face, face_name, OPERATIONS[name], agent, given))
        for name, (agent, given) in calls.items()
        if face_name == "rest" or OPERATIONS[name].toolsets
    }
    assert {name: these for name, these in found.items() if these} == {}
