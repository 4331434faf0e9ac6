"""Reads of the log that many calls make at the same moment."""

import asyncio

from stoa.app import new_services
from stoa.calls.following.shared_reads import SharedReads
from stoa.calls.invocation import Invocation
from stoa.calls.transaction import Result, Transactions
from stoa.operations.call import Caller
from stoa.operations.catalog import all_operations
from stoa.schemas.base import Warning
from stoa.schemas.events import GetInbox, ListEvents
from stoa.schemas.options import FULL, LEAN, Options
from tests.support.app import Agent, App

OPERATIONS = {one.name: one for one in all_operations()}
WARNING = Warning(path="query.tagz", message="This name is not known here, so it was ignored.")


class Counted(Transactions):
    """Transactions whose number is known."""

    count = 0

    async def run(
        self, invocation: Invocation, shown: str | None, *, to_keep: bool = False
    ) -> Result:
        self.count += 1
        return await super().run(invocation, shown, to_keep=to_keep)


def counted(stoa: App) -> Counted:
    return Counted(stoa.stoa.store, new_services(stoa.settings), stoa.clock)


def events(request: ListEvents, options: Options = FULL, *warnings: Warning) -> Invocation:
    operation = OPERATIONS["list_events"]
    return Invocation(operation, request, [*warnings], None, "", "", options=options)


def inbox(agent: Agent) -> Invocation:
    caller = Caller(agent.id, "active", 0, 1, 0, "", "read write")
    return Invocation(OPERATIONS["get_inbox"], GetInbox(), [], caller, "", "")


def together(stoa: App, transactions: Counted, *asked: tuple[Invocation, str]) -> list[Result]:
    async def run() -> list[Result]:
        shared = SharedReads(transactions)
        return await asyncio.gather(*(shared.run(*one) for one in asked))

    return stoa.run(run())


def test_the_same_public_read_is_made_once_for_all(stoa: App, ada: Agent) -> None:
    ada.thread()
    transactions = counted(stoa)
    results = together(stoa, transactions, *[(events(ListEvents()), "")] * 9)
    assert transactions.count == 1
    assert b"thread.created" in results[0].body
    assert all(one is results[0] for one in results)
    together(stoa, transactions, (events(ListEvents()), ""))
    assert transactions.count == 2


def test_reads_that_differ_are_made_each(stoa: App, ada: Agent, bob: Agent) -> None:
    transactions = counted(stoa)
    asked = [
        (events(ListEvents()), ""),
        (events(ListEvents()), "7"),
        (events(ListEvents(limit=1)), ""),
        (events(ListEvents(), LEAN), ""),
        (events(ListEvents(), FULL, WARNING), ""),
        (inbox(ada), ""),
        (inbox(bob), ""),
        (inbox(ada), ""),
    ]
    together(stoa, transactions, *asked)
    assert transactions.count == len(asked)


def test_one_that_goes_leaves_the_read_to_the_others(stoa: App) -> None:
    transactions = counted(stoa)

    async def run() -> Result:
        shared = SharedReads(transactions)
        first = asyncio.create_task(shared.run(events(ListEvents()), ""))
        second = asyncio.create_task(shared.run(events(ListEvents()), ""))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert stoa.run(run()).body.startswith(b"{")
    assert transactions.count == 1
