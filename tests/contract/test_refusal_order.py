"""When several things are wrong, the first of a fixed order is told, for every call."""

from typing import Any

import pytest

from stoa.domain.errors import CATALOGUE
from stoa.domain.ids import PREFIXES
from stoa.operations.catalog import all_operations
from stoa.operations.table import Access, Operation
from tests.support.app import App
from tests.support.moderation import act, suspend
from tests.support.soaking import fourth

pytestmark = pytest.mark.checks_input

NOBODY = "01arz3ndektsv4rrffq69g5fav"
BAD_TOKEN = {"Authorization": "Bearer nonsense"}
XML = {"Content-Type": "text/xml"}
HUGE = {"Content-Length": str(2**30)}

WRITES = [
    operation
    for operation in all_operations()
    if operation.who.access is Access.AGENT and operation.method == "POST"
]


def path_of(operation: Operation) -> str:
    """Its path with ids that name nothing."""
    path = operation.path
    for name, prefix in PREFIXES.items():
        path = path.replace(f"{{{name}Id}}", f"{prefix}_{NOBODY}")
    path = path.replace("{action}", "hide").replace("{code}", "00000000")
    path = path.replace("{artifact}", "0")
    assert "{" not in path
    return path


@pytest.mark.parametrize("operation", fourth(all_operations(), 0), ids=lambda one: one.name)
def test_a_bad_token_comes_before_everything(stoa: App, operation: Operation) -> None:
    answer = stoa.call(
        operation.method, f"{path_of(operation)}?limit=x", b"{", headers=BAD_TOKEN | XML | HUGE
    )
    answer.refused(401, "invalid_or_expired_token")


@pytest.mark.parametrize("operation", fourth(WRITES, 2), ids=lambda one: one.name)
def test_a_missing_token_comes_before_everything(stoa: App, operation: Operation) -> None:
    answer = stoa.call(operation.method, path_of(operation), b"{", headers=XML | HUGE)
    answer.refused(401, "missing_bearer_token")


@pytest.mark.settings(limit_reads_agent=1)
@pytest.mark.parametrize("operation", fourth(all_operations(), 1), ids=lambda one: one.name)
def test_a_full_bucket_comes_before_unreadable_and_unknown(stoa: App, operation: Operation) -> None:
    if operation.who.charged == "none":
        return
    alice = stoa.agent("alice")
    alice.get("threads").ok()
    answer = alice.call(operation.method, path_of(operation), b"{", headers=XML | HUGE)
    answer.refused(429, "rate_limited")


@pytest.mark.promise("W9")
@pytest.mark.parametrize("operation", fourth(WRITES, 3), ids=lambda one: one.name)
def test_size_comes_before_media_type_before_json_before_fields_before_the_id(
    stoa: App, operation: Operation
) -> None:
    alice, path = stoa.agent("alice"), path_of(operation)
    alice.post(path, b"{", headers=XML | HUGE).refused(413, "payload_too_large")
    alice.post(path, b"{", headers=XML).refused(415, "unsupported_media_type")
    alice.post(f"{path}?a=%FF", b"{}", headers=XML).refused(415, "unsupported_media_type")
    alice.post(path, b"{").refused(400, "invalid_request")
    alice.post(f"{path}?a=%FF").refused(400, "invalid_request")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (f"threads/th_{NOBODY}/replies", {"body": ""}),
        (f"threads/th_{NOBODY}/replies", {"body": "b", "parentReplyId": 7}),
        (f"jobs/job_{NOBODY}/submit", {"body": ""}),
        (f"jobs/job_{NOBODY}/reject", {"reasonCode": "mood"}),
    ],
)
def test_invalid_fields_come_before_an_unknown_id(
    stoa: App, path: str, body: dict[str, Any]
) -> None:
    stoa.agent("alice").post(path, body).invalid()


def test_an_unknown_id_comes_before_the_role_and_the_role_before_the_state(stoa: App) -> None:
    alice, bob, carol = (stoa.agent(name) for name in ("alice", "bob", "carol"))
    thread = alice.thread()
    own, reply, other = alice.reply(thread), bob.reply(thread), bob.reply(alice.thread())
    carol.accept(thread, other).refused(404, "not_found")
    carol.accept(thread, own).refused(403, "not_thread_author")
    alice.accept(thread, reply).ok()
    bob.accept(thread, reply).refused(403, "not_thread_author")
    alice.accept(thread, own).refused(400, "cannot_accept_own_reply")
    alice.accept(thread, reply).refused(409, "already_accepted")


def test_suspension_comes_behind_unknown_ids_and_before_role_and_state(stoa: App) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    thread = alice.thread()
    reply = bob.reply(thread)
    alice.accept(thread, reply).ok()
    suspend(stoa, bob)
    act(stoa, thread, "lock")
    bob.post(f"threads/th_{NOBODY}/replies", {"body": "b"}).refused(404, "not_found")
    bob.post(f"threads/{thread['id']}/replies", {"body": ""}).invalid("body")
    bob.post(f"threads/{thread['id']}/replies", {"body": "b"}).refused(403, "agent_suspended")
    bob.accept(thread, reply).refused(403, "agent_suspended")


def test_every_refusal_of_the_catalogue_declared_for_a_call_exists() -> None:
    for operation in all_operations():
        assert set(operation.errors) <= set(CATALOGUE)
        assert all(not CATALOGUE[code].reserved for code in operation.errors)


def test_a_refusal_changes_nothing_that_can_be_read(stoa: App) -> None:
    alice, bob = stoa.agent("alice"), stoa.agent("bob")
    thread = alice.thread()
    reply = bob.reply(thread)
    before = stoa.get(f"threads/{thread['id']}?include=replies").ok().content
    agents = [stoa.get(f"agents/{agent.id}").content for agent in (alice, bob)]
    stoa.clock.advance(1000)
    path = f"threads/{thread['id']}/replies"
    bob.accept(thread, reply).refused(403, "not_thread_author")
    bob.post(path, {"body": ""}).invalid()
    bob.post(path, {"body": "b", "parentReplyId": "x"}).invalid()
    alice.accept(thread, {"id": "rp_x"}).refused(404, "not_found")
    alice.post("threads", {"title": ""}).invalid()
    assert stoa.get(f"threads/{thread['id']}?include=replies").ok().content == before
    assert [stoa.get(f"agents/{agent.id}").content for agent in (alice, bob)] == agents
    assert len(stoa.get("threads").ok()["threads"]) == 1
