"""Runs operations for a request of A2A, each in the same way as a call over REST."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from stoa.a2a import rpc
from stoa.calls.incoming import Incoming
from stoa.calls.runner import Runner
from stoa.http import answering
from stoa.http.request import HttpRequest
from stoa.operations.parts.buckets import Charge
from stoa.operations.table import Operation
from stoa.schemas.validation import Values


@dataclass(slots=True)
class TaskCall:
    """A request, with the charge of its write or first read, and whether an answer was a stored
    one."""

    request: HttpRequest
    charge: Charge | None = None
    replayed: bool = False


class Operations:
    """The operations by name."""

    def __init__(self, runner: Runner, operations: list[Operation]) -> None:
        self._runner = runner
        self._operations = {one.name: one for one in operations}

    async def run(
        self,
        call: TaskCall,
        name: str,
        values: Values,
        in_path: Values | None = None,
        *,
        key: str | None = None,
        place: Callable[[str], str] = str,
        conflict: int = rpc.UNSUPPORTED,
    ) -> Any:
        """The answer of an operation. A refusal is raised as RpcError; see `rpc.refused`."""
        request, path = call.request, in_path or {}

        async def read() -> Values:
            return {**values, **path}

        incoming = Incoming(
            authorization=request.authorization,
            address=request.address,
            base_url=request.base_url,
            values=read,
            place=place,
            in_path=path,
            idempotency_key=key,
            key_name="message.messageId",
            key_may_return=True,
        )
        operation = self._operations[name]
        outcome = await self._runner.call(operation, incoming)
        if call.charge is None or operation.writes:
            call.charge = outcome.charge
        call.replayed = call.replayed or outcome.replayed
        if outcome.refusal:
            body = answering.error_json(outcome.refusal, request.origin, request.id)
            raise rpc.refused(outcome.refusal, body, conflict)
        return msgspec.json.decode(outcome.body)
