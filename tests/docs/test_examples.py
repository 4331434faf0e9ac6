"""Every shell and Python block of README.md and the quickstart works as it is written."""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from stoa.client import Key, Stoa
from tests.support.blocks import blocks as blocks_of
from tests.support.server import Server
from tests.support.shell import Shell
from tests.support.soaking import few
from tools.docs import ROOT

PAGES = ["docs/mcp-events.md", "README.md", "docs/quickstart.md"]
SAID = {
    "docs/mcp-events.md": {"sh": ['"nextPollMs":'], "python": []},
    "README.md": {
        "sh": ["VACUUM INTO makes a", "clean copy"],
        "python": ["Grace has 125"],
    },
    "docs/quickstart.md": {
        "sh": [
            '{"status":"ok"',
            "304",
            '"available":120',
            '"path":"tags.0"',
            '"structuredContent":{',
        ],
        "python": [
            "answered True",
            "How long do I keep a WAL file? - Until a checkpoint",
            "Which index serves ORDER BY? - answered",
        ],
    },
}
"""What the blocks print, among other things."""
TESTED = {
    "README.md": {"sh", "python", "ts", "json"},
    "docs/a2a.md": {"python"},
    "docs/architecture.md": {"python"},
    "docs/clients.md": {"json", "python", "sh", "ts"},
    "docs/configuration-blocks.md": {"json", "python", "sh", "toml", "ts"},
    "docs/events.md": {"python"},
    "docs/mcp.md": {"json", "python"},
    "docs/mcp-events.md": {"python", "sh"},  # the first also in tests/upkeep
    "docs/operating/faults.md": {"toml"},
    "docs/operating/install.md": {"toml"},
    "docs/operating/keep.md": {"sh"},
    "docs/operating/move.md": {"sh"},
    "docs/operating/postgresql.md": {"sh", "sql"},
    "docs/operating/scale.md": {"json", "toml"},
    "docs/operating/watch.md": {"toml"},
    "docs/paid-work.md": {"python"},
    "docs/public-server.md": {"sh"},
    "docs/quickstart.md": {"sh", "python"},
    "docs/start/agent.md": {"sh"},
    "docs/start/builder.md": {"python"},
    "docs/start/operator.md": {"sh", "toml"},
    "docs/walks/requester.md": {"python"},
    "docs/walks/worker.md": {"python"},
    "docs/reference/errors.md": {"json"},
    "docs/reference/operations.md": {"http", "json"},
}
"""The languages of the blocks that tests/docs runs or reads. The reference is generated."""

ELSEWHERE = {
    "CONTRIBUTING.md": {"sh"},  # has a blank for the address of the repository
    "README.md": {"text"},  # the output of the demo
    "docs/architecture.md": {"mermaid"},  # drawings
    "docs/operating/faults.md": {"text"},  # output
    "docs/operating/install.md": {"console"},  # other programs
    "docs/mcp-events.md": {"json"},  # what tests/mcp sends and gets
    "docs/operating/keep.md": {"ini"},
    "docs/operating/let-in.md": {"console"},  # has blanks for ids
    "docs/operating/move.md": {
        "console",
        "",  # the recipe of an import, which tests/importers reads; the direct one runs below
    },
    "docs/operating/releases.md": {"console"},  # what takes minutes
    "docs/operating/upgrade.md": {"console"},  # the weekend of an operator does it
    "docs/operating/scale.md": {"sql"},
    "docs/operating/watch.md": {"text"},
    "docs/start/agent.md": {"console"},  # a prompt; its commands are tried
    "docs/start/operator.md": {"console"},
    "docs/scale.md": {"haproxy", "ini", "mermaid", "sh", "sql"},  # the drill and its programs
}
"""The languages of the blocks that no test of the documentation can run."""

ALL_PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md"] + [
    path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md"))
]


_BLOCK = re.MULTILINE | re.DOTALL


def read(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, language: str) -> str:
    """The blocks of one language, one after the other."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```$", read(page), _BLOCK))


def run(command: list[str], folder: Path, server: Server) -> str:
    """Run a program in a folder; what it printed."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "URL": server.url, "PATH": path}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr + done.stdout
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("shell", few(["sh", "bash"]))
@pytest.mark.parametrize("page", few(reversed(PAGES)))
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


def test_no_block_is_left_out() -> None:
    for page in ALL_PAGES:
        kinds = {block.kind for block in blocks_of("text/markdown", read(page))}
        assert kinds == TESTED.get(page, set()) | ELSEWHERE.get(page, set())


def test_the_python_of_the_page_on_events_works(tmp_path: Path, server: Server) -> None:
    printed = run([sys.executable, "-c", blocks("docs/events.md", "python")], tmp_path, server)
    assert printed == "reply.created VACUUM INTO makes a clean copy.\n"


def test_the_python_of_the_page_on_paid_work_works(tmp_path: Path, server: Server) -> None:
    with Stoa(server.url, Key.generate()) as stoa:
        stoa.sign_in()
        first = stoa.list_agents().agents[0].id
        paid = stoa.get_record(first).record.as_worker.paid
    printed = run([sys.executable, "-c", blocks("docs/paid-work.md", "python")], tmp_path, server)
    assert printed == f"{paid}\n"


@pytest.mark.soak
def test_the_python_of_the_page_on_mcp_works(tmp_path: Path, server: Server) -> None:
    code = blocks("docs/mcp.md", "python").replace("http://127.0.0.1:8080", server.url)
    run([sys.executable, "-c", code], tmp_path, server)


def test_the_python_of_the_page_on_a2a_works(tmp_path: Path, server: Server) -> None:
    printed = run([sys.executable, "-c", blocks("docs/a2a.md", "python")], tmp_path, server)
    assert printed.splitlines() == [
        "TASK_STATE_SUBMITTED",
        "TASK_STATE_INPUT_REQUIRED 9 s on an SSD.",
        "TASK_STATE_COMPLETED",
    ]


@pytest.mark.soak
def test_the_import_into_a_database_works(tmp_path: Path) -> None:
    found = blocks_of("text/markdown", read("docs/operating/move.md"))
    (direct,) = (block.text for block in found if "--direct" in block.text and not block.kind)
    shutil.copy(ROOT / "tests/data/Posts.xml", tmp_path)
    with closing(Shell(tmp_path)) as shell:
        shell.run(direct)
    assert (tmp_path / "stoa-data" / "stoa.db").exists()


def test_the_commands_of_the_configuration_blocks_are_commands(
    tmp_path: Path, server: Server
) -> None:
    keygen, add, _inspector = blocks("docs/configuration-blocks.md", "sh").strip().split("\n\n")
    with closing(Shell(tmp_path)) as shell:
        shell.run(keygen.replace("http://127.0.0.1:8080", server.url))
        shell.run(add.partition(" -- ")[2] + " --help")


def test_the_code_that_the_architecture_shows_is_the_code() -> None:
    sources = [path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py")]
    for block in re.findall(r"^```python\n(.*?)^```$", read("docs/architecture.md"), _BLOCK):
        assert any(block in source for source in sources), block


def test_every_json_block_of_the_documentation_is_json() -> None:
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"^```json\n(.*?)^```$", path.read_text("utf-8"), _BLOCK):
            json.loads(block)
