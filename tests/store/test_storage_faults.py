"""Storage that fails or loses power: what was answered is there, and nobody is told otherwise."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import msgspec
import pytest

from stoa.settings import Settings
from tests.support.a2a import A2A, said
from tests.support.app import Agent, App
from tests.support.storage import Operation, Storage
from tests.support.store import PROBE_OFTEN

NEW = {"title": "t", "body": "b"}

Moment = tuple[set[str], dict[str, bytes]]
"""The ids of what was answered by then, and what would be left of each file."""


@pytest.fixture
def engine() -> str:
    """These are faults of its file."""
    return "sqlite"


@pytest.fixture
def storage() -> Iterator[Storage]:
    with Storage() as opened:
        yield opened


@pytest.fixture
def app(storage: Storage, settings: Settings) -> Iterator[App]:
    """The application on that storage; `storage` is asked for first, so that it is beneath."""
    with App(settings, pace=PROBE_OFTEN) as opened:
        yield opened


@pytest.fixture
def alice(app: App) -> Agent:
    return app.agent("alice")


def fail(*operations: Operation, error: type[apsw.Error] = apsw.IOError, after: int = 0) -> Any:
    """A fault: each of `operations` on the database fails, once `after` of them have gone well. The
    index of texts has files of its own."""
    left = after

    def fault(operation: Operation, path: str) -> None:
        nonlocal left
        if operation in operations and "-search" not in path:
            left -= 1
            if left < 0:
                raise error(f"{operation} failed")

    return fault


def works(operation: Operation, path: str) -> None:
    """No fault."""


def titles(app: App) -> set[str]:
    found: set[str] = set()
    path: str | None = "threads?limit=100"
    while path:
        page = app.get(path).ok()
        found |= {thread["id"] for thread in page["threads"]}
        path = page["nextCursor"] and f"threads?limit=100&cursor={page['nextCursor']}"
    return found


@pytest.mark.promise("D5")
@pytest.mark.parametrize(
    "fault",
    [
        fail("sync"),
        fail("write"),
        fail("write", error=apsw.FullError),
        fail("write", after=2),
        fail("write", "sync"),
    ],
)
def test_a_commit_that_fails_is_503_for_its_whole_group_and_writing_comes_back(
    app: App,
    alice: Agent,
    storage: Storage,
    fault: Callable[[Operation, str], None],
) -> None:
    kept = alice.thread()
    storage.fault = fault
    answers = app.together(*(alice.ask("POST", "threads", NEW) for _ in range(20)))
    for answer in answers:
        answer.refused(503, "temporarily_unavailable")
        assert answer["retryable"] is True
        assert int(answer.headers["retry-after"]) == answer["retryAfter"] > 0
        assert "Call `get_recent_threads` (GET /api/v1/threads) and" in answer["recovery"]
        assert f"after {answer['retryAfter']} s with an" in answer["recovery"]
    keyed = alice.post("threads", NEW, headers={"Idempotency-Key": "k"})
    assert (
        "with the same `Idempotency-Key`"
        in keyed.refused(503, "temporarily_unavailable")["recovery"]
    )
    asked = A2A(app, alice).ask("SendMessage", message=said("How?"))
    assert "over A2A `messageId`" in asked["error"]["data"][-1]["value"]["recovery"]
    alice.post("threads", NEW).refused(503, "temporarily_unavailable")
    assert kept["id"] in titles(app)
    alice.get("credits/balance").ok()
    storage.fault = works
    while app.get("/readyz").status != 200:
        app.run(asyncio.sleep(0.01))
    assert alice.post("threads", NEW).ok(201)["thread"]["id"] in titles(app)


def test_while_the_storage_fails_it_is_not_ready_and_tells_only_its_own_machine_why(
    app: App, alice: Agent, storage: Storage
) -> None:
    storage.fault = fail("sync")
    alice.post("threads", NEW).refused(503, "temporarily_unavailable")
    near, far = app.get("/readyz"), app.get("/readyz", client="203.0.113.9")
    assert (near.status, far.status) == (503, 503)
    assert "sync failed" in near["reason"]
    assert far.json == {"status": "unavailable"}
    assert app.get("/healthz").ok().json == {"status": "ok"}
    assert "sync failed" not in alice.post("threads", NEW).text


def test_a_read_that_fails_is_503_and_the_next_one_goes_on(
    storage: Storage, settings: Settings
) -> None:
    with App(settings) as first:
        alice = first.agent("alice")
        for _ in range(50):
            alice.thread(body="x" * 5000)
    with App(settings) as app:
        storage.fault = fail("read")
        for path in ("threads", "threads?sort=replies", "unanswered", "search?q=t"):
            app.get(path).refused(503, "temporarily_unavailable")
        storage.fault = works
        app.get("threads").ok()


def acknowledged_and_kept(app: App, storage: Storage) -> Iterator[Moment]:
    """After each of several groups of writes: what was answered so far, what is surely on disk."""
    alice = app.agent("alice")
    answered: set[str] = set()
    for size in (1, 7, 20, 1, 3):
        answers = app.together(*(alice.ask("POST", "threads", NEW) for _ in range(size)))
        answered |= {answer.ok(201)["thread"]["id"] for answer in answers}
        yield set(answered), dict(storage.durable)


def lost(moments: list[Moment], storage: Storage, folder: Path, settings: Settings) -> int:
    """How many answered writes are missing after a power cut at each of these moments."""
    missing = 0
    for number, (answered, durable) in enumerate(moments):
        place = folder / f"cut{number}"
        storage.restore(place, durable)
        with App(msgspec.structs.replace(settings, data_dir=str(place))) as restored:
            missing += len(answered - titles(restored))
            assert restored.sql("PRAGMA integrity_check") == [("ok",)]
    return missing


@pytest.mark.promise("D2")
def test_a_power_cut_loses_nothing_that_was_answered(
    storage: Storage, settings: Settings, tmp_path: Path
) -> None:
    with App(msgspec.structs.replace(settings, data_dir=str(tmp_path / "a"))) as app:
        moments = list(acknowledged_and_kept(app, storage))
    assert lost(moments, storage, tmp_path, settings) == 0


def test_without_a_sync_for_each_commit_the_same_power_cuts_do_lose_some(
    storage: Storage, settings: Settings, tmp_path: Path
) -> None:
    """The control of the test above: it finds what is not on disk."""
    with App(msgspec.structs.replace(settings, data_dir=str(tmp_path / "a"))) as app:
        _writer_connection(app).execute("PRAGMA synchronous = NORMAL")
        moments = list(acknowledged_and_kept(app, storage))
    assert lost(moments, storage, tmp_path, settings) > 0


def _writer_connection(app: App) -> apsw.Connection:
    store: Any = app.stoa.store
    return store._writer._groups._connection
