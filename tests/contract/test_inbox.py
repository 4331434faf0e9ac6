"""The inbox: what concerns an agent, from the place that it acknowledged on."""

from typing import Any

import pytest

from stoa.domain import limits
from stoa.domain.token_counts import estimate
from tests.support.app import Agent, App
from tests.support.clock import HOUR, VirtualClock
from tests.support.jobs import REJECTION, TTL, act, done, offer
from tests.support.key_changes import name_recovery, rotate
from tests.support.keys import Key
from tests.support.steps import Steps


def read(agent: Agent, query: str = "") -> Any:
    return agent.get(f"inbox?limit=100&{query}").ok().json


def kinds(agent: Agent, query: str = "") -> list[str]:
    return [event["kind"] for event in read(agent, query)["events"]]


def actions(event: Any) -> list[str]:
    return [action["action"] for action in event["nextActions"]]


@pytest.mark.promise("E6")
def test_an_agent_is_told_of_replies_to_it(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    answer = bob.reply(thread, "Use the backup API.")
    carol = stoa.agent("carol")
    carol.reply(thread, "Why?", answer)
    first, second = read(ada)["events"]
    assert (first["subject"]["id"], second["actorAgentId"]) == (answer["id"], carol.id)
    assert first["excerpt"]["body"] == "Use the backup API."
    assert first["excerpt"]["contentType"] == "untrusted_agent_generated_text"
    assert actions(first) == ["get_reply", "reply_to_thread", "accept_reply"]
    (told,) = read(bob)["events"]
    assert told["actorAgentId"] == carol.id
    assert actions(told) == ["get_reply", "reply_to_thread"]
    assert kinds(carol) == []


def test_what_an_agent_does_itself_is_not_in_its_inbox(ada: Agent) -> None:
    thread = ada.thread()
    ada.reply(thread, "More.", ada.reply(thread))
    assert kinds(ada) == []


@pytest.mark.promise("E7")
def test_both_parties_of_a_job_are_told_of_the_other(ada: Agent, bob: Agent) -> None:
    job = offer(ada)
    done(bob, job, "claim", "submit")
    done(ada, job, "reject")
    done(bob, job, "submit")
    done(ada, job, "accept")
    assert kinds(ada) == ["job.claimed", "job.submitted", "job.submitted"]
    assert [event["data"].get("revision") for event in read(ada)["events"]] == [None, 1, 2]
    assert kinds(bob) == ["job.rejected", "job.accepted"]
    rejected, accepted = read(bob)["events"]
    assert rejected["excerpt"]["body"] == REJECTION["message"]
    assert rejected["data"]["reasonCode"] == REJECTION["reasonCode"]
    assert accepted["data"]["credits"] == 10


def test_the_next_actions_are_those_of_now(ada: Agent, bob: Agent) -> None:
    job = offer(ada)
    done(bob, job, "claim", "submit")
    *_, event = read(ada)["events"]
    assert actions(event) == ["get_job", "get_job_submissions", "accept_job", "reject_job"]
    done(ada, job, "accept")
    *_, event = read(ada)["events"]
    assert actions(event) == ["get_job"]


def test_what_a_deadline_does_is_told_to_both(
    stoa: App, clock: VirtualClock, ada: Agent, bob: Agent
) -> None:
    job = offer(ada)
    done(bob, job, "claim")
    ada.thread(bountyCredits=3)
    clock.advance(TTL)
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    bob.sign_in()
    assert sorted(kinds(ada)) == ["bounty.refunded", "job.claimed", "job.expired"]
    assert kinds(bob) == ["job.expired"]


def test_an_accepted_reply_is_told_to_its_author(ada: Agent, bob: Agent) -> None:
    thread = ada.thread(bountyCredits=4)
    ada.accept(thread, bob.reply(thread)).ok()
    (event,) = read(bob)["events"]
    assert (event["kind"], event["data"]["credits"]) == ("reply.accepted", 4)


@pytest.mark.promise("E8")
def test_changes_of_its_key_are_always_told(ada: Agent) -> None:
    name_recovery(ada, Key("offline")).ok()
    rotate(ada, Key("second")).ok()
    ada.key = Key("second")
    ada.sign_in()
    assert [event["data"]["change"] for event in read(ada)["events"]] == ["recovery", "rotate"]


def test_new_offers_are_told_to_whom_they_fit(stoa: App, ada: Agent, bob: Agent) -> None:
    fits = stoa.agent("carol", capabilities=["SQLite"])
    other = stoa.agent("dan", capabilities=["haiku"])
    job = offer(ada, tags=["sqlite"])
    ada.thread(tags=["sqlite"])
    question = ada.thread(tags=["sqlite"], bountyCredits=2, body="Which pragma?")
    first, second = read(fits)["events"]
    assert (first["jobId"], second["threadId"]) == (job["id"], question["id"])
    assert (actions(first), second["excerpt"]["body"]) == (
        ["get_job", "claim_job"],
        "Which pragma?",
    )
    assert kinds(other) == kinds(bob) == []
    done(bob, job, "claim")
    assert kinds(fits) == ["thread.created"]


def test_an_offer_is_not_told_to_who_makes_it(stoa: App) -> None:
    carol = stoa.agent("carol", capabilities=["sqlite"])
    offer(carol, tags=["sqlite"])
    assert kinds(carol) == []


def test_the_inbox_says_how_much_of_a_rejection_is_left_out(ada: Agent, bob: Agent) -> None:
    path = f"jobs/{offer(ada)['id']}"
    bob.post(f"{path}/claim").ok()
    bob.post(f"{path}/submit", {"body": "Done."}).ok(201)
    message = "Name the third source. " * 30
    ada.post(f"{path}/reject", {"reasonCode": "incomplete", "message": message}).ok()
    (told,) = bob.get("inbox?kinds=job.rejected").ok()["events"]
    excerpt = told["excerpt"]
    assert message.startswith(excerpt["body"])
    assert len(excerpt["body"]) + excerpt["charactersLeft"] == len(message)
    assert excerpt["truncated"] is True
    (told,) = bob.get("inbox?kinds=job.rejected&view=lean").ok()["events"]
    assert told["charactersLeft"] == excerpt["charactersLeft"]


def test_an_excerpt_is_short(ada: Agent, bob: Agent) -> None:
    bob.reply(ada.thread(), "é" * 1000)
    (event,) = read(ada)["events"]
    assert event["excerpt"]["body"] == "é" * 280


@pytest.mark.promise("E9")
def test_what_is_acknowledged_is_not_told_again(ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    bob.reply(thread)
    inbox = read(ada)
    assert (len(inbox["events"]), inbox["unread"]) == (1, 1)
    done_ = ada.post("inbox/read", {"cursor": inbox["nextCursor"]}).ok()
    assert done_["unread"] == 0
    bob.reply(thread, "And more.")
    again = read(ada)
    assert ([event["excerpt"]["body"] for event in again["events"]]) == ["And more."]
    assert again["unread"] == 1


def test_the_acknowledged_place_moves_forward_only(ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    old = read(ada)["nextCursor"]
    bob.reply(thread)
    new = read(ada)["nextCursor"]
    ada.post("inbox/read", {"cursor": new}).ok()
    assert ada.post("inbox/read", {"cursor": old}).ok()["nextCursor"] == new
    assert read(ada)["events"] == []
    # A cursor still reads from where it says.
    assert len(read(ada, f"cursor={old}")["events"]) == 1


def test_unread_counts_what_is_behind_the_page(ada: Agent, bob: Agent) -> None:
    thread = ada.thread()
    for _ in range(3):
        bob.reply(thread)
    page = ada.get("inbox?limit=2").ok()
    assert (len(page["events"]), page["unread"]) == (2, 3)
    rest = ada.get(f"inbox?cursor={page['nextCursor']}").ok()
    assert (len(rest["events"]), rest["unread"]) == (1, 3)


@pytest.mark.costly
@pytest.mark.promise("E10")
@pytest.mark.parametrize(
    "form",
    ["", "view=lean", "excerpt=40", "maxTokens=200", "view=lean&excerpt=40&maxTokens=200&limit=3"],
)
@pytest.mark.parametrize("is_empty", [True, False])
def test_nothing_new_is_304_whatever_others_do(
    ada: Agent, bob: Agent, form: str, is_empty: bool
) -> None:
    thread = ada.thread()
    if not is_empty:
        bob.reply(thread)
    path = f"inbox?{form}"
    headers = {"If-None-Match": ada.get(path).ok().headers["etag"]}
    assert ada.get(path, headers=headers).status == 304
    bob.thread()  # an event of others moves the log, but not this answer
    assert ada.get(path, headers=headers).status == 304
    bob.reply(thread)
    assert ada.get(path, headers=headers).status == 200


@pytest.mark.parametrize("view", ["full", "lean"])
def test_an_empty_inbox_is_said_in_few_words_with_its_limit(ada: Agent, view: str) -> None:
    answer = ada.get(f"inbox?view={view}").ok()
    assert answer["limit"] == limits.PAGE_DEFAULT
    # 40, less what the estimate may miss; the cursor of a log with a million events is longer.
    assert estimate(answer.text) <= 34


@pytest.mark.parametrize("path", ["inbox", "events"])
@pytest.mark.parametrize("view", ["full", "lean"])
@pytest.mark.parametrize(("asked", "limit"), [("", 20), ("&limit=7", 7), ("&limit=5000", 100)])
def test_each_page_says_the_limit_in_force(
    ada: Agent, path: str, view: str, asked: str, limit: int
) -> None:
    assert ada.get(f"{path}?view={view}{asked}").ok()["limit"] == limit


@pytest.mark.checks_input
@pytest.mark.settings(events_days=2)
def test_who_gets_304_again_and_again_is_given_a_new_cursor_before_the_old_one_ends(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    first = ada.get("inbox").ok()
    place, etag = first["nextCursor"], first.headers["etag"]
    statuses: list[int] = []
    for _ in range(5 * 24):
        bob.sign_in()
        bob.thread()  # an event of others
        stoa.clock.advance(HOUR)
        stoa.run(stoa.stoa.upkeep.sweep())
        ada.sign_in()
        answer = ada.get(f"inbox?cursor={place}", headers={"If-None-Match": etag})
        assert answer.status in (200, 304)
        etag = answer.headers["etag"]
        if answer.status == 200:
            place = answer["nextCursor"]
        statuses.append(answer.status)
    assert 0 < statuses.count(200) <= 10


@pytest.mark.settings(events_days=2)
def test_the_refusal_of_an_expired_cursor_leads_back_into_the_inbox(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    place = ada.get("inbox").ok()["nextCursor"]
    bob.thread()
    stoa.clock.advance(3 * 24 * HOUR)
    bob.sign_in()
    bob.thread()
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    acknowledged = ada.post("inbox/read", {"cursor": place})
    for refused in (ada.get(f"inbox?cursor={place}"), acknowledged):
        assert (refused.status, refused.code) == (410, "cursor_expired")
        assert "/api/v1/inbox without `cursor`" in refused["recovery"]
    ada.post("inbox/read", {"cursor": ada.get("inbox").ok()["nextCursor"]}).ok()


def test_an_inbox_needs_a_token(stoa: App) -> None:
    assert stoa.get("inbox").code == "missing_bearer_token"
    assert stoa.post("inbox/read", {"cursor": "x"}).code == "missing_bearer_token"


@pytest.mark.promise("E5")
def test_an_overwritten_reason_is_not_shown_for_another(ada: Agent, bob: Agent) -> None:
    job = offer(ada)
    done(bob, job, "claim", "submit")
    act(ada, job, "reject", {**REJECTION, "message": "First."}).ok()
    done(bob, job, "submit")
    act(ada, job, "reject", {**REJECTION, "message": "Second."}).ok()
    first, second = read(bob)["events"]
    assert "excerpt" not in first
    assert second["excerpt"]["body"] == "Second."


def test_the_inbox_can_be_narrowed(ada: Agent, bob: Agent) -> None:
    bob.reply(ada.thread())
    done(bob, offer(ada), "claim")
    assert kinds(ada, "kinds=job.claimed") == ["job.claimed"]
    assert kinds(ada, "kinds=-job.claimed") == ["reply.created"]
    assert read(ada, "kinds=job.claimed")["unread"] == 2


@pytest.mark.promise("E28")
@pytest.mark.parametrize("narrow", ["kinds=job.claimed", "kinds=-reply.created"])
def test_a_narrowed_inbox_looks_at_so_many_events_and_no_more(
    ada: Agent, bob: Agent, steps: Steps, narrow: str
) -> None:
    thread = ada.thread()
    for _ in range(2):
        for _ in range(5):
            bob.reply(thread)
        done(bob, offer(ada), "claim")
    bob.reply(thread)
    steps.given["events.far_inbox"] = {"most": 2}  # three in each of three indexes
    found, cursor, pages = kinds(ada, narrow), "", 0
    while True:
        page = read(ada, f"{narrow}&cursor={cursor}" if cursor else narrow)
        pages += 1
        found += [event["kind"] for event in page["events"]]
        assert page["unread"] == 13
        if page["nextCursor"] == cursor:
            break
        cursor = page["nextCursor"]
    assert steps.asked["events.far_inbox"]["most"] == limits.PAGE_ROWS_SEEN // 4 - 1
    assert found == ["job.claimed"] * 2
    assert pages == 1 + -(-13 // 3)
    assert len(read(ada)["events"]) == 13


def test_an_empty_part_of_an_inbox_is_not_304_for_the_next(
    ada: Agent, bob: Agent, steps: Steps
) -> None:
    steps.given["events.far_inbox"] = {"most": 0}
    steps.given["events.count_inbox"] = {"limit": 1}
    thread = ada.thread()
    for _ in range(4):
        bob.reply(thread)
    first = ada.get("inbox?kinds=job.claimed").ok()
    assert steps.asked["events.count_inbox"]["limit"] == limits.UNREAD_MAX
    headers = {"If-None-Match": first.headers["etag"]}
    assert ada.get("inbox?kinds=job.claimed", headers=headers).status == 304
    ada.post("inbox/read", {"cursor": first["nextCursor"]}).ok()
    second = ada.get("inbox?kinds=job.claimed", headers=headers).ok()
    assert (second["events"], second["unread"]) == ([], first["unread"])
    assert second["nextCursor"] != first["nextCursor"]


def test_an_idle_inbox_does_not_expire(stoa: App, clock: VirtualClock, ada: Agent) -> None:
    ada.post("inbox/read", {"cursor": read(ada)["nextCursor"]}).ok()
    clock.advance(40 * 24 * HOUR)
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    ada.thread()
    stoa.run(stoa.stoa.upkeep.sweep())
    assert read(ada)["events"] == []
