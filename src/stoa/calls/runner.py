"""Runs a call of REST or MCP through its steps, in the order in which they may refuse it.

The steps: authenticate, charge, look in the cache, read the input, have its texts screened, book
due refunds, run the transaction, encode.
"""

from dataclasses import dataclass, field

from msgspec.structs import replace

from stoa.calls.authenticate import Authenticator
from stoa.calls.following.follower import Follower, one_by_one
from stoa.calls.incoming import Incoming, Outcome, refused
from stoa.calls.invocation import Invocation
from stoa.calls.outages import Outages, check_counted, how_to_retry
from stoa.calls.public_reads import PublicReads
from stoa.calls.read_input import InputReader
from stoa.calls.screening import Screen
from stoa.calls.transaction import Transactions
from stoa.clock import Clock
from stoa.domain import ids
from stoa.domain.errors import Refusal
from stoa.limits.charge import Charges
from stoa.logs import log
from stoa.memory.answers import AnswerCache, CachedAnswer
from stoa.memory.single_flight import SingleFlight
from stoa.operations.call import Caller
from stoa.operations.parts.buckets import BucketFull, Charge
from stoa.operations.table import Mode, Operation
from stoa.schemas.base import NoInput
from stoa.schemas.minimal import minimal
from stoa.schemas.validation import Values
from stoa.store.tx import NotTouched, StoreUnavailable

_DEFECT_RETRY_S = 60


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs operations. Only `call` opens a transaction for an agent; REST and MCP both use it."""

    clock: Clock
    authenticator: Authenticator
    charges: Charges
    cache: AnswerCache
    reader: InputReader
    reads: PublicReads
    transactions: Transactions
    outages: Outages
    follower: Follower
    screen: Screen | None = None
    flight: SingleFlight = field(default_factory=SingleFlight)

    async def call(self, operation: Operation, incoming: Incoming) -> Outcome:
        """Run one call. Every error becomes an outcome with a refusal; none is raised."""
        try:
            caller = await self.authenticator.caller(
                operation, incoming.authorization, incoming.address
            )
            guess = await self.charges.guess(caller) if operation.who.guesses and caller else None
            dry_run = incoming.dry_run is not None and incoming.is_dry_run
            charge = await self.charges.take(operation, caller, incoming.address, to_reads=dry_run)
            if charge is None:
                return await self._answer(operation, incoming, caller)
            outcome = await self._charged(operation, incoming, caller, charge)
            # Only a 404 counts as a wrong guess of the code in the path.
            if guess and (outcome.refusal is None or outcome.refusal.code != "not_found"):
                await self.charges.uncount(guess)
        except Exception as error:
            return self._refused(self._refusal(operation, incoming, error))
        return outcome

    async def _charged(
        self, operation: Operation, incoming: Incoming, caller: Caller | None, charge: Charge
    ) -> Outcome:
        """The outcome with its charge. That of a refused or replayed call moves to `reads`."""
        if not charge.allowed and await self._is_repeated(operation, incoming, caller):
            incoming.replays = True
            charge = await self.charges.take_read(caller, incoming.address)
        if not charge.allowed:
            return self._refused(BucketFull(charge), charge)
        try:
            if operation.writes and not (charge.exact or incoming.is_dry_run):
                check_counted(charge)
            # A write that was answered from the cache would not happen.
            answer = self._made if operation.writes else self._answer
            outcome = await answer(operation, incoming, caller)
        except Exception as error:
            outcome = self._refused(self._refusal(operation, incoming, error))
        if outcome.refusal or outcome.replayed:
            charge = await self.charges.give_back(charge, caller, incoming.address)
            if not charge.allowed:
                return self._refused(BucketFull(charge), charge)
        outcome.charge = charge
        return outcome

    async def _is_repeated(
        self, operation: Operation, incoming: Incoming, caller: Caller | None
    ) -> bool:
        """Whether a response is stored under the key of this call, whose input may not have been
        read yet."""
        key = incoming.idempotency_key
        if caller is None or key is None or not operation.takes_key:
            return False
        if incoming.key_may_return:
            try:
                asked = await self.reader.invocation(operation, incoming, caller)
            except Refusal:
                return False
            key = asked.keyed.key if asked.keyed else key
        return await self.transactions.has_answer(operation, caller, key)

    def _refused(self, refusal: Refusal, charge: Charge | None = None) -> Outcome:
        return refused(self.charges.noted(refusal), charge)

    async def _answer(
        self, operation: Operation, incoming: Incoming, caller: Caller | None
    ) -> Outcome:
        caching, key = operation.caching, incoming.cache_key
        find = operation.effect.known
        if find and caller and not incoming.streamed:
            invocation = await self.reader.invocation(operation, incoming, caller)
            asked = incoming.same_input
            if known := await self.transactions.known(invocation, find, caller, asked):
                return Outcome(operation.status, *known)
        differs = caching.for_parties and caller  # a party sees more of its job
        if key is None or not caching.cached or differs or not self.cache.is_active:
            return await self._made(operation, incoming, caller)
        cached = self.cache.get(key, self.clock())
        if cached:
            return _ready(operation, cached)
        if operation.effect.mode is Mode.SLOW_READ:
            return await self._made_once(operation, incoming, caller, key)
        return await self._made(operation, incoming, caller, key)

    async def _made_once(
        self, operation: Operation, incoming: Incoming, caller: Caller | None, key: str
    ) -> Outcome:
        """A new answer, or that of a call that is making the same now."""
        waited = await self.flight.wait(key)
        cached = self.cache.get(key, self.clock()) if waited else None
        if cached:
            return _ready(operation, cached)
        with self.flight.making(key):
            return await self._made(operation, incoming, caller, key)

    async def _made(
        self,
        operation: Operation,
        incoming: Incoming,
        caller: Caller | None,
        key: str | None = None,
    ) -> Outcome:
        invocation = await self.reader.invocation(operation, incoming, caller)
        if self.screen or incoming.replays:
            invocation = await self._screened(operation, incoming, invocation)
        if operation.who.sees_buckets and caller:
            buckets = await self.charges.look(caller)
            invocation = replace(invocation, buckets=buckets)
        if operation.effect.mode is Mode.SNAPSHOT:
            snapshot = await self.reads.snapshot(operation.run, NoInput())
            return Outcome(
                operation.status, *snapshot.encoded(invocation.warnings, invocation.options)
            )
        draft = self.cache.draft() if key else None
        if incoming.streamed:
            invocation = one_by_one(invocation)
        result = await self.transactions.run(
            invocation, incoming.consistency, to_keep=draft is not None
        )
        if incoming.streamed:
            following = self.follower.events(operation, incoming, invocation, result)
            return Outcome(operation.status, following=following)
        if result.interest:
            result = await self.follower.awaited(operation, incoming, invocation, result)
        is_full = not result.minimal
        body = minimal(result.body) if invocation.minimal and is_full else result.body
        outcome = Outcome(
            operation.status,
            body,
            result.etag,
            result.next_cursor,
            private=result.private,
            minimal=invocation.minimal,
            replayed=result.replayed,
            at_end=result.interest is None or result.interest.at_end,
        )
        if key and draft and result.etag and result.validity:
            draft.add(result.validity)
            draft.next_cursor = result.next_cursor
            draft.for_parties = operation.caching.for_parties
            draft.operation = operation.name
            self.cache.put(key, draft, result.body, result.etag, result.at)
        if operation.writes and not invocation.dry_run:
            outcome.consistency = await self.transactions.consistency(invocation, result)
        return outcome

    async def _screened(
        self, operation: Operation, incoming: Incoming, invocation: Invocation
    ) -> Invocation:
        """The call with the verdict of the operator's endpoint on its texts; one whose answer is
        stored is not sent there, and writes nothing."""
        if incoming.replays or await self._is_repeated(operation, incoming, invocation.caller):
            return replace(invocation, replays=True)
        held = await self.screen.check(invocation) if self.screen else None
        return replace(invocation, held=held)

    def _refusal(self, operation: Operation, incoming: Incoming, error: Exception) -> Refusal:
        refusal = self._told(operation, incoming, error)
        refusal.fill({"base_url": incoming.base_url, **_ids_in(incoming.in_path)})
        return refusal

    def _told(self, operation: Operation, incoming: Incoming, error: Exception) -> Refusal:
        if isinstance(error, Refusal):
            return error
        changes = operation.takes_key and not incoming.is_dry_run
        retry = how_to_retry(operation, incoming.idempotency_key) if changes else None
        if isinstance(error, StoreUnavailable):
            return self.outages.refusal(operation.name, error, retry)
        change = {"change": str(error)} if isinstance(error, NotTouched) else {}
        log.error("defect", operation=operation.name, **change, fault=error)
        refusal = Refusal("forum_error", recovery=retry)
        refusal.fill({"retryAfter": _DEFECT_RETRY_S})
        return refusal


def _ready(operation: Operation, cached: CachedAnswer) -> Outcome:
    return Outcome(operation.status, cached.body, cached.etag, cached.next_cursor)


def _ids_in(values: Values) -> Values:
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str) and ids.prefix_of(value)
    }
