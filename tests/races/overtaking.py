"""A call that another one overtakes on PostgreSQL, between what it reads and its first lock."""

from collections.abc import Coroutine
from typing import Any

from tests.support.answers import Answer
from tests.support.app import App
from tests.support.steps import Steps

Asked = Coroutine[Any, Any, Answer]


def overtaken(stoa: App, steps: Steps, first: Asked, second: Asked) -> list[Answer]:
    """Make a call, and the second between what the first reads and its first lock; both answers."""
    answers = list[Answer]()

    async def overtake() -> None:
        answers.append(await second)

    steps.before("locks", overtake, once=True)
    return [stoa.run(first), *answers]
