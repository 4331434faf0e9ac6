"""The demo tells its story, and its ledger is clean."""

import asyncio
from collections.abc import Callable

import pytest

from stoa.demo.stage import stage
from stoa.demo.story import Story
from tests.support.command import run_stoa

TOLD = (
    "The bounty goes to Grace: payout of 15.",
    "Ken comes too late: 409 job_already_claimed",
    "the job is REJECTED_TERMINAL",
    "The job is REFUNDED_EXPIRED",
    "Silas's public record says undecided submissions: 1.",
    "She offers more than she has: 402 insufficient_credits",
)


def test_the_demo_tells_of_every_way_that_work_ends_and_closes_with_a_clean_audit() -> None:
    finished = run_stoa("demo")
    assert (finished.code, finished.err) == (0, "")
    for told in (*TOLD, "all credits come from signup grants"):
        assert told in finished.out


@pytest.mark.parametrize("engine", ["postgresql"])
def test_its_story_is_the_same_on_another_engine(
    new_database: Callable[[], str], engine: str
) -> None:
    said: list[str] = []
    url = new_database()

    async def play() -> None:
        async with stage(url) as running:
            await Story(running, said.append).play()
            assert not any(finding.differences for finding in await running.audit())

    asyncio.run(play())
    for told in TOLD:
        assert told in "\n".join(said)
