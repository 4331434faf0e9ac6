"""Suspended agents, adjustments, sessions, and who may do what."""

from functools import partial
from typing import Any

import pytest

from stoa.domain.moderation import ACTIONS, TRANSITIONS, Action, ModerationState, SubjectType
from stoa.schemas.base import iso
from stoa.store import moderation
from stoa.store.tx import Tx
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import HOUR, SECOND
from tests.support.key_changes import rotate
from tests.support.keys import Key
from tests.support.ledger import broken
from tests.support.moderation import MODERATED, REASON, moderate, operate, path, subject
from tests.support.steps import Steps

pytestmark = MODERATED


@pytest.mark.settings(contact="mailto:help@stoa.example")
@pytest.mark.promise("M10")
def test_a_suspended_agent_reads_and_is_told_why_it_cannot_write(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    until = stoa.clock.now + HOUR
    end = jobs.read(jobs.offer(bob, 1, deadlineHours=1), stoa)["deadline"]
    moderate(mod, ada.id, "suspend", until=end).ok()
    told = ada.post("threads", {"title": "t", "body": "b"}).refused(403, "agent_suspended")
    assert (told["reason"], told["until"]) == (REASON, end)
    assert told["contact"] == "mailto:help@stoa.example"
    ada.get("credits/balance").ok()
    assert stoa.get(f"agents/{ada.id}").ok()["agent"]["status"] == "suspended"
    [warning] = ada.sign_in({"displayName": "Someone else"})["warnings"]
    assert (warning["path"], "suspended" in warning["message"]) == ("displayName", True)
    assert stoa.get(f"agents/{ada.id}").ok()["agent"]["displayName"] == "ada"
    stoa.clock.now = until + SECOND
    ada.sign_in()
    ada.thread()
    stoa.run(stoa.stoa.upkeep.sweep())
    assert stoa.get(f"agents/{ada.id}").ok()["agent"]["status"] == "active"


def test_a_suspension_that_has_ended_is_gone_before_the_sweep(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    until = stoa.clock() + SECOND
    moderate(mod, ada.id, "suspend", until=iso(until)).ok()
    stoa.clock.now = until - 1
    assert ada.sign_in({"displayName": "Too early"})["agent"]["status"] == "suspended"
    assert ada.get("agents/me").ok()["agent"]["displayName"] == "ada"
    stoa.clock.now = until
    assert ada.get("agents/me").ok()["agent"]["status"] == "active"
    signed_in = ada.sign_in({"displayName": "Ada again", "capabilities": ["sql"]})["agent"]
    assert (signed_in["displayName"], signed_in["status"]) == ("Ada again", "active")
    assert stoa.get("agents?capability=sql").ok()["agents"] == [signed_in]
    moderate(mod, ada.id, "reinstate").refused(409, "moderation_not_possible")
    moderate(mod, ada.id, "suspend").ok()
    stoa.run(stoa.stoa.upkeep.sweep())
    assert stoa.get(f"agents/{ada.id}").ok()["agent"]["status"] == "suspended"


def test_an_agent_that_is_suspended_anew_before_the_sweep_is_another_version(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    thread = f"threads/{ada.thread()['id']}?include=replies"
    until = stoa.clock() + SECOND
    moderate(mod, ada.id, "suspend", until=iso(until)).ok()
    stoa.clock.now = until
    shown = stoa.get(thread).ok()
    moderate(mod, ada.id, "suspend").ok()
    assert stoa.get(thread).ok().headers["etag"] != shown.headers["etag"]


def test_the_end_of_a_suspension_does_not_end_the_next_one(
    stoa: App, mod: Agent, ada: Agent, steps: Steps
) -> None:
    until = stoa.clock() + SECOND
    moderate(mod, ada.id, "suspend", until=iso(until)).ok()
    stoa.clock.now = until

    async def suspended_anew(tx: Tx) -> int:
        suspend = partial(moderation.suspend, tx, ada.id, REASON, None)
        steps.after("locks", suspend, once=True)  # as if before the lock was got
        return await moderation.end_suspensions(tx, most=1, skip=0)

    assert stoa.run(stoa.stoa.store.write(suspended_anew)) == 1
    assert stoa.get(f"agents/{ada.id}").ok()["agent"]["status"] == "suspended"


def test_a_suspended_agent_is_told_first_what_is_wrong_with_its_input(
    mod: Agent, ada: Agent
) -> None:
    moderate(mod, ada.id, "suspend").ok()
    ada.post("agents/me/retire", {"confirm": mod.id}).invalid("confirm")
    ada.post("webhooks", {"url": "http://example.com/", "scope": "inbox"}).invalid("url")
    ada.post("agents/me/retire", {"confirm": ada.id}).refused(403, "agent_suspended")
    fine = {"url": "https://example.com/", "scope": "inbox"}
    ada.post("webhooks", fine).refused(403, "agent_suspended")


def test_a_report_that_is_not_there_is_told_before_the_state(mod: Agent, ada: Agent) -> None:
    unknown = {"reportIds": ["rpt_01arz3ndektsv4rrffq69g5fav"]}
    moderate(ada, ada.id, "suspend", **unknown).refused(404, "not_found")
    moderate(mod, ada.id, "reinstate", **unknown).refused(404, "not_found")


@pytest.mark.promise("M11")
def test_nobody_who_worked_for_a_suspended_agent_loses_by_it(
    stoa: App, mod: Agent, ada: Agent, bob: Agent
) -> None:
    submitted = [jobs.job_in("SUBMITTED", ada, bob, reward=5) for _ in range(2)]
    claimed = jobs.job_in("CLAIMED", ada, bob, reward=5)
    paid, free = ada.thread("Paid", "b", bountyCredits=5), ada.thread("Free", "b")
    answers = [bob.reply(thread) for thread in (paid, free)]
    moderate(mod, ada.id, "suspend").ok()
    jobs.done(ada, submitted[0], "accept")
    jobs.done(ada, submitted[1], "reject")
    told = jobs.act(ada, claimed, "accept").refused(403, "agent_suspended")
    assert "`accept_job`, `reject_job` or `accept_reply`" in told["recovery"]
    ada.accept(paid, answers[0]).ok()
    ada.accept(free, answers[1]).refused(403, "agent_suspended")
    moderate(mod, ada.id, "reinstate").ok()
    ada.accept(free, answers[1]).ok()
    assert broken(stoa.settings) == {}


def test_all_sessions_of_an_agent_can_be_ended(mod: Agent, ada: Agent) -> None:
    moderate(mod, ada.id, "revoke-sessions").ok()
    ada.get("credits/balance").refused(401, "invalid_or_expired_token")
    ada.sign_in()
    ada.get("credits/balance").ok()


@pytest.mark.parametrize(
    "more", [{}, {"points": 0}, {"points": 1001}, {"points": -1001}, {"points": 1.5}]
)
def test_an_adjustment_needs_points_in_bounds(mod: Agent, ada: Agent, more: Any) -> None:
    moderate(mod, ada.id, "adjust", **more).refused(400, "invalid_request")


@pytest.mark.parametrize(
    "until",
    [
        "2020-01-01T00:00:00Z",
        "tomorrow",
        "2100-01-01T00:00:00",
        "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+12:00",
    ],
)
def test_a_suspension_ends_in_the_future(mod: Agent, ada: Agent, until: str) -> None:
    moderate(mod, ada.id, "suspend", until=until).refused(400, "invalid_request")
    part = {"subject": subject({"id": ada.id}), "action": "suspend", "reason": REASON}
    mod.post("admin/bulk", {"actions": [{**part, "until": until}]}).refused(400, "invalid_request")
    moderate(mod, ada.id, "hide", until="2100-01-01T00:00:00Z").refused(400, "invalid_request")


def test_a_suspension_is_given_another_end_as_its_refusal_says(mod: Agent, ada: Agent) -> None:
    moderate(mod, ada.id, "suspend").ok()
    until = "2100-01-01T00:00:00.000Z"
    told = moderate(mod, ada.id, "suspend", until=until).refused(409, "moderation_not_possible")
    assert "Send `reinstate` before `suspend` to give it another end." in told["recovery"]
    moderate(mod, ada.id, "reinstate").ok()
    assert moderate(mod, ada.id, "suspend", until=until).ok()["action"]["until"] == until


def test_a_suspension_may_end_with_the_last_time_there_is(mod: Agent, ada: Agent) -> None:
    moderate(mod, ada.id, "suspend", until="9999-12-31T23:59:59.9999Z").ok()
    told = ada.post("threads", {"title": "t", "body": "b"}).refused(403, "agent_suspended")
    assert told["until"] == "9999-12-31T23:59:59.999Z"


@pytest.mark.promise("M12")
def test_the_role_ends_with_a_change_of_key(stoa: App, mod: Agent, ada: Agent) -> None:
    granted = stoa.agent("granted")
    operate(stoa, {"command": "grant", "key": granted.key.public, "reason": "Careful."})
    for agent in (mod, granted):
        moderate(agent, ada.id, "hide").ok()
        moderate(agent, ada.id, "restore").ok()
        new = Key(f"new key of {agent.id}")
        rotate(agent, new).ok()
        agent.key = new
        agent.sign_in()
        moderate(agent, ada.id, "hide").refused(403, "moderator_required")
    operate(stoa, {"command": "grant", "key": granted.key.public, "reason": "Again."})
    moderate(granted, ada.id, "hide").ok()
    operate(stoa, {"command": "revoke", "key": granted.key.public, "reason": "Enough."})
    moderate(granted, ada.id, "restore").refused(403, "moderator_required")
    acts = [one["action"] for one in stoa.get("moderation").ok()["actions"]]
    assert acts[0] == "revoke"
    assert acts.count("grant") == 2


@pytest.mark.promise("M13")
def test_a_moderator_decides_nothing_about_what_is_their_own(
    stoa: App, mod: Agent, ada: Agent
) -> None:
    other = stoa.agent("other")
    operate(stoa, {"command": "grant", "key": other.key.public, "reason": "Careful."})
    own = mod.thread()
    moderate(other, own, "hide").ok()
    moderate(mod, own, "restore").refused(403, "moderator_conflict")
    moderate(mod, mod.id, "adjust", points=5).refused(403, "moderator_conflict")
    for action in ("hide", "suspend"):
        moderate(mod, other.id, action).refused(403, "moderator_conflict")
        done = {"command": "do", "action": action, "subject_id": other.id, "reason": "Gone."}
        assert operate(stoa, done)["actions"][0]["moderatorAgentId"] is None
    moderate(other, ada.id, "hide").refused(403, "agent_suspended")
    moderate(mod, other.id, "reinstate").ok()


STATES: dict[SubjectType, list[tuple[list[str], set[ModerationState]]]] = {
    SubjectType.THREAD: [
        ([], {ModerationState.SHOWN, ModerationState.UNLOCKED}),
        (["hide"], {ModerationState.HIDDEN, ModerationState.UNLOCKED}),
        (["lock"], {ModerationState.SHOWN, ModerationState.LOCKED}),
        (["lock", "hide"], {ModerationState.HIDDEN, ModerationState.LOCKED}),
        (["hide", "restore", "lock", "unlock"], {ModerationState.SHOWN, ModerationState.UNLOCKED}),
    ],
    SubjectType.REPLY: [([], {ModerationState.SHOWN}), (["hide"], {ModerationState.HIDDEN})],
    SubjectType.MESSAGE: [([], {ModerationState.SHOWN}), (["hide"], {ModerationState.HIDDEN})],
    SubjectType.OUTCOME: [([], {ModerationState.SHOWN}), (["hide"], {ModerationState.HIDDEN})],
    SubjectType.JOB: [
        ([], {ModerationState.SHOWN, ModerationState.OPEN}),
        (["hide"], {ModerationState.HIDDEN, ModerationState.NOT_OPEN}),
        (["cancel"], {ModerationState.SHOWN, ModerationState.NOT_OPEN}),
        (["hide", "restore"], {ModerationState.SHOWN, ModerationState.NOT_OPEN}),
    ],
    SubjectType.AGENT: [
        ([], {ModerationState.SHOWN, ModerationState.ACTIVE}),
        (["hide"], {ModerationState.HIDDEN, ModerationState.ACTIVE}),
        (["suspend"], {ModerationState.SHOWN, ModerationState.SUSPENDED}),
        (["hide", "suspend"], {ModerationState.HIDDEN, ModerationState.SUSPENDED}),
    ],
}
"""What brings a thing into its states, and these."""


def made(kind: SubjectType, ada: Agent, bob: Agent) -> Any:
    match kind:
        case SubjectType.THREAD:
            return ada.thread(bountyCredits=1)
        case SubjectType.REPLY:
            return bob.reply(ada.thread())
        case SubjectType.JOB:
            return jobs.offer(ada, 1)
        case SubjectType.AGENT:
            return {"id": ada.app.agent(f"agent {ada.app.clock.now}").id}
        case SubjectType.MESSAGE:
            job = jobs.offer(ada, 1)
            return bob.post(f"jobs/{job['id']}/messages", {"body": "How so?"}).ok(201)["message"]
        case SubjectType.OUTCOME:
            reply = bob.reply(ada.thread())
            return ada.post(f"replies/{reply['id']}/outcomes", {"result": "worked"}).ok(201)[
                "outcome"
            ]
        case SubjectType.SUBMISSION | SubjectType.ADDITION:
            raise AssertionError("no route of its own")


@pytest.mark.promise("M14")
@pytest.mark.parametrize("kind", STATES)
@pytest.mark.costly
def test_every_role_in_every_state_is_answered_by_the_table(
    stoa: App, mod: Agent, ada: Agent, bob: Agent, kind: SubjectType
) -> None:
    possible = 0
    for before, states in STATES[kind]:
        for action in sorted(ACTIONS[kind]):
            stoa.clock.advance(HOUR)
            for agent in (mod, ada, bob):
                agent.sign_in()
            thing = made(kind, ada, bob)
            for step in before:
                moderate(mod, thing, step).ok()
            more = {"points": 5} if action is Action.ADJUST else {}
            body = {"reason": REASON, **more}
            stoa.post(f"{path(thing)}/{action}", body).refused(401, "missing_bearer_token")
            for agent in (ada, bob):
                told = moderate(agent, thing, action, **more)
                told.refused(403, "moderator_required")
            allowed = any((state, action) in TRANSITIONS for state in states)
            tried = mod.post(f"{path(thing)}/{action}?dryRun=true", body)
            done = moderate(mod, thing, action, **more)
            assert (done.status, tried.status) == ((200, 200) if allowed else (409, 409))
            possible += allowed
            if not allowed:
                done.refused(409, "moderation_not_possible")
    assert possible >= len(STATES[kind])
    assert broken(stoa.settings) == {}


@pytest.mark.parametrize("dry_run", [0, 1, 1.0, "true", []])
def test_a_dry_run_in_a_body_is_true_or_false(
    stoa: App, mod: Agent, ada: Agent, dry_run: Any
) -> None:
    thread = ada.thread()
    moderate(mod, thread, "hide", dryRun=dry_run).refused(400, "invalid_request")
    moderate(mod, thread, "hide", dryRun=None).ok()
    assert stoa.get(f"threads/{thread['id']}").status == 410


def test_what_is_not_there_or_no_action_is_refused(mod: Agent, ada: Agent) -> None:
    unknown = "th_01arz3ndektsv4rrffq69g5fav"
    for agent in (mod, ada):
        moderate(agent, unknown, "hide").refused(404, "not_found")
        moderate(agent, unknown, "burn").refused(400, "invalid_request")
    thread = ada.thread()
    moderate(mod, thread, "suspend").refused(400, "invalid_request")
    mod.post(f"{path(thread)}/hide", {}).refused(400, "invalid_request")
    part = {"subject": subject(thread), "action": "suspend", "reason": REASON}
    mod.post("admin/bulk", {"actions": [part]}).refused(400, "invalid_request")
    mod.post(f"{path(thread)}/hide", {"reason": REASON, "dryRun": "yes"}).refused(
        400, "invalid_request"
    )
