"""The commands that the pages on operating give work as they are written."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from stoa.settings import Settings
from stoa.settings_checks import check
from tests.support.keys import Key
from tests.support.server import Server
from tools.docs import ROOT

_TRIED_ELSEWHERE = "postgresql.md"  # by tests/docs/test_from_sqlite.py
PAGES = "\n".join(
    page.read_text("utf-8")
    for page in sorted((ROOT / "docs/operating").glob("*.md"))
    if page.name != _TRIED_ELSEWHERE
)


def blocks(language: str) -> list[str]:
    """The blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES, re.MULTILINE | re.DOTALL)


def ask(server: Server, title: str) -> str:
    """Open a thread as a new agent; its id."""
    key = Key(title)
    challenge = post(server, "auth/challenge", {"publicKey": key.public})["challenge"]
    signed = {"challenge": challenge, "signature": key.sign(challenge)}
    token = post(server, "auth/verify", {"publicKey": key.public, **signed})["token"]
    answer = post(server, "threads", {"title": title, "body": "Who knows?"}, token)
    return str(answer["thread"]["id"])


def post(server: Server, path: str, body: dict[str, str], token: str = "") -> Any:
    """Send what must succeed; the answer."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = httpx.post(f"{server.url}/api/v1/{path}", json=body, headers=headers, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the page has it: `.venv` beside the data."""
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    return tmp_path


def run(block: str, folder: Path) -> None:
    """Run a block in that folder."""
    subprocess.run(["sh", "-eu", "-c", block], cwd=folder, check=True, env=dict(os.environ))


@pytest.mark.soak
def test_a_backup_of_a_running_server_can_be_restored(
    folder: Path, start_server: Callable[..., Server]
) -> None:
    backup, restore, *_ = blocks("sh")
    data = folder / "stoa-data"
    server = start_server(data)
    run(backup, folder)  # an older one, which is not restored
    kept = ask(server, "Before the backup")
    run(backup, folder)
    _, made = sorted((folder / "backups").glob("*.db"))
    assert made.stat().st_mode & 0o077 == 0
    lost = ask(server, "After the backup")
    assert server.stop() == 0
    shutil.rmtree(data)
    data.mkdir()
    run(restore, folder)
    stoa = [sys.executable, "-m", "stoa", "audit", "--data-dir", str(data)]
    subprocess.run(stoa, check=True, capture_output=True, cwd=folder)
    again = start_server(data)
    found = httpx.get(f"{again.url}/api/v1/search", params={"q": "backup"}, timeout=60).json()[
        "threads"
    ]
    assert [thread["id"] for thread in found] == [kept]
    assert httpx.get(f"{again.url}/api/v1/threads/{lost}", timeout=60).status_code == 404


@pytest.mark.soak
def test_an_export_has_the_files_that_the_page_lists_with_their_checksums(
    folder: Path, start_server: Callable[..., Server]
) -> None:
    *_, export = blocks("sh")
    asked = ask(start_server(folder / "stoa-data"), "Is it public?")
    run(export, folder)
    table = PAGES.partition("\n## Export\n")[2].partition("\n\n`stoa import export")[0]
    listed = set(re.findall(r"`([\w-]+\.(?:jsonl|md)|SHA256SUMS)`", table))
    assert {file.name for file in (folder / "public").iterdir()} == listed
    assert asked in (folder / "public" / "threads.md").read_text("utf-8")


def test_each_page_of_a_task_is_short_enough_for_a_friday_evening() -> None:
    front = (ROOT / "docs/operating.md").read_text("utf-8")
    tasks = re.findall(r"^\| to .*\]\((.+\.md)\) \|$", front, re.MULTILINE)
    beside = {f"operating/{file.name}" for file in (ROOT / "docs/operating").iterdir()}
    assert beside <= {*tasks}
    for page in tasks:
        lines = (ROOT / "docs" / page).read_text("utf-8").splitlines()
        assert len(lines) <= 150, page


def test_the_settings_shown_are_settings() -> None:
    shown = blocks("toml")
    assert shown
    for block in shown:
        check(msgspec.convert(tomllib.loads(block), Settings))
        assert set(tomllib.loads(block)) <= set(Settings.__struct_fields__)
