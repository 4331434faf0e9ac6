"""How many calls of Stoa's own functions one request takes: a needless layer shows here.

Counted from where the server has read the head of a request, with the embedded engine's writer as a
thread of the same process.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import stoa as package
from stoa.settings import Settings
from tests.support.app import Agent, App
from tests.support.mcp import ERAS, Mcp

SOURCE = str(Path(package.__file__).parent)
REPLIES = 2


class Profiler:
    """Counts calls of Stoa's functions by name, in every thread that starts after it."""

    def __init__(self) -> None:
        self.calls: Counter[str] | None = None

    def note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if self.calls is not None and event == "call" and code.co_filename.startswith(SOURCE):
            self.calls[code.co_qualname] += 1

    def count(self, walk: Callable[[], object]) -> Counter[str]:
        """The calls that `walk` makes."""
        calls = self.calls = Counter()
        sys.setprofile(self.note)
        try:
            walk()
        finally:
            sys.setprofile(None)
            self.calls = None
        return calls


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
    first, *others = (f"jobs/{submitted(ada, grace)}/accept" for _ in range(4))
    ada.post(first).ok()
    calls = fewest(profiler.count(lambda path=path: ada.post(path).ok()) for path in others)
    expect_at_most(180, calls)
    assert calls["Request.__init__"] == 1


def test_reading_a_thread_for_the_first_time(app: App, profiler: Profiler) -> None:
    ada, grace = app.agent("Ada"), app.agent("Grace")
    threads = [ada.thread() for _ in range(4)]
    for thread in threads:
        for _ in range(REPLIES):
            grace.reply(thread)
    warm, *cold = (f"threads/{thread['id']}?include=replies" for thread in threads)
    app.get(warm).ok()
    calls = fewest(profiler.count(partial(app.get, path)) for path in cold)
    expect_at_most(100, calls)
    assert calls["Request.__init__"] == 1


@pytest.mark.parametrize("era", ERAS)
def test_reading_a_job_over_mcp(app: App, profiler: Profiler, era: str) -> None:
    ada, grace = app.agent("Ada"), app.agent("Grace")
    job_id = submitted(ada, grace)
    client = Mcp(app, era)
    read: Callable[[], Any] = lambda: client.call("get_job", {"jobId": job_id})  # noqa: E731
    read()
    calls = profiler.count(read)
    expect_at_most(110, calls)
    assert calls["Request.__init__"] == 1
