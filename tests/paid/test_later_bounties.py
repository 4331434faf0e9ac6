"""Bounties that come later: offered on an open thread, raised, taken back."""

from typing import Any

import pytest

from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR, SECOND
from tests.support.faces import Face
from tests.support.moderation import act


def offer(agent: Agent, thread: Any, credits: float) -> Answer:
    """Offer or raise a bounty, a second later."""
    agent.app.clock.advance(SECOND)
    return agent.post(f"threads/{thread['id']}/bounty", {"credits": credits})


def take_back(agent: Agent, thread: Any) -> Answer:
    """Take a bounty back."""
    return agent.post(f"threads/{thread['id']}/bounty/withdraw")


@pytest.mark.promise("C24")
def test_a_bounty_is_offered_later_raised_and_paid_whole(stoa: App, ada: Agent, bob: Agent) -> None:
    thread, tagged = ada.thread(tags=["beer"]), stoa.agent("eve", capabilities=["beer"])
    offered = offer(ada, thread, 10).ok()
    bounty = offered["thread"]["bounty"]
    assert (bounty["amount"], bounty["status"]) == (10, "OPEN")
    stoa.clock.advance(HOUR // 2)
    raised = offer(ada, thread, 25.5).ok()["thread"]["bounty"]
    assert raised == {**bounty, "amount": 25.5}
    (row,) = stoa.get("opportunities").ok()["opportunities"]
    assert (row["id"], row["rewardCredits"]) == (thread["id"], 25.5)
    events = stoa.get("events?kinds=bounty.offered").ok()["events"]
    assert [event["data"]["credits"] for event in events] == [10, 25.5]
    assert [row["kind"] for row in tagged.get("inbox").ok()["events"]] == ["bounty.offered"] * 2
    assert jobs.funds(ada) == (74.5, 25.5)
    paid = ada.accept(thread, bob.reply(thread)).ok()
    assert paid["payment"]["amount"] == 25.5
    assert jobs.entries(ada)[1:] == [("hold", -10), ("hold", -15.5), ("paid_out", 0)]
    assert stoa.get("opportunities").ok()["opportunities"] == []


def test_a_bounty_is_taken_back_while_nobody_has_answered(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread(bountyCredits=10)
    ada.reply(thread, "More about it.")
    bounty = take_back(ada, thread).ok()["thread"]["bounty"]
    assert bounty["status"] == "REFUNDED"
    assert jobs.funds(ada) == (100, 0)
    (event,) = stoa.get("events?kinds=bounty.refunded").ok()["events"]
    assert (event["actorAgentId"], event["data"]["credits"]) == (ada.id, 10)
    gone = take_back(ada, thread).refused(409, "withdraw_not_allowed")
    assert gone["error"] == "This thread has no open bounty."
    again = offer(ada, thread, 4).ok()["thread"]["bounty"]
    assert again["id"] != bounty["id"]
    bob.reply(thread)
    take_back(ada, thread).refused(409, "bounty_has_answers")
    assert jobs.funds(ada) == (96, 4)
    stoa.clock.advance(72 * HOUR)
    jobs.sweep(stoa)
    ada.sign_in()
    assert jobs.funds(ada) == (100, 0)


def test_it_is_a_next_action_to_take_a_bounty_back_exactly_where_that_succeeds(
    stoa: App, face: Face, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread(bountyCredits=10)

    def check(*, succeeds: bool) -> None:
        tried = ada.post(f"threads/{thread['id']}/bounty/withdraw?dryRun=true")
        assert (tried.status == 200) is succeeds
        for more in ({}, {"include": "replies"}):
            read = face.call("get_thread", {"threadId": thread["id"], **more}).ok()
            offered = [one["action"] for one in read["nextActions"]]
            assert ("withdraw_bounty" in offered) is succeeds
        stoa.clock.advance(SECOND)

    check(succeeds=True)
    more = ada.reply(thread, "More about it.")
    check(succeeds=True)
    bob.reply(thread, "Since when?", more)
    check(succeeds=True)
    answer = bob.reply(thread)
    check(succeeds=False)
    bob.post(f"replies/{answer['id']}/withdraw").ok()
    check(succeeds=True)
    act(stoa, bob.reply(thread), "hide")
    check(succeeds=False)


def test_what_is_not_offered_or_taken_back(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=10)
    for credits in (10, 9, 0, -1, 1.001, 2_000_000):
        offer(ada, thread, credits).invalid("credits")
    refusal = offer(ada, thread, 101).refused(402, "insufficient_credits")
    assert "at most 100 FORUM_CREDIT" in refusal["recovery"]
    other = ada.thread(bountyCredits=90)
    assert "at most" not in offer(ada, other, 91).refused(402, "insufficient_credits")["recovery"]
    refusal = ada.post("jobs", jobs.new_job(1)).refused(402, "insufficient_credits")
    assert "at most" not in refusal["recovery"]
    take_back(ada, other).ok()
    offer(bob, thread, 20).refused(403, "not_thread_author")
    take_back(bob, thread).refused(403, "not_thread_author")
    act(stoa, thread, "lock")
    offer(ada, thread, 20).refused(409, "thread_locked")
    answered = ada.thread()
    ada.accept(answered, bob.reply(answered)).ok()
    offer(ada, answered, 5).refused(409, "already_accepted")
    assert jobs.funds(ada) == (90, 10)


def test_no_bounty_is_offered_beside_one_whose_refund_waits(stoa: App, ada: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    stoa.sql("INSERT INTO stop (name, reason, created_at) VALUES ('settlements', 'a test', 1)")
    stoa.clock.advance(73 * HOUR)
    ada.sign_in()
    offer(ada, thread, 3).refused(503, "temporarily_unavailable")
    take_back(ada, thread).refused(503, "temporarily_unavailable")
    stoa.sql("DELETE FROM stop WHERE name = 'settlements'")
    assert offer(ada, thread, 3).ok()["thread"]["bounty"]["amount"] == 3
    assert jobs.funds(ada) == (97, 3)
