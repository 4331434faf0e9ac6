"""Reports: who is told, what settles them, and what many of them hide."""

from typing import Any

import pytest

from stoa.schemas.base import iso
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, MINUTE, SECOND
from tests.support.ledger import broken
from tests.support.moderation import (
    MODERATED,
    REASON,
    moderate,
    operate,
    report,
    reporters,
    subject,
)

pytestmark = MODERATED


def one_reporter(stoa: App, *others: Agent) -> Agent:
    """An agent whose reports count; the others are signed in again by then."""
    (agent,) = reporters(stoa, 1)
    for one in others:
        one.sign_in()
    return agent


@pytest.mark.promise("M18")
def test_who_reported_is_told_to_moderators_alone(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    made = report(bob, thread, note="Look at it.").ok(201)["report"]
    report(bob, thread).refused(409, "already_reported")
    bob.get("admin/reports").refused(403, "moderator_required")
    (shown,) = mod.get("admin/reports").ok()["reports"]
    assert (shown["id"], shown["agentId"], shown["note"]) == (made["id"], bob.id, "Look at it.")
    moderate(mod, thread, "hide", reportIds=[made["id"]]).ok()
    assert mod.get("admin/reports").ok()["reports"] == []
    (resolved,) = mod.get("admin/reports?status=all").ok()["reports"]
    assert (resolved["status"], resolved["resolverAgentId"]) == ("upheld", mod.id)
    outcome = {"outcome": "dismissed", "reason": "It is fine."}
    again = mod.post(f"admin/reports/{made['id']}/resolve", outcome)
    again.refused(409, "moderation_not_possible")
    assert bob.id not in stoa.get("moderation").text
    assert made["id"] not in stoa.get("moderation").text


def open_reports(mod: Agent) -> set[str]:
    return {one["id"] for one in mod.get("admin/reports").ok()["reports"]}


@pytest.mark.promise("M28")
@pytest.mark.parametrize("outcome", ["upheld", "dismissed"])
def test_resolving_one_report_settles_all_on_the_same_subject(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, outcome: str
) -> None:
    thread, other = ada.thread(), ada.thread("Other", "b")
    twins = [report(one, thread).ok(201)["report"]["id"] for one in (bob, stoa.agent("cy"))]
    apart = report(bob, other).ok(201)["report"]["id"]
    decision = {"outcome": outcome, "reason": "Seen."}
    told = mod.post(f"admin/reports/{twins[1]}/resolve", decision).ok()
    assert (told["report"]["id"], told["settledCount"]) == (twins[1], 2)
    assert open_reports(mod) == {apart}
    for one in mod.get("admin/reports?status=all").ok()["reports"]:
        if one["id"] in twins:
            settled = (one["status"], one["resolution"], one["resolverAgentId"], one["actionId"])
            assert settled == (outcome, "Seen.", mod.id, None)
    mod.post(f"admin/reports/{twins[0]}/resolve", decision).refused(409, "moderation_not_possible")


@pytest.mark.promise("M29")
def test_an_upheld_report_says_that_its_subject_is_still_shown_and_what_follows(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    twins = [report(one, thread).ok(201)["report"]["id"] for one in (bob, stoa.agent("cy"))]
    upheld = {"outcome": "upheld", "reason": "Advertising."}
    told = mod.post(f"admin/reports/{twins[0]}/resolve", upheld).ok()
    assert told["subjectHidden"] is False
    stoa.get(f"threads/{thread['id']}").ok()
    hide, lock = told["nextActions"]
    assert (hide["action"], hide["method"], hide["by"]) == ("moderate_thread", "POST", "moderator")
    assert lock["url"] == f"/api/v1/admin/threads/{thread['id']}/lock"
    path = hide["url"].removeprefix("/api/v1/")
    done = mod.post(path, {"reason": REASON, "reportIds": twins}).ok()["action"]
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")
    for one in mod.get("admin/reports?status=all").ok()["reports"]:
        assert (one["actionId"], one["resolution"]) == (done["id"], "Advertising.")
    again = moderate(mod, thread, "lock", reportIds=twins[:1])
    again.refused(409, "moderation_not_possible")


@pytest.mark.promise("M30")
def test_an_act_that_names_twins_settles_all_on_their_subject(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    reply = bob.reply(ada.thread())
    agents = [ada, *(stoa.agent(f"twin {number}") for number in range(3))]
    twins = [report(one, reply).ok(201)["report"]["id"] for one in agents]
    done = moderate(mod, reply, "hide", reportIds=twins[:2]).ok()["action"]
    assert open_reports(mod) == set()
    closed = mod.get("admin/reports?status=all").ok()["reports"]
    assert {one["id"] for one in closed} == {*twins}
    assert {(one["status"], one["actionId"], one["resolution"]) for one in closed} == {
        ("upheld", done["id"], REASON)
    }


def test_the_act_that_follows_may_be_on_the_author(mod: Agent, ada: Agent, bob: Agent) -> None:
    made = report(bob, ada.thread()).ok(201)["report"]["id"]
    done = moderate(mod, ada.id, "suspend", reportIds=[made]).ok()["action"]
    (closed,) = mod.get("admin/reports?status=all").ok()["reports"]
    assert (closed["status"], closed["actionId"]) == ("upheld", done["id"])


@pytest.mark.parametrize(
    ("kind", "actions"),
    [
        ("thread", ["hide", "lock"]),
        ("reply", ["hide"]),
        ("job", ["hide", "cancel"]),
        ("agent", ["hide", "suspend"]),
        ("moderator", []),
    ],
)
def test_what_can_follow_depends_on_the_subject(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, kind: str, actions: list[str]
) -> None:
    colleague = stoa.agent("colleague")
    key = {"command": "grant", "key": colleague.key.public, "reason": "Careful."}
    operate(stoa, key)
    thing = {
        "thread": ada.thread,
        "reply": lambda: ada.reply(bob.thread()),
        "job": lambda: jobs.offer(ada, 5),
        "agent": lambda: ada.id,
        "moderator": lambda: colleague.id,
    }[kind]()
    made = report(bob, thing).ok(201)["report"]["id"]
    upheld = {"outcome": "upheld", "reason": "Seen."}
    told = mod.post(f"admin/reports/{made}/resolve", upheld).ok()
    assert [one["url"].rpartition("/")[2] for one in told["nextActions"]] == actions


@pytest.mark.settings(auto_hide=1)
def test_what_dismissed_reports_have_hidden_can_be_restored_next(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    agent = one_reporter(stoa, mod, ada)
    thread = ada.thread()
    made = report(agent, thread).ok(201)["report"]["id"]
    dismissed = {"outcome": "dismissed", "reason": "It is fine."}
    told = mod.post(f"admin/reports/{made}/resolve", dismissed).ok()
    assert told["subjectHidden"] is True
    (restore,) = told["nextActions"]
    mod.post(restore["url"].removeprefix("/api/v1/"), {"reason": "It is fine."}).ok()
    stoa.get(f"threads/{thread['id']}").ok()


def test_a_moderator_who_reported_something_settles_no_report_on_it(
    mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    made = [report(one, thread).ok(201)["report"]["id"] for one in (mod, bob)]
    upheld = {"outcome": "upheld", "reason": "Seen."}
    for one in made:
        refused = mod.post(f"admin/reports/{one}/resolve", upheld)
        refused.refused(403, "moderator_conflict")
    moderate(mod, thread, "hide", reportIds=made[1:]).refused(403, "moderator_conflict")
    assert open_reports(mod) == {*made}


def test_reports_are_open_again_and_without_an_act_when_it_is_taken_back(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread, since = ada.thread(), stoa.clock.now
    made = [report(one, thread).ok(201)["report"]["id"] for one in (bob, stoa.agent("cy"))]
    moderate(mod, thread, "hide", reportIds=made[:1]).ok()
    operate(stoa, {"command": "undo", "by": mod.id, "since": since, "reason": "Stolen."})
    waiting = mod.get("admin/reports").ok()["reports"]
    assert {(one["id"], one["actionId"]) for one in waiting} == {(one, None) for one in made}


def test_the_operator_settles_all_reports_on_a_subject_too(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    made = [report(one, thread).ok(201)["report"]["id"] for one in (bob, stoa.agent("cy"))]
    upheld = {"command": "resolve", "report_id": made[0], "outcome": "upheld", "reason": "Seen."}
    told = operate(stoa, upheld)
    assert (told["settledCount"], told["subjectHidden"]) == (2, False)
    assert told["next"] == ["hide", "lock"]
    assert "resolved before" in operate(stoa, {**upheld, "report_id": made[1]})["error"]
    act = {"command": "do", "action": "hide", "subject_id": thread["id"], "reason": REASON}
    (done,) = operate(stoa, {**act, "report_ids": made})["actions"]
    closed = mod.get("admin/reports?status=all").ok()["reports"]
    assert {one["actionId"] for one in closed} == {done["id"]}


def test_no_moderator_resolves_a_report_about_what_is_their_own(mod: Agent, bob: Agent) -> None:
    made = report(bob, mod.thread()).ok(201)["report"]
    outcome = {"outcome": "dismissed", "reason": "It is fine."}
    mod.post(f"admin/reports/{made['id']}/resolve", outcome).refused(403, "moderator_conflict")


@pytest.mark.settings(auto_hide=3)
@pytest.mark.promise("M19")
def test_many_reports_hide_a_thread_until_a_moderator_decides(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    found = reporters(stoa, 6)
    for agent in (mod, ada, bob):
        agent.sign_in()
    thread, job = ada.thread("Zebra", "b", tags=["x"], bountyCredits=5), jobs.offer(ada, 5)
    reply = bob.reply(thread)
    for agent in found[:3]:
        for thing in (reply, job, ada.id):
            report(agent, thing).ok(201)
    assert stoa.get(f"jobs/{job['id']}").status == 200
    assert stoa.get(f"agents/{ada.id}").status == 200
    shown = stoa.get(f"threads/{thread['id']}?include=replies").ok()["replies"][0]
    assert "removed" in shown
    for agent in found[:2]:
        report(agent, thread).ok(201)
    assert stoa.get(f"threads/{thread['id']}").status == 200
    report(found[2], thread).ok(201)
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")
    assert stoa.get("moderation").ok()["actions"][0]["moderatorAgentId"] is None
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == 10, "moves no money"
    assert [one["type"] for one in stoa.get("opportunities").ok()["opportunities"]] == ["job"]
    moderate(mod, thread, "restore").ok()
    assert len(stoa.get("opportunities").ok()["opportunities"]) == 2
    for agent in found[3:]:
        report(agent, thread).ok(201)
    assert stoa.get(f"threads/{thread['id']}").status == 200, "no brigade hides it again"
    moderate(mod, thread, "hide").ok()
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == 5
    assert broken(stoa.settings) == {}


@pytest.mark.settings(auto_hide=1)
def test_no_bounty_is_taken_back_since_reports_have_hidden_its_answer(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    agent = one_reporter(stoa, mod, ada, bob)
    thread = ada.thread(bountyCredits=5)
    answer = bob.reply(thread)
    report(agent, answer).ok(201)
    stoa.get(f"replies/{answer['id']}").refused(410, "removed")
    ada.post(f"threads/{thread['id']}/bounty/withdraw").refused(409, "bounty_has_answers")
    moderate(mod, answer, "restore").ok()
    assert ada.accept(thread, answer).ok()["payment"]["amount"] == 5


@pytest.mark.settings(auto_hide=1)
def test_what_was_restored_long_ago_is_hidden_by_no_report(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    agent = one_reporter(stoa, mod, ada)
    thread = ada.thread()
    on_it = {"subject": subject(thread), "reason": REASON}
    actions = ("hide", "restore", *("lock", "unlock") * 10)
    parts = [{**on_it, "action": action} for action in actions]
    mod.post("admin/bulk", {"actions": parts}).ok()
    report(agent, thread).ok(201)
    stoa.get(f"threads/{thread['id']}").ok()


@pytest.mark.settings(auto_hide=1)
def test_what_reports_have_hidden_stays_so_whatever_follows(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    agent = one_reporter(stoa, mod, ada)
    thread = ada.thread(bountyCredits=5)
    report(agent, thread).ok(201)
    on_it = {"subject": subject(thread), "reason": REASON}
    parts = [{**on_it, "action": action} for action in ("lock", "unlock") * 10]
    mod.post("admin/bulk", {"actions": parts}).ok()
    moderate(mod, thread, "hide").ok()
    assert ada.get("credits/balance").ok()["balance"]["reserved"]["total"] == 0


@pytest.mark.settings(auto_hide=2)
def test_reports_of_new_suspended_and_unreliable_agents_hide_nothing(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    good, suspended, wrong = reporters(stoa, 3)
    for agent in (mod, ada):
        agent.sign_in()
    outcome = {"outcome": "dismissed", "reason": "It is fine."}
    for number in range(3):
        made = report(wrong, ada.thread(f"Fine {number}", "b")).ok(201)["report"]
        mod.post(f"admin/reports/{made['id']}/resolve", outcome).ok()
    thread = ada.thread()
    for agent in (good, wrong, suspended, stoa.agent("new")):
        report(agent, thread).ok(201)
        if agent is suspended:
            break
        stoa.get(f"threads/{thread['id']}").ok()
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")
    other = ada.thread()
    report(suspended, other).ok(201)
    moderate(mod, suspended.id, "suspend").ok()
    for agent in (good, wrong, stoa.agent("new")):
        report(agent, other).ok(201)
    stoa.get(f"threads/{other['id']}").ok()


@pytest.mark.settings(auto_hide=1)
def test_the_report_of_an_agent_counts_from_the_end_of_its_suspension(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    agent = one_reporter(stoa, mod, ada)
    thread = ada.thread()
    moderate(mod, agent.id, "suspend", until=iso(stoa.clock() + SECOND)).ok()
    report(agent, thread).refused(403, "agent_suspended")
    stoa.clock.advance(SECOND)
    report(agent, thread).ok(201)
    stoa.get(f"threads/{thread['id']}").refused(410, "removed")


@pytest.mark.settings(auto_hide=1)
def test_a_report_counts_by_the_first_post_of_its_agent(stoa: App, mod: Agent, ada: Agent) -> None:
    replies, hidden, late = (stoa.agent(name) for name in ("replies", "hidden", "late"))
    thread = ada.thread()
    replies.reply(thread)
    first = hidden.thread("Its first", "b")
    stoa.clock.advance(MINUTE)
    hidden.reply(thread)
    stoa.clock.advance(DAY)
    for agent in (mod, ada, replies, hidden, late):
        agent.sign_in()
    late.reply(thread)
    replies.reply(thread)
    moderate(mod, first, "hide").ok()
    for agent, counts in ((late, False), (hidden, False), (replies, True)):
        reported = ada.thread()
        report(agent, reported).ok(201)
        assert stoa.get(f"threads/{reported['id']}").status == (410 if counts else 200)
    moderate(mod, first, "restore").ok()
    reported = ada.thread()
    report(hidden, reported).ok(201)
    stoa.get(f"threads/{reported['id']}").refused(410, "removed")


def test_moderators_read_all_that_is_said_beside_a_text(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread("Title", "Body.", tags=["tag"])
    asked: dict[str, Any] = {"requirements": ["Required."], "acceptanceCriteria": ["Checked."]}
    asked |= {"verification": {"requirements": ["Shown."]}, "effortEstimate": "A day."}
    job = jobs.offer(ada, tags=["tag"], **asked)
    ada.post(f"threads/{thread['id']}/append", {"body": "Added."}).ok()
    ada.post(f"jobs/{job['id']}/append", {"body": "Added."}).ok()
    said = {
        thread["id"]: "Body.\ntag\nAdded.",
        job["id"]: "Do it well.\nRequired.\nChecked.\nShown.\nA day.\ntag\nAdded.",
    }
    for kind, one in (("threads", thread), ("jobs", job)):
        report(bob, one).ok(201)
        moderate(mod, one, "hide").ok()
        assert mod.get(f"admin/{kind}/{one['id']}").ok()["body"]["body"] == said[one["id"]]
    queued = operate(stoa, {"command": "queue"})["queue"]["subjects"]
    assert {one["id"]: one["body"] for one in queued} == said
