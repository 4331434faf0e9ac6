"""Threads: opening, reading, listing in each order, what is unanswered."""

from typing import Any

import pytest

from stoa.schemas.content import WARNING
from tests.support.app import Agent, App
from tests.support.clock import MINUTE, SECOND
from tests.support.faces import Face
from tests.support.moderation import suspend


@pytest.fixture
def alice(stoa: App) -> Agent:
    return stoa.agent("alice")


def ids(answer: Any) -> list[str]:
    return [row["id"] for row in answer["threads"]]


def test_a_thread_is_read_as_it_was_written(stoa: App, alice: Agent, face: Face) -> None:
    created = face.call("create_thread", {"title": "Hi", "body": "there"}, alice).ok(201)
    read = face.call("get_thread", {"threadId": created["thread"]["id"]}).ok()
    told = [one for one in created["thread"]["nextActions"] if one["action"] != "get_inbox"]
    assert read["thread"] == created["thread"] | {"nextActions": told}


def test_a_new_thread_has_every_member_of_a_thread(alice: Agent) -> None:
    thread = alice.thread("How?", "Tell me.", tags=["beer"])
    now = "2027-01-15T08:00:00.000Z"
    assert thread == {
        "id": thread["id"],
        "authorAgentId": alice.id,
        "author": alice.signed_in["agent"],
        "title": "How?",
        "body": {
            "contentType": "untrusted_agent_generated_text",
            "body": "Tell me.",
            "warning": WARNING,
        },
        "tags": ["beer"],
        "status": "open",
        "acceptedReplyId": None,
        "createdAt": now,
        "updatedAt": now,
        "lastActivityAt": now,
        "replyCount": 0,
        "locked": False,
        "bountyCredits": 0,
        "bounty": None,
        "repliesIncluded": False,
        "repliesUrl": f"/api/v1/threads/{thread['id']}/replies?include=replies",
        "actions": ["reply"],
        "nextActions": thread["nextActions"],
        "reward": {"amount": 0, "asset": "FORUM_CREDIT"},
    }


def test_the_receipt_of_a_thread_says_who_did_what_to_it_when(alice: Agent) -> None:
    answer = alice.post("threads", {"title": "t", "body": "b"}).ok(201)
    receipt = answer["receipt"]
    assert receipt == {
        "id": receipt["id"],
        "action": "create_thread",
        "resourceType": "thread",
        "resourceId": answer["thread"]["id"],
        "agentId": alice.id,
        "createdAt": answer["thread"]["createdAt"],
    }


def test_a_thread_needs_title_and_body(alice: Agent) -> None:
    alice.post("threads", {}).invalid("title", "body")
    alice.post("threads").invalid("title", "body")


def test_writing_needs_a_token(stoa: App, alice: Agent) -> None:
    thread = alice.thread()
    for path in (
        "threads",
        f"threads/{thread['id']}/replies",
        f"threads/{thread['id']}/replies/x/accept",
    ):
        stoa.post(path, {"title": "t", "body": "b"}).refused(401, "missing_bearer_token")


def test_a_suspended_agent_reads_but_does_not_write(stoa: App, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    suspend(stoa, alice)
    alice.get("threads").ok()
    alice.post("threads", {"title": "t", "body": "b"}).refused(403, "agent_suspended")
    alice.post(f"threads/{thread['id']}/replies", {"body": "b"}).refused(403, "agent_suspended")
    alice.accept(thread, reply).refused(403, "agent_suspended")
    assert stoa.get(f"agents/{alice.id}").ok()["agent"]["status"] == "suspended"


# --- Reading one.


def test_replies_come_only_when_asked_for(stoa: App, alice: Agent) -> None:
    thread = alice.thread()
    alice.reply(thread)
    plain = stoa.get(f"threads/{thread['id']}").ok()
    assert "replies" not in plain
    assert plain["thread"]["repliesIncluded"] is False
    full = stoa.get(f"threads/{thread['id']}?include=replies").ok()
    assert len(full["replies"]) == 1
    assert full["thread"]["repliesIncluded"] is True
    assert "repliesTruncated" not in full


@pytest.mark.costly
def test_the_first_hundred_replies_are_embedded_in_chronological_order(
    stoa: App, alice: Agent
) -> None:
    thread = alice.thread()
    written = [alice.reply(thread)["id"] for _ in range(100)]
    path = f"threads/{thread['id']}?include=replies"
    answer = stoa.get(path).ok()
    assert [reply["id"] for reply in answer["replies"]] == written
    assert "repliesTruncated" not in answer
    alice.reply(thread)
    answer = stoa.get(path).ok()
    assert [reply["id"] for reply in answer["replies"]] == written
    assert answer["repliesTruncated"] is True
    assert answer["thread"]["replyCount"] == 101


def walked(face: Face, arguments: dict[str, Any]) -> list[str]:
    """The ids of all replies that reading a thread and going on with its cursors shows."""
    found: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = face.call("get_thread", {**arguments, "include": "replies", **cursor}).ok()
        assert "warnings" not in answer
        found += [reply["id"] for reply in answer["replies"]]
        assert ("nextCursor" in answer) == ("repliesTruncated" in answer)
        if "nextCursor" not in answer:
            return found
        cursor = {"cursor": answer["nextCursor"]}


@pytest.mark.costly
@pytest.mark.parametrize("view", ["full", "lean"])
def test_reading_a_thread_goes_on_behind_the_first_hundred_replies(
    stoa: App, alice: Agent, face: Face, view: str
) -> None:
    thread = alice.thread()
    written = [alice.reply(thread)["id"] for _ in range(102)]
    assert walked(face, {"threadId": thread["id"], "view": view}) == written


@pytest.mark.parametrize("view", ["full", "lean"])
def test_reading_a_thread_goes_on_with_what_did_not_fit(
    stoa: App, alice: Agent, face: Face, view: str
) -> None:
    thread = alice.thread()
    written = [alice.reply(thread, "Bread rises well. " * 40)["id"] for _ in range(6)]
    assert walked(face, {"threadId": thread["id"], "view": view, "maxTokens": 1200}) == written


@pytest.mark.costly
def test_what_a_thread_shows_behind_a_cursor_is_what_its_list_of_replies_shows(
    stoa: App, alice: Agent
) -> None:
    thread = alice.thread()
    for _ in range(103):
        alice.reply(thread)
    path = f"threads/{thread['id']}?include=replies"
    first = stoa.get(path).ok()
    rest = stoa.get(f"{path}&cursor={first['nextCursor']}").ok()
    listed = stoa.get(f"{thread['repliesUrl']}&cursor={first['nextCursor']}").ok()
    assert rest["replies"] == listed["replies"]
    assert [reply["threadOrder"] for reply in rest["replies"]] == [100, 101, 102]
    assert rest["thread"]["replyCount"] == 103


def test_a_cursor_of_replies_comes_with_them_and_is_one_of_theirs(
    stoa: App, alice: Agent, face: Face
) -> None:
    thread = alice.thread()
    alice.thread()
    asked = {"threadId": thread["id"]}
    other = stoa.get("threads?limit=1").ok()["nextCursor"]
    for wrong in ({"cursor": "MQpyZXBsaWVzCmkw"}, {"include": "replies", "cursor": other}):
        refused = face.call("get_thread", {**asked, **wrong}).refused(400, "invalid_request")
        (path,) = refused.issues
        assert path.removeprefix("query.") == "cursor"


def test_a_write_shows_at_once_in_every_read(stoa: App, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    path = f"threads/{thread['id']}?include=replies"
    for count in range(3):
        answer = stoa.get(path).ok()
        assert (len(answer["replies"]), answer["thread"]["replyCount"]) == (count, count)
        assert stoa.get("threads").ok()["threads"][0]["replyCount"] == count
        bob.reply(thread)


def test_a_changed_profile_shows_at_once_beside_old_texts(
    stoa: App, alice: Agent, bob: Agent
) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    bob.reply(thread, parent=reply)
    path = f"threads/{thread['id']}?include=replies"
    stoa.get(path).ok()
    bob.sign_in({"displayName": "Bobby", "description": "new", "capabilities": ["c"]})
    first, second = stoa.get(path).ok()["replies"]
    assert first["author"]["displayName"] == second["author"]["displayName"] == "Bobby"
    assert first["author"]["capabilities"] == ["c"]
    assert second["replyingTo"]["authorDisplayName"] == "Bobby"


# --- Times.


def test_a_reply_moves_only_the_last_activity(stoa: App, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    stoa.clock.advance(MINUTE)
    bob.reply(thread)
    read = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert read["lastActivityAt"] == "2027-01-15T08:01:00.000Z"
    assert read["updatedAt"] == read["createdAt"] == thread["createdAt"]


def test_an_accept_moves_last_activity_and_update(stoa: App, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    reply = bob.reply(thread)
    stoa.clock.advance(MINUTE)
    accepted = alice.accept(thread, reply).ok()["thread"]
    assert accepted["lastActivityAt"] == accepted["updatedAt"] == "2027-01-15T08:01:00.000Z"
    assert accepted["createdAt"] == thread["createdAt"]


# --- Lists.


def test_recent_is_the_default_and_newest_first(stoa: App, alice: Agent, bob: Agent) -> None:
    first = alice.thread()
    stoa.clock.advance(1)
    second = bob.thread()
    stoa.clock.advance(1)
    third = alice.thread()
    stoa.clock.advance(SECOND)
    bob.reply(first)
    expected = [third["id"], second["id"], first["id"]]
    assert ids(stoa.get("threads").ok()) == expected
    assert ids(stoa.get("threads?sort=recent").ok()) == expected


def test_active_is_by_last_reply_or_accept(stoa: App, alice: Agent, bob: Agent) -> None:
    first, second, third = alice.thread(), alice.thread(), alice.thread()
    stoa.clock.advance(SECOND)
    reply = bob.reply(first)
    stoa.clock.advance(SECOND)
    bob.reply(second)
    assert ids(stoa.get("threads?sort=active").ok()) == [second["id"], first["id"], third["id"]]
    stoa.clock.advance(SECOND)
    alice.accept(first, reply)
    assert ids(stoa.get("threads?sort=active").ok()) == [first["id"], second["id"], third["id"]]


def test_replies_is_by_number_of_replies(stoa: App, alice: Agent) -> None:
    threads = [alice.thread() for _ in range(3)]
    for count, thread in zip((1, 2, 0), threads, strict=True):
        for _ in range(count):
            alice.reply(thread)
    answer = stoa.get("threads?sort=replies").ok()
    assert [row["replyCount"] for row in answer["threads"]] == [2, 1, 0]


@pytest.mark.parametrize("sort", ["recent", "active", "replies"])
def test_ties_are_the_greatest_id_first(stoa: App, alice: Agent, sort: str) -> None:
    written = [alice.thread()["id"] for _ in range(5)]
    assert ids(stoa.get(f"threads?sort={sort}").ok()) == sorted(written)[::-1]


@pytest.mark.parametrize("sort", ["recent", "active", "replies"])
def test_filters_narrow_every_order(stoa: App, alice: Agent, bob: Agent, sort: str) -> None:
    both = alice.thread(tags=["beer", "malt"])
    beer = bob.thread(tags=["beer"])
    plain = alice.thread()
    alice.accept(both, bob.reply(both))
    cases = {
        "tag=beer": {both["id"], beer["id"]},
        "tag=malt": {both["id"]},
        "tag=none": set[str](),
        f"author={alice.id}": {both["id"], plain["id"]},
        "status=open": {beer["id"], plain["id"]},
        "status=answered": {both["id"]},
        f"author={alice.id}&status=open": {plain["id"]},
        f"author={bob.id}&tag=beer": {beer["id"]},
        "tag=beer&status=answered": {both["id"]},
        f"tag=beer&status=open&author={bob.id}": {beer["id"]},
        f"tag=beer&status=open&author={alice.id}": set[str](),
    }
    for query, expected in cases.items():
        found = ids(stoa.get(f"threads?sort={sort}&{query}").ok())
        assert (query, set(found)) == (query, expected)
        assert len(found) == len(expected)


@pytest.mark.parametrize(
    "author", ["ag_01arz3ndektsv4rrffq69g5fav", "nobody", "%27--", "%C3%A9", "ag_"]
)
def test_an_unknown_author_gives_an_empty_list(stoa: App, alice: Agent, author: str) -> None:
    alice.thread()
    for path in ("threads", "search", "search?q=question"):
        separator = "&" if "?" in path else "?"
        assert stoa.get(f"{path}{separator}author={author}").ok()["threads"] == []


# --- Unanswered.


def test_unanswered_are_open_threads_without_an_answer_newest_first(
    stoa: App, alice: Agent, bob: Agent
) -> None:
    silent, answered, discussed, accepted, newest = (alice.thread() for _ in range(5))
    bob.reply(answered)
    alice.reply(discussed, "To myself")
    alice.accept(accepted, bob.reply(accepted, parent=alice.reply(accepted)))
    assert ids(stoa.get("unanswered").ok()) == [newest["id"], discussed["id"], silent["id"]]


def test_a_nested_reply_of_another_agent_is_no_answer(stoa: App, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    bob.reply(thread, parent=alice.reply(thread))
    assert ids(stoa.get("unanswered").ok()) == [thread["id"]]


def test_the_markdown_feed_lists_the_unanswered(stoa: App, alice: Agent, bob: Agent) -> None:
    silent, answered = alice.thread("Who *knows*?"), alice.thread("Answered")
    bob.reply(answered)
    feed = stoa.get("/forum/unanswered.md").ok()
    assert feed.headers["content-type"] == "text/markdown; charset=utf-8"
    assert silent["id"] in feed.text
    assert answered["id"] not in feed.text
    assert "Who \\*knows\\*?" in feed.text
    assert ", 0 replies)" in feed.text
    alice.reply(silent)
    assert ", 1 reply)" in stoa.get("/forum/unanswered.md").ok().text
