"""Bulks, the limit of acts, undoing, and the days that moderators have."""

import json
from typing import Any

import pytest

from stoa.schemas import validation
from stoa.schemas.base import iso
from stoa.store.tx import StoreUnavailable
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.command import run_stoa_here
from tests.support.ledger import broken, rows
from tests.support.moderation import (
    MODERATED,
    REASON,
    act,
    moderate,
    operate,
    report,
    reporters,
    subject,
)
from tests.support.steps import Steps

pytestmark = MODERATED


def bulk(agent: Agent, things: list[Any], action: str = "hide", **more: Any) -> Any:
    parts = [{"subject": subject(one), "action": action, "reason": REASON} for one in things]
    return agent.post("admin/bulk", {"actions": parts, **more})


@pytest.mark.promise("M15")
def test_a_bulk_does_all_or_nothing(stoa: App, mod: Agent, ada: Agent) -> None:
    spam = [ada.thread(f"Spam {number}", "Buy!") for number in range(5)]
    moderate(mod, spam[3], "hide").ok()
    bulk(mod, spam).refused(409, "moderation_not_possible")
    assert len(stoa.get("threads").ok()["threads"]) == 4
    for unknown in ("th_01arz3ndektsv4rrffq69g5fav", "th_1"):
        parts = [*map(subject, spam[:2]), {"type": "thread", "id": unknown}]
        acts = [{"subject": one, "action": "hide", "reason": REASON} for one in parts]
        refused = mod.post("admin/bulk", {"actions": acts}).refused(404, "not_found")
        assert [one["path"] for one in refused.json["issues"]] == ["actions.2.subject.id"]
    tried = bulk(mod, spam[:3], dryRun=True).ok()
    assert tried["dryRun"] is True
    assert len(stoa.get("threads").ok()["threads"]) == 4
    assert len(bulk(mod, [*spam[:3], spam[4]]).ok()["actions"]) == 4
    assert stoa.get("threads").ok()["threads"] == []
    assert stoa.get("search?q=spam").ok()["threads"] == []


def test_a_bulk_can_leave_out_what_is_so_already(stoa: App, mod: Agent, ada: Agent) -> None:
    spam = [ada.thread(f"Spam {number}", "Buy!") for number in range(3)]
    moderate(mod, spam[1], "hide").ok()
    done = bulk(mod, spam, skipExisting=True).ok()
    assert [act["subject"]["id"] for act in done["actions"]] == [spam[0]["id"], spam[2]["id"]]
    (left,) = done["skipped"]
    assert left["subject"] == subject(spam[1])
    assert "is hidden" in left["reason"]
    assert stoa.get("threads").ok()["threads"] == []
    bulk(mod, spam, skipExisting=True).refused(409, "moderation_not_possible")
    own = mod.thread("Mine", "Hidden by another.")
    operate(stoa, {"command": "do", "action": "hide", "subject_id": own["id"], "reason": REASON})
    other = ada.thread("More", "Buy!")
    bulk(mod, [own, other], "restore", skipExisting=True).refused(403, "moderator_conflict")
    assert "skipped" not in bulk(mod, [other]).ok().json


def test_an_action_that_is_none_for_its_subject_is_told_first(mod: Agent, ada: Agent) -> None:
    unknown = {"subject": subject("th_01arz3ndektsv4rrffq69g5fav"), "action": "suspend"}
    for agent in (mod, ada):
        part = {**unknown, "reason": REASON}
        answer = agent.post("admin/bulk", {"actions": [part, {**part, "subject": "no object"}]})
        answer.invalid("actions.0.action", "actions.1.subject")


def test_a_bulk_that_restores_and_hides_leaves_the_index_right(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread("Zebra", "Stripes.")
    reply = bob.reply(thread, "Quagga.")
    moderate(mod, thread, "hide").ok()
    parts = [
        {"subject": subject(one), "action": action, "reason": REASON}
        for one, action in ((thread, "restore"), (reply, "hide"))
    ]
    mod.post("admin/bulk", {"actions": parts}).ok()
    assert len(stoa.get("search?q=zebra").ok()["threads"]) == 1
    assert stoa.get("search?q=quagga").ok()["threads"] == []


@pytest.mark.costly
def _all_of(stoa: App, agent: Agent, action: str) -> list[str]:
    """What the operator does to all that an agent wrote; the ids of what that was."""
    asked = {"command": "do-all", "action": action, "agent_id": agent.id, "reason": REASON}
    return sorted(one["subject"]["id"] for one in operate(stoa, asked)["actions"])


@pytest.mark.settings(hold_first=2)
def test_all_of_an_agent_is_hidden_with_what_waits_to_be_released(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    shown, waits = ada.thread(), ada.thread("Held", "Buy!", bountyCredits=4)
    moderate(mod, shown, "release").ok()
    assert _all_of(stoa, ada, "hide") == sorted([shown["id"], waits["id"]])
    assert ada.get("held").ok()["held"] == []
    stoa.get(f"threads/{waits['id']}").refused(410, "removed")
    assert ada.get("credits/balance").ok()["balance"]["available"] == 100
    assert _all_of(stoa, ada, "hide") == []


def test_what_an_agent_wrote_is_looked_for_beside_the_writes(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    thread = ada.thread()
    steps.taken.clear()
    assert _all_of(stoa, ada, "hide") == [thread["id"]]
    taken = steps.taken
    assert taken.index("moderation.written_shown") < taken.index("write")
    taken.clear()
    act(stoa, thread, "restore")
    assert taken[0] == "write", "it waits for no work in the background"


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_others_hide_meanwhile_does_not_end_the_hiding_of_all(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    shown, hidden = ada.thread(), ada.thread()
    act(stoa, hidden, "hide")

    async def by_others() -> None:
        for thread, action in ((shown, "hide"), (hidden, "restore")):
            other = {"command": "do", "action": action, "subject_id": thread["id"]}
            await stoa.stoa.operate(json.dumps({**other, "reason": REASON}).encode())

    steps.before("write", by_others, once=True)
    assert _all_of(stoa, ada, "hide") == [hidden["id"]]


def test_all_of_an_agent_is_restored_but_what_was_erased(stoa: App, ada: Agent) -> None:
    kept, erased = ada.thread(), ada.thread()
    act(stoa, erased, "purge")
    assert _all_of(stoa, ada, "hide") == [kept["id"]]
    assert _all_of(stoa, ada, "restore") == [kept["id"]]
    assert _all_of(stoa, ada, "restore") == []
    stoa.get(f"threads/{kept['id']}").ok()
    stoa.get(f"threads/{erased['id']}").refused(410, "removed")


@pytest.mark.promise("M16")
def test_a_moderator_acts_two_hundred_times_an_hour_at_most(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    threads = [ada.thread(f"Thread {number}", "Body") for number in range(101)]
    bulk(mod, threads[:100]).ok()
    bulk(mod, threads[:100], "restore").ok()
    told = moderate(mod, threads[100], "hide").refused(429, "moderation_limit")
    assert (told["limit"], told["windowSeconds"]) == (200, 3600)
    assert len(stoa.get("threads?limit=100").ok()["threads"]) == 100
    stoa.clock.advance(1000 * told["retryAfter"])
    mod.sign_in()
    moderate(mod, threads[100], "hide").ok()


@pytest.mark.promise("M17")
def test_an_hour_of_a_thief_is_taken_back(stoa: App, mod: Agent, ada: Agent, bob: Agent) -> None:
    """A stolen key of a moderator, as in the list of threats."""
    threads = [ada.thread(f"Thread {number}", f"zebra {number}") for number in range(5)]
    paid = ada.thread("Paid", "zebra", bountyCredits=5)
    hidden = ada.thread("Spam", "quagga")
    reply = bob.reply(threads[0], "okapi")
    moderate(mod, hidden, "hide").ok()
    job = jobs.offer(ada, 5)
    reported = report(bob, threads[1]).ok(201)["report"]["id"]
    before = told(stoa, ada, bob)
    stoa.clock.advance(MINUTE)
    since = stoa.clock.now
    for thing, action in (
        (threads[0], "hide"),
        (threads[0], "restore"),
        (threads[0], "hide"),
        (threads[1], "lock"),
        (hidden, "restore"),
        (hidden, "hide"),
        (hidden, "restore"),
        (reply, "hide"),
        (paid, "hide"),
        (job, "cancel"),
        (ada.id, "suspend"),
        (bob.id, "hide"),
        (bob.id, "revoke-sessions"),
    ):
        moderate(mod, thing, action).ok()
    moderate(mod, bob.id, "adjust", points=-500).ok()
    resolved = {"outcome": "dismissed", "reason": "No."}
    mod.post(f"admin/reports/{reported}/resolve", resolved).ok()
    undo = {"command": "undo", "by": mod.id, "since": since, "reason": "The key was stolen."}
    assert operate(stoa, {**undo, "dry_run": True})["dryRun"] is True
    assert told(stoa, ada, bob) != before
    done = operate(stoa, undo)
    assert {one["action"] for one in done["skipped"]} == {"cancel", "revoke-sessions"}
    bob.sign_in()
    assert told(stoa, ada, bob) == before
    assert ada.get("credits/balance").ok()["balance"]["available"] == 100, "refunds are final"
    assert len(mod.get("admin/reports").ok()["reports"]) == 1
    again = operate(stoa, undo)
    assert (again["actions"], again["skipped"]) == ([], done["skipped"])
    assert broken(stoa.settings) == {}


def told(stoa: App, ada: Agent, bob: Agent) -> list[Any]:
    """What a moderator can change, but for what is final."""
    told: list[Any] = [
        [thread["id"] for thread in stoa.get("threads").ok()["threads"]],
        [thread["locked"] for thread in stoa.get("threads").ok()["threads"]],
        [
            len(stoa.get(f"search?q={word}").ok()["threads"])
            for word in ("zebra", "quagga", "okapi")
        ],
        [stoa.get(f"agents/{agent.id}").status for agent in (ada, bob)],
    ]
    for agent in (ada, bob):
        shown = stoa.get(f"agents/{agent.id}").json.get("agent", {})
        told.append([shown.get(name) for name in ("status", "displayName", "reputationScore")])
    return told


@pytest.mark.settings(auto_hide=2)
@pytest.mark.promise("M25")
@pytest.mark.parametrize("done", [["restore"], ["hide"], ["restore", "hide"] * 20 + ["restore"]])
def test_what_reports_had_hidden_is_hidden_by_them_again(
    stoa: App, mod: Agent, ada: Agent, done: list[str]
) -> None:
    found = reporters(stoa, 3)
    for agent in (mod, ada):
        agent.sign_in()
    thread = ada.thread("Zebra", "b", bountyCredits=5)
    for agent in found[:2]:
        report(agent, thread).ok(201)
    stoa.clock.advance(MINUTE)
    since = stoa.clock.now
    for action in done:
        moderate(mod, thread, action).ok()
    reserved = ada.get("credits/balance").ok()["balance"]["reserved"]["total"]
    operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": "Stolen."})
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")
    assert stoa.get("moderation").ok()["actions"][0]["action"] == "auto-hide"
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == reserved
    moderate(mod, thread, "hide").ok()
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == 0
    assert broken(stoa.settings) == {}


def test_undoing_leaves_what_another_moderator_has_changed_since(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    other = stoa.agent("other")
    operate(stoa, {"command": "grant", "key": other.key.public, "reason": "Careful."})
    thread, since = ada.thread(), stoa.clock.now
    for agent, action in ((mod, "hide"), (other, "restore"), (other, "hide")):
        moderate(agent, thread, action).ok()
    done = operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": "Stolen."})
    assert (len(done["actions"]), len(done["skipped"])) == (0, 1)
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")


@pytest.mark.settings(hold_first=9)
def test_what_was_released_is_hidden_and_what_was_added_is_skipped(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    """A thief who has released spam, and additions to it."""
    old = ada.thread("A question", "How?")
    moderate(mod, old, "release").ok()
    stoa.clock.advance(MINUTE)
    since = stoa.clock.now
    thread, reply = ada.thread("Spam", "zebra", bountyCredits=5), ada.reply(old, "zebra too")
    job = jobs.offer(ada, 7)
    added = [ada.post(f"threads/{old['id']}/append", {"body": "b"}).ok()["held"] for _ in "12"]
    for one in (thread, reply, job):
        moderate(mod, one, "release").ok()
    moderate(mod, job, "hide").ok()
    for one, action in zip(added, ("release", "hide"), strict=True):
        order = {"subject": {"type": "addition", "id": one["id"]}, "action": action}
        mod.post("admin/bulk", {"actions": [{**order, "reason": REASON}]}).ok()
    done = operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": "Stolen."})
    assert [one["subject"]["id"] for one in done["skipped"]] == [one["id"] for one in added[::-1]]
    assert {one["action"] for one in done["actions"]} == {"hide", "restore"}
    for path in (f"threads/{thread['id']}", f"replies/{reply['id']}", f"jobs/{job['id']}"):
        stoa.get(path).refused(410, "removed")
    stoa.get(f"threads/{old['id']}").ok()
    assert ada.get("credits/balance").ok()["balance"]["available"] == 100
    assert broken(stoa.settings) == {}


def test_what_was_lifted_is_as_the_act_before_had_left_it(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    other = stoa.agent("other")
    operate(stoa, {"command": "grant", "key": other.key.public, "reason": "Careful."})
    for days in (1, 5):
        if days > 1:
            moderate(other, ada.id, "reinstate").ok()
        moderate(other, ada.id, "suspend", until=iso(stoa.clock.now + days * DAY)).ok()
    since = stoa.clock.now
    moderate(mod, ada.id, "reinstate").ok()
    operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": "Stolen."})
    stoa.clock.advance(2 * DAY)
    assert stoa.get(f"agents/{ada.id}").ok()["agent"]["status"] == "suspended"


def test_a_suspension_that_would_be_over_does_not_begin_again(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    moderate(mod, ada.id, "suspend", until=iso(stoa.clock.now + HOUR)).ok()
    stoa.clock.advance(MINUTE)
    since = stoa.clock.now
    moderate(mod, ada.id, "reinstate").ok()
    job = jobs.offer(mod, terms={"assignment": "chosen"})
    jobs.act(ada, job, "apply", {"message": "I can."}).ok()
    stoa.clock.advance(HOUR)
    done = operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": "Stolen."})
    assert (len(done["actions"]), len(done["skipped"])) == (0, 1)
    mod.sign_in()
    jobs.act(mod, job, "assign", {"agentId": ada.id}).ok()


@pytest.mark.costly
def test_many_acts_on_one_agent_are_taken_back_once(stoa: App, mod: Agent, ada: Agent) -> None:
    since = stoa.clock.now
    moderate(mod, ada.id, "adjust", points=-100).ok()
    moderate(mod, ada.id, "suspend").ok()
    on_ada = {"subject": subject(ada.id), "reason": REASON}
    parts = [{**on_ada, "action": action} for action in ("hide", "restore") * 30]
    mod.post("admin/bulk", {"actions": parts}).ok()
    undo = {"command": "undo", "by": mod.id, "since": since, "reason": "The key was stolen."}
    done = operate(stoa, undo)
    assert (len(done["actions"]), done["skipped"]) == (62, [])
    mod.post("admin/bulk", {"actions": parts}).ok()
    assert len(operate(stoa, undo)["actions"]) == 60
    agent = stoa.get(f"agents/{ada.id}").ok()["agent"]
    assert (agent["reputationScore"], agent["status"]) == (0, "active")


@pytest.mark.costly
@pytest.mark.own_file
@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_acts_of_a_long_time_are_taken_back_those_of_an_hour_at_a_time(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    since = stoa.clock.now
    on_ada = {"subject": subject(ada.id), "reason": REASON}
    turns = ["hide", "restore"] * 50
    for actions in (turns, turns, [*turns[:98], "hide", "suspend"]):
        mod.post("admin/bulk", {"actions": [{**on_ada, "action": one} for one in actions]}).ok()
        stoa.clock.advance(HOUR)
        mod.sign_in()
    undo = {"command": "undo", "by": mod.id, "since": since, "reason": "The key was stolen."}
    tried = operate(stoa, {**undo, "dry_run": True})
    assert (len(tried["actions"]), tried["before"]) == (200, 101)
    stoa.close()
    command = ("admin", "undo", "--by", mod.id, "--since", iso(since), "--json")
    done = run_stoa_here(*command, "--data-dir", str(stoa.settings.data_dir))
    told = json.loads(done.out)
    assert (len(told["actions"]), told["skipped"]) == (300, [])
    [(status, hidden)] = rows(stoa, "SELECT status, removed_at FROM agent WHERE id = ?", ada.id)
    assert (status, hidden) == ("active", None)


def test_the_operator_is_told_when_the_database_does_not_answer(stoa: App, steps: Steps) -> None:
    async def unavailable() -> None:
        raise StoreUnavailable

    steps.before("write", unavailable)
    told = operate(stoa, {"command": "signups", "state": "closed", "reason": "Too many."})
    assert "did not answer" in told["error"]


def test_new_keys_do_not_register_while_signups_are_closed(stoa: App, ada: Agent) -> None:
    operate(stoa, {"command": "signups", "state": "closed", "reason": "Too many."})
    from tests.support.keys import Key

    stoa.verify(Key("late")).refused(403, "signups_closed")
    ada.sign_in()
    operate(stoa, {"command": "signups", "state": "open", "reason": "Calm again."})
    stoa.agent("late")
    acts = [one["action"] for one in stoa.get("moderation").ok()["actions"]]
    assert acts == ["open-signups", "close-signups"]
    for address in ("/moderation", "/feeds/moderation.atom"):
        shown = stoa.call("GET", address).text
        assert ">Closed the Stoa to new keys</" in shown
        assert "service signups" not in shown


# --- A moderator's day.


@pytest.mark.costly
@pytest.mark.promise("M20")
def test_a_day_of_a_moderator(stoa: App, mod: Agent, ada: Agent, bob: Agent) -> None:
    """200 spam posts, a stolen key, a wrongly hidden job, an appeal."""
    spammer = stoa.agent("spammer")
    spam = [spammer.thread(f"Watches {number}", "Buy!") for number in range(100)]
    spam += [spammer.reply(ada.thread("Fine", "b"), "Buy!") for _ in range(100)]
    moderate(mod, spammer.id, "suspend").ok()
    bulk(mod, spam[:100]).ok()
    stoa.clock.advance(HOUR + MINUTE)
    for agent in (mod, ada, bob, spammer):
        agent.sign_in()
    bulk(mod, spam[100:]).ok()
    assert stoa.get("search?q=buy").ok()["threads"] == []
    job = jobs.offer(ada, 5)
    moderate(mod, job, "hide").ok()
    moderate(mod, job, "restore").ok()
    again = jobs.offer(ada, 5)
    jobs.done(bob, again, "claim", "submit")
    jobs.done(ada, again, "accept")
    moderate(mod, ada.id, "revoke-sessions").ok()
    ada.sign_in()
    moderate(mod, spammer.id, "reinstate").ok()
    spammer.thread("I am sorry", "It will not happen again.")
    jobs.sweep(stoa)
    assert broken(stoa.settings) == {}
    assert len(stoa.get("moderation?limit=100").ok()["actions"]) == 100


@pytest.mark.promise("W49")
@pytest.mark.parametrize("count", [101, 103, 200])
def test_a_bulk_of_more_acts_than_one_may_have_is_refused_whole(
    stoa: App, mod: Agent, ada: Agent, count: int
) -> None:
    reply = ada.reply(ada.thread())
    refused = bulk(mod, [reply] * count).invalid("actions")
    assert refused["issues"][0]["message"] == f"Must have at most 100 items, not {count}."
    part = {
        "subject": {"type": "reply", "id": reply["id"]},
        "action": "hide",
        "reason": "r",
        "until": None,
    }
    mod.post("admin/bulk", {"actions": [part] * count}).invalid("actions")
    assert stoa.get("moderation").ok()["actions"] == []


MANY_TAGS = {"title": "t", "body": "b", "tags": ["a"] * 120}


def test_equal_tags_are_refused_with_their_number(ada: Agent) -> None:
    question = MANY_TAGS
    refused = ada.post("threads", question).invalid("tags")
    assert refused["issues"][0]["message"] == "Must have at most 100 items, not 120."
    assert ada.post("threads", {**question, "tags": ["a"] * 100}).ok(201)["thread"]["tags"] == ["a"]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_list_that_was_cut_before_it_is_checked_would_be_taken(
    ada: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the two tests above."""
    convert: Any = getattr(validation, "_converted")  # noqa: B009

    def cut(kind: Any, values: dict[str, Any]) -> Any:
        return convert(kind, {n: v[:100] if isinstance(v, list) else v for n, v in values.items()})

    monkeypatch.setattr(validation, "_converted", cut)
    assert ada.post("threads", MANY_TAGS).ok(201)["thread"]["tags"] == ["a"]
