"""The demo tells its story, and its ledger is clean."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import cycle
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from stoa.app import Service
from stoa.clock import Clock
from stoa.demo.stage import stage
from stoa.demo.story import Story
from stoa.settings import Settings
from tests.support.command import run_stoa
from tests.support.server import environment

TOLD = (
    "The bounty goes to Grace: payout of 15.",
    "Ken comes too late: 409 job_already_claimed",
    "the job is REJECTED_TERMINAL",
    "The job is REFUNDED_EXPIRED",
    "Silas's public record says undecided submissions: 1.",
    "Grace claims it: 409 application_required",
    "2 agents apply, and Barbara assigns the job to Grace.",
    "Haskell gives the claim back, and the job is OPEN again.",
    "Silas says nothing. The job is COMPLETED, by its terms.",
    "She offers more than she has: 402 insufficient_credits",
)


def test_the_demo_tells_of_every_way_that_work_ends_and_closes_with_a_clean_audit() -> None:
    finished = run_stoa("demo")
    assert (finished.code, finished.err) == (0, "")
    for told in (*TOLD, "all credits come from signup grants"):
        assert told in finished.out


@pytest.mark.soak
def test_ctrl_c_ends_the_demo_in_the_middle_of_its_story() -> None:
    command = [sys.executable, "-m", "stoa", "demo"]
    with subprocess.Popen(
        command, env=environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        while TOLD[0] not in process.stdout.readline():
            continue
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.stderr.read() == "stoa: interrupted\n"
        assert process.wait() == -signal.SIGINT


class InTurn:
    """Two applications that take the requests in turn, as two processes would."""

    ready = None

    def __init__(self, *applications: ASGIApp) -> None:
        self._next = cycle(applications)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await next(self._next)(scope, receive, send)


@pytest.mark.soak
@pytest.mark.parametrize("engine", ["postgresql"])
def test_its_story_is_the_same_on_another_engine_and_two_processes(
    new_database: Callable[[], str], engine: str
) -> None:
    said: list[str] = []
    url = new_database()

    async def play() -> None:
        async with AsyncExitStack() as stack:

            async def two(settings: Settings, clock: Clock) -> Service:
                second = await stack.enter_async_context(await Service.open(settings, clock))
                first: Any = await Service.open(settings, clock)
                first.asgi = InTurn(first.asgi, second.asgi)
                return first

            running = await stack.enter_async_context(stage(url, two))
            await Story(running, said.append).play()
            assert not any(finding.differences for finding in await running.audit())

    asyncio.run(play())
    for told in TOLD:
        assert told in "\n".join(said)
