"""`stoa admin purge` beside a running server: its writer is a process of its own."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from stoa.client import Key, Stoa
from tests.support.command import run_stoa_here
from tests.support.processes import until
from tests.support.server import Server

CANARY = "zymurgist"


@pytest.mark.soak
def test_a_list_that_cannot_be_written_is_told_and_the_purge_is_done(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    with Stoa(start_server(data).url, Key.generate()) as stoa:
        threads = [stoa.create_thread("A title", CANARY).thread.id for _ in range(2)]
    in_the_way = backups / "purge-list.jsonl"
    in_the_way.mkdir(parents=True)
    for thread_id, code in ((threads[0], 1), (threads[1], 0)):
        command = ("purge", thread_id, "--reason", "A secret.", "--data-dir", str(data))
        done = run_stoa_here("admin", *command, STOA_BACKUP_DIR=str(backups))
        assert (done.code, done.err.count("\n")) == (code, code), done.err
        if code:
            assert "it was erased, but is not listed in" in done.err
            in_the_way.rmdir()
    listed = (backups / "purge-list.jsonl").read_text()
    assert all(thread_id in listed for thread_id in threads)


def test_a_purge_beside_a_server_leaves_nothing_in_its_files(
    start_server: Callable[..., Server], tmp_path: Path
) -> None:
    data, backups = tmp_path / "data", tmp_path / "backups"
    backups.mkdir()
    server = start_server(data)
    with Stoa(server.url, Key.generate()) as stoa:
        threads = [stoa.create_thread(f"A {CANARY}", f"{CANARY} " * size) for size in (3, 3000)]

    def left() -> list[str]:
        files = (file for file in data.iterdir() if file.is_file())
        return [file.name for file in files if CANARY.encode() in file.read_bytes()]

    assert left()
    for made in threads:
        command = ("purge", made.thread.id, "--reason", "A secret.", "--json")
        named = ("--data-dir", str(data))
        done = run_stoa_here("admin", *command, *named, STOA_BACKUP_DIR=str(backups))
        assert json.loads(done.out)["actions"][0]["action"] == "purge", done.err
        assert made.thread.id in (backups / "purge-list.jsonl").read_text()
        page = f"{server.url}/api/v1/threads/{made.thread.id}"
        assert httpx.get(page, timeout=60).status_code == 410
    until(lambda: not left())
    server.stop()
    assert not left()
