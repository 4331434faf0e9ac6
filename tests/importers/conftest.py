"""What the importer tests share: one import in this process, and what a server shows of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from stoa.importers import stackexchange
from stoa.importers.stackexchange import ImportJob
from stoa.importers.summary import ImportSummary

SMALL = Path(__file__).parents[1] / "data" / "Posts.xml"


@dataclass
class Recorder:
    """Keeps what an import tells about its progress."""

    steps: int = 0
    over: int = 0
    lines: list[str] = field(default_factory=list[str])

    def start(self, steps: int) -> None:
        self.steps = steps

    def advance(self) -> None:
        self.over += 1

    def say(self, line: str) -> None:
        self.lines.append(line)


@dataclass
class Import:
    """One file going into one server, as often as `run` is called."""

    job: ImportJob
    progress: Recorder = field(default_factory=Recorder)

    def run(self) -> ImportSummary:
        """Import in this process."""
        return stackexchange.run(self.job, self.progress)

    @property
    def command(self) -> list[str]:
        """The arguments of `stoa` that do the same."""
        job = self.job
        return [
            "import",
            "stackexchange",
            str(job.source),
            "--url",
            job.url,
            "--keys",
            str(job.keys),
            "--no-attribution",
        ]

    def threads(self) -> list[dict[str, Any]]:
        """The threads of the authors of this import, oldest first, each with its `replies`."""
        _, *lines = self.job.keys.read_text().splitlines()
        keys = {json.loads(line)["publicKey"] for line in lines}
        with httpx.Client(base_url=self.job.url, timeout=60) as http:
            mine = [
                thread
                for thread in _pages(http, "/api/v1/threads", "threads")
                if thread["author"]["publicKey"] in keys
            ]
            for thread in mine:
                path = f"/api/v1/threads/{thread['id']}/replies"
                thread["replies"] = _pages(http, path, "replies")
        return mine[::-1]


def _pages(http: httpx.Client, path: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        query = {"limit": "100"} | ({"cursor": cursor} if cursor else {})
        page = http.get(path, params=query).raise_for_status().json()
        rows += page[name]
        cursor = page["nextCursor"]
    return rows


@pytest.fixture
def importing(tmp_path: Path) -> Callable[..., Import]:
    """Makes an import of the small file, or another, with keys of its own."""

    def make(url: str, source: Path = SMALL, concurrency: int = 8) -> Import:
        return Import(ImportJob(source, tmp_path / "keys", url, concurrency))

    return make
