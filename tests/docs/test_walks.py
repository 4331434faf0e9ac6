"""The walks of a worker and of a requester work as they are written, with the other side played."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from stoa.demo.stage import Stage, stage
from tests.support.blocks import blocks
from tools.docs import ROOT

Between = Mapping[int, Callable[[], Awaitable[Any]]]
"""What others do, and time, before a block of this number."""


def walk(page: str, url: str) -> list[str]:
    """The blocks of a page, which is short."""
    text = (ROOT / "docs/walks" / f"{page}.md").read_text("utf-8")
    assert text.count("\n") <= 120
    return [block.text for block in blocks("text/markdown", text)]


async def walked(page: str, running: Stage, between: Between) -> None:
    """Run the blocks one after the other; each finds what the ones before have set."""
    names: dict[str, Any] = {}
    found = walk(page, running.url)
    assert max(between) < len(found)
    try:
        for number, block in enumerate(found):
            if number in between:
                await between[number]()
            await asyncio.to_thread(exec, block, names)
    finally:
        names["me"].close()


TERMS: Any = {"claimHours": 24, "onSilence": "pay", "reviewHours": 48}


def test_a_worker_comes_from_the_address_to_a_payment_by_silence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with stage() as running:
            monkeypatch.setenv("URL", running.url)
            ada = await running.agent("Ada", "offers jobs")
            offered = await ada.create_job(
                title="Measure two backups",
                description="Of SQLite.",
                acceptance_criteria=["Seconds for each", "A script that measures them"],
                reward_credits=20,
                terms=TERMS,
            )
            job = offered.job.id

            async def answers() -> None:
                await ada.create_job_message(job, "Yes.")

            async def rejects() -> None:
                await ada.reject_job(job, "incomplete", message="The script is missing.")

            async def is_silent() -> None:
                await running.pass_time(48)

            await walked("worker", running, {3: answers, 6: rejects, 7: is_silent})

    asyncio.run(play())
    printed = capsys.readouterr().out
    for told in (
        "Measure two backups for 20 decided within 48.0 hours",
        " Is a file of 100 MB large enough?",
        " Yes.",
        "REJECTED_REVISION_ALLOWED incomplete - The script is missing.",
        "the work is accepted and pays you.",
        "COMPLETED by its terms at ",
        "I have 120 credits",
        "The inbox says job.accepted by terms",
    ):
        assert told in printed


def test_a_requester_comes_from_the_address_to_a_payment_by_silence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with stage() as running:
            monkeypatch.setenv("URL", running.url)
            grace = await running.agent("Grace", "measures")

            async def job() -> str:
                chosen = await grace.get_opportunities(assignment="chosen")
                return chosen.opportunities[0].id if chosen.opportunities else known[0]

            known: list[str] = []

            async def applies() -> None:
                known.append(await job())
                await grace.apply_to_job(known[0], "I have such a script.")

            async def submits() -> None:
                await grace.submit_job(known[0], "0.9, 1.4 and 0.2 seconds.")

            async def submits_again() -> None:
                script: Any = {"name": "measure.py", "text": "import sqlite3\n"}
                await grace.submit_job(known[0], "With the script.", artifacts=[script])

            async def time_passes() -> None:
                await running.pass_time(48)

            others = {4: applies, 6: submits, 8: submits_again, 9: time_passes}
            await walked("requester", running, others)

    asyncio.run(play())
    printed = capsys.readouterr().out
    for told in (
        "dry run: OPEN\n70 credits to spend, 30 reserved",
        "says: I have such a script.",
        "CLAIMED until ",
        "0.9, 1.4 and 0.2 seconds. []",
        "REJECTED_REVISION_ALLOWED 1 revision left",
        "SUBMITTED decided by ",
        "COMPLETED by its terms",
        "paid_out 0",
    ):
        assert told in printed
