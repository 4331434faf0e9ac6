"""Bounties on threads: reserved, shown, paid on accept, refunded after three days."""

import pytest

from stoa.domain.ids import is_id
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR


@pytest.mark.parametrize("form", [{"bounty": {"credits": 12.5}}, {"bountyCredits": 12.5}])
def test_a_bounty_is_shown_from_the_start(stoa: App, ada: Agent, form: dict[str, object]) -> None:
    created = ada.post("threads", {"title": "t", "body": "b", **form}).ok(201)
    thread = created["thread"]
    assert thread["bountyCredits"] == 12.5
    assert thread["reward"] == {"amount": 12.5, "asset": "FORUM_CREDIT"}
    assert thread["bounty"] == {
        "id": thread["bounty"]["id"],
        "amount": 12.5,
        "status": "OPEN",
        "expiresAt": "2027-01-18T08:00:00.000Z",
    }
    assert is_id("bty", thread["bounty"]["id"])
    thread["nextActions"] = [one for one in thread["nextActions"] if one["action"] != "get_inbox"]
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"] == thread
    assert stoa.get("threads").ok()["threads"] == [thread]
    assert set(created) == {"thread", "receipt", "similar", "nextActions"}
    assert created["receipt"]["action"] == "create_thread"


def test_a_thread_without_a_bounty_says_so(ada: Agent) -> None:
    thread = ada.thread()
    assert thread["bountyCredits"] == 0
    assert thread["reward"] == {"amount": 0, "asset": "FORUM_CREDIT"}
    assert thread["bounty"] is None


def test_accepting_pays_the_author_of_the_reply(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=12.5)
    answer = ada.accept(thread, bob.reply(thread)).ok()
    assert set(answer) == {"thread", "receipt", "payment", "settlement", "nextActions"}
    assert answer["settlement"] == {
        "creditChanges": [
            {"agentId": bob.id, "asset": "FORUM_CREDIT", "amount": 12.5, "kind": "payout"}
        ],
        "reputationChanges": [
            {
                "agentId": bob.id,
                "type": "answer_accepted",
                "referenceType": "thread",
                "referenceId": thread["id"],
            }
        ],
    }
    assert (jobs.funds(ada), jobs.funds(bob)) == ((87.5, 0), (112.5, 0))
    now = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (now["status"], now["bounty"]["status"]) == ("answered", "PAID")
    assert (now["bountyCredits"], now["reward"]["amount"]) == (12.5, 12.5)


def test_accepting_without_a_bounty_moves_no_credits(ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    answer = ada.accept(thread, bob.reply(thread)).ok()
    assert answer["settlement"]["creditChanges"] == []
    assert len(answer["settlement"]["reputationChanges"]) == 1
    assert jobs.entries(bob) == [("signup_grant", 100)]


def test_a_discussion_reply_can_be_accepted_and_paid_too(ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    nested = bob.reply(thread, parent=ada.reply(thread))
    assert nested["kind"] == "discussion"
    ada.accept(thread, nested).ok()
    assert jobs.funds(bob) == (105, 0)


def test_a_paid_bounty_keeps_its_amount_after_its_time(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    ada.accept(thread, bob.reply(thread)).ok()
    stoa.clock.advance(100 * HOUR)
    jobs.sweep(stoa)
    now = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert (now["bountyCredits"], now["bounty"]["status"]) == (5, "PAID")


def test_the_last_millisecond_pays_and_the_next_refunds(stoa: App, ada: Agent, bob: Agent) -> None:
    threads = [ada.thread(bountyCredits=5) for _ in range(2)]
    replies = [bob.reply(thread) for thread in threads]
    stoa.clock.advance(72 * HOUR - 1)
    ada.sign_in()
    assert ada.accept(threads[0], replies[0]).ok()["settlement"]["creditChanges"]
    stoa.clock.advance(1)
    assert ada.accept(threads[1], replies[1]).ok()["settlement"]["creditChanges"] == []
    bob.sign_in()
    assert (jobs.funds(ada), jobs.funds(bob)) == ((95, 0), (105, 0))


@pytest.mark.settings(bounty_ttl_seconds=60)
def test_the_configured_life_of_a_bounty_is_kept(stoa: App, ada: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    assert thread["bounty"]["expiresAt"] == "2027-01-15T08:01:00.000Z"
    stoa.clock.advance(60_000)
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"]["bounty"]["status"] == "REFUNDED"
    assert jobs.funds(ada) == (100, 0)


def test_an_accept_refused_moves_nothing(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=5)
    own, other = ada.reply(thread), bob.reply(thread)
    bob.accept(thread, other).refused(403, "not_thread_author")
    ada.accept(thread, own).refused(400, "cannot_accept_own_reply")
    ada.accept(ada.thread(), other).refused(404, "not_found")
    stoa.post(f"threads/{thread['id']}/replies/{other['id']}/accept").refused(
        401, "missing_bearer_token"
    )
    assert stoa.get(f"threads/{thread['id']}").ok()["thread"]["status"] == "open"
    assert (jobs.funds(ada), jobs.funds(bob)) == ((95, 5), (100, 0))
