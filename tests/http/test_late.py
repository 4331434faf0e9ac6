"""The application that is made when it is first asked for."""

import asyncio
from typing import Any

from stoa.http.late import LateApplication
from stoa.http.wire import Application, Receive, Scope, Send


def test_an_application_is_made_once_for_all_that_ask_at_the_same_time() -> None:
    made: list[Application] = []
    answered: list[Any] = []

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        answered.append(scope["path"])

    def make() -> Application:
        made.append(application)
        return application

    async def receive() -> Any:
        raise AssertionError

    async def send(message: Any) -> None:
        raise AssertionError

    async def ask(late: LateApplication) -> None:
        await asyncio.gather(*(late({"path": n}, receive, send) for n in range(20)))
        await late({"path": 20}, receive, send)

    late = LateApplication(make)
    assert made == []
    asyncio.run(ask(late))
    assert made == [application]
    assert sorted(answered) == list(range(21))
