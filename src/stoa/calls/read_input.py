"""Fourth step: read and validate the input."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from stoa.calls import dry_runs, posted_credentials, posted_tokens
from stoa.calls.idempotency import keyed
from stoa.calls.incoming import Incoming
from stoa.calls.invocation import Invocation
from stoa.clock import Clock
from stoa.domain.errors import InputIssue, Refusal, invalid
from stoa.operations.call import Caller, Services
from stoa.operations.table import Operation
from stoa.schemas import messages
from stoa.schemas.base import Request, Warning
from stoa.schemas.options import FULL, Options, View
from stoa.schemas.validation import Values, parse
from stoa.store.tx import Store

_MOST, _LONGEST = 1_000, 300
"""The most inputs that are cached as they were read, and the most characters of one."""


class _Read(NamedTuple):
    """An input that was read, with the names that are ignored and how the answer is wanted."""

    request: Request
    warnings: list[Warning]
    options: Options


class InputReader:
    """Turns raw input into the typed request of an operation.

    For operations that recur it caches what an input was read as: reading it again would take a
    tenth of such a call, and many agents send the same.
    """

    def __init__(self, store: Store, services: Services, clock: Clock) -> None:
        self._store = store
        self._services = services
        self._clock = clock
        self._known: dict[str, _Read] = {}

    async def invocation(
        self, operation: Operation, incoming: Incoming, caller: Caller | None
    ) -> Invocation:
        """The checked call. Raises 413, 415 or 400 for input that cannot be read or is invalid."""
        asked = incoming.same_input if operation.effect.recurs else None
        known = self._known.get(asked) if asked else None
        if known:
            request, warnings, options = known
            where = incoming.address, incoming.base_url
            return Invocation(operation, request, warnings, caller, *where, options=options)
        values, key = await incoming.values(), incoming.idempotency_key
        if operation.writes:
            posted = [*values.items(), (incoming.key_name, key)]
            posted.append((incoming.dry_run_name, incoming.dry_run))
            await posted_tokens.refuse(self._store, posted, incoming.place)
            if self._services.settings.screen_secrets == "on":
                posted_credentials.refuse(operation, values, incoming.place)
        dry_run = operation.tag in dry_runs.IN_BODY and dry_runs.asked_in_body(values)
        if incoming.dry_run is not None:
            dry_run = dry_runs.checked(operation, incoming) or dry_run
        options, issues = operation.options(), ()
        if not incoming.option_names.keys().isdisjoint(values):
            options, values, issues = _options(operation, incoming, values)
        try:
            request, warnings = parse(
                operation.request, values, incoming.place, self._deadlines, incoming.offered
            )
        except Refusal as refusal:
            raise invalid(*issues, *refusal.issues) from None
        if issues:
            raise invalid(*issues)
        warnings = warnings and _searching(operation, warnings, values, incoming)
        short = options.view == "lean" or incoming.prefers_minimal
        by_key = None
        if key is not None and caller and operation.takes_key and not dry_run:
            meant = request.meant(caller.session_id)
            by_key = keyed(key, operation, meant, incoming.key_name)
            by_key = by_key.of_input if incoming.key_may_return else by_key
        options = options if isinstance(options, Options) else FULL
        if asked:
            self._remember(asked, _Read(request, warnings, options))
        return Invocation(
            operation,
            request,
            warnings,
            caller,
            incoming.address,
            incoming.base_url,
            keyed=by_key,
            dry_run=dry_run,
            options=options,
            minimal=operation.gives_receipt and short,
        )

    def _remember(self, asked: str, read: _Read) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        if len(asked) <= _LONGEST:
            self._known[asked] = read

    def _deadlines(self) -> tuple[int, int]:
        """The earliest and the latest deadline (ms) that a job may have."""
        now = self._clock()
        return now, self._services.latest_deadline(now)


def _searching(
    operation: Operation, warnings: list[Warning], values: Values, incoming: Incoming
) -> list[Warning]:
    """The warnings; one about words that a list does not search for names the search instead."""
    if operation.writes:
        return warnings
    words = {incoming.place(name): values.get(name) for name in ("q", "query", "search")}
    return [
        replace(one, message=messages.not_searched(said))
        if isinstance(said := words.get(one.path), str)
        else one
        for one in warnings
    ]


def _options(
    operation: Operation, incoming: Incoming, values: Values
) -> tuple[View, Values, Sequence[InputIssue]]:
    """The options, the values without them, and what is wrong with the options."""
    own = incoming.option_names
    given = {own[name]: value for name, value in values.items() if name in own}
    rest = {name: value for name, value in values.items() if name not in own}
    places = {option: name for name, option in own.items()}
    try:
        options, _ = parse(operation.options, given, lambda name: incoming.place(places[name]))
    except Refusal as refusal:
        return operation.options(), rest, refusal.issues
    if isinstance(options, Options) and options.lean and options.excerpt is None:
        options = replace(options, excerpt=operation.response.lean.texts)
    return options, rest, ()
