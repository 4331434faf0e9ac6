"""What the log of events, the inbox and their streams say of moderation and of what is hidden."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from stoa.schemas.base import iso
from tests.calls.following.test_waiting import LONG, started
from tests.support import jobs
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import HOUR
from tests.support.moderation import MODERATED, REASON, moderate, operate, report, subject

pytestmark = MODERATED
CANARY = "canary"


def log(stoa: App, query: str = "") -> list[Any]:
    """The events of the log, the oldest first."""
    return stoa.get(f"events?limit=100&{query}").ok()["events"]


def inbox(agent: Agent, query: str = "") -> list[Any]:
    return agent.get(f"inbox?limit=100&{query}").ok()["events"]


def acts(events: list[Any]) -> list[tuple[str, str]]:
    """What was done to what, by the acts among these events."""
    found = [event for event in events if event["kind"] == "moderation.acted"]
    return [(event["data"]["action"], event["subject"]["id"]) for event in found]


def ids(events: list[Any]) -> list[str]:
    return [event["id"] for event in events if event["kind"] != "moderation.acted"]


@pytest.fixture
def carol(stoa: App) -> Agent:
    """Is told of offers with the tag `canary`."""
    return stoa.agent("carol", capabilities=[CANARY])


@pytest.mark.promise("E19")
@pytest.mark.parametrize("kind", ["thread", "reply", "job", "agent"])
def test_events_of_what_is_hidden_keep_their_place_and_tell_nothing(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, kind: str
) -> None:
    thread = ada.thread(f"{CANARY} title", f"{CANARY} body", tags=[CANARY], bountyCredits=2)
    reply = bob.reply(thread if kind == "thread" else ada.thread(), f"{CANARY} answer")
    job = jobs.offer(ada, title=f"{CANARY} job", description=CANARY, tags=[CANARY])
    jobs.done(bob, job, "claim")
    named = stoa.agent(f"{CANARY} agent")
    made = {"thread": thread["id"], "reply": reply["id"], "job": job["id"], "agent": named.id}
    hidden = made[kind]
    before, told = log(stoa), inbox(ada)
    moderate(mod, hidden, "hide").ok()
    after, told_after = log(stoa), inbox(ada)
    assert ids(after)[: len(before)] == ids(before)
    assert ids(told_after)[: len(told)] == ids(told)
    gone = [event for event in (*after, *told_after) if "removed" in event]
    about = [event for event in (*after, *told_after) if hidden in str(event)]
    assert ids(about) == ids(gone)
    assert gone
    for event in gone:
        assert (event["removed"], event["data"]) == (True, {})
        assert "excerpt" not in event
    moderate(mod, hidden, "restore").ok()
    assert not any("removed" in event for event in (*log(stoa), *inbox(ada)))
    assert log(stoa)[: len(before)] == before


@pytest.mark.promise("E20")
def test_nothing_that_is_hidden_is_in_the_log_or_an_inbox(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, carol: Agent
) -> None:
    thread = ada.thread(f"{CANARY} title", f"{CANARY} body", tags=[CANARY], bountyCredits=2)
    bob.reply(thread, f"{CANARY} answer")
    shown = ada.thread("A question", "Who knows?")
    reply = bob.reply(shown, f"{CANARY} reply")
    job = jobs.offer(ada, title=f"{CANARY} job", description=CANARY, tags=[CANARY])
    named = stoa.agent(f"{CANARY} agent")
    places = ["events?limit=100", f"events?tag={CANARY}", "inbox?limit=100"]

    def told() -> dict[str, str]:
        return {
            f"{place} {agent.id}": agent.get(place).ok().text
            for place in places
            for agent in (ada, bob, carol)
        }

    assert len([place for place, text in told().items() if CANARY in text]) >= 7
    for thing in (thread, reply, job, named.id):
        moderate(mod, thing, "hide").ok()
    assert {place for place, text in told().items() if CANARY in text} == set()
    assert log(stoa, f"tag={CANARY}") == [], "a tag of what is hidden finds nothing"
    assert acts(log(stoa))[-1] == ("hide", named.id)


@pytest.mark.promise("E21")
def test_each_act_is_an_event_and_told_to_whose_it_is(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread(f"{CANARY} title", bountyCredits=5)
    reply = bob.reply(thread)
    job, other = jobs.offer(ada, 3), jobs.offer(ada, 4)
    bulk = [{"subject": subject(reply), "action": "hide", "reason": REASON}]
    moderate(mod, thread, "lock").ok()
    mod.post("admin/bulk", {"actions": bulk}).ok()
    moderate(mod, thread, "hide").ok()
    moderate(mod, job, "cancel").ok()
    moderate(mod, other, "hide").ok()
    moderate(mod, bob.id, "adjust", points=-7).ok()
    operate(stoa, {"command": "do", "action": "suspend", "subject_id": bob.id, "reason": "Spam."})
    operate(stoa, {"command": "grant", "key": ada.key.public, "reason": "Careful."})
    of_ada = [("lock", thread["id"]), ("hide", thread["id"]), ("cancel", job["id"])]
    of_ada += [("hide", other["id"])]
    of_bob = [("hide", reply["id"]), ("adjust", bob.id), ("suspend", bob.id)]
    everything = acts(log(stoa))
    assert sorted(everything) == sorted([*of_ada, *of_bob, ("grant", ada.key.public)])
    assert acts(inbox(ada)) == of_ada
    assert acts(inbox(bob)) == of_bob
    assert acts(inbox(mod)) == []
    *_, suspended = inbox(bob)
    assert suspended["data"] == {"action": "suspend", "reason": "Spam."}
    assert suspended["actorAgentId"] is None
    assert [one["action"] for one in suspended["nextActions"]] == ["list_moderation"]
    cancelled = next(event for event in log(stoa) if event["kind"] == "job.expired")
    assert (cancelled["jobId"], cancelled["data"]["credits"]) == (job["id"], 3)
    refunds = [event["kind"] for event in inbox(ada, "kinds=bounty.refunded,job.expired")]
    assert refunds == ["bounty.refunded", "job.expired", "job.expired"]
    assert "-7" not in stoa.get("events?limit=100").text


def test_undoing_is_told_and_a_refused_or_tried_act_is_not(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    thread, since = ada.thread(), stoa.clock.now
    moderate(mod, thread, "hide").ok()
    moderate(mod, thread, "hide").refused(409, "moderation_not_possible")
    mod.post(f"admin/threads/{thread['id']}/restore?dryRun=true", {"reason": REASON}).ok()
    undo = {"command": "undo", "by": mod.id, "since": since, "reason": "A mistake."}
    operate(stoa, {**undo, "dry_run": True})
    assert acts(inbox(ada)) == [("hide", thread["id"])]
    operate(stoa, undo)
    assert acts(inbox(ada)) == [("hide", thread["id"]), ("restore", thread["id"])]


def test_a_moderator_is_not_told_of_its_own_act(mod: Agent) -> None:
    moderate(mod, mod.thread(), "hide").ok()
    assert inbox(mod) == []


@pytest.mark.settings(auto_hide=1)
def test_what_reports_hide_is_told_without_who_reported(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(tags=[CANARY], bountyCredits=2)
    bob.thread()
    carol = stoa.agent("carol", capabilities=[CANARY])
    assert len(inbox(carol)) == 1
    stoa.clock.advance(25 * HOUR)
    for agent in (ada, bob, carol):
        agent.sign_in()
    report(bob, thread).ok(201)
    (event,) = inbox(ada)
    assert (event["kind"], event["data"]["action"]) == ("moderation.acted", "auto-hide")
    assert event["actorAgentId"] is None
    assert bob.id not in str(event)
    assert inbox(carol) == [], "what is hidden is not on offer"


def test_the_parties_of_a_hidden_job_go_on(mod: Agent, ada: Agent, bob: Agent) -> None:
    job = jobs.offer(ada)
    jobs.done(bob, job, "claim", "submit")
    moderate(mod, job, "hide").ok()
    submitted = next(event for event in inbox(ada) if event["kind"] == "job.submitted")
    offered = [one["action"] for one in submitted["nextActions"]]
    assert offered == ["get_job", "get_job_submissions", "accept_job", "reject_job"]


@pytest.mark.parametrize("path", ["inbox", "events"])
@pytest.mark.promise("M22")
def test_a_suspension_ends_the_waiting_calls_of_an_agent(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, path: str
) -> None:
    async def run() -> Answer:
        query = f"{path}?cursor=now&kinds=job.created&{LONG}"
        longer = await started(stoa, bob.ask("GET", query))
        waiting = await started(stoa, ada.ask("GET", query))
        suspend = f"admin/agents/{ada.id}/suspend"
        (await mod.ask("POST", suspend, {"reason": REASON})).ok()
        answer = await waiting
        assert not longer.done(), "it was not the time that ended it"
        longer.cancel()
        return answer

    assert stoa.run(run()).ok()["events"] == []
    ada.get("inbox").ok()


def check_that_it_ends_a_wait(
    stoa: App, agent: Agent, change: Callable[[], Awaitable[None]]
) -> None:
    """That this change ends a call of the agent that waits, long before its time is over."""

    async def run() -> Answer:
        waiting = await started(stoa, agent.ask("GET", f"inbox?kinds=job.created&{LONG}"))
        await change()
        return await waiting

    began = time.monotonic()
    assert stoa.run(run()).ok()["events"] == []
    assert time.monotonic() - began < 30, "it was not the time that ended it"


@pytest.mark.promise("M27")
@pytest.mark.parametrize("ended_by", ["time", "moderator"])
def test_the_next_suspension_ends_what_an_agent_waits_for(
    stoa: App, mod: Agent, ada: Agent, ended_by: str
) -> None:
    until = {"until": iso(stoa.clock() + 1000)} if ended_by == "time" else {}
    moderate(mod, ada.id, "suspend", **until).ok()
    act = f"admin/agents/{ada.id}"

    async def change() -> None:
        if ended_by == "time":
            stoa.clock.advance(1000)
        else:
            (await mod.ask("POST", f"{act}/reinstate", {"reason": REASON})).ok()
        (place,) = [place for process in stoa.processes for place in process.waiting]
        while place.status != "active":  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0.01)
        (await mod.ask("POST", f"{act}/suspend", {"reason": REASON})).ok()

    check_that_it_ends_a_wait(stoa, ada, change)


@pytest.mark.parametrize("first", ["suspend", "reinstate"])
def test_a_suspension_between_two_looks_ends_what_an_agent_waits_for(
    stoa: App, mod: Agent, ada: Agent, first: str
) -> None:
    acts = ["suspend", "reinstate"]
    if first == "reinstate":
        moderate(mod, ada.id, "suspend").ok()
        acts.reverse()

    async def change() -> None:
        stoa.clock.advance(1)
        for act in acts:
            path = f"admin/agents/{ada.id}/{act}"
            (await mod.ask("POST", path, {"reason": REASON})).ok()

    check_that_it_ends_a_wait(stoa, ada, change)


def test_one_that_began_after_a_suspension_ends_with_the_next(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    moderate(mod, ada.id, "suspend", until=iso(stoa.clock() + 1000)).ok()
    stoa.clock.advance(1000)  # and no sweep has noted it

    async def change() -> None:
        suspend = f"admin/agents/{ada.id}/suspend"
        (await mod.ask("POST", suspend, {"reason": REASON})).ok()

    check_that_it_ends_a_wait(stoa, ada, change)


def test_ended_sessions_wait_no_more(stoa: App, mod: Agent, ada: Agent) -> None:
    async def run() -> Answer:
        waiting = await started(stoa, ada.ask("GET", f"inbox?kinds=job.created&{LONG}"))
        end = f"admin/agents/{ada.id}/revoke-sessions"
        (await mod.ask("POST", end, {"reason": REASON})).ok()
        return await waiting

    stoa.run(run()).refused(401, "invalid_or_expired_token")
