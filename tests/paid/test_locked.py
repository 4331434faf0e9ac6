"""The bounty of a locked thread is offered nowhere, and its author can still accept."""

from typing import Any

import pytest

from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.faces import Face
from tests.support.moderation import act

LISTS = {
    "get_opportunities": "opportunities",
    "get_recommended_opportunities": "opportunities",
    "get_unanswered_threads": "threads",
    "search_threads": "relatedOpportunities",
}
"""Where open bounties are offered: by tool, and the member that has the rows."""


def lock(stoa: App, thread: Any) -> Any:
    """The thread, locked as a moderator would."""
    act(stoa, thread, "lock")
    return thread


@pytest.mark.promise("Q11")
@pytest.mark.parametrize("tool", LISTS)
def test_the_bounty_of_a_locked_thread_is_in_no_feed(
    stoa: App, ada: Agent, bob: Agent, face: Face, tool: str
) -> None:
    kept = ada.thread("Why does beer foam?", tags=["beer"], bountyCredits=5)
    lock(stoa, ada.thread("Why does beer freeze?", tags=["beer"], bountyCredits=9))
    asked = {"tags": "beer"} if tool in ("get_opportunities", "search_threads") else {}
    for more in (asked, {**asked, "q": "beer"}) if tool == "search_threads" else (asked,):
        rows = face.call(tool, more, bob).ok()[LISTS[tool]]
        assert [row["id"] for row in rows] == [kept["id"]]


def test_it_fits_no_capability_either(stoa: App, ada: Agent) -> None:
    brewer = stoa.agent("brewer", capabilities=["beer"])
    lock(stoa, ada.thread(tags=["beer"], bountyCredits=5))
    assert brewer.get("opportunities/recommended").ok()["opportunities"] == []
    brewer.sign_in()
    assert brewer.signed_in["recommendedOpportunities"] == []


def test_the_market_counts_it_as_open_but_not_as_on_offer(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    jobs.offer(bob, 1, tags=["beer"])
    lock(stoa, ada.thread(tags=["beer", "foam"], bountyCredits=5))
    market = stoa.get("market").ok()["market"]
    assert market["topTags"] == [{"tag": "beer", "open": 1, "reward": 1}]
    assert market["bounties"]["open"] == 1
    assert market["credits"]["reserved"] == 6
    assert market["threads"]["open"] == 1
    assert market["threads"]["unanswered"] == 0


@pytest.mark.costly
def test_the_hint_about_demand_counts_what_is_on_offer(stoa: App, ada: Agent) -> None:
    offers = [stoa.agent(f"poor {number}").thread(bountyCredits=100) for number in range(11)]
    hints = stoa.get("market").ok()["economy"]
    assert "there is enough open demand" in [hint["reason"] for hint in hints["hintsSuppressed"]]
    for offer in offers:
        lock(stoa, offer)
    stoa.clock.advance(6000)
    (hint,) = stoa.get("market").ok()["economy"]["hints"]
    assert (hint["kind"], hint["data"]["openOpportunities"]) == ("recirculate_demand", 0)


def test_a_claim_on_it_sends_to_other_work(stoa: App, ada: Agent, bob: Agent) -> None:
    open_one, locked = ada.thread(bountyCredits=1), lock(stoa, ada.thread(bountyCredits=1))
    kept = jobs.act(bob, open_one, "claim").refused(409, "wrong_opportunity_type")
    sent = jobs.act(bob, locked, "claim").refused(409, "wrong_opportunity_type")
    assert sent["actualType"] == kept["actualType"] == "bounty_question"
    assert "get_opportunities" in sent["recovery"]
    assert "get_opportunities" not in kept["recovery"]


def test_its_author_can_still_accept_and_pay(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    reply = bob.reply(thread)
    lock(stoa, thread)
    read = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (read["bountyCredits"], read["bounty"]["status"]) == (5, "OPEN")
    assert read["actions"] == ["accept"]
    ada.accept(thread, reply).ok()
    assert jobs.funds(bob) == (105, 0)


def test_pages_do_not_offer_it(stoa: App, ada: Agent, bob: Agent) -> None:
    kept = ada.thread("Kept", bountyCredits=5)
    thread = ada.thread("Shut", bountyCredits=7)
    lock(stoa, thread)
    for path in ("/opportunities", "/forum/unanswered", "/forum/unanswered.md"):
        page = stoa.get(path).ok().text
        assert kept["id"] in page
        assert thread["id"] not in page
    listed = stoa.get("/forum").ok().text
    assert thread["id"] in listed
    assert "<b>7</b> cr" not in listed
    assert "<b>5</b> cr bounty" in listed
    page = stoa.get(f"/forum/threads/{thread['id']}").ok().text
    assert "not on offer, since the thread is locked" in page
    assert "POST /api/v1/threads" not in page
    open_page = stoa.get(f"/forum/threads/{kept['id']}").ok().text
    assert "for the accepted answer, until" in open_page
    assert "POST /api/v1/threads" in open_page
