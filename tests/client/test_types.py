"""The Python clients type-check for their users: their examples, with mypy at its strictest."""

import asyncio
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from stoa.client import AsyncStoa, Key, Stoa
from tests.client.forms import awaited_offers, offers
from tests.client.test_examples import METHODS, awaited_example, example
from tests.docs.test_clients import CLIENTS, blocks
from tests.support.server import Server
from tools.clients import ROOT

FORMS = ROOT / "tests/client/forms.py"
HEAD = """
from stoa.client import AsyncStoa, Key, Stoa
from stoa.client.generated.models import (
    Agent,
    ApprovalRead,
    ChallengeCreated,
    Inbox,
    Job,
    JobMessage,
    Receipt,
    Reply,
    ReplyOutcome,
    Report,
    Submission,
    Thread,
    WantedActInput,
    Watch,
    Webhook,
)

acts: list[WantedActInput]
agent: Agent
asked: ApprovalRead
code: str
inbox: Inbox
issued: ChallengeCreated
job: Job
key: Key
message: JobMessage
new_signature: str
offline: Key
other: Key
receipt: Receipt
reply: Reply
report: Report
said: ReplyOutcome
signature: str
thread: Thread
watch: Watch
webhook: Webhook
work: Submission
"""


def examples() -> Iterator[str]:
    """The example of each call, as the body of a function."""
    for method in METHODS:
        body, awaited = (
            textwrap.indent(code, "    ") for code in (example(method), awaited_example(method))
        )
        yield f"def {method}_blocking(stoa: Stoa) -> None:\n{body}"
        yield f"async def {method}_awaited(stoa: AsyncStoa) -> None:\n{awaited}"


def mypy(folder: Path, *files: Path) -> tuple[int, str]:
    """Run mypy, which must see the clients as a user's does; its status and what it printed."""
    options = ("--strict", "--no-incremental", "--no-error-summary", "--follow-imports=silent")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *files],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.soak
@pytest.mark.long
def test_mypy_reads_every_example(tmp_path: Path) -> None:
    program = tmp_path / "examples.py"
    program.write_text("\n\n".join([HEAD, *examples()]), "utf-8")
    page = tmp_path / "page.py"
    page.write_text("\n".join(blocks(CLIENTS, "python")), "utf-8")
    assert mypy(tmp_path, program, page, FORMS) == (0, "")


@pytest.mark.soak
def test_mypy_finds_what_a_call_does_not_take(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    forms = FORMS.read_text("utf-8")
    program.write_text(forms.replace('{"credits": 2}', '{"credit": 2}'), "utf-8")
    status, printed = mypy(tmp_path, program)
    assert status != 0
    assert "BountyOfferInput" in printed


def test_offers_need_no_asset(server: Server) -> None:
    with Stoa(server.url, Key.generate()) as stoa:
        thread, job = offers(stoa)
    assert (thread.bounty_credits, job.reward.amount) == (2, Decimal("2.5"))


def test_awaited_offers_need_no_asset(server: Server) -> None:
    async def run() -> None:
        async with AsyncStoa(server.url, Key.generate()) as stoa:
            thread, job = await awaited_offers(stoa)
            assert (thread.bounty_credits, job.reward.amount) == (2, Decimal("2.5"))

    asyncio.run(run())
