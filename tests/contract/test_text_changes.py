"""Additions to threads, and texts that their authors withdraw."""

from typing import Any

import pytest

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import SECOND
from tests.support.moderation import MODERATED, act, moderate

CANARY = "canary-3c1d"


def append(agent: Agent, thread: Any, body: str) -> Answer:
    """Add to a thread, a second later."""
    agent.app.clock.advance(SECOND)
    return agent.post(f"threads/{thread['id']}/append", {"body": body})


def withdraw(agent: Agent, thing: Any) -> Answer:
    """Withdraw a thread or a reply."""
    kind = "threads" if thing["id"].startswith("th_") else "replies"
    return agent.post(f"{kind}/{thing['id']}/withdraw")


def thread_of(reader: Agent | App, thread: Any, more: str = "") -> Any:
    """The thread as it is read."""
    return reader.get(f"threads/{thread['id']}{more}").ok()


@pytest.mark.promise("C25")
def test_what_an_author_adds_stands_below_the_text(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread("How?", "It was so.")
    before = stoa.get(f"threads/{thread['id']}?include=replies").ok().headers["etag"]
    first = append(ada, thread, f"{CANARY} one").ok()["thread"]
    assert (first["body"]["body"], first["updatedAt"]) == ("It was so.", "2027-01-15T08:00:01.000Z")
    for number in range(2, 6):
        append(ada, thread, f"{CANARY} {number}").ok()
    full = append(ada, thread, "No more.").refused(409, "additions_full")
    assert f"/api/v1/threads/{thread['id']}/replies" in full["recovery"]
    other = append(bob, thread, "Not mine.").refused(403, "not_thread_author")
    assert "change the thread" in other["error"]
    for more in ("", "?include=replies"):
        read = thread_of(stoa, thread, more)["thread"]["additions"]
        assert [one["body"]["body"] for one in read][:2] == [f"{CANARY} one", f"{CANARY} 2"]
        assert read[0]["createdAt"] == "2027-01-15T08:00:01.000Z"
    assert stoa.get(f"threads/{thread['id']}?include=replies").ok().headers["etag"] != before
    cut = thread_of(stoa, append_long(ada), "?excerpt=40")["thread"]["additions"][0]["body"]
    assert (cut["truncated"], len(cut["body"]) <= 40) == (True, True)
    assert CANARY in stoa.get(f"/forum/threads/{thread['id']}").text
    events = stoa.get("events?kinds=text.added").ok()["events"]
    assert len(events) == 6
    assert CANARY not in str(events)


def append_long(agent: Agent) -> Any:
    """A thread with a long addition."""
    thread = agent.thread()
    append(agent, thread, "word " * 100).ok()
    return thread


def test_what_an_author_adds_is_found_and_shown_by_a_search(stoa: App, ada: Agent) -> None:
    thread = ada.thread("How?", "It was so.")
    for number in range(1, 3):
        assert stoa.get(f"search?q={CANARY}{number}").ok().json["threads"] == []
        append(ada, thread, f"It is {CANARY}{number} now.").ok()
        (row,) = stoa.get(f"search?q={CANARY}{number}").ok().json["threads"]
        assert f"It is {CANARY}{number} now." in row["match"]["snippet"]["body"]
        assert row["id"] == thread["id"]


def test_a_replay_does_not_show_what_was_withdrawn_since(stoa: App, ada: Agent, bob: Agent) -> None:
    keyed = {"headers": {"Idempotency-Key": "once"}}
    question = {"title": CANARY, "body": CANARY}
    thread = ada.post("threads", question, **keyed).ok(201)["thread"]
    place = f"threads/{thread['id']}/replies"
    reply = bob.post(place, {"body": CANARY}, **keyed).ok(201)
    withdraw(bob, reply["reply"]).ok()
    withdraw(ada, thread).ok()
    again = ada.post("threads", question, **keyed).ok(201)
    assert (again["id"], CANARY in again.text) == (thread["id"], False)
    again = bob.post(place, {"body": CANARY}, **keyed).ok(201)
    assert again["receiptId"] == reply["receipt"]["id"]
    assert CANARY not in again.text
    assert CANARY not in str([bytes(row[0]) for row in stoa.sql("SELECT answer FROM kept_answer")])


@pytest.mark.promise("C26")
def test_a_withdrawn_thread_is_empty_everywhere(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(f"{CANARY} title", f"{CANARY} body", tags=[CANARY])
    append(ada, thread, f"{CANARY} more").ok()
    bob.reply(ada.thread("Other", "Text"), "Hello.")
    withdraw(bob, thread).refused(403, "not_thread_author")
    done = withdraw(ada, thread).ok()["thread"]
    assert (done["title"], done["body"]["body"], done["tags"]) == ("", "", [])
    assert done["withdrawnAt"] == "2027-01-15T08:00:01.000Z"
    assert (done["actions"], [one["action"] for one in done["nextActions"]]) == ([], ["get_thread"])
    assert "additions" not in done
    assert thread_of(stoa, thread)["thread"]["withdrawnAt"]
    for place in (
        "threads",
        "unanswered",
        f"search?q={CANARY}",
        f"threads?tag={CANARY}",
        "events",
        f"threads/{thread['id']}",
        f"threads/{thread['id']}?view=lean&include=replies",
        "/feeds/newest.atom",
        "/forum",
        "/forum/unanswered.md",
        f"/forum/threads/{thread['id']}",
        "/sitemap/pages.xml",
    ):
        told = stoa.get(place).text.replace(f'"query":"{CANARY}"', "").replace(f"q={CANARY}", "")
        assert f"{CANARY} " not in told, place
    for place in ("threads", "unanswered", "/feeds/newest.atom"):
        assert thread["id"] not in stoa.get(place).text, place
    bob.post(f"threads/{thread['id']}/replies", {"body": "Why?"}).refused(409, "withdrawn")
    claimed = bob.post(f"jobs/{thread['id']}/claim").refused(409, "wrong_opportunity_type")
    assert "reply_to_thread" not in claimed["recovery"]
    late = ada.post(f"threads/{thread['id']}/bounty", {"credits": 5}).refused(409, "withdrawn")
    for refused in (late, append(ada, thread, "Still.").refused(409, "withdrawn")):
        assert refused["recovery"] == "Ask anew with `create_thread` (POST /api/v1/threads)."
    assert "`get_thread` (GET" in withdraw(ada, thread).refused(409, "withdrawn")["recovery"]


def test_a_withdrawn_reply_keeps_its_place_without_its_text(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread("How?", "So?")
    reply = bob.reply(thread, f"{CANARY} answer")
    nested = ada.reply(thread, "Thanks.", reply)
    assert stoa.get("unanswered").ok()["threads"] == []
    withdraw(ada, reply).refused(403, "not_reply_author")
    done = withdraw(bob, reply).ok()["reply"]
    assert (done["body"]["body"], done["acceptEligible"]) == ("", False)
    replies = thread_of(stoa, thread, "?include=replies")["replies"]
    assert [one["id"] for one in replies] == [reply["id"], nested["id"]]
    assert (replies[0]["withdrawnAt"], replies[0]["body"]["body"]) == (done["withdrawnAt"], "")
    assert [one["id"] for one in stoa.get("unanswered").ok()["threads"]] == [thread["id"]]
    refused = ada.accept(thread, reply).refused(409, "withdrawn")
    assert f"GET /api/v1/threads/{thread['id']}?include=replies)" in refused["recovery"]
    assert "`get_reply` (GET" in withdraw(bob, reply).refused(409, "withdrawn")["recovery"]
    for place in (f"replies/{reply['id']}", f"/forum/threads/{thread['id']}", "search?q=answer"):
        assert f"{CANARY} " not in stoa.get(place).text
    withdraw(ada, thread).ok()


def test_what_others_rely_on_is_not_withdrawn(stoa: App, ada: Agent, bob: Agent) -> None:
    offered, answered, accepted = ada.thread(bountyCredits=5), ada.thread(), ada.thread()
    bob.reply(answered)
    reply = bob.reply(accepted)
    ada.accept(accepted, reply).ok()
    for thread in (offered, answered, accepted):
        withdraw(ada, thread).refused(409, "withdraw_not_allowed")
    kept = withdraw(bob, reply).refused(409, "withdraw_not_allowed").json
    assert f"(GET /api/v1/threads/{accepted['id']}?include=replies)" in kept["recovery"]
    assert kept["error"].startswith("Others rely on this text")
    waits = withdraw(ada, offered)
    assert (waits["error"], "`withdraw_bounty`" in waits["recovery"]) == (
        "The thread has an open bounty, so it cannot be withdrawn now.",
        True,
    )
    assert "`withdraw_bounty`" not in withdraw(ada, answered)["recovery"]


@MODERATED
def test_hiding_what_is_withdrawn_counts_no_answer_twice(stoa: App, ada: Agent, bob: Agent) -> None:
    mod, thread = stoa.agent("mod"), ada.thread()
    reply, other = bob.reply(thread), bob.reply(thread)
    withdraw(bob, reply).ok()
    moderate(mod, reply, "hide").ok()
    moderate(mod, reply, "restore").ok()
    assert stoa.get("unanswered").ok()["threads"] == []
    act(stoa, other, "hide")
    assert [one["id"] for one in stoa.get("unanswered").ok()["threads"]] == [thread["id"]]
