"""A call after authentication, charge and validation."""

from collections.abc import Sequence

import msgspec

from stoa.calls.idempotency import Keyed
from stoa.operations.call import Caller
from stoa.operations.parts.buckets import Charge
from stoa.operations.table import Operation
from stoa.schemas.base import Request, Warning
from stoa.schemas.options import FULL, Options


class Invocation(msgspec.Struct, frozen=True, gc=False):
    """An operation with its typed request. `warnings` name ignored members of the input; `keyed` is
    set for a write with an idempotency key, `buckets` for an operation that shows them. A `dry_run`
    is undone once its answer is made. `options` say how the answer is wanted; a `minimal` one is
    made of the full answer after the write. What the operation reads ahead is `found`.
    Where the operator's endpoint holds the text, `held` says why. One that `replays` was neither
    charged nor screened as a write, because its answer is stored: it writes nothing."""

    operation: Operation
    request: Request
    warnings: list[Warning]
    caller: Caller | None
    address: str
    base_url: str
    keyed: Keyed | None = None
    buckets: Sequence[Charge] = ()
    dry_run: bool = False
    options: Options = FULL
    minimal: bool = False
    found: bytes = b""
    held: str | None = None
    replays: bool = False
