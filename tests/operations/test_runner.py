"""Where calls are run."""

import threading
from typing import Any

import pytest

from stoa.store.tx import Tx, Work
from tests.support.app import App

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
    stoa: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = stoa.agent("ada")
    places = {"agent": ada.id, "thread": ada.thread()["id"]}
    store = stoa.stoa.store
    read = store.read
    threads: set[threading.Thread] = set()

    async def noted(work: Work[Any], **how: Any) -> Any:
        async def on_a_thread(tx: Tx) -> Any:
            threads.add(threading.current_thread())
            return await work(tx)

        return await read(on_a_thread, **how)

    monkeypatch.setattr(store, "read", noted)

    def where(path: str) -> set[threading.Thread]:
        threads.clear()
        assert stoa.get(path.format(**places)).status == 200
        return threads.copy()

    loop = {threading.current_thread()}
    assert where("threads/{thread}") == loop
    assert [path for path in SLOW if where(path) & loop or not threads] == []
    assert [path for path in SHORT if where(path) != loop] == []
