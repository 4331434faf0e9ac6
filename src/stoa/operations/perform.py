"""One call of an operation within its transaction, in whichever process that is."""

from functools import partial
from typing import Any

import msgspec

from stoa.domain import limits
from stoa.operations.call import Call, Caller, Services
from stoa.operations.table import TABLE, Operation
from stoa.schemas.base import Request, Warning, encode
from stoa.store import agents, holds
from stoa.store.tx import Tx


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A call that was charged and read. `warnings` name what it had that was ignored."""

    operation: Operation
    request: Request
    warnings: list[Warning]
    caller: Caller | None
    address: str
    base_url: str

    @property
    def subjects(self) -> list[str]:
        """The threads and jobs that the request is about."""
        named = (getattr(self.request, name, None) for name in ("thread_id", "job_id"))
        return [subject for subject in named if subject]


class Performed(msgspec.Struct, frozen=True, gc=False):
    """An encoded success as of `at`, for the caller alone when `private`, else true until
    `holds_until` (both ms) unless something changes."""

    body: bytes
    next_cursor: str | None
    private: bool
    at: int
    holds_until: int


class RefundsDue(Exception):
    """Refunds come first, and stay booked whatever becomes of the call that found them due."""


async def perform(services: Services, asked: Asked, tx: Tx) -> Performed:
    """Run the operation and encode its answer."""
    operation, caller = asked.operation, asked.caller
    call = Call(tx, services, caller, asked.address, asked.base_url)
    answer: Any = await operation.run(call, asked.request)
    if asked.warnings:
        answer = msgspec.structs.replace(answer, warnings=asked.warnings)
    if operation.writes and caller:
        agents.seen(tx, caller.agent_id)
    latest = call.now + limits.KEPT_MS
    return Performed(
        encode(answer),
        getattr(answer, "next_cursor", None),
        call.private,
        call.now,
        min(latest, call.expires_at or latest),
    )


async def perform_unless_due(services: Services, asked: Asked, tx: Tx) -> Performed:
    """The same, unless refunds are due to the caller or for what the request is about."""
    assert asked.caller
    if await holds.due_for(tx, asked.caller.agent_id, asked.subjects):
        raise RefundsDue
    return await perform(services, asked, tx)


def shared(services: Services) -> tuple[object, ...]:
    """What the works of the runner and of the upkeep are made of, in every process alike."""
    functions = (partial, perform, perform_unless_due, Asked, Performed, Caller)
    requests = (operation.request for operation in TABLE.values())
    return (services, services.ids, *functions, *TABLE.values(), *requests)
