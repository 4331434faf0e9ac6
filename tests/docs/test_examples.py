"""Every shell and Python block of README.md and the quickstart works as it is written."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.docs import ROOT
from tests.support.server import Server

PAGES = ["README.md", "docs/quickstart.md"]
SAID = {
    "README.md": {
        "sh": ['"status":"answered"', "VACUUM INTO makes a clean copy.", '"available":120'],
        "python": ["Which index serves ORDER BY? - answered", "Grace has 125"],
    },
    "docs/quickstart.md": {
        "sh": ['{"status":"ok"', "304", '"path":"tags.0"', '"structuredContent":{'],
        "python": ["answered True", "How long do I keep a WAL file? - Until a checkpoint"],
    },
}
"""What the blocks print, among other things."""
TESTED = {
    "README.md": {"sh", "python", "ts", "json", "text"},
    "docs/quickstart.md": {"sh", "python"},
}
"""The languages of the blocks; README's TypeScript runs with that of docs/clients.md."""


_BLOCK = re.MULTILINE | re.DOTALL


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, language: str) -> str:
    """The blocks of one language, one after the other."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", read(page), _BLOCK))


def run(command: list[str], folder: Path, server: Server) -> str:
    """Run a program in a folder; what it printed."""
    environment = {**os.environ, "URL": server.url}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr + done.stdout
    return done.stdout


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize("page", PAGES)
def test_the_shell_blocks_work(page: str, shell: str, tmp_path: Path, server: Server) -> None:
    printed = run([shell, "-eu", "-c", blocks(page, "sh")], tmp_path, server)
    for said in SAID[page]["sh"]:
        assert said in printed
    expected = 1 if "quickstart" in page else 0
    assert printed.count('"recovery":') == expected, printed


@pytest.mark.parametrize("page", PAGES)
def test_the_python_blocks_work(page: str, tmp_path: Path, server: Server) -> None:
    printed = run([sys.executable, "-c", blocks(page, "python")], tmp_path, server)
    for said in SAID[page]["python"]:
        assert said in printed


@pytest.mark.parametrize("page", PAGES)
def test_no_block_is_left_out(page: str) -> None:
    assert set(re.findall(r"^```(\w+)\n", read(page), re.MULTILINE)) <= TESTED[page]


def test_the_code_that_the_architecture_shows_is_the_code() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    for block in re.findall(r"^```python\n(.*?)^```$", read("docs/architecture.md"), _BLOCK):
        assert any(block in source for source in sources), block


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.name)
def test_every_json_block_of_the_documentation_is_json(path: Path) -> None:
    for block in re.findall(r"^```json\n(.*?)^```$", path.read_text("utf-8"), _BLOCK):
        json.loads(block)
