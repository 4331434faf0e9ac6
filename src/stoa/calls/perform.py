"""One call of an operation within its transaction, in whichever process that is."""

from typing import Any

import msgspec
from msgspec.structs import astuple

from stoa.calls import idempotency
from stoa.calls.idempotency import Keyed
from stoa.operations.call import Call, Caller, Services
from stoa.operations.table import TABLE, Operation
from stoa.schemas.base import Request, Warning, encode
from stoa.store import agents, holds
from stoa.store.engines.frames import Carrier, packed, unpacked
from stoa.store.tx import Tx, Work

_CALL, _OTHER = 0, 1


class Asked(msgspec.Struct, frozen=True, gc=False):
    """A call that was charged and read. `warnings` name what it had that was ignored; `keyed` is a
    write that gets its first answer again."""

    operation: Operation
    request: Request
    warnings: list[Warning]
    caller: Caller | None
    address: str
    base_url: str
    keyed: Keyed | None = None

    @property
    def subjects(self) -> list[str]:
        """The threads, bounties and jobs that the request is about."""
        named = (getattr(self.request, name, None) for name in ("thread_id", "job_id"))
        return [subject for subject in named if subject]


class Performed(msgspec.Struct, frozen=True, gc=False):
    """An encoded success as of `at`, for the caller alone when `private`; `expires_at` (both ms) is
    when it changes by the passing of time alone."""

    body: bytes
    next_cursor: str | None
    private: bool
    at: int
    expires_at: int | None = None


class RefundsDue(Exception):
    """Refunds come first, and stay booked whatever becomes of the call that found them due."""


class Performance(msgspec.Struct, frozen=True, gc=False):
    """The work of one call: run the operation and encode its answer. With `unless_due` it first
    looks whether refunds are due to the caller or for what the request is about."""

    services: Services
    asked: Asked
    unless_due: bool = False

    async def __call__(self, tx: Tx) -> Performed:
        """Do it."""
        asked = self.asked
        operation, caller = asked.operation, asked.caller
        if self.unless_due and caller and await holds.due_for(tx, caller.agent_id, asked.subjects):
            raise RefundsDue
        if caller and asked.keyed and caller.status == "active":
            first = await idempotency.first_answer(tx, caller.agent_id, asked.keyed)
            if first:
                return Performed(first.answer, None, False, first.created_at)
        call = Call(tx, self.services, caller, asked.address, asked.base_url)
        answer: Any = await operation.run(call, asked.request)
        if asked.warnings:
            answer = msgspec.structs.replace(answer, warnings=asked.warnings)
        if operation.writes and caller:
            agents.seen(tx, caller.agent_id)
        body = encode(answer)
        if caller and asked.keyed:
            await idempotency.keep(tx, caller.agent_id, asked.keyed, body)
        next_cursor = getattr(answer, "next_cursor", None)
        return Performed(body, next_cursor, call.private, call.now, call.expires_at)


class Performances(Carrier):
    """Takes works to another process. Of a call of an operation only plain values cross, which
    takes a third of the time; any other work is a function with its arguments."""

    def __init__(self, services: Services) -> None:
        super().__init__((services, services.ids))
        self._services = services

    def pack(self, work: Work[Any]) -> bytes:
        """A work as bytes."""
        if not isinstance(work, Performance):
            return bytes([_OTHER]) + super().pack(work)
        asked = work.asked
        plain = (
            asked.operation.name,
            astuple(asked.request),
            asked.warnings,
            asked.caller and astuple(asked.caller),
            asked.address,
            asked.base_url,
            asked.keyed and astuple(asked.keyed),
            work.unless_due,
        )
        return bytes([_CALL]) + packed(plain)

    def unpack(self, content: memoryview) -> Work[Any]:
        """The work that was packed."""
        if content[0] == _OTHER:
            return super().unpack(content[1:])
        name, request, warnings, caller, *where, keyed, unless_due = unpacked(content[1:])
        operation = TABLE[name]
        fields = dict(zip(operation.request.__struct_fields__, request, strict=True))
        asked = Asked(
            operation,
            operation.request(**fields),
            warnings,
            caller and Caller(*caller),
            *where,
            keyed=keyed and Keyed(*keyed),
        )
        return Performance(self._services, asked, unless_due)
