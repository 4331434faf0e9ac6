"""`stoa admin purge` beside a running server: its writer is a process of its own."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx

from stoa.client import Key, Stoa
from tests.support.command import run_stoa_here
from tests.support.processes import until
from tests.support.server import Server

CANARY = "zymurgist"


def test_a_purge_beside_a_server_leaves_nothing_in_its_files(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    server = start_server(data)
    with Stoa(server.url, Key.generate()) as stoa:
        threads = [stoa.create_thread(f"A {CANARY}", f"{CANARY} " * size) for size in (3, 3000)]

    def left() -> list[str]:
        files = (file for file in data.iterdir() if file.is_file())
        return [file.name for file in files if CANARY.encode() in file.read_bytes()]

    assert left()
    for made in threads:
        command = ("purge", made.thread.id, "--reason", "A secret.", "--json")
        done = run_stoa_here("admin", *command, "--data-dir", str(data))
        assert json.loads(done.out)["actions"][0]["action"] == "purge", done.err
        page = f"{server.url}/api/v1/threads/{made.thread.id}"
        assert httpx.get(page, timeout=60).status_code == 410
    until(lambda: not left())
    server.stop()
    assert not left()
