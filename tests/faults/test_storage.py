"""Storage that fails: nothing is acknowledged that is not on disk, reading goes on, and so does
writing once the storage takes it again."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from stoa.settings import Settings
from stoa.store.engines.sqlite import groups
from stoa.store.engines.sqlite.file import connect
from stoa.store.engines.sqlite.groups import Groups, WriteOutcome
from tests.faults.disk import WAIT_S, Call, Disk, Fault, faulty_disk
from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.soaking import few
from tests.support.store import PROBE_OFTEN

TOGETHER = 8
ROUNDS = 6


@pytest.fixture
def engine() -> str:
    """These are faults of its file."""
    return "sqlite"


@pytest.fixture
def disk() -> Iterator[Disk]:
    with faulty_disk() as disk:
        yield disk


def read_all(app: App, thread: Any) -> list[str]:
    """The bodies of all replies."""
    bodies: list[str] = []
    url = f"threads/{thread['id']}/replies"
    while True:
        page = app.get(url).ok()
        bodies += [reply["body"]["body"] for reply in page["replies"]]
        if page["nextCursor"] is None:
            return bodies
        url = f"threads/{thread['id']}/replies?cursor={page['nextCursor']}"


def write_together(agent: Agent, thread: Any, bodies: list[str]) -> dict[str, Answer]:
    url = f"threads/{thread['id']}/replies"
    answers = agent.app.together(*(agent.ask("POST", url, {"body": body}) for body in bodies))
    return dict(zip(bodies, answers, strict=True))


def false_acknowledgements(answers: dict[str, Answer], kept: list[str]) -> list[str]:
    """What was acknowledged and is not there exactly once."""
    return [
        body for body, answer in answers.items() if answer.status == 201 and kept.count(body) != 1
    ]


def problems_of(path: Path) -> list[Any]:
    """What SQLite itself finds wrong with a file."""
    connection = apsw.Connection(str(path))
    found = connection.execute("PRAGMA integrity_check").fetchall()
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    connection.close()
    return [row for row in found if row != ("ok",)] + broken


LASTING: dict[str, tuple[Call, int, str]] = {
    "the log cannot be synced": ("sync", apsw.SQLITE_IOERR_FSYNC, "the storage failed"),
    "the log cannot be written": ("write", apsw.SQLITE_IOERR_WRITE, "the storage failed"),
    "the disk is full": ("write", apsw.SQLITE_FULL, "the disk is full"),
}
PASSING: dict[str, tuple[Call, int]] = {
    "one sync of the log fails": ("sync", apsw.SQLITE_IOERR_FSYNC),
    "the disk is full for a moment": ("write", apsw.SQLITE_FULL),
}


@pytest.mark.promise("D4")
@pytest.mark.parametrize("first", [1, 2, 4])
@pytest.mark.parametrize("kind", LASTING)
def test_nothing_is_acknowledged_that_is_not_there_afterwards(
    settings: Settings, disk: Disk, kind: str, first: int
):
    call, code, reason = LASTING[kind]
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        disk.fault = Fault(call, first, code)
        answers = write_in_rounds(agent, thread)
        assert disk.struck
        expect_writes_refused_and_reads_served(app, agent, thread, answers, reason)
        disk.fault = None
        write_until_taken(agent, thread)
        answers |= write_together(agent, thread, ["after it"])
        assert answers["after it"].status == 201
        assert app.get("/readyz").status == 200
    expect_kept(settings, thread, answers)


@pytest.mark.parametrize("first", few([1, 2, 4]))
@pytest.mark.parametrize("kind", PASSING)
def test_a_fault_of_a_moment_loses_nothing_that_is_acknowledged_then_or_later(
    settings: Settings, disk: Disk, kind: str, first: int
):
    call, code = PASSING[kind]
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        disk.fault = Fault(call, first, code, lasting=False)
        answers = write_in_rounds(agent, thread)
        assert disk.struck == 1
        assert {answer.status for answer in answers.values()} <= {201, 503}
        write_until_taken(agent, thread)
    expect_kept(settings, thread, answers)


def write_in_rounds(agent: Agent, thread: Any) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    for number in range(ROUNDS):
        bodies = [f"{number}.{place}" for place in range(TOGETHER)]
        answers |= write_together(agent, thread, bodies)
    return answers


def write_until_taken(agent: Agent, thread: Any) -> None:
    """Ask until a write is taken, as clients do that are told 503."""
    for _ in range(WAIT_S * 100):
        if agent.post(f"threads/{thread['id']}/replies", {"body": "again"}).status == 201:
            return
        agent.app.run(asyncio.sleep(0.01))
    raise AssertionError("writes are refused for ever")


def expect_kept(settings: Settings, thread: Any, answers: dict[str, Answer]) -> None:
    """A server that opens the file finds what was acknowledged, once each, and can go on."""
    assert problems_of(settings.database_path) == []
    with App(settings, pace=PROBE_OFTEN) as app:
        kept = read_all(app, thread)
        assert false_acknowledgements(answers, kept) == []
        assert [body for body in answers if kept.count(body) > 1] == []
        assert app.get(f"threads/{thread['id']}").ok()["thread"]["replyCount"] == len(kept)
        assert app.agent("alice").reply(thread)["threadOrder"] == len(kept)


def expect_writes_refused_and_reads_served(
    app: App, agent: Agent, thread: Any, answers: dict[str, Answer], reason: str
) -> None:
    assert {answer.status for answer in answers.values()} <= {201, 503}
    refused = agent.post(f"threads/{thread['id']}/replies", {"body": "late"})
    for answer in [refused, *(answer for answer in answers.values() if answer.status == 503)]:
        assert answer.code == "temporarily_unavailable"
        assert int(answer.headers["retry-after"]) == answer["retryAfter"] > 0
        assert answer["retryable"]
    assert refused.status == 503
    read_all(app, thread)
    ready = app.get("/readyz")
    assert ready.status == 503
    assert reason in ready["reason"]
    assert "reason" not in app.get("/readyz", client="192.0.2.1")
    assert app.get("/healthz").status == 200


def test_the_check_would_notice_an_acknowledgement_without_a_write(settings: Settings):
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        answers = write_together(agent, thread, ["kept"])
        assert false_acknowledgements(answers, read_all(app, thread)) == []
        answers["invented"] = answers["kept"]
        assert false_acknowledgements(answers, read_all(app, thread)) == ["invented"]


def test_the_check_would_notice_a_writer_that_ignores_faults(
    settings: Settings, disk: Disk, monkeypatch: pytest.MonkeyPatch
):
    ran: list[WriteOutcome] = []
    run = Groups._run  # pyright: ignore[reportPrivateUsage]

    def noted(groups: Groups, *given: Any) -> WriteOutcome:
        ran.append(run(groups, *given))
        return ran[-1]

    def ignore(_: Groups, works: Sequence[object], *__: object) -> list[WriteOutcome]:
        return ran[-len(works) :]

    monkeypatch.setattr(Groups, "_run", noted)
    monkeypatch.setattr(Groups, "_break", ignore)
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        disk.fault = Fault("write", 1, apsw.SQLITE_FULL)
        answers = write_together(agent, thread, ["one", "two"])
    disk.fault = None
    with App(settings, pace=PROBE_OFTEN) as app:
        assert false_acknowledgements(answers, read_all(app, thread)) == ["one", "two"]


@pytest.mark.parametrize("call", ["write", "sync"])
def test_a_fault_while_the_log_is_moved_into_the_file_loses_nothing(
    settings: Settings, disk: Disk, call: Call
):
    with App(settings, pace=PROBE_OFTEN._replace(log_pages=20)) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        disk.fault = Fault(call, 1, apsw.SQLITE_IOERR_WRITE, file="stoa.db")
        answers: dict[str, Answer] = {}
        for number in range(ROUNDS):
            answers |= write_together(agent, thread, [f"{number}.{n}" for n in range(TOGETHER)])
        assert disk.struck
        assert {answer.status for answer in answers.values()} <= {201, 503}
    disk.fault = None
    assert problems_of(settings.database_path) == []
    with App(settings, pace=PROBE_OFTEN) as app:
        assert false_acknowledgements(answers, read_all(app, thread)) == []


def with_each_writer(monkeypatch: pytest.MonkeyPatch, sql: str) -> None:
    """Run this on each writing connection when it is opened."""

    def connect_otherwise(path: Path, *, writer: bool, **more: Any) -> apsw.Connection:
        connection = connect(path, writer=writer, **more)
        if writer:
            connection.execute(sql)
        return connection

    monkeypatch.setattr(groups, "connect", connect_otherwise)


# --- No answer before the sync.


def test_an_answer_waits_for_the_sync_of_the_log(settings: Settings, disk: Disk):
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        assert not is_answered_before_the_sync(agent, thread, disk)


def test_the_check_would_notice_a_writer_that_does_not_sync(
    settings: Settings, disk: Disk, monkeypatch: pytest.MonkeyPatch
):
    with_each_writer(monkeypatch, "PRAGMA synchronous = OFF")
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        thread = agent.thread()
        assert is_answered_before_the_sync(agent, thread, disk)
        assert answers_without_a_sync(agent, thread, disk, 5) == 5


def is_answered_before_the_sync(agent: Agent, thread: Any, disk: Disk) -> bool:
    """Hold the sync up and look whether the answer comes all the same."""

    async def look() -> bool:
        disk.asked_to_sync.clear()
        disk.may_sync.clear()
        url = f"threads/{thread['id']}/replies"
        write = asyncio.create_task(agent.ask("POST", url, {"body": "held up"}))
        asked = asyncio.create_task(asyncio.to_thread(disk.asked_to_sync.wait, WAIT_S))
        await asyncio.wait([write, asked], return_when=asyncio.FIRST_COMPLETED)
        for _ in range(50):  # the server is at work, and would have answered
            assert (await agent.ask("GET", f"threads/{thread['id']}")).status == 200
        early = write.done()
        disk.may_sync.set()
        disk.asked_to_sync.set()
        assert (await write).status == 201
        await asked
        return early

    return agent.app.run(look())


@pytest.mark.promise("D3")
def test_each_of_200_answers_comes_after_a_sync_of_its_own(settings: Settings, disk: Disk):
    with App(settings, pace=PROBE_OFTEN) as app:
        agent = app.agent("alice")
        assert answers_without_a_sync(agent, agent.thread(), disk, 200) == 0


def answers_without_a_sync(agent: Agent, thread: Any, disk: Disk, count: int) -> int:
    disk.events.clear()
    for number in range(count):
        agent.reply(thread, f"reply {number}")
        disk.events.append("answer")
    before = ["", *disk.events[:-1]]
    pairs = zip(before, disk.events, strict=True)
    return sum(event == "answer" and previous != "sync" for previous, event in pairs)
