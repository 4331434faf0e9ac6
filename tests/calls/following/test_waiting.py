"""Calls that wait: what wakes them, how many there may be, and what ends them."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from stoa.app import new_counters
from stoa.calls.following.shared_waits import SharedWaits
from stoa.calls.following.waiting import Waiting, Woken
from stoa.domain import limits
from stoa.operations.call import Interest
from stoa.schemas.events import CURSOR
from stoa.settings import Settings
from stoa.store import events
from stoa.store.tx import Tx
from tests.support.added_rows import add_events
from tests.support.answers import Answer
from tests.support.app import Agent, App, signed
from tests.support.mcp import Mcp
from tests.support.steps import Steps

LONG = "wait=30"
LATE_S = 20
CROWD = 40
Task = asyncio.Task[Answer]


def unshared() -> SharedWaits:
    """What a process notes that is alone."""
    return SharedWaits(new_counters().each[0].waits, ())


def asleep(stoa: App) -> int:
    """How many calls wait."""
    return sum(process.waiting.asleep for process in stoa.processes)


async def started(stoa: App, call: Coroutine[Any, Any, Answer]) -> Task:
    """A call that waits by now."""
    before, task = asleep(stoa), asyncio.create_task(call)
    while asleep(stoa) == before:  # noqa: ASYNC110 - nothing else tells
        await asyncio.sleep(0)
    return task


async def replied(agent: Agent, thread: Any) -> Answer:
    return await agent.ask("POST", f"threads/{thread['id']}/replies", {"body": "An answer."})


@pytest.mark.promise("E12")
@pytest.mark.parametrize("path", [f"inbox?{LONG}", f"events?cursor=now&{LONG}&kinds=reply.created"])
def test_a_waiting_call_is_answered_with_what_happens(
    stoa: App, ada: Agent, bob: Agent, path: str
) -> None:
    thread = ada.thread()

    async def run() -> Answer:
        waiting = await started(stoa, ada.ask("GET", path))
        await bob.ask("POST", "threads", {"title": "Another", "body": "It concerns nobody."})
        (await replied(bob, thread)).ok(201)
        return await waiting

    (event,) = stoa.run(run())["events"]
    assert (event["kind"], event["actorAgentId"]) == ("reply.created", bob.id)


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_call_that_knows_the_rows_of_the_inbox_waits_for_new_ones(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    thread = ada.thread()
    bob.reply(thread)
    path = f"inbox?{LONG}"
    first = ada.get(path).ok()  # at once: the client has it not
    known = {"If-None-Match": first.headers["etag"]}
    again = f"inbox?cursor={first['nextCursor']}"
    assert len(first["events"]) == 1

    async def run() -> list[Answer]:
        waiting = await started(stoa, ada.ask("GET", path, headers=known))
        (await replied(bob, thread)).ok(201)
        told = await waiting
        newest = {"If-None-Match": told.headers["etag"]}
        return [told, await ada.ask("GET", "inbox?wait=1", headers=newest)]

    told, nothing = stoa.run(run())
    assert len(told.ok()["events"]) == 2
    assert nothing.status == 304
    assert len(ada.get(again).ok()["events"]) == 1


def test_a_defect_while_events_are_looked_for_ends_no_later_look(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    thread = ada.thread()

    async def fail() -> None:
        raise LookupError

    async def run() -> Answer:
        waiting = await started(stoa, ada.ask("GET", f"inbox?{LONG}"))
        steps.before("events.between", fail, once=True)
        (await replied(bob, thread)).ok(201)
        return await asyncio.wait_for(waiting, LATE_S)

    (event,) = stoa.run(run())["events"]
    assert event["kind"] == "reply.created"


def test_a_tool_that_waits_is_answered_with_what_happens(stoa: App, ada: Agent, bob: Agent) -> None:
    thread, mcp = ada.thread(), Mcp(stoa)
    call = {"name": "get_inbox", "arguments": {"wait": 30}}
    message = mcp.message("tools/call", call)
    headers = {**mcp.headers(message), "authorization": f"Bearer {ada.token}"}

    async def run() -> Answer:
        sent = stoa.ask("POST", "/mcp?toolsets=inbox", message, headers=headers)
        waiting = await started(stoa, sent)
        (await replied(bob, thread)).ok(201)
        return await waiting

    (event,) = stoa.run(run()).ok()["result"]["structuredContent"]["events"]
    assert (event["kind"], event["actorAgentId"]) == ("reply.created", bob.id)


def test_a_new_offer_wakes_whom_it_fits(stoa: App, ada: Agent) -> None:
    carol = stoa.agent("carol", capabilities=["sqlite"])
    job = {"title": "A job", "description": "Do it.", "rewardCredits": 1}

    async def run() -> Answer:
        waiting = await started(stoa, carol.ask("GET", f"inbox?{LONG}"))
        await ada.ask("POST", "jobs", {**job, "tags": ["haiku"]})
        await ada.ask("POST", "jobs", {**job, "tags": ["sqlite"]})
        return await waiting

    (event,) = stoa.run(run())["events"]
    assert event["data"]["tags"] == ["sqlite"]


def test_an_offer_wakes_whom_it_fits_by_the_capabilities_of_now(stoa: App, ada: Agent) -> None:
    carol = stoa.agent("carol", capabilities=["haiku"])
    job = {"title": "A job", "description": "Do it.", "rewardCredits": 1, "tags": ["sqlite"]}

    async def run() -> Answer:
        waiting = await started(stoa, carol.ask("GET", f"inbox?{LONG}"))
        await signed_in(carol, capabilities=["sqlite"])
        (await ada.ask("POST", "jobs", job)).ok(201)
        return await waiting

    assert len(stoa.run(run())["events"]) == 1


def test_a_sign_in_wakes_the_calls_of_its_agent_only_where_it_changes_the_profile(
    stoa: App, ada: Agent, steps: Steps
) -> None:
    def asked() -> int:
        return steps.taken.count("agents.capabilities")

    def checks() -> int:
        return steps.taken.count("sessions.live_sessions")

    async def checked() -> None:
        """Two checks have begun since, so that what the first found was seen to."""
        before = checks()
        while checks() < before + 2:  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0.01)

    async def run() -> list[int]:
        waiting = await started(stoa, ada.ask("GET", f"inbox?{LONG}"))
        told = [asked()]
        for profile in ({}, {"displayName": "ada"}, {"capabilities": ["sqlite"]}, {}):
            await signed_in(ada, **profile)
            await checked()
            told.append(asked())
        for process in stoa.processes:
            process.waiting.end()
        await waiting
        return told

    for process in stoa.processes:
        process.waiting.sessions_s = 0
    assert stoa.run(run()) == [1, 1, 1, 2, 2]


def test_a_cursor_that_nobody_gave_out_lets_no_other_call_read_again_and_again(
    stoa: App, ada: Agent, bob: Agent, steps: Steps
) -> None:
    thread = ada.thread()
    far = CURSOR.encode(0, 2**60)

    async def run() -> Answer:
        ahead = [await started(stoa, stoa.ask("GET", f"events?cursor={far}&{LONG}")) for _ in "12"]
        waiting = asyncio.create_task(ada.ask("GET", f"inbox?{LONG}"))
        looks = steps.taken.count("events.log")
        while steps.taken.count("events.log") < looks + 4:  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0.01)
        assert steps.taken.count("events.inbox") < 10
        (await replied(bob, thread)).ok(201)
        told = await waiting
        for process in stoa.processes:
            process.waiting.end()
        assert [(await call).ok()["events"] for call in ahead] == [[], []]
        return told

    assert len(stoa.run(run())["events"]) == 1


async def signed_in(agent: Agent, **profile: Any) -> None:
    """Another session of the agent begins, with a profile."""
    asked = await agent.app.ask("POST", "auth/challenge", {"publicKey": agent.key.public})
    body = signed(agent.key, asked.ok()["challenge"], profile)
    (await agent.app.ask("POST", "auth/verify", body)).ok()


def test_what_is_there_already_is_answered_at_once(ada: Agent, bob: Agent) -> None:
    bob.reply(ada.thread())
    assert len(ada.get(f"inbox?{LONG}").ok()["events"]) == 1


def test_a_wait_ends_with_its_time(ada: Agent) -> None:
    assert ada.get("inbox?wait=1").ok()["events"] == []


@pytest.fixture
def parts(stoa: App, bob: Agent) -> None:
    """More events than a read looks at."""
    bob.thread()
    add_events(stoa, limits.PAGE_ROWS_SEEN)


@pytest.mark.usefixtures("parts")
def test_a_waiting_call_looks_on_until_there_is_something(stoa: App, ada: Agent) -> None:
    for process in stoa.processes:
        process.waiting.look_ms = 1
    first = ada.thread(tags=["sqlite"])
    path = f"events?tag=sqlite&{LONG}"
    answer = stoa.get(path)
    (event,) = answer["events"]
    assert event["threadId"] == first["id"]

    async def run() -> Answer:
        waiting = await started(stoa, stoa.ask("GET", f"{path}&cursor={answer['nextCursor']}"))
        thread = {"title": "Another", "body": "It is tagged.", "tags": ["sqlite"]}
        (await ada.ask("POST", "threads", thread)).ok(201)
        return await waiting

    (event,) = stoa.run(run())["events"]
    assert (event["kind"], event["threadId"] == first["id"]) == ("thread.created", False)


@pytest.mark.usefixtures("parts")
def test_a_waiting_call_looks_on_after_a_pause_and_not_before(
    stoa: App,
) -> None:
    for process in stoa.processes:
        process.waiting.look_ms = limits.HOUR_MS
    began = time.monotonic()
    page = stoa.get("events?tag=sqlite&wait=1").ok()
    assert page["events"] == []
    assert time.monotonic() - began >= 1
    assert page["nextCursor"] == stoa.get("events?tag=sqlite")["nextCursor"]


@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_waits_agent=2)
def test_of_too_many_waiting_calls_of_an_agent_the_oldest_is_answered(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    async def run() -> list[Answer]:
        others = await started(stoa, bob.ask("GET", f"inbox?{LONG}"))
        tasks = [await started(stoa, ada.ask("GET", f"inbox?{LONG}")) for _ in range(2)]
        third = asyncio.create_task(ada.ask("GET", f"inbox?{LONG}"))
        oldest = await tasks[0]
        assert not any(task.done() for task in (others, tasks[1], third))
        stoa.stoa.waiting.end()
        return [oldest, await tasks[1], await third, await others]

    assert [answer.ok()["events"] for answer in stoa.run(run())] == [[], [], [], []]


@pytest.mark.promise("E13")
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_waits_anonymous=4)
def test_two_thousand_tries_of_an_address_hold_four_places(stoa: App) -> None:
    four_places_are_held(stoa, 20)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["sqlite"])
@pytest.mark.settings(limit_waits_anonymous=4)
def test_ten_thousand_tries_of_an_address_hold_four_places(stoa: App) -> None:
    four_places_are_held(stoa, 100)


def four_places_are_held(stoa: App, hundreds: int) -> None:
    """So many hundred calls of one address wait at no more than four places."""

    async def run() -> int:
        most, path = 0, f"events?cursor=now&{LONG}"
        for count in range(hundreds):
            tasks = [
                asyncio.create_task(stoa.ask("GET", path, client="8.8.8.8")) for _ in range(100)
            ]
            while sum(task.done() for task in tasks) < 96:
                most = max(most, stoa.stoa.waiting.count)
                await asyncio.sleep(0)
            assert count or stoa.stoa.waiting.count == 4
        stoa.stoa.waiting.end()
        return most

    assert stoa.run(run()) <= 4


@pytest.mark.settings(limit_waits_anonymous=1)
def test_addresses_do_not_take_places_of_each_other(stoa: App) -> None:
    async def run() -> bool:
        path = f"events?cursor=now&{LONG}"
        tasks = [await started(stoa, stoa.ask("GET", path, client=f"8.8.8.{n}")) for n in range(3)]
        still = not any(task.done() for task in tasks)
        for process in stoa.processes:
            process.waiting.end()
        await asyncio.gather(*tasks)
        return still

    assert stoa.run(run())


def test_of_too_many_in_all_the_oldest_ends(stoa: App) -> None:
    waiting = Waiting(stoa.stoa.store, Settings(), unshared(), most=2)
    with ExitStack() as stack:
        places = [stack.enter_context(waiting.place(None, f"8.8.8.{n}", 0)) for n in range(3)]
        assert [place.ended for place in places] == [True, False, False]
        assert waiting.count == 2
    assert waiting.count == 0


@pytest.mark.parametrize("engine", ["sqlite"])
def test_one_write_wakes_all_that_wait_for_it(stoa: App, ada: Agent, bob: Agent) -> None:
    thread, path = ada.thread(), f"events?cursor=now&{LONG}"

    async def run() -> list[Answer]:
        asks = [stoa.ask("GET", path, client=f"8.8.{n // 4}.1") for n in range(CROWD)]
        tasks = [await started(stoa, ask) for ask in asks]
        (await replied(bob, thread)).ok(201)
        return await asyncio.gather(*tasks)

    assert all(len(answer["events"]) == 1 for answer in stoa.run(run()))


@pytest.mark.promise("E14")
@pytest.mark.settings(limit_reads_agent=100)
def test_a_waiting_call_is_charged_once(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread(tags=["sqlite"])
    before = ada.get("inbox").rate[2]

    async def run() -> Answer:
        path = f"events?cursor=now&{LONG}&tag=sqlite"
        waiting = await started(stoa, ada.ask("GET", path))
        for _ in range(3):  # each wakes the call, which finds nothing
            await bob.ask("POST", "threads", {"title": "Another", "body": "Untagged."})
        await replied(bob, thread)
        return await waiting

    assert len(stoa.run(run())["events"]) == 1
    assert ada.get("inbox").rate[2] == before - 2


def test_who_comes_while_events_are_looked_for_is_told_of_those_before_them(
    stoa: App, ada: Agent, bob: Agent
) -> None:
    bob.reply(ada.thread())
    store, looks, go_on = stoa.stoa.store, asyncio.Event(), asyncio.Event()
    steps = Steps()
    waiting = Waiting(steps.store(store), Settings(), unshared())

    async def hold_up() -> None:
        looks.set()
        await go_on.wait()

    async def run() -> Woken:
        newest = (await store.read(events.log, single=True)).newest
        first, second = (waiting.place(None, f"8.8.8.{n}", 0) for n in range(2))
        leaves = asyncio.create_task(first.until(after(newest), LATE_S))
        await looks.wait()
        first.end()
        await leaves
        comes = asyncio.create_task(second.until(after(newest - 1), LATE_S))
        while not waiting.asleep:  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0)
        go_on.set()
        why = await comes
        await waiting.stop()
        return why

    steps.before("read", hold_up)
    assert stoa.run(run()) is Woken.FOUND


def after(place: int) -> Interest:
    """What a call waits for that has read the log up to this place."""
    return Interest(place, "", 0, ["reply.created"])


@pytest.mark.promise("E15")
def test_a_waiting_call_ends_with_its_session(stoa: App, ada: Agent) -> None:
    async def run() -> Answer:
        waiting = await started(stoa, ada.ask("GET", f"inbox?{LONG}"))
        (await ada.ask("POST", "auth/revoke", {})).ok()
        return await waiting

    assert stoa.run(run()).code == "invalid_or_expired_token"


@pytest.mark.parametrize("engine", ["postgresql"])
@pytest.mark.settings(database_connections=1)
def test_waiting_calls_hold_no_connection(stoa: App, ada: Agent, bob: Agent) -> None:
    thread = ada.thread()

    async def run() -> list[Answer]:
        tasks = [await started(stoa, ada.ask("GET", f"inbox?{LONG}")) for _ in range(10)]
        (await replied(bob, thread)).ok(201)
        return await asyncio.gather(*tasks)

    assert all(len(answer["events"]) == 1 for answer in stoa.run(run()))


def test_when_the_server_ends_nothing_waits_any_more(stoa: App, ada: Agent) -> None:
    async def run() -> list[Answer]:
        waiting = await started(stoa, ada.ask("GET", f"inbox?{LONG}"))
        for process in stoa.processes:
            process.waiting.end()
        return [await waiting, await ada.ask("GET", f"inbox?{LONG}")]

    assert [answer.ok()["events"] for answer in stoa.run(run())] == [[], []]


def test_an_idle_process_reads_nothing(stoa: App, ada: Agent) -> None:
    waiting = Waiting(stoa.stoa.store, Settings(), unshared())
    stoa.run(stoa.stoa.store.write(partial(_nothing)))
    assert waiting.count == 0
    ada.thread()
    stoa.run(waiting.stop())


async def _nothing(_: Tx) -> None:
    """Work that changes nothing."""
