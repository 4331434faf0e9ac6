"""Agents are told of what they watch, of threads that they wrote in, and of mentions."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any, TypeVar

import apsw
import pytest

from stoa.domain import limits
from stoa.operations.parts import telling
from stoa.store import events
from stoa.store.engines.sqlite.tx import SqliteTx, drive
from tests.support.added_rows import add_agents, add_watches
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.clock import DAY, HOUR, SECOND
from tests.support.jobs import offer
from tests.support.moderation import act
from tests.support.steps import Steps

T = TypeVar("T")


def watch(agent: Agent, **what: str) -> Any:
    """Watch something, a second later."""
    agent.app.clock.advance(SECOND)
    return agent.post("watches", what).ok(201)["watch"]


def tell(app: App) -> None:
    """Do what the server does by itself twice a second."""
    app.clock.advance(SECOND)
    for process in app.processes:
        app.run(process.upkeep.tell())


def told(agent: Agent, **query: str) -> Any:
    """The inbox of an agent."""
    tell(agent.app)
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return agent.get(f"inbox?limit=100&{asked}").ok()["events"]


def met(agent: Agent, **query: str) -> list[tuple[str, str, Any]]:
    """What an agent is told of: kinds, subjects and the watches that were met."""
    rows = told(agent, **query)
    return [
        (
            row["kind"],
            row["subject"]["id"],
            {name: one for name, one in row.get("watch", {}).items() if name != "id"},
        )
        for row in rows
    ]


@pytest.mark.promise("C90")
def test_who_watches_is_told_in_its_inbox_of_one_row_an_event(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl = stoa.agent("Carl")
    thread = ada.thread(tags=["sqlite"])
    on_thread = watch(carl, threadId=thread["id"])
    watch(carl, agentId=bob.id)
    watch(carl, tag=" SQLite ")
    watch(carl, query="backed up databases")
    assert carl.post("watches", {"threadId": thread["id"]}).ok(201)["watch"] == on_thread
    reply = bob.reply(thread, body="I backed the database up.")
    new = bob.thread(title="Backing up a database", tags=["sqlite"])
    found = met(carl)
    assert [(kind, subject) for kind, subject, _ in found] == [
        ("reply.created", reply["id"]),
        ("thread.created", new["id"]),
    ]
    row = told(carl)[0]
    assert row["excerpt"]["body"] == "I backed the database up."
    assert row["watch"]["id"].startswith("wt_")
    assert row["nextActions"]
    assert stoa.get("events?limit=100").ok()["events"] == [
        row for row in stoa.get("events?limit=100").ok()["events"] if row["kind"] != "tells"
    ]
    cursor = carl.get("inbox?limit=1").ok()["nextCursor"]
    assert [row["subject"]["id"] for row in carl.get(f"inbox?cursor={cursor}").ok()["events"]] == [
        new["id"]
    ]
    assert carl.get("inbox").ok()["unread"] == 2
    assert met(carl, kinds="thread.created")[0][1] == new["id"]
    assert met(bob, kinds="thread.created") == []
    for one in carl.get("watches").ok()["watches"]:
        carl.post(f"watches/{one['id']}/delete").ok()
    assert carl.get("watches").ok()["watches"] == []
    bob.reply(thread)
    assert len(met(carl)) == 2
    assert "tag" not in told(carl)[1]["watch"]


@pytest.mark.promise("C91")
def test_who_wrote_in_a_thread_is_told_of_what_follows(stoa: App, ada: Agent, bob: Agent) -> None:
    carl, dora = stoa.agent("Carl"), stoa.agent("Dora")
    thread = ada.thread(bountyCredits=10)
    first = bob.reply(thread)
    stoa.clock.advance(SECOND)
    second = carl.reply(thread)
    expected = {"threadId": thread["id"]}
    assert met(bob) == [("reply.created", second["id"], expected)]
    assert met(carl) == []
    ada.accept(thread, first).ok()
    assert met(carl) == [("bounty.settled", first["id"], expected)]
    assert told(carl)[0]["data"]["credits"] == 10
    assert [kind for kind, _, _ in met(bob)] == ["reply.created", "reply.accepted"]
    assert met(dora) == []


@pytest.mark.promise("C92")
def test_a_mentioned_agent_is_told_where_it_may_read(stoa: App, ada: Agent, bob: Agent) -> None:
    carl, dora = stoa.agent("Carl"), stoa.agent("Dora")
    watch(carl, agentId=ada.id)
    thread = ada.thread(body=f"Ask @{carl.id}, @{ada.id}, not `@{dora.id}`.\n> @{dora.id}")
    reply = bob.reply(thread, body=f"As @{carl.id} said: @{ada.id}, @ag_{'0' * 26}")
    job = offer(ada, description=f"For @{carl.id}.")
    asked = bob.post(f"jobs/{job['id']}/messages", {"body": f"Or @{dora.id}?"}).ok(201)
    assert met(carl) == [
        ("mentioned", thread["id"], {"agentId": ada.id}),
        ("mentioned", reply["id"], {}),
        ("mentioned", job["id"], {"agentId": ada.id}),
    ]
    assert met(dora) == [("mentioned", asked["message"]["id"], {})]
    assert told(dora)[0]["excerpt"]["body"] == f"Or @{dora.id}?"
    assert [row["kind"] for row in told(ada)] == ["reply.created", "job.message"]
    assert met(dora, kinds="-mentioned") == []
    bob.post(f"jobs/{job['id']}/claim").ok()
    private = {"body": f"Not for @{dora.id}.", "to": "parties"}
    bob.post(f"jobs/{job['id']}/messages", private).ok(201)
    bob.post(f"jobs/{job['id']}/submissions", {"body": f"@{dora.id}"})
    assert len(met(dora)) == 1


@pytest.mark.parametrize("engine", ["sqlite"])
def test_an_offer_that_fits_stays_in_the_inbox_of_who_watches_and_stands_there_once(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl = stoa.agent("Carl", capabilities=["malt"])
    dora = stoa.agent("Dora", capabilities=["malt"])
    watch(carl, agentId=ada.id)
    job = offer(ada, description=f"For @{carl.id}.", tags=["malt"])
    before = carl.get("inbox").ok()
    rows = [(row["kind"], row["subject"]["id"]) for row in before["events"]]
    assert rows == [("job.created", job["id"])]
    assert [row["id"] for row in told(carl)] == [row["id"] for row in before["events"]]
    assert carl.get(f"inbox?cursor={before['nextCursor']}").ok()["events"] == []
    bob.post(f"jobs/{job['id']}/claim").ok()
    after = carl.get("inbox").ok()
    assert [row["id"] for row in after["events"]][:1] == [row["id"] for row in before["events"]]
    assert after["unread"] == len(after["events"])
    assert dora.get("inbox").ok()["events"] == [], "who does not watch is told of what is open"


def test_who_asks_or_claims_before_it_is_told_is_told_of_its_mention(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl, job = stoa.agent("Carl"), offer(ada)
    path = f"jobs/{job['id']}/messages"
    ada.post(path, {"body": f"@{bob.id}, @{carl.id}?"}).ok(201)
    stoa.clock.advance(SECOND)
    carl.post(path, {"body": "By when?"}).ok(201)
    bob.post(f"jobs/{job['id']}/claim").ok()
    for mentioned in (bob, carl):
        assert [row["kind"] for row in told(mentioned)] == ["mentioned"]


def test_an_offer_that_fits_only_later_stands_once_in_the_inbox_of_who_was_told_of_it(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    watch(bob, tag="malt")
    job = offer(ada, tags=["malt"])
    assert [row["subject"]["id"] for row in told(bob)] == [job["id"]]
    bob.sign_in({"capabilities": ["malt"]})
    page = bob.get("inbox").ok()
    assert [row["subject"]["id"] for row in page["events"]] == [job["id"]]
    assert page["unread"] == 1


def test_a_cursor_expires_before_anything_is_deleted_that_its_agent_was_told(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl, thread = stoa.agent("Carl"), ada.thread()
    watch(carl, threadId=thread["id"])
    cursor = carl.get("inbox").ok()["nextCursor"]
    for _ in range(2):
        bob.reply(thread)
    assert len(told(carl)) == 2
    stoa.clock.advance(DAY)
    bob.sign_in()
    carl.sign_in()
    bob.reply(thread)
    forget_one = partial(events.forget, most=1, kept_ms=HOUR)
    assert stoa.run(stoa.stoa.store.write(forget_one)), "there is more to delete"
    assert carl.get(f"inbox?cursor={cursor}").code == "cursor_expired"


def test_an_agent_has_a_limited_number_of_watches(stoa: App, bob: Agent) -> None:
    first, *_ = (watch(bob, tag=f"tag-{n}") for n in range(limits.WATCHES_PER_AGENT))
    refused = bob.post("watches", {"query": "sqlite"}).refused(409, "watch_limit")
    assert refused["limit"] == limits.WATCHES_PER_AGENT
    bob.post(f"watches/{first['id']}/delete").ok()
    watch(bob, query="sqlite")


def test_a_watch_has_one_of_four_targets_and_goes_with_its_agent(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    for wrong in ({}, {"tag": "a", "query": "b"}, {"query": "..."}, {"tag": "a,b"}):
        assert bob.post("watches", wrong).refused(400, "invalid_request")
    assert bob.post("watches", {}).invalid("tag").issues["tag"].endswith('send {"tag": "sqlite"}.')
    bob.post("watches", {"threadId": f"th_{'0' * 26}"}).refused(404, "not_found")
    dry = bob.post("watches?dryRun=true", {"tag": "sqlite"}).ok(201)
    assert dry["dryRun"]
    first = watch(bob, tag="sqlite")
    second = watch(bob, threadId=thread["id"])
    ada.post(f"watches/{first['id']}/delete").refused(404, "not_found")
    page = bob.get("watches?limit=1").ok()
    assert page["watches"] == [first]
    rest = bob.get(f"watches?cursor={page['nextCursor']}").ok()
    assert (rest["watches"], rest["nextCursor"]) == ([second], None)
    bob.post(f"watches/{first['id']}/delete").ok()
    watch(bob, query="sqlite")
    bob.post("agents/me/retire", {"confirm": bob.id}).ok()
    assert stoa.sql("SELECT count(*) FROM watch") == [(0,)]
    assert stoa.sql("SELECT count(*) FROM watch_word") == [(0,)]


def test_nobody_is_told_of_what_is_hidden_by_then_and_rows_say_when_it_is_later(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl = stoa.agent("Carl")
    thread = ada.thread()
    watch(carl, threadId=thread["id"])
    gone, later = bob.reply(thread), bob.reply(thread, body=f"@{carl.id}")
    act(stoa, gone, "hide")
    assert [(kind, subject) for kind, subject, _ in met(carl)] == [("mentioned", later["id"])]
    act(stoa, later, "hide")
    (row,) = told(carl)
    assert row["removed"]
    assert "excerpt" not in row
    assert [one["action"] for one in row["nextActions"]] == ["list_moderation"]


def told_while_waiting(reader: Agent, author: Agent, thread: Any) -> list[str]:
    """The kinds of what a call that waits for its inbox gets once another agent replies."""
    app = reader.app

    async def both() -> Answer:
        waiting = asyncio.create_task(app.ask("GET", "inbox?wait=30", headers=reader.headers))
        while not any(process.waiting.asleep for process in app.processes):  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0)
        path, reply = f"threads/{thread['id']}/replies", {"body": "So."}
        (await app.ask("POST", path, reply, headers=author.headers)).ok(201)
        for process in app.processes:
            await process.upkeep.tell()
        return await waiting

    return [row["kind"] for row in app.run(both()).ok()["events"]]


def test_a_waiting_call_is_answered_when_its_agent_is_told(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    watch(bob, threadId=thread["id"])
    tell(stoa)
    assert told_while_waiting(bob, ada, thread) == ["reply.created"]


def test_a_watch_of_words_is_met_where_all_of_them_stand(ada: Agent, bob: Agent) -> None:
    watch(bob, query="sourdough starter")
    for body in ("The starter is slow.", "A sourdough is slow."):
        ada.thread("Bread", body)
    whole = ada.thread("Bread", "The starter of a sourdough is slow.")
    assert [row["subject"]["id"] for row in told(bob)] == [whole["id"]]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_many_are_told_some_at_a_time_each_once(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    trees = ("ash", "beech", "elm", "fir", "larch", "oak", "pine", "walnut")
    queries = ("sqlite", "sqlite backups", "sqlite -backup", *(f"sqlite {one}" for one in trees))
    assert len(queries) * limits.TELLING_AGENTS > limits.TELLING_WATCHES
    carl = stoa.agent("Carl")
    for query in queries:
        watch(carl, query=query)
    watch(carl, tag="sqlite")
    many = add_agents(stoa, limits.TELLING_AGENTS + 1)
    add_watches(stoa, carl.id, many)
    threads = [
        ada.thread(body="SQLite backups", tags=["sqlite"]),
        ada.thread(body="Of SQLite."),
        ada.thread(tags=["sqlite"]),
    ]
    steps.taken.clear()
    tell(stoa)
    assert steps.taken.count("watches.of_words") == 2 * len(threads)
    found = stoa.sql(
        "SELECT t.agent_id, e.subject_id FROM told t JOIN event_log e ON e.seq = event_seq"
    )
    assert sorted(found) == sorted((one, at["id"]) for one in (carl.id, *many) for at in threads)
    assert [row["subject"]["id"] for row in told(carl)] == [thread["id"] for thread in threads]
    assert told(bob) == []


def test_who_is_told_of_an_addition_reads_how_it_begins(stoa: App, ada: Agent, bob: Agent) -> None:
    carl, thread, job = stoa.agent("Carl"), ada.thread(body="Before."), offer(ada)
    watch(carl, threadId=thread["id"])
    stoa.clock.advance(SECOND)
    for path in (f"threads/{thread['id']}", f"jobs/{job['id']}"):
        ada.post(f"{path}/append", {"body": f"@{bob.id} {path}"}).ok()
    for reader, paths in ((carl, ["threads"]), (bob, ["threads", "jobs"])):
        begins = [row["excerpt"]["body"].partition(" ")[2] for row in told(reader)]
        assert [one.partition("/")[0] for one in begins] == paths
    ada.post(f"threads/{thread['id']}/withdraw").ok()
    assert "excerpt" not in told(carl)[0]


def tells_at_once(app: App) -> bool:
    """Whether all that it takes to tell of what is new is done on the event loop."""
    lights: list[bool] = []

    class NotingTx(SqliteTx):
        async def aside(self, work: Callable[[], T], *, light: bool = False) -> T:
            lights.append(light)
            return work()

    with closing(apsw.Connection(str(app.settings.database_path))) as connection:
        tx = NotingTx(connection.cursor(), now=app.clock())
        assert len(drive(telling.look(tx, 0)).told) == 1
    assert lights
    return all(lights)


@pytest.mark.promise("C98")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_long_texts_and_many_watches_are_compared_beside_the_event_loop(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    for number in range(11):
        watch(ada, query=f"zebrafish {number}")
        bob.thread("One", f"zebrafish {number}")
        assert tells_at_once(stoa) == (number < 10)
        tell(stoa)
    watch(ada, query="rhino")
    bob.thread("One", "rhino " * 1_600)
    assert tells_at_once(stoa)
    tell(stoa)
    bob.thread("One", "rhino " * 1_700)
    assert not tells_at_once(stoa)


def test_of_two_processes_that_looked_one_tells(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    watch(ada, agentId=bob.id)
    thread = bob.thread()
    steps.before("write", stoa.processes[-1].upkeep.tell, once=True)
    stoa.run(stoa.processes[0].upkeep.tell())
    assert [row["subject"]["id"] for row in told(ada)] == [thread["id"]]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_texts_of_so_many_characters_are_looked_through_at_a_time(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    carl, thread = stoa.agent("Carl"), ada.thread()
    watch(carl, threadId=thread["id"])
    length = limits.BODY_CHARS
    replies = [bob.reply(thread, "a" * length)["id"] for _ in range(8)]
    steps.taken.clear()
    assert [row["subject"]["id"] for row in told(carl)] == replies
    reads = -(-len(replies) * length // limits.TELLING_CHARACTERS)
    assert steps.taken.count("watches.kinds") == reads + 1  # and what told of them
