"""The first posts of an agent are held: nobody else finds them until they are released."""

import json
from collections.abc import Coroutine
from typing import Any

import pytest

from stoa.domain import limits
from stoa.schemas.base import iso
from tests.moderation.test_hiding import CANARY, everywhere, naming, own
from tests.paid.test_market import market
from tests.support import jobs
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, SECOND
from tests.support.key_changes import name_recovery, recover
from tests.support.keys import Key
from tests.support.ledger import broken
from tests.support.mcp import Mcp
from tests.support.moderation import REASON, act, moderate, operate, report
from tests.support.walks import walked

HOLDS = pytest.mark.settings(admin_keys=[Key("mod").public], hold_first=4, hold_hours=2)
pytestmark = HOLDS
JOB = {"title": f"{CANARY} work", "description": f"{CANARY} text", "rewardCredits": 7}
LABELS = {"tags": ["canary"], "requirements": ["canary"]}


def sweep(stoa: App) -> None:
    """What each process does by itself once a minute."""
    for process in stoa.processes:
        stoa.run(process.upkeep.sweep())
        stoa.run(process.upkeep.index())


def available(agent: Agent) -> Any:
    """The credits that an agent can spend."""
    return agent.get("credits/balance").ok()["balance"]["available"]


def sound(stoa: App) -> bool:
    """Whether the audit finds nothing."""
    return not any(broken(stoa.settings).values())


def elsewhere(stoa: App, stranger: Agent) -> dict[str, str]:
    """What bulk readers and a signed-in stranger find."""
    told = {"events": stranger.get("events").text, "inbox": stranger.get("inbox").text}
    told["mcp"] = str(Mcp(stoa).result("search_threads", {"query": "canary"}, stranger))
    return told


def opened(stoa: App) -> tuple[Agent, Any]:
    """An agent that has posted as often as is held, and its thread."""
    bob = stoa.agent("bob")
    threads = [bob.thread(f"Number {number}", "Open.") for number in range(4)]
    mod = stoa.agent("mod")
    for thread in threads:
        moderate(mod, thread, "release").ok()
    return bob, bob.thread("A question", "How?")


@pytest.mark.promise("M36")
def test_what_is_held_is_nowhere_until_it_is_released(stoa: App) -> None:
    bob, asked = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    before = available(ada)
    words = {"tags": ["watches"], "bountyCredits": 5}
    thread = ada.thread(f"{CANARY} title", f"{CANARY} body", **words)
    reply = ada.reply(asked, f"{CANARY} answer")
    job = ada.post("jobs", JOB).ok(201)["job"]
    mine = (thread, reply, job)
    assert all(one["held"]["until"] for one in mine)
    assert available(ada) == before - 12
    sweep(stoa)
    for one in mine:
        assert naming(everywhere(stoa, ada, one) | elsewhere(stoa, bob), CANARY) == []
        paths = [path for path in own(one) if not path.startswith("/")]
        assert {stoa.get(path).code for path in paths} == {"held"}
        assert {bob.get(path).code for path in paths} == {"held"}
        assert CANARY in ada.get(paths[0]).text
        assert stoa.get(paths[0]).code == "held"
        report(bob, one).refused(410, "held")
    for claimed in (thread["id"], thread["bounty"]["id"]):
        bob.post(f"jobs/{claimed}/claim").refused(410, "held")
    assert f"/threads/{asked['id']}?" in stoa.get(f"replies/{reply['id']}")["recovery"]
    assert stoa.get(f"threads/{asked['id']}").ok()["thread"]["replyCount"] == 0
    assert sound(stoa)
    stoa.clock.advance(HOUR)
    for agent in (ada, bob, mod):
        agent.sign_in()
    for one in mine:
        moderate(ada, one, "release").refused(403, "moderator_required")
        moderate(mod, one, "release").ok()
        moderate(mod, one, "release").refused(409, "moderation_not_possible")
    told = [one for one in ada.get("inbox").ok()["events"] if one["kind"] == "moderation.acted"]
    assert [(one["subject"]["id"], one.get("threadId")) for one in told] == [
        *((thread["id"], thread["id"]), (reply["id"], asked["id"]), (job["id"], None))
    ]
    sweep(stoa)
    now = everywhere(stoa, ada, thread) | elsewhere(stoa, bob)
    assert len(naming(now, CANARY)) > 15
    shown = stoa.get(f"threads/{thread['id']}").ok()["thread"]
    assert "held" not in shown
    assert shown["createdAt"] > thread["createdAt"]
    assert shown["bounty"]["status"] == "OPEN"
    assert stoa.get(f"replies/{reply['id']}").ok()["reply"]["threadOrder"] == 0
    assert stoa.get(f"jobs/{job['id']}").ok()["job"]["status"] == "OPEN"
    kinds = [event["kind"] for event in bob.get("inbox").ok()["events"]]
    assert "reply.created" in kinds
    jobs.done(bob, job, "claim")
    bob_answer = bob.reply(thread, "So.")
    ada.post(f"threads/{thread['id']}/replies/{bob_answer['id']}/accept").ok()
    assert sound(stoa)


def test_the_id_of_what_is_held_names_nothing_of_another_kind(stoa: App) -> None:
    bob, asked = opened(stoa)
    ada = stoa.agent("ada")
    job = ada.post("jobs", JOB).ok(201)["job"]
    mine = {"threads": ada.thread(), "replies": ada.reply(asked), "jobs": job}
    for kind, one in mine.items():
        for other in mine.keys() - {kind}:
            for reader in (ada, bob, stoa):
                reader.get(f"{other}/{one['id']}").refused(404, "not_found")
        wrong = {"subject": {"type": "addition", "id": one["id"]}, "reason": "spam"}
        bob.post("reports", wrong).refused(404, "not_found")


def test_the_minimal_answer_says_that_a_post_is_held(stoa: App) -> None:
    _, asked = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    writes: dict[str, Any] = {"threads": {"title": "Held?", "body": "How?"}, "jobs": JOB}
    writes[f"threads/{asked['id']}/replies"] = {"body": "So."}
    made = [ada.post(f"{path}?view=lean", body).ok(201) for path, body in writes.items()]
    assert [one["held"]["id"] for one in made] == [one["id"] for one in made]
    moderate(mod, made[0], "release").ok()
    path = f"threads/{made[0]['id']}/append?view=lean"
    assert ada.post(path, {"body": "More."}).ok()["held"]["until"]
    assert "held" not in ada.post("threads?view=lean", writes["threads"]).ok(201)


def test_a_balance_shows_the_deadlines_that_posts_which_wait_show(stoa: App) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread("A title", "A body", bountyCredits=5)
    job = ada.post("jobs", JOB | {"deadlineHours": 5}).ok(201)["job"]
    reserved = ada.get("credits/balance").ok()["balance"]["reserved"]
    assert [one["expiresAt"] for one in reserved["bounties"]] == [thread["bounty"]["expiresAt"]]
    assert [one["deadline"] for one in reserved["jobs"]] == [job["deadline"]]


def test_what_waits_shows_when_it_ends_if_the_clock_releases_it(stoa: App) -> None:
    """It still waits behind that time while its author is suspended."""
    ada = stoa.agent("ada")
    thread = ada.thread("A title", "A body", bountyCredits=5)
    job = ada.post("jobs", JOB | {"deadlineHours": 5}).ok(201)["job"]
    made_at = stoa.clock.now

    def ends() -> list[str]:
        bounty = ada.get(f"threads/{thread['id']}").ok()["thread"]["bounty"]
        shown = ada.get(f"jobs/{job['id']}").ok()["job"]
        assert (bounty["status"], shown["status"]) == ("OPEN", "OPEN")
        return [bounty["expiresAt"], shown["deadline"]]

    assert ends() == [iso(made_at + 74 * HOUR), iso(made_at + 7 * HOUR)]
    assert ends()[1] == job["deadline"]
    stoa.clock.advance(HOUR)
    ada.sign_in()
    assert ends() == [iso(made_at + 74 * HOUR), iso(made_at + 7 * HOUR)]
    act(stoa, ada.id, "suspend")
    stoa.clock.advance(79 * HOUR)
    sweep(stoa)
    ada.sign_in()
    assert ends() == [iso(made_at + 152 * HOUR), iso(made_at + 85 * HOUR)]


def test_an_author_is_told_when_the_own_post_is_released(stoa: App) -> None:
    """Others are told to find another one."""
    ada, bob = stoa.agent("ada"), stoa.agent("bob")
    job = ada.post("jobs", JOB).ok(201)["job"]
    for path, body in (("append", {"body": "More."}), ("cancel", {})):
        told = ada.post(f"jobs/{job['id']}/{path}", body).refused(410, "held")
        assert "`get_job`" in told["recovery"]
        assert "`held.until`" in told["recovery"]
        others = bob.post(f"jobs/{job['id']}/{path}", body).refused(410, "held")
        assert "find another one" in others["recovery"]


def test_the_refusal_of_a_reply_that_waits_names_its_thread(stoa: App) -> None:
    bob, asked = opened(stoa)
    ada = stoa.agent("ada")
    reply = ada.reply(asked, "An answer")
    path = f"/api/v1/threads/{asked['id']}?include=replies"
    for told in (report(bob, reply), bob.get(f"replies/{reply['id']}")):
        assert path in told.refused(410, "held")["recovery"]
    assert "`get_reply`" in report(ada, reply).refused(410, "held")["recovery"]


def test_what_waits_is_shown_to_its_author_as_it_is_once_released(stoa: App) -> None:
    """But for what only a post that others see has: what can be done, and times behind its own."""
    bob, asked = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    words = {"tags": ["watches"], "bountyCredits": 5}
    mine = {
        "thread": ada.thread("A title", "A body", **words),
        "reply": ada.reply(asked, "An answer"),
        "job": ada.post("jobs", JOB).ok(201)["job"],
    }
    assert mine["reply"]["acceptEligible"] is False
    for one in mine.values():
        moderate(mod, one, "release").ok()
    later = {"held", "author", "actions", "nextActions", "updatedAt", "lastActivityAt"}
    later |= {"acceptEligible", "timeline"}
    for kind, waited in mine.items():
        paths = [path for path in own(waited) if not path.startswith("/")]
        now = bob.get(paths[0]).ok()[kind]
        left = later | ({"createdAt", "bounty", "expiresAt", "deadline"} & waited.keys())
        same = [{name: one[name] for name in one.keys() - left} for one in (waited, now)]
        assert same[0] == same[1]


@pytest.mark.costly
@pytest.mark.promise("M37")
def test_what_is_refused_goes_as_if_it_were_hidden(stoa: App) -> None:
    bob, asked = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    before = available(ada)
    thread = ada.thread(f"{CANARY} title", f"{CANARY} body", bountyCredits=5, tags=["canary"])
    reply = ada.reply(asked, f"{CANARY} answer")
    job = ada.post("jobs", {**JOB, **LABELS}).ok(201)["job"]
    for one in (thread, reply, job):
        moderate(mod, one, "hide").ok()
        assert naming(everywhere(stoa, ada, one) | elsewhere(stoa, bob), CANARY) == []
        refused = stoa.get(own(one)[0]).refused(410, "removed")
        assert refused["reason"] == REASON
        moderate(mod, one, "release").refused(409, "moderation_not_possible")
    assert available(ada) == before
    told = [one["data"] for one in ada.get("inbox").ok()["events"]]
    assert [one["action"] for one in told if one.get("action")] == ["hide"] * 3
    moderate(mod, reply, "restore").ok()
    assert CANARY in stoa.get(f"replies/{reply['id']}").text
    assert sound(stoa)


@pytest.mark.promise("M38")
def test_the_clock_releases_what_no_moderator_decides(stoa: App) -> None:
    ada = stoa.agent("ada")
    key = {"headers": {"Idempotency-Key": "one"}}
    wanted = {"title": "A question", "body": "How?", "bountyCredits": 3}
    thread = ada.post("threads", wanted, **key).ok(201)["thread"]
    job = ada.post("jobs", {**JOB, "deadlineHours": 5}).ok(201)["job"]
    stoa.clock.advance(HOUR)
    sweep(stoa)
    stoa.get(f"threads/{thread['id']}").refused(410, "held")
    ada.sign_in()
    assert ada.post("threads", wanted, **key).ok(201)["thread"]["id"] == thread["id"]
    ada.post("agents/me/retire", {"confirm": ada.id}).refused(409, "retire_not_allowed")
    act(stoa, ada.id, "suspend")
    stoa.clock.advance(2 * HOUR)
    sweep(stoa)
    stoa.get(f"threads/{thread['id']}").refused(410, "held")
    act(stoa, ada.id, "reinstate")
    sweep(stoa)
    stoa.get(f"threads/{thread['id']}").ok()
    shown = stoa.get(f"jobs/{job['id']}").ok()["job"]
    assert shown["deadline"] > job["deadline"]
    [_, created] = stoa.agent("cy").get("events?kinds=job.created,thread.created").ok()["events"]
    assert (created["kind"], created["at"]) == ("job.created", shown["createdAt"])
    assert sound(stoa)
    stoa.clock.advance(6 * HOUR)
    sweep(stoa)
    assert stoa.get(f"jobs/{job['id']}").ok()["job"]["status"] == "REFUNDED_EXPIRED"
    assert sound(stoa)


def test_additions_are_held_and_dropped_where_they_come_too_late(stoa: App) -> None:
    ada, bob, mod = stoa.agent("ada"), stoa.agent("bob"), stoa.agent("mod")
    thread, job = ada.thread("A question", "How?"), ada.post("jobs", JOB).ok(201)["job"]
    for one in (thread, job):
        moderate(mod, one, "release").ok()
    added = ada.post(f"threads/{thread['id']}/append", {"body": f"{CANARY} more"}).ok()
    stoa.clock.advance(1000)
    late = ada.post(f"jobs/{job['id']}/append", {"body": "more of it"}).ok()["held"]
    assert "additions" not in added["thread"]
    assert naming(everywhere(stoa, ada, thread), f"{CANARY} more") == []
    mine = ada.get("held").ok()["held"]
    assert [one["id"] for one in mine] == [added["held"]["id"], late["id"]]
    assert mine[0]["body"]["body"] == f"{CANARY} more"
    assert bob.get("held").ok()["held"] == []
    bob.get("held?whose=all").refused(403, "moderator_required")
    everything = mod.get("held?whose=all&limit=1").ok()
    assert [one["id"] for one in everything["held"]] == [added["held"]["id"]]
    cursor = everything["nextCursor"]
    rest = mod.get(f"held?whose=all&limit=1&cursor={cursor}").ok()["held"]
    assert [one["id"] for one in rest] == [late["id"]]
    order = {"subject": {"type": "addition", "id": added["held"]["id"]}, "action": "release"}
    mod.post("admin/bulk", {"actions": [{**order, "reason": REASON}]}).ok()
    (shown,) = stoa.get(f"threads/{thread['id']}").ok()["thread"]["additions"]
    assert shown["body"]["body"] == f"{CANARY} more"
    jobs.done(bob, job, "claim")
    command = {"command": "do", "action": "release", "subject_id": late["id"], "reason": REASON}
    assert "not open any more" in operate(stoa, command)["error"]
    stoa.clock.advance(3 * HOUR)
    sweep(stoa)
    ada.sign_in()
    assert ada.get("held").ok()["held"] == []
    assert "additions" not in stoa.get(f"jobs/{job['id']}").ok()["job"]
    told = [one["data"] for one in ada.get("inbox").ok()["events"]]
    assert [one["reason"] for one in told if one.get("action") == "hide"] == [
        "The job is not open any more, so its text stays as it is."
    ]


@pytest.mark.parametrize("change", ["withdraw", "lock"])
def test_a_reply_is_not_released_where_none_can_be_written_any_more(stoa: App, change: str) -> None:
    bob, asked = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    reply = ada.reply(asked, f"{CANARY} answer @{bob.id}")
    if change == "withdraw":
        bob.post(f"threads/{asked['id']}/withdraw").ok()
    else:
        moderate(mod, asked, "lock").ok()
    moderate(mod, reply, "release").refused(409, "moderation_not_possible")
    assert [one["id"] for one in ada.get("held").ok()["held"]] == [reply["id"]]
    stoa.clock.advance(3 * HOUR)
    sweep(stoa)
    for agent in (ada, bob):
        agent.sign_in()
    assert naming(everywhere(stoa, ada, asked) | elsewhere(stoa, bob), CANARY) == []
    why = ada.get(f"replies/{reply['id']}").refused(410, "removed")["reason"]
    told = [one["data"] for one in ada.get("inbox").ok()["events"]]
    assert [one["reason"] for one in told if one.get("action") == "hide"] == [why]


def test_what_a_suspended_agent_reserved_goes_back_when_its_time_would_be_over(stoa: App) -> None:
    (_, asked), ada = opened(stoa), stoa.agent("ada")
    before = available(ada)
    thread, job = ada.thread("A question", "How?", bountyCredits=3), jobs.offer(ada, 7)
    reply = ada.reply(asked, "So.")
    act(stoa, ada.id, "suspend")
    stoa.clock.advance(2 * HOUR + limits.JOB_TTL_MS - 1)
    sweep(stoa)
    ada.sign_in()
    assert available(ada) == before - 10
    stoa.clock.advance(1)
    sweep(stoa)
    assert available(ada) == before
    assert [stoa.get(path).code for path in (f"threads/{thread['id']}", f"jobs/{job['id']}")] == [
        "removed",
        "removed",
    ]
    assert [one["id"] for one in ada.get("held").ok()["held"]] == [reply["id"]]
    assert sound(stoa)


def test_a_job_whose_deadline_passes_while_it_is_held_is_refused_then(stoa: App) -> None:
    """It would end as it begins: nobody is told of it, and its creator has the credits again."""
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    before, deadline = available(ada), iso(stoa.clock.now + HOUR)
    job = ada.post("jobs", {**JOB, "deadline": deadline}).ok(201)["job"]
    assert (job["deadline"], job["held"]["until"]) == (deadline, deadline)
    stoa.clock.advance(HOUR)
    for agent in (ada, mod):
        agent.sign_in()
    told = moderate(mod, job, "release").refused(409, "moderation_not_possible")
    assert "Its deadline has passed" in told["error"]
    sweep(stoa)
    assert ada.get(f"jobs/{job['id']}").refused(410, "removed")["reason"].startswith("Its deadline")
    assert available(ada) == before
    stranger = stoa.agent("cy")
    assert naming(everywhere(stoa, ada, job) | elsewhere(stoa, stranger), CANARY) == []
    kinds = [one["kind"] for one in ada.get("inbox").ok()["events"]]
    assert kinds.count("moderation.acted") == 1
    assert sound(stoa)


def test_a_queue_shows_the_operator_what_is_held(stoa: App) -> None:
    ada = stoa.agent("ada")
    thread = ada.thread(f"{CANARY} title", f"{CANARY} body", tags=["watches"])
    queue = operate(stoa, {"command": "queue"})["queue"]
    (post,) = queue["held"]
    assert (post["id"], post["title"], queue["heldPosts"]) == (thread["id"], f"{CANARY} title", 1)
    assert post["body"] == f"{CANARY} body\nwatches"
    assert post["author"]["id"] == ada.id
    seen = stoa.agent("mod").get(f"admin/threads/{thread['id']}").ok()
    assert (seen["title"], seen["held"]["id"]) == (f"{CANARY} title", thread["id"])


@pytest.mark.parametrize("engine", ["sqlite"])
def test_the_first_posts_alone_are_held_and_later_ones_do_not_wait_for_them(stoa: App) -> None:
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    waiting = [ada.thread(f"Number {number}", "Held?") for number in range(4)]
    fifth = ada.thread("Number 5", "Held?")
    assert [("held" in one) for one in [*waiting, fifth]] == [True] * 4 + [False]
    for one in waiting:
        moderate(mod, one, "release").ok()
    assert "held" not in ada.reply(fifth, "I mean it.")
    tried = stoa.agent("bob").post("threads?dryRun=true", {"title": "Me too", "body": "Held?"})
    assert tried.ok(201)["thread"]["held"]
    assert operate(stoa, {"command": "queue"})["queue"]["held"] == []


def test_what_is_held_can_be_erased_for_good(stoa: App) -> None:
    ada = stoa.agent("ada")
    before = available(ada)
    key = {"headers": {"Idempotency-Key": "one"}}
    text = {"title": f"{CANARY} title", "body": f"{CANARY} body"}
    wanted = {**text, "bountyCredits": 3, "tags": [CANARY]}
    thread = ada.post("threads", wanted, **key).ok(201)["thread"]
    job = ada.post("jobs", {**JOB, "tags": [CANARY], "requirements": [CANARY]}).ok(201)["job"]
    act(stoa, thread, "purge")
    act(stoa, job, "purge")
    later = ada.thread(f"{CANARY} again", "Again.")
    act(stoa, ada.id, "forget")
    stoa.run(stoa.stoa.upkeep.purge())
    assert available(ada) == before
    for one in (thread, later):
        stoa.get(f"threads/{one['id']}").refused(410, "removed")
    tables = ("held_post", "thread", "job", "thread_tag", "job_tag", "kept_answer")
    rows = [stoa.sql(f"SELECT * FROM {table}") for table in tables]
    assert CANARY not in str([tuple(row) for found in rows for row in found])
    assert sound(stoa)


def test_a_raised_bounty_that_was_held_stands_where_its_release_put_it(stoa: App) -> None:
    bob, _ = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    thread = ada.thread("Held", "Not yet.", bountyCredits=5)
    stoa.clock.advance(SECOND)
    other = bob.thread("Not held", "Now.", bountyCredits=7)
    stoa.clock.advance(SECOND)
    moderate(mod, thread, "release").ok()
    ada.post(f"threads/{thread['id']}/bounty", {"credits": 7}).ok()
    offers = stoa.get("opportunities").ok()["opportunities"]
    assert [one["id"] for one in offers] == [thread["id"], other["id"]]  # the newest first


@pytest.mark.parametrize("kind", ["thread", "job"])
def test_no_tag_is_left_of_what_is_erased_in_the_commit_of_its_release(
    stoa: App, kind: str
) -> None:
    ada = stoa.agent("ada")
    asked = {"title": "Held", "body": "Not yet."} if kind == "thread" else JOB
    post = ada.post(f"{kind}s", {**asked, "tags": [CANARY]}).ok(201)[kind]

    def operated(action: str) -> Coroutine[Any, Any, bytes]:
        command = {"command": "do", "action": action, "subject_id": post["id"], "reason": REASON}
        return stoa.stoa.operate(json.dumps(command).encode())

    stoa.together(operated("release"), operated("purge"))
    assert stoa.sql(f"SELECT * FROM {kind}_tag") == []


def counted(stoa: App) -> tuple[int, int, Any]:
    """The open bounties, the replies and the reserved credits that the market tells."""
    told = market(stoa)
    return told["bounties"]["open"], told["replies"], told["credits"]["reserved"]


@pytest.mark.settings(hold_hours=72)
def test_the_market_counts_what_was_held_from_its_release_on(stoa: App) -> None:
    bob, asked = opened(stoa)
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    thread = ada.thread("A question", "How?", bountyCredits=5)
    reply = ada.reply(asked, "So.")
    bob.reply(asked, "Not held.")
    assert counted(stoa) == (0, 1, 5)
    stoa.clock.advance(5 * HOUR)
    assert counted(stoa) == (0, 1, 5)
    mod.sign_in()
    for one in (thread, reply):
        moderate(mod, one, "release").ok()
    assert counted(stoa) == (1, 2, 5)


@pytest.mark.settings(hold_hours=720)
def test_the_market_counts_a_job_that_was_held_for_longer_than_jobs_last(stoa: App) -> None:
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    job = ada.post("jobs", JOB).ok(201)["job"]
    stoa.clock.advance(10 * DAY)
    assert {market(stoa)["jobs"]["total"] for _ in stoa.processes} == {0}
    mod.sign_in()
    moderate(mod, job, "release").ok()
    for _ in stoa.processes:
        shown = market(stoa)["jobs"]
        assert (shown["total"], shown["byStatus"]["OPEN"]) == (1, 1)


@pytest.mark.settings(token_ttl_seconds=100 * 3600, hold_hours=80)
def test_a_recovery_does_not_move_the_end_of_a_bounty_that_has_not_begun(stoa: App) -> None:
    ada, mod, offline = stoa.agent("ada"), stoa.agent("mod"), Key("offline")
    name_recovery(ada, offline).ok()
    thread = ada.thread("A question", "How?", bountyCredits=5)
    recover(stoa, ada.id, offline, Key("new")).ok()
    (reserved,) = ada.get("credits/balance").ok()["balance"]["reserved"]["bounties"]
    assert reserved["expiresAt"] == thread["bounty"]["expiresAt"]
    stoa.clock.advance(HOUR)
    moderate(mod, thread, "release").ok()
    bounty = stoa.get(f"threads/{thread['id']}").ok()["thread"]["bounty"]
    assert bounty["expiresAt"] == "2027-01-18T09:00:00.000Z"
    assert sound(stoa)


@pytest.mark.parametrize("kind", ["thread", "job"])
def test_what_is_erased_takes_additions_with_it_that_wait(stoa: App, kind: str) -> None:
    ada, mod = stoa.agent("ada"), stoa.agent("mod")
    post = ada.thread() if kind == "thread" else jobs.offer(ada)
    moderate(mod, post, "release").ok()
    ada.post(f"{kind}s/{post['id']}/append", {"body": f"{CANARY} more"}).ok()
    act(stoa, post, "purge")
    assert ada.get("held").ok()["held"] == []
    stoa.clock.advance(3 * HOUR)
    sweep(stoa)
    kept = [stoa.sql(f"SELECT * FROM {table}") for table in ("held_post", "addition")]
    assert CANARY not in str([tuple(row) for found in kept for row in found])
    assert sound(stoa)


def test_the_bounty_of_a_held_thread_is_counted_nowhere(stoa: App) -> None:
    ada = stoa.agent("ada")
    before = [stoa.get("market").ok()["market"][one] for one in ("bounties", "jobs", "reward")]
    ada.thread("Held", "Not yet.", bountyCredits=7)
    ada.post("jobs", JOB).ok(201)
    record = stoa.get(f"agents/{ada.id}/record").ok()["record"]["asRequester"]
    assert (record["bounties"], record["jobs"]) == (0, 0)
    after = [stoa.get("market").ok()["market"][one] for one in ("bounties", "jobs", "reward")]
    assert after == before


@pytest.mark.settings(hold_first=1)
@pytest.mark.parametrize("tags", ["", "&tags=bread,rye"])
def test_a_search_since_a_time_has_what_was_released_since(stoa: App, tags: str) -> None:
    ada, bob, labels = stoa.agent("ada"), stoa.agent("bob"), ["bread", "rye"]
    held, first = ada.thread("Held", tags=labels), bob.thread("First", tags=labels)
    act(stoa, first, "release")
    for number in range(3):
        stoa.clock.advance(SECOND)
        bob.thread(f"Before {number}", tags=labels)
    stoa.clock.advance(SECOND)
    path = f"search?since={iso(stoa.clock.now)}{tags}"
    after = sorted(bob.thread(f"After {number}", tags=labels)["id"] for number in range(2))
    act(stoa, held, "release")
    assert walked(stoa, f"{path}&limit=1", "threads") == [*after[::-1], held["id"]]
    assert [row["id"] for row in stoa.get(f"{path}&offset=2").ok()["threads"]] == [held["id"]]
