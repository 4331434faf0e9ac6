"""Writes whose transactions begin a moment after they were let through."""

from tests.support.app import App
from tests.support.steps import Steps


def begin_late(stoa: App, steps: Steps, ms: int) -> None:
    """Let this time pass before the next transaction that writes."""

    async def pass_time() -> None:
        stoa.clock.advance(ms)

    steps.before("write", pass_time, once=True)
