"""Fourth step: read the input, check all of it, and know what it asks for."""

from stoa.calls.idempotency import keyed
from stoa.calls.incoming import Incoming
from stoa.calls.invocation import Invocation
from stoa.clock import Clock
from stoa.operations.call import Caller, Services
from stoa.operations.table import Operation
from stoa.schemas.validation import parse


class InputReader:
    """Makes of raw input the typed request of an operation."""

    def __init__(self, services: Services, clock: Clock) -> None:
        self._services = services
        self._clock = clock

    async def invocation(
        self, operation: Operation, incoming: Incoming, caller: Caller | None
    ) -> Invocation:
        """The checked call. 413, 415 and 400 for input that cannot be read or is wrong."""
        values = await incoming.values()
        request, warnings = parse(operation.request, values, incoming.place, self._deadlines)
        key = incoming.idempotency_key
        return Invocation(
            operation,
            request,
            warnings,
            caller,
            incoming.address,
            incoming.base_url,
            keyed(key, operation, request) if key is not None and operation.takes_key else None,
        )

    def _deadlines(self) -> tuple[int, int]:
        """Between when and when the deadline of a job may lie, ms."""
        now = self._clock()
        return now, self._services.latest_deadline(now)
