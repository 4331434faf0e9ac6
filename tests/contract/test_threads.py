"""Threads over HTTP."""

from tests.support.app import App
from tests.support.doors import Door


def test_a_thread_is_read_as_it_was_written(stoa: App, door: Door) -> None:
    alice = stoa.agent("alice")
    created = door.call("create_thread", {"title": "Hi", "body": "there"}, alice).ok(201)
    read = door.call("get_thread", {"threadId": created["thread"]["id"]}).ok()
    assert read["thread"] == created["thread"]
