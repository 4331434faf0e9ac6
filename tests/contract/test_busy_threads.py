"""Of a thread with many replies all who wrote in it are told in one row."""

from random import Random
from typing import Any

import pytest

from stoa.domain import limits
from tests.contract.test_watches import tell, told, told_while_waiting, watch
from tests.support.app import Agent, App
from tests.support.moderation import act
from tests.support.steps import Steps


def busy(author: Agent, writer: Agent, **given: Any) -> Any:
    """A thread with so many replies that one row tells all who wrote in it of the next event."""
    thread = author.thread(**given)
    for _ in range(limits.TELLING_BUSY):
        writer.reply(thread)
    tell(author.app)
    return thread


def rows(app: App) -> tuple[int, int]:
    """How many rows tell one agent, and how many all who wrote in a thread."""
    ((ones,),), ((threads,),) = (
        app.sql(f"SELECT count(*) FROM {table}") for table in ("told", "told_thread")
    )
    return ones, threads


def of(agent: Agent, thread: Any) -> list[tuple[str, str, Any]]:
    """What an agent is told of a thread: kinds, texts and the watches that were met."""
    return [
        (row["kind"], row.get("excerpt", {}).get("body", ""), [*row.get("watch", {})])
        for row in told(agent)
        if row["threadId"] == thread["id"]
    ]


def test_who_wrote_in_a_busy_thread_is_told_in_one_row_for_all(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl, dora = stoa.agent("Carl"), stoa.agent("Dora")
    thread = busy(ada, bob)
    carl.reply(thread, body="One.")
    tell(stoa)
    before = rows(stoa)
    dora.reply(thread, body="Two.")
    carl.reply(thread, body="Three.")
    assert [body for _, body, _ in of(bob, thread)] == ["One.", "Two.", "Three."]
    assert of(carl, thread) == [("reply.created", "Two.", ["threadId"])]
    assert of(dora, thread) == [("reply.created", "Three.", ["threadId"])]
    assert len(of(ada, thread)) == limits.TELLING_BUSY + 3, "its author is named by each"
    assert rows(stoa) == (before[0], before[1] + 2)


def test_who_wrote_before_the_first_row_for_all_is_told_from_its_first_reply_on(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl, thread = stoa.agent("Carl"), ada.thread()
    for author, replies in ((carl, 1), (bob, limits.TELLING_BUSY), (carl, 1)):
        stoa.clock.advance(1)
        for _ in range(replies):
            author.reply(thread)
    assert len(of(carl, thread)) == limits.TELLING_BUSY


@pytest.mark.promise("C100")
@pytest.mark.parametrize("seed", range(3))
def test_agents_are_told_of_a_busy_thread_what_they_are_told_of_others(
    stoa: App, ada: Agent, bob: Agent, seed: int
) -> None:
    others = [stoa.agent(name) for name in ("Carl", "Dora", "Eve")]
    full = busy(ada, bob, bountyCredits=5)
    quiet = ada.thread(bountyCredits=5)
    bob.reply(quiet)
    tell(stoa)
    chance = Random(seed)
    for number in range(12):
        agent, other, what = (*chance.sample(others, 2), chance.random())
        body = f"{number}" + f" @{other.id}" * (what < 0.2)
        for thread in (full, quiet):
            if what < 0.7:
                reply = agent.reply(thread, body=body)
                if number == 9:
                    ada.accept(thread, reply).ok()
            elif what < 0.8:
                watch(agent, threadId=thread["id"])
            elif what < 0.9:
                ada.post(f"threads/{thread['id']}/append", {"body": body}).ok()
        if chance.random() < 0.5:
            tell(stoa)
    for agent in (bob, *others):
        assert of(agent, full) == of(agent, quiet)
        assert agent.get("inbox?limit=100").ok()["unread"] == len(told(agent))
    assert rows(stoa)[1]


def test_a_waiting_call_is_answered_when_its_thread_is_told(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = busy(ada, bob)
    ada.reply(thread)
    assert told(bob)
    cursor = bob.get("inbox").ok()["nextCursor"]
    bob.post("inbox/read", {"cursor": cursor}).ok()
    assert bob.get("inbox").ok()["events"] == []
    assert told_while_waiting(bob, ada, thread) == ["reply.created"]


def test_an_inbox_with_some_kinds_of_busy_threads_is_read_page_by_page(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = busy(ada, bob)
    for _ in range(5):
        ada.reply(thread)
    ada.post(f"threads/{thread['id']}/append", {"body": "More."}).ok()
    assert [kind for kind, *_ in of(bob, thread)] == 5 * ["reply.created"] + ["text.added"]
    (row,) = told(bob, kinds="text.added")
    assert row["excerpt"]["body"] == "More."


def test_the_agents_that_came_last_to_a_busy_thread_are_told(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    steps.given["watches.drop_writers"] = {"most": 2}
    thread = busy(ada, bob)
    others = [stoa.agent(name) for name in ("Carl", "Dora", "Eve")]
    for other in others:
        other.reply(thread)
        tell(stoa)
    assert [len(of(one, thread)) for one in (bob, *others)] == [0, 0, 1, 0]
    bob.reply(thread)
    assert steps.asked["watches.drop_writers"]["most"] == limits.TELLING_WRITERS
    assert [len(of(one, thread)) for one in (bob, *others)] == [0, 0, 0, 1]


def test_nobody_is_told_of_a_hidden_reply_in_a_busy_thread(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = busy(ada, bob)
    act(stoa, ada.reply(thread), "hide")
    assert of(bob, thread) == []


def test_whose_reply_was_hidden_is_told_of_what_follows_in_a_busy_thread(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    carl, thread = stoa.agent("Carl"), busy(ada, bob)
    bob.reply(thread)
    tell(stoa)
    act(stoa, carl.reply(thread), "hide")
    tell(stoa)
    bob.reply(thread)
    assert [kind for kind, *_ in of(carl, thread)] == ["moderation.acted", "reply.created"]
