"""How many calls of Stoa's own functions one request takes: a needless layer shows here.

Counted from where the server has read the head of a request, with the embedded engine's writer as a
thread of the same process.
"""

import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stoa.settings import Settings
from tests.support.app import Agent, App
from tests.support.keys import Key
from tests.support.mcp import ERAS, Mcp
from tests.support.oauth import assertion, by_key, post, refused, signed_in
from tests.support.profiler import Profiler

REPLIES = 2


@pytest.fixture
def profiler() -> Generator[Profiler]:
    profiler = Profiler()
    threading.setprofile(profiler.note)
    yield profiler
    threading.setprofile(None)


@pytest.fixture
def app(profiler: Profiler, tmp_path: Path) -> Generator[App]:
    with App(Settings(data_dir=str(tmp_path))) as app:
        yield app


def submitted(creator: Agent, worker: Agent) -> str:
    """A job with submitted work; its id."""
    offer = {"title": "Work", "description": "Do it.", "rewardCredits": 1}
    job_id: str = creator.post("jobs", offer).ok(201).json["job"]["id"]
    worker.post(f"jobs/{job_id}/claim").ok()
    worker.post(f"jobs/{job_id}/submit", {"body": "Done."}).ok(201)
    return job_id


def fewest(counts: Iterable[Counter[str]]) -> Counter[str]:
    """The count that has nothing else in it: the writer may have work meanwhile."""
    return min(counts, key=lambda one: sum(one.values()))


def expect_at_most(most: int, calls: Counter[str]) -> None:
    total = sum(calls.values())
    assert 0 < total <= most, f"{total} calls: {calls.most_common(20)}"


def test_accepting_a_job(app: App, profiler: Profiler) -> None:
    ada, grace = app.agent("Ada"), app.agent("Grace")
    paths = (f"jobs/{submitted(ada, grace)}/accept" for _ in range(8))
    ada.post(next(paths)).ok()
    calls = fewest(profiler.count(lambda path=path: ada.post(path).ok()) for path in paths)
    expect_at_most(190, calls)
    assert calls["HttpRequest.__init__"] == 1


def test_reading_a_thread_for_the_first_time(app: App, profiler: Profiler) -> None:
    ada, grace = app.agent("Ada"), app.agent("Grace")
    threads = [ada.thread() for _ in range(4)]
    for thread in threads:
        for _ in range(REPLIES):
            grace.reply(thread)
    warm, *cold = (f"threads/{thread['id']}?include=replies" for thread in threads)
    app.get(warm).ok()
    calls = fewest(profiler.count(partial(app.get, path)) for path in cold)
    expect_at_most(105, calls)
    assert calls["HttpRequest.__init__"] == 1


@pytest.mark.parametrize("era", ERAS)
def test_reading_a_job_over_mcp(app: App, profiler: Profiler, era: str) -> None:
    ada, grace = app.agent("Ada"), app.agent("Grace")
    job_id = submitted(ada, grace)
    client = Mcp(app, era)
    read: Callable[[], Any] = lambda: client.call("get_job", {"jobId": job_id})  # noqa: E731
    read()
    calls = profiler.count(read)
    expect_at_most(110, calls)
    assert calls["HttpRequest.__init__"] == 1


def test_signing_in_by_an_assertion(app: App, profiler: Profiler) -> None:
    key = app.agent("Ada").key
    first, *others = (by_key(assertion(key, app.clock())) for _ in range(4))
    post(app, first).ok()
    calls = fewest(profiler.count(lambda form=form: post(app, form).ok()) for form in others)
    expect_at_most(125, calls)
    assert calls["HttpRequest.__init__"] == 1


@pytest.mark.promise("S14")
def test_a_sign_in_that_is_refused_takes_the_same_steps_with_any_key(
    app: App, profiler: Profiler
) -> None:
    """So its time cannot tell whether the key is that of an agent. A good signature may tell."""
    app.agent("Ada")
    known, unknown = ([partial(call, app, Key(name)) for call in REFUSED] for name in ("Ada", "B"))
    for one, other in zip(known, unknown, strict=True):
        assert steps(one) == steps(other)
    first, again = (profiler.count(partial(signed_in, app, Key("B"))) for _ in range(2))
    assert (first["register"], again["register"]) == (2, 0)


def steps(walk: Callable[[], object]) -> Counter[str]:
    """The calls of a walk that was gone before, without what else was done meanwhile."""
    walk()
    alone = Profiler()  # notes nothing of other threads: the writer does nothing for these walks
    first, second, third = (alone.count(walk) for _ in range(3))
    return first & second & third


def ask_for_challenge(app: App, key: Key) -> str:
    return app.post("auth/challenge", {"publicKey": key.public}).ok()["challenge"]


def sign_wrongly(app: App, key: Key) -> None:
    challenge = ask_for_challenge(app, key)
    sent = {"publicKey": key.public, "challenge": challenge, "signature": STRANGER.sign("other")}
    app.post("auth/verify", sent).refused(401, "signature_invalid")


def assert_wrongly(app: App, key: Key) -> None:
    content, _, _ = assertion(key, app.clock()).rpartition(".")
    _, _, signature = assertion(STRANGER, app.clock()).rpartition(".")
    refused(post(app, by_key(f"{content}.{signature}")), 401, "invalid_client")


STRANGER = Key("stranger")
REFUSED = (ask_for_challenge, sign_wrongly, assert_wrongly)
