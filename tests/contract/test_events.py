"""The log of events: what it tells, in which order, from where on."""

import re
from typing import Any

import pytest

from stoa.domain import limits
from stoa.domain.events import EVERY_KIND, PUBLIC_KINDS
from tests.support.added_rows import add_events
from tests.support.app import Agent, App
from tests.support.clock import HOUR, VirtualClock
from tests.support.jobs import REJECTION, TTL, WORK, act, done, offer
from tests.support.key_changes import name_recovery, recover, rotate
from tests.support.keys import Key
from tests.support.steps import Steps

CANARY = "canary-4711"


def read(stoa: App, query: str = "") -> Any:
    return stoa.get(f"events?limit=100&{query}").ok().json


def kinds(stoa: App, query: str = "") -> list[str]:
    return [event["kind"] for event in read(stoa, query)["events"]]


def everything_happens(stoa: App, clock: VirtualClock, ada: Agent, bob: Agent) -> None:
    """Each kind of event that an operation or a deadline makes."""
    thread = ada.thread(tags=["sqlite"], bountyCredits=5)
    ada.accept(thread, bob.reply(thread))
    ada.thread(bountyCredits=3)
    clock.advance(72 * HOUR)
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    bob.sign_in()
    job = offer(ada)
    done(bob, job, "claim", "submit")
    done(ada, job, "reject")
    done(bob, job, "submit")
    done(ada, job, "accept")
    offer(ada)
    clock.advance(TTL)
    stoa.run(stoa.stoa.upkeep.sweep())
    ada.sign_in()
    bob.sign_in()
    name_recovery(ada, Key("offline")).ok()
    recover(stoa, ada.id, Key("offline"), Key("new")).ok()
    clock.advance(72 * HOUR)
    stoa.run(stoa.stoa.upkeep.sweep())
    bob.sign_in()
    rotate(bob, Key("other")).ok()
    carol = stoa.agent("carol")
    carol.post("agents/me/retire", {"confirm": carol.id}).ok()


@pytest.mark.promise("E1")
def test_each_thing_that_happens_is_one_event(
    stoa: App, clock: VirtualClock, ada: Agent, bob: Agent
) -> None:
    everything_happens(stoa, clock, ada, bob)
    assert kinds(stoa) == [
        "agent.registered",
        "agent.registered",
        "thread.created",
        "reply.created",
        "reply.accepted",
        "thread.created",
        "bounty.refunded",
        "job.created",
        "job.claimed",
        "job.submitted",
        "job.rejected",
        "job.submitted",
        "job.accepted",
        "job.created",
        "job.expired",
        "agent.key_changed",
        "agent.key_changed",
        "agent.key_changed",
        "agent.key_changed",
        "agent.registered",
        "agent.retired",
    ]


def test_an_event_says_who_did_what(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread("Which copy?", tags=["sqlite"], bountyCredits=5)
    reply = bob.reply(thread)
    ada.accept(thread, reply).ok()
    *_, event = read(stoa)["events"]
    assert event["id"].startswith("ev_")
    assert event["actorAgentId"] == ada.id
    assert event["subject"] == {"type": "reply", "id": reply["id"]}
    assert event["threadId"] == thread["id"]
    assert event["url"] == f"/api/v1/replies/{reply['id']}"
    assert event["data"] == {"title": "Which copy?", "tags": ["sqlite"], "credits": 5}
    assert stoa.get(event["url"]).status == 200


def test_what_a_deadline_did_has_no_actor(stoa: App, clock: VirtualClock, ada: Agent) -> None:
    ada.thread(bountyCredits=3)
    clock.advance(72 * HOUR)
    stoa.run(stoa.stoa.upkeep.sweep())
    *_, event = read(stoa)["events"]
    assert (event["kind"], event["actorAgentId"]) == ("bounty.refunded", None)
    assert event["data"]["credits"] == 3


@pytest.mark.promise("E2")
def test_a_refused_call_and_a_dry_run_leave_no_event(stoa: App, ada: Agent) -> None:
    thread, before = ada.thread(), len(kinds(stoa))
    ada.post(f"threads/{thread['id']}/replies?dryRun=true", {"body": "A try."}).ok(201)
    ada.post("threads", {"title": "A", "body": "B", "bountyCredits": 1000})
    assert len(kinds(stoa)) == before


def test_a_repeated_write_is_one_event(stoa: App, ada: Agent) -> None:
    headers = {**ada.headers, "Idempotency-Key": "once"}
    for _ in range(3):
        stoa.post("threads", {"title": "A", "body": "B"}, headers=headers).ok(201)
    assert kinds(stoa).count("thread.created") == 1


def test_pages_follow_one_another(stoa: App, ada: Agent) -> None:
    for _ in range(7):
        ada.thread()
    whole, cursor, seen = read(stoa)["events"], "", []
    for _ in range(len(whole)):
        page = stoa.get(f"events?limit=2{cursor}").ok().json
        seen += page["events"]
        cursor = f"&cursor={page['nextCursor']}"
    assert seen == whole


@pytest.mark.promise("E26")
@pytest.mark.parametrize("filters", ["tag=sqlite", "kinds=job.created", "agent={ada}"])
def test_a_page_of_the_log_looks_at_so_many_places_and_no_more(
    stoa: App, ada: Agent, bob: Agent, filters: str
) -> None:
    offers: list[str] = []
    for _ in range(2):
        bob.thread()
        add_events(stoa, limits.PAGE_ROWS_SEEN)
        offers.append(offer(ada, tags=["sqlite"])["id"])
    query = filters.format(ada=ada.id)
    cursor, seen, looks = "", [], 0
    while True:
        page = read(stoa, f"{query}&cursor={cursor}" if cursor else query)
        seen += page["events"]
        looks += 1
        if page["nextCursor"] == cursor:
            break
        cursor = page["nextCursor"]
    assert [event["jobId"] for event in seen if event["kind"] == "job.created"] == offers
    assert looks == 1 + 3  # the first two parts are full


def test_now_is_the_end_of_the_log(stoa: App, ada: Agent) -> None:
    ada.thread()
    page = read(stoa, "cursor=now")
    assert page["events"] == []
    thread = ada.thread()
    (event,) = read(stoa, f"cursor={page['nextCursor']}")["events"]
    assert event["subject"]["id"] == thread["id"]


def test_events_can_be_narrowed(stoa: App, ada: Agent, bob: Agent) -> None:
    tagged = ada.thread(tags=["sqlite"])
    ada.thread()
    bob.reply(tagged)
    job = offer(ada, tags=["sqlite"])
    assert kinds(stoa, "kinds=reply.created,job.created") == ["reply.created", "job.created"]
    assert "thread.created" not in kinds(stoa, "kinds=-thread.created")
    assert kinds(stoa, "kinds=job.created,-job.created") == []
    assert kinds(stoa, f"agent={bob.id}") == ["agent.registered", "reply.created"]
    found = read(stoa, "tag=SQLite")["events"]
    assert [event["kind"] for event in found] == ["thread.created", "reply.created", "job.created"]
    assert found[-1]["jobId"] == job["id"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("kinds=thread.made", "query.kinds.0"),
        ("kinds=reply.created,mentioned", "query.kinds.1"),
        ("cursor=then", "query.cursor"),
        ("cursor=MQphZ2VudHM", "query.cursor"),
        ("wait=31", "query.wait"),
        ("wait=-1", "query.wait"),
        ("limit=0", "query.limit"),
    ],
)
def test_a_wrong_value_is_named(stoa: App, query: str, path: str) -> None:
    refused = stoa.get(f"events?{query}")
    assert refused.status == 400
    assert [issue["path"] for issue in refused["issues"]] == [path]


def test_a_kind_of_inboxes_alone_can_be_left_out_of_the_log(stoa: App, ada: Agent) -> None:
    ada.thread()
    assert read(stoa, "kinds=-mentioned") == read(stoa)


@pytest.mark.promise("E3")
def test_old_events_are_deleted_and_their_cursors_expire(
    stoa: App, clock: VirtualClock, ada: Agent
) -> None:
    first = read(stoa)["nextCursor"]
    ada.thread()
    second = read(stoa)["nextCursor"]
    clock.advance(limits.EVENTS_DAYS * limits.DAY_MS + HOUR)
    ada.sign_in()
    last = ada.thread()
    stoa.run(stoa.stoa.upkeep.sweep())
    refused = stoa.get(f"events?cursor={first}")
    assert (refused.status, refused["code"]) == (410, "cursor_expired")
    for query in ("", f"cursor={second}"):
        (event,) = read(stoa, query)["events"]
        assert event["subject"]["id"] == last["id"]


def an_old_and_a_new_reply(clock: VirtualClock, ada: Agent, bob: Agent, thread: Any) -> None:
    """A reply whose event may be deleted by now, and a new one."""
    bob.reply(thread)
    clock.advance(limits.EVENTS_DAYS * limits.DAY_MS + HOUR)
    ada.sign_in()
    bob.sign_in()
    bob.reply(thread)


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_cursor_of_what_is_deleted_beside_its_read_is_expired(
    stoa: App, clock: VirtualClock, ada: Agent, bob: Agent, steps: Steps
) -> None:
    thread = ada.thread()
    cursor = read(stoa)["nextCursor"]
    an_old_and_a_new_reply(clock, ada, bob, thread)
    steps.after("events.log", stoa.stoa.upkeep.sweep, once=True)
    assert stoa.get(f"events?cursor={cursor}").code == "cursor_expired"


@pytest.mark.parametrize("engine", ["postgresql"])
def test_a_cursor_of_an_inbox_expires_with_what_is_deleted_beside_its_read(
    stoa: App, clock: VirtualClock, ada: Agent, bob: Agent, steps: Steps
) -> None:
    thread = ada.thread()
    cursor = ada.get("inbox").ok()["nextCursor"]
    an_old_and_a_new_reply(clock, ada, bob, thread)
    steps.before("events.inbox", stoa.stoa.upkeep.sweep, once=True)
    assert ada.get(f"inbox?cursor={cursor}").code == "cursor_expired"


def test_events_are_kept_for_thirty_days(stoa: App, clock: VirtualClock, ada: Agent) -> None:
    before = read(stoa)["events"]
    clock.advance(limits.EVENTS_DAYS * limits.DAY_MS)
    stoa.run(stoa.stoa.upkeep.sweep())
    assert read(stoa)["events"] == before


def test_a_sweep_stops_at_the_first_event_that_stays(
    stoa: App, clock: VirtualClock, ada: Agent
) -> None:
    ada.thread()
    stoa.sql("UPDATE event_log SET at = 1 WHERE kind = 'thread.created'")
    ada.sign_in()
    ada.thread()
    stoa.run(stoa.stoa.upkeep.sweep())
    assert kinds(stoa).count("thread.created") == 2


@pytest.mark.promise("E4")
def test_no_submitted_work_and_no_reason_is_in_the_log(stoa: App, ada: Agent, bob: Agent) -> None:
    job = offer(ada)
    act(bob, job, "claim").ok()
    act(bob, job, "submit", {**WORK, "body": CANARY}).ok(201)
    act(ada, job, "reject", {**REJECTION, "message": CANARY}).ok()
    carol = stoa.agent("carol", capabilities=["sqlite"])
    for reader in (stoa, ada, bob, carol):
        answer = reader.get("events?limit=100").ok()
        assert "job.rejected" in answer.text
        assert CANARY not in answer.text
    rows = stoa.sql("SELECT facts FROM event_log WHERE job_id IS NOT NULL")
    assert rows
    assert CANARY not in str(rows)
    assert CANARY not in carol.get("inbox?limit=100").ok().text
    # The control: the parties do read it.
    assert CANARY in ada.get("inbox?limit=100").ok().text
    assert CANARY in bob.get("inbox?limit=100").ok().text


def test_every_public_kind_can_be_asked_for(stoa: App) -> None:
    for kind in PUBLIC_KINDS:
        assert stoa.get(f"events?kinds={kind}").status == 200


@pytest.mark.checks_input
def test_the_error_for_a_kind_that_does_not_exist_leads_to_all(stoa: App) -> None:
    refused = stoa.get("events?kinds=job.made").invalid("query.kinds.0")
    named = re.search(r" (/openapi\S+)\.$", refused.issues["query.kinds.0"])
    assert named
    assert ", ".join(EVERY_KIND) in stoa.get(named[1]).ok().text
