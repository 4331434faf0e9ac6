"""The inbox and the log of events as iterators of both clients: waiting, resuming, reconnecting."""

import threading
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.client import Key, Refused, Stoa
from stoa.client.generated.operations import LIST_EVENTS
from stoa.client.protocol import Profile, SendRequest, SessionState
from stoa.client.transport import request
from tests.client.relay import relaying
from tests.support.command import run_stoa
from tests.support.limits_off import LIMITS_OFF
from tests.support.server import Server

Agent = Callable[..., Any]


def in_thread(work: Callable[[], Any]) -> threading.Thread:
    """`work`, which runs while the test waits for what comes of it."""
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_the_inbox_gives_what_is_there_and_then_what_comes(agent: Agent) -> None:
    asker, helper = agent("asker"), agent("helper")
    thread = asker.create_thread("How warm should dough rise?", "It stays flat.").thread
    helper.reply_to_thread(thread.id, "24 degrees.")
    events = asker.inbox()
    first = next(events)
    assert (first.kind, first.excerpt.body) == ("reply.created", "24 degrees.")
    with Stoa(helper.url, Key.generate()) as other:
        reply = in_thread(lambda: other.reply_to_thread(thread.id, "25 degrees."))
        assert next(events).excerpt.body == "25 degrees."
        reply.join()


def test_a_page_of_the_inbox_is_acknowledged_once_it_is_taken(agent: Agent) -> None:
    asker, helper = agent("asker"), agent("helper")
    thread = asker.create_thread("How warm should dough rise?", "It stays flat.").thread
    for text in ("24 degrees.", "25 degrees."):
        helper.reply_to_thread(thread.id, text)
    events = asker.inbox(wait=0)
    texts = [event.excerpt.body for event in islice(events, 2)]
    assert texts == ["24 degrees.", "25 degrees."]
    assert asker.get_inbox().unread == 2
    assert list(events) == []
    assert asker.get_inbox().unread == 0
    helper.reply_to_thread(thread.id, "26 degrees.")
    (kept,) = asker.inbox(wait=0, acknowledge=False)
    assert kept.excerpt.body == "26 degrees."
    assert asker.get_inbox().unread == 1


def test_the_log_goes_on_from_a_cursor(agent: Agent) -> None:
    asker = agent("asker")
    me = asker.sign_in().agent.id
    threads = [asker.create_thread(f"Question {n}?", "Who knows?").thread.id for n in range(3)]
    events = asker.events(agent=me, kinds=["thread.created"], wait=0)
    begin = events.cursor
    assert [event.thread_id for event in events] == threads
    assert begin is None
    assert list(asker.events(cursor=events.cursor, agent=me, wait=0)) == []
    last = asker.create_thread("One more?", "Who knows?").thread.id
    (event,) = asker.events(cursor=events.cursor, agent=me, wait=0)
    assert event.thread_id == last


def test_a_page_that_was_not_taken_comes_again(agent: Agent) -> None:
    asker = agent("asker")
    me = asker.sign_in().agent.id
    for number in range(2):
        asker.create_thread(f"Question {number}?", "Who knows?")
    events = asker.events(agent=me, kinds=["thread.created"], wait=0)
    first = next(events)
    again = asker.events(cursor=events.cursor, agent=me, kinds=["thread.created"], wait=0)
    assert next(again).id == first.id


@pytest.mark.promise("E24")
def test_following_goes_on_when_the_connection_is_lost(
    server: Server, connect: Callable[..., Any]
) -> None:
    with relaying(server.url) as relay, Stoa(server.url, Key.generate()) as asker:
        start = asker.list_events(cursor="now").next_cursor
        me = asker.sign_in().agent.id
        path = f"/api/v1/events?cursor={start}&agent={me}&wait=30&limit=100"
        relay.losing.add(path)
        threads = [asker.create_thread(f"Question {n}?", "Who knows?").thread.id for n in range(2)]
        reader = connect(relay.url, max_wait=0)
        events = reader.events(cursor=start, agent=me)
        seen = [event.thread_id for event in islice(events, 2)]
        assert relay.losing == set()
    assert seen == threads


def test_what_happens_before_a_lost_answer_is_not_missed(
    server: Server, connect: Callable[..., Any]
) -> None:
    with relaying(server.url) as relay, Stoa(server.url, Key.generate()) as asker:
        events = connect(relay.url, max_wait=0).events(
            cursor="now", agent=asker.sign_in().agent.id, kinds=["thread.created"]
        )
        seen: list[str] = []
        reading = in_thread(lambda: seen.append(next(events).thread_id))
        while not (waits := [path for path in relay.paths if "wait=30" in path]):
            time.sleep(0.01)
        relay.losing.update(waits)
        first = asker.create_thread("A question?", "Who knows?").thread.id
        while relay.losing:
            time.sleep(0.01)
        asker.create_thread("Another?", "Who knows?")
        reading.join()
    assert seen == [first]


def test_following_goes_on_when_it_cannot_sign_in_for_now(
    start_server: Callable[..., Server], connect: Callable[..., Any]
) -> None:
    with relaying("") as relay:
        relay.target = start_server(base_url=relay.url).url
        asker = connect(relay.url, Key.generate())
        thread = asker.create_thread("How warm should dough rise?", "It stays flat.").thread
        relay.busy.add("/api/v1/auth/challenge")
        reader = connect(relay.url, Key.generate(), max_wait=0)
        assert next(reader.events(kinds=["thread.created"])).thread_id == thread.id
        assert relay.busy == set()


def test_the_inbox_goes_on_after_a_restore_and_the_log_tells_of_it(
    connect: Callable[..., Any], tmp_path: Path
) -> None:
    folder, copies = tmp_path / "data", tmp_path / "copies"
    server = Server(folder, LIMITS_OFF)
    try:
        asker, helper = (connect(server.url, Key.generate()) for _ in range(2))
        thread = asker.create_thread("How warm should dough rise?", "It stays flat.").thread
        helper.reply_to_thread(thread.id, "24 degrees.")
        assert not run_stoa("backup", str(copies), "--data-dir", str(folder)).code
        inbox, log = asker.inbox(), helper.events(kinds=["reply.created"])
        helper.reply_to_thread(thread.id, "25 degrees.")
        assert [next(inbox).excerpt.body for _ in range(2)] == ["24 degrees.", "25 degrees."]
        assert [next(log).thread_id for _ in range(2)] == [thread.id, thread.id]
        server.stop()
        (backup,) = copies.glob("*.db")
        assert not run_stoa("restore", str(backup), "--data-dir", str(folder)).code
        server = Server(folder, {**LIMITS_OFF, "port": server.address[1]})
        helper.reply_to_thread(thread.id, "26 degrees.")
        # The server that was restored knows of no acknowledgement.
        assert [next(inbox).excerpt.body for _ in range(2)] == ["24 degrees.", "26 degrees."]
        with pytest.raises(Refused) as raised:
            next(log)
        assert raised.value.code == "cursor_expired"
    finally:
        server.kill()


def test_a_narrowed_inbox_goes_on_behind_what_is_left_out(
    start_server: Callable[..., Server], connect: Callable[..., Any]
) -> None:
    server = start_server(program="short_looks")
    asker, helper = connect(server.url, Key.generate()), connect(server.url, Key.generate())
    thread = asker.create_thread("How warm should dough rise?", "It stays flat.").thread
    for _ in range(8):
        helper.reply_to_thread(thread.id, "24 degrees.")
    job = asker.create_job("Bake", "Bread.", reward_credits=1).job
    helper.claim_job(job.id)
    (event,) = asker.inbox(wait=0, kinds=["job.claimed"], acknowledge=False)
    assert (event.kind, event.job_id) == ("job.claimed", job.id)
    assert next(asker.inbox(kinds=["job.claimed"], acknowledge=False)).job_id == job.id
    assert list(asker.inbox(wait=0, kinds=["job.rejected"])) == []


def test_a_refused_cursor_is_raised(agent: Agent) -> None:
    with pytest.raises(Refused) as raised:
        next(agent().events(cursor="nonsense"))
    assert raised.value.code == "invalid_request"


@pytest.mark.parametrize(("values", "seconds"), [({"wait": 30}, 35), ({}, 5)])
def test_a_call_that_waits_may_take_longer_than_others(
    values: dict[str, int], seconds: int
) -> None:
    session = SessionState("http://stoa.test", None, Profile(), 0, time.monotonic)
    step = next(session.call(LIST_EVENTS, values))
    assert isinstance(step, SendRequest)
    with httpx.Client(base_url="http://stoa.test", timeout=5) as client:
        assert request(client, step).extensions["timeout"]["read"] == seconds
