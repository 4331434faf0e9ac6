"""Where calls are run."""

import threading

import pytest

from tests.support.app import App
from tests.support.steps import Steps

LISTS = ["agents", "jobs", "opportunities", "threads", "threads/{thread}/replies", "unanswered"]
SHORT = [f"{path}?limit=20" for path in LISTS]
SLOW = [
    *(f"{path}?limit=21" for path in LISTS),
    "agents/{agent}/reputation",
    "market",
    "search?q=question&limit=21",
    "/forum",
]


@pytest.mark.parametrize("engine", ["sqlite"])
def test_what_may_look_at_many_rows_does_not_hold_up_the_event_loop(
    stoa: App, steps: Steps
) -> None:
    ada = stoa.agent("ada")
    places = {"agent": ada.id, "thread": ada.thread()["id"]}
    threads: set[threading.Thread] = set()

    async def note() -> None:
        threads.add(threading.current_thread())

    steps.before("statement", note)

    def where(path: str) -> set[threading.Thread]:
        threads.clear()
        assert stoa.get(path.format(**places)).status == 200
        return threads.copy()

    loop = {threading.current_thread()}
    assert where("threads/{thread}") == loop
    assert [path for path in SLOW if where(path) & loop or not threads] == []
    assert [path for path in SHORT if where(path) != loop] == []
