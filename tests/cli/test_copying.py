"""`stoa copy` as an operator runs it, and as a power cut ends it."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.support.command import Finished, run_stoa_here
from tests.support.keys import Key
from tests.support.postgresql import PostgreSQL
from tests.support.server import Server, environment

FINAL = "The copy is complete. Serve it, and do not serve the source again."


def copy(source: str, target: str, *options: str) -> Finished:
    """Run the command to its end."""
    return run_stoa_here("copy", "--from", source, "--to", target, *options)


def killed_at(line: str, source: str, target: str) -> bool:
    """Run the command and kill it when it says this; False when it was over before that."""
    command = [sys.executable, "-m", "stoa", "copy", "--from", source, "--to", target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment({})) as run:
        assert run.stdout
        assert any(said.startswith(line) for said in run.stdout)
        run.kill()
    assert run.returncode in (-signal.SIGKILL, 0)
    return run.returncode != 0


class Writer:
    """An agent at a server, which keeps its token."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.headers: dict[str, str] = {}
        key = Key("writer")
        challenge = self.post("auth/challenge", publicKey=key.public)["challenge"]
        signed = {"challenge": challenge, "signature": key.sign(challenge)}
        token = self.post("auth/verify", publicKey=key.public, **signed)["token"]
        self.headers["Authorization"] = f"Bearer {token}"

    def post(self, path: str, **body: object) -> dict[str, str]:
        """Send what must succeed."""
        answer = httpx.post(
            f"{self.url}/api/v1/{path}", json=body, headers=self.headers, timeout=60
        )
        assert answer.is_success, answer.text
        return answer.json()

    def thread(self, title: str) -> None:
        """Ask something."""
        self.post("threads", title=title, body="Who knows?", tags=["moving"])

    def titles(self) -> list[str]:
        """What is there."""
        listed = httpx.get(f"{self.url}/api/v1/threads?limit=50", headers=self.headers, timeout=60)
        assert listed.status_code == 200
        return [thread["title"] for thread in listed.json()["threads"]]


@pytest.mark.soak
@pytest.mark.long
def test_an_operator_moves_a_served_database_there_and_back(
    start_server: Callable[..., Server], postgresql: PostgreSQL, tmp_path: Path
) -> None:
    file, database = f"sqlite:///{tmp_path}/data/stoa.db", postgresql.empty()
    embedded = start_server(tmp_path / "data")
    writer = Writer(embedded.url)
    writer.thread("Before")
    first = copy(file, database)
    assert first.code == 75, first.err
    assert "the source is still served" in first.out
    refused = run_stoa_here("serve", "--port", "0", STOA_DATABASE_URL=database)
    assert "is an unfinished copy of" in refused.err
    assert (refused.code, refused.err.count("\n")) == (1, 1)
    writer.thread("Meanwhile")
    embedded.stop()
    final = copy(file, database)
    assert final.out.endswith(f"{FINAL}\n")
    assert final.code == 0

    moved = start_server(database_url=database)
    writer.url = moved.url
    writer.thread("After the move")
    back = f"sqlite:///{tmp_path}/back/stoa.db"
    assert "the source is still served" in copy(database, back).out
    moved.stop()
    told = json.loads(copy(database, back, "--json").out)
    assert (told["database"], told["target"]) == (database, back)
    assert (told["equal"], told["served"], told["complete"]) == (True, False, True)
    assert {"table": "thread", "source": 3, "target": 3, "equal": True} in told["tables"]
    assert set(told["differences"].values()) == {0}
    writer.url = start_server(tmp_path / "back").url
    assert writer.titles() == ["After the move", "Meanwhile", "Before"]


@pytest.mark.soak
@pytest.mark.long
def test_a_copy_that_is_killed_three_times_ends_whole(
    start_server: Callable[..., Server], postgresql: PostgreSQL, tmp_path: Path
) -> None:
    file, database = f"sqlite:///{tmp_path}/data/stoa.db", postgresql.empty()
    embedded = start_server(tmp_path / "data")
    writer = Writer(embedded.url)
    for number in range(30):
        writer.thread(f"Thread {number}")
    kept = writer.titles()
    embedded.stop()
    back = f"sqlite:///{tmp_path}/back/stoa.db"
    for source, target in ((file, database), (database, back)):
        assert killed_at("account", source, target)
        if all(killed_at(line, source, target) for line in ("thread_tag", "event_log")):
            finished = copy(source, target)
            assert finished.code == 0, finished.err
            assert finished.out.endswith(f"{FINAL}\n")
            assert "DIFFERENT" not in finished.out
    writer.url = start_server(tmp_path / "back").url
    assert writer.titles() == kept


def test_mistakes_are_told_in_one_line(postgresql: PostgreSQL, tmp_path: Path) -> None:
    database, missing = postgresql.empty(), f"sqlite:///{tmp_path}/missing.db"
    for source, target, said in (
        (missing, database, "there is no database at"),
        (database, missing, "is empty: restore a backup"),
        ("mysql://x/y", database, "--from: use postgresql://"),
        (database, "", "--to is empty"),
        (database, database, "are the same database"),
        ("postgresql://127.0.0.1:1/x", database, "cannot reach 127.0.0.1:1/x"),
    ):
        failed = copy(source, target)
        assert failed.code == 1
        assert said in failed.err
        assert failed.err.count("\n") == 1, failed.err
