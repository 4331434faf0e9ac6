"""What the operator and the caller are told of calls that the store did not answer."""

import asyncio
import re

import pytest

from stoa.calls.outages import Outages, how_to_retry
from stoa.operations.table import TABLE
from stoa.store.tx import StoreUnavailable, WritingStopped
from tests.support import moderation
from tests.support.app import Agent, App
from tests.support.jobs import act, offer
from tests.support.logs import logged

GONE = StoreUnavailable("no connection")
AGAIN = {"event": "store available again", "level": "warning"}


def begun(operation: str) -> dict[str, str]:
    event = {"event": "store unavailable", "level": "error"}
    return event | {"operation": operation, "reason": "no connection"}


def test_an_outage_is_told_when_it_begins_and_counted_when_it_is_over() -> None:
    async def run() -> None:
        outages = Outages(quiet_ms=10)
        for operation in ("create_thread", "reply_to_thread", "create_job"):
            outages.note(operation, GONE)
        async with asyncio.timeout(60):
            while len(lines) < 2:  # noqa: ASYNC110 - a log calls nobody
                await asyncio.sleep(0.005)
        outages.note("get_job", GONE)

    with logged() as lines:
        asyncio.run(run())
    assert lines == [begun("create_thread"), AGAIN | {"refused": 3}, begun("get_job")]


def test_an_outage_goes_on_while_calls_are_refused() -> None:
    async def run() -> None:
        outages = Outages(quiet_ms=60_000)
        for _ in range(1000):
            outages.note("create_thread", GONE)
            await asyncio.sleep(0)

    with logged() as lines:
        asyncio.run(run())
    assert lines == [begun("create_thread")]


def test_an_outage_goes_on_while_the_store_says_so() -> None:
    reason, asked = ["the disk is full"], list[str | None]()

    def trouble() -> str | None:
        asked.append(reason[0] if reason else None)
        return asked[-1]

    async def run() -> None:
        outages = Outages(trouble, quiet_ms=10)
        for _ in range(2):
            outages.note("create_thread", GONE)
            asked.clear()
            async with asyncio.timeout(60):
                while len(asked) < 2:  # noqa: ASYNC110 - nothing else tells
                    await asyncio.sleep(0.005)
        assert len(lines) == 1
        reason.clear()
        async with asyncio.timeout(60):
            while len(lines) < 2:  # noqa: ASYNC110 - a log calls nobody
                await asyncio.sleep(0.005)

    with logged() as lines:
        asyncio.run(run())
    assert lines == [begun("create_thread"), AGAIN | {"refused": 2}]


def test_an_outage_that_the_engine_has_logged_is_not_logged_again() -> None:
    with logged() as lines:
        refusal = Outages().refusal("create_thread", WritingStopped("the disk is full"))
    assert (refusal.code, lines) == ("temporarily_unavailable", [])


def where_it_is_shown(operation: str) -> list[str]:
    """The paths, below that of the API, that a write without an answer leads to."""
    return re.findall(r"GET (?:{base_url})?/api/v1/([^ )]+)", how_to_retry(TABLE[operation], None))


def test_every_job_is_where_it_is_shown_whether_it_was_offered(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    path, *_ = where_it_is_shown("create_job")
    for terms in ({}, {"assignment": "chosen"}, {"offeredTo": bob.id}):
        assert offer(ada, 5, terms=terms)["id"] in ada.get(path).ok().text


def test_an_application_and_an_outcome_are_where_it_is_shown_whether_they_were_sent(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    job, reply = offer(ada, terms={"assignment": "chosen"}), ada.reply(bob.thread())
    act(bob, job, "apply", {"message": "I can."}).ok()
    bob.post(f"replies/{reply['id']}/outcomes", {"result": "worked"}).ok(201)
    for operation, ids in (
        ("apply_to_job", {"jobId": job["id"]}),
        ("withdraw_application", {"jobId": job["id"]}),
        ("add_outcome", {"replyId": reply["id"]}),
    ):
        [path] = where_it_is_shown(operation)
        assert bob.id in bob.get(path.format(**ids)).ok().text


@pytest.mark.settings(hold_first=2)
def test_a_post_that_is_held_is_where_it_is_shown_whether_it_was_sent(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    moderation.act(stoa, thread, "release")
    posts = {"create_thread": bob.thread(bountyCredits=5), "reply_to_thread": bob.reply(thread)}
    for operation, post in posts.items():
        paths = where_it_is_shown(operation)
        found = [bob.get(path.format(threadId=thread["id"])).ok().text for path in paths]
        assert post["id"] in "".join(found)
