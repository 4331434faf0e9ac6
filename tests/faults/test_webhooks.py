"""Webhooks of a server that is killed while it delivers."""

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler

import pytest

from stoa.client import Key, Stoa
from tests.support.processes import until
from tests.support.receiver import Received, receiving, status
from tests.support.server import Server


@pytest.mark.promise("H18")
def test_a_server_that_is_killed_while_it_delivers_goes_on_after_its_restart(
    start_server: Callable[..., Server],
) -> None:
    never = threading.Event()

    def stall(_: Received, __: BaseHTTPRequestHandler) -> None:
        never.wait()

    server, key = start_server(webhooks_allow="127.0.0.0/8"), Key.generate()
    with receiving() as receiver:
        with Stoa(server.url, key) as agent:
            agent.create_webhook(receiver.url, scope="events", kinds=["thread.created"])
            receiver.came.acquire()  # the test
            until(lambda: agent.list_webhooks().webhooks[0].status == "active")
            receiver.answer = stall
            threads = [agent.create_thread(f"Number {one}", "b").thread.id for one in range(3)]
            receiver.came.acquire()
        server.kill()
        receiver.answer = status(204)
        start_server(data_dir=server.data_dir, webhooks_allow="127.0.0.0/8")
        for _ in threads:
            receiver.came.acquire()
        never.set()
        told = [event["subject"]["id"] for event in receiver.events]
    assert told == [threads[0], *threads]
