"""Fourth step: read and validate the input."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import NamedTuple

from msgspec.structs import replace

from stoa.caching import CachedKind
from stoa.calls import dry_runs, posted_credentials, posted_tokens
from stoa.calls.idempotency import check_key, keyed
from stoa.calls.incoming import Incoming
from stoa.calls.invocation import Invocation
from stoa.clock import Clock
from stoa.domain.errors import InputIssue, Refusal, invalid
from stoa.operations.call import Caller, Services
from stoa.operations.table import Operation
from stoa.schemas import messages
from stoa.schemas.base import Request, Warning
from stoa.schemas.options import FULL, Options, View
from stoa.schemas.validation import GivenTwice, Values, parse
from stoa.store.tx import Store

_LONGEST = 300
"""The most characters of a raw input that is cached."""
_READ_BYTES = 2_000
"""Roughly the memory that such an input takes."""


class _Read(NamedTuple):
    """A parsed input, with the ignored names and the options of the answer."""

    request: Request
    warnings: list[Warning]
    options: Options


class InputReader:
    """Turns raw input into the typed request of an operation.

    For operations that recur it caches parsed inputs: parsing takes a tenth of such a call, and
    many agents send the same.
    """

    def __init__(self, store: Store, services: Services, clock: Clock) -> None:
        self._store = store
        self._services = services
        self._clock = clock
        lasting = services.memory.lasting
        self._known = CachedKind[str, _Read](lasting, lambda asked, _: len(asked) + _READ_BYTES)

    async def invocation(
        self, operation: Operation, incoming: Incoming, caller: Caller | None
    ) -> Invocation:
        """The checked call. Raises 413, 415 or 400 for input that cannot be read or is invalid."""
        asked = incoming.same_input if operation.effect.recurs else None
        known = self._known.find(asked) if asked else None
        if known:
            request, warnings, options = known
            where = incoming.address, incoming.base_url
            return Invocation(operation, request, warnings, caller, *where, options=options)
        issues: list[InputIssue] = []
        try:
            values = await incoming.values()
        except GivenTwice as refusal:
            values = refusal.values
            issues += refusal.issues
        if operation.writes:
            await self._refuse_secrets(operation, incoming, values)
        dry_run = False
        if incoming.dry_run is not None or operation.tag in dry_runs.IN_BODY:
            dry_run = _asks_dry_run(operation, incoming, values, issues)
        key = None if dry_run or not operation.takes_key else incoming.idempotency_key
        if key is not None and caller:
            with _noted(issues):
                check_key(key, incoming.key_name)
        options = operation.options()
        if not incoming.option_names.keys().isdisjoint(values):
            options, values = _options(operation, incoming, values, issues)
        try:
            request, warnings = parse(
                operation.request, values, incoming.place, self._deadlines, incoming.offered
            )
        except Refusal as refusal:
            raise invalid(*issues, *refusal.issues) from None
        if issues:
            raise invalid(*issues)
        to_tell = warnings or "q" in values
        warnings = _searching(operation, request, warnings, incoming, values) if to_tell else []
        short = options.view == "lean" or incoming.prefers_minimal
        meant = request.meant(caller.session_id) if key and caller else None
        returns = incoming.key_may_return
        by_key = keyed(key, operation, meant, may_return=returns) if key and meant else None
        options = options if isinstance(options, Options) else FULL
        if asked and len(asked) <= _LONGEST:
            self._known.put(asked, _Read(request, warnings, options))
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

    async def _refuse_secrets(
        self, operation: Operation, incoming: Incoming, values: Values
    ) -> None:
        """400 for texts that hold a valid token, or a credential of another service."""
        posted = [*values.items(), (incoming.key_name, incoming.idempotency_key)]
        posted.append((incoming.dry_run_name, incoming.dry_run))
        await posted_tokens.refuse(self._store, posted, incoming.place)
        if self._services.settings.screen_secrets == "on":
            posted_credentials.refuse(operation, values, incoming.place)

    def _deadlines(self) -> tuple[int, int]:
        """The earliest and the latest deadline (ms) that a job may have."""
        now = self._clock()
        return now, self._services.latest_deadline(now)


def _searching(
    operation: Operation,
    request: Request,
    warnings: list[Warning],
    incoming: Incoming,
    values: Values,
) -> list[Warning]:
    """The warnings, and those about words that say nothing; one about words that a list does not
    search for names the search instead."""
    if operation.writes:
        return warnings
    words = {incoming.place(name): values.get(name) for name in ("q", "query", "search")}
    named = [
        replace(one, message=messages.not_searched(said))
        if isinstance(said := words.get(one.path), str)
        else one
        for one in warnings
    ]
    ignored = request.ignored()
    return named + [Warning(path=incoming.place(path), message=why) for path, why in ignored]


@contextmanager
def _noted(issues: list[InputIssue]) -> Generator[None]:
    """Adds the issues of a refusal within to the other issues, so that all are reported at once."""
    try:
        yield
    except Refusal as refusal:
        issues += refusal.issues


def _asks_dry_run(
    operation: Operation, incoming: Incoming, values: Values, issues: list[InputIssue]
) -> bool:
    """Whether a call is a dry run; takes `dryRun` out of a body that may have it."""
    asked = False
    if operation.tag in dry_runs.IN_BODY:
        with _noted(issues):
            asked = dry_runs.asked_in_body(values)
    if incoming.dry_run is not None:
        with _noted(issues):
            asked = dry_runs.checked(operation, incoming) or asked
    return asked


def _options(
    operation: Operation, incoming: Incoming, values: Values, issues: list[InputIssue]
) -> tuple[View, Values]:
    """The options, and the values without them; what is wrong with options is an issue."""
    own = incoming.option_names
    given = {own[name]: value for name, value in values.items() if name in own}
    rest = {name: value for name, value in values.items() if name not in own}
    places = {option: name for name, option in own.items()}
    try:
        options, _ = parse(operation.options, given, lambda name: incoming.place(places[name]))
    except Refusal as refusal:
        issues += refusal.issues
        return operation.options(), rest
    if isinstance(options, Options) and options.lean and options.excerpt is None:
        options = replace(options, excerpt=operation.response.lean.texts)
    return options, rest
