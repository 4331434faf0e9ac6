"""Runs a call of REST or MCP through its steps, in the order in which they may refuse it.

The steps: authenticate, charge, look in the cache, read the input, book due refunds, run the
transaction, encode.
"""

from dataclasses import dataclass

import structlog

from stoa.calls import dry_runs
from stoa.calls.answer_cache import AnswerCache
from stoa.calls.authenticate import Authenticator
from stoa.calls.charge import Charges
from stoa.calls.incoming import Incoming, Outcome, refused
from stoa.calls.outages import UNAVAILABLE_RETRY_S, Outages, how_to_retry
from stoa.calls.public_reads import PublicReads
from stoa.calls.read_input import InputReader
from stoa.calls.transaction import Transactions
from stoa.clock import Clock
from stoa.domain import ids
from stoa.domain.errors import Refusal
from stoa.operations.buckets import BucketFull, Charge
from stoa.operations.call import Caller
from stoa.operations.table import Charged, Mode, Operation
from stoa.schemas.validation import Values
from stoa.store.tx import StoreUnavailable

log = structlog.get_logger("stoa.runner")

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

    async def call(self, operation: Operation, incoming: Incoming) -> Outcome:
        """Run one call. Every error becomes an outcome with a refusal; none is raised."""
        try:
            caller = await self.authenticator.caller(
                operation, incoming.authorization, incoming.address
            )
            dry_run = dry_runs.asked(operation, incoming.dry_run)
            charge = await self.charges.take(operation, caller, incoming.address, dry_run=dry_run)
            if charge is None:
                return await self._answer(operation, incoming, caller)
            return await self._charged(operation, incoming, caller, charge)
        except Exception as error:
            return refused(self._refusal(operation, incoming, error))

    async def _charged(
        self, operation: Operation, incoming: Incoming, caller: Caller | None, charge: Charge
    ) -> Outcome:
        """The outcome with its charge. The charge of a refused call moves to `reads`."""
        if not charge.allowed:
            replayed = await self._replayed(operation, incoming, caller, charge)
            return replayed or refused(BucketFull(charge), charge)
        try:
            dry_run = dry_runs.asked(operation, incoming.dry_run)
            if operation.writes and not dry_run and not charge.exact:
                raise Refusal("temporarily_unavailable", retry_after=UNAVAILABLE_RETRY_S)
            outcome = await self._answer(operation, incoming, caller)
        except Exception as error:
            outcome = refused(self._refusal(operation, incoming, error))
            charge = await self.charges.give_back(charge, caller, incoming.address)
            if not charge.allowed:
                return refused(BucketFull(charge), charge)
        if outcome.replayed:
            charge = await self.charges.give_back(charge, caller, incoming.address)
        outcome.charge = charge
        return outcome

    async def _replayed(
        self, operation: Operation, incoming: Incoming, caller: Caller | None, full: Charge
    ) -> Outcome | None:
        """The stored response to a write whose own bucket is full; it is charged to `reads`."""
        key = incoming.idempotency_key
        if caller is None or key is None or not operation.takes_key:
            return None
        if full.resource == Charged.READS or not await self.transactions.has_answer(caller, key):
            return None
        charge = await self.charges.take_read(caller, incoming.address)
        if not charge.allowed:
            return refused(BucketFull(charge), charge)
        try:
            invocation = await self.reader.invocation(operation, incoming, caller)
            result = await self.transactions.replay(invocation)
        except Exception as error:
            return refused(self._refusal(operation, incoming, error), charge)
        if result is None:
            return None
        position = await self.transactions.consistency(invocation, result)
        return Outcome(
            operation.status, result.body, replayed=True, consistency=position, charge=charge
        )

    async def _answer(
        self, operation: Operation, incoming: Incoming, caller: Caller | None
    ) -> Outcome:
        key = incoming.cache_key if operation.caching.cached else None
        cached = self.cache.get(key, self.clock()) if key else None
        if cached:
            return Outcome(operation.status, cached.body, cached.etag)
        invocation = await self.reader.invocation(operation, incoming, caller)
        if operation.effect.mode is Mode.SNAPSHOT:
            snapshot = await self.reads.snapshot(operation.run, invocation.request)
            return Outcome(operation.status, *snapshot.encoded(invocation.warnings))
        draft = self.cache.draft() if key else None
        result = await self.transactions.run(invocation, incoming.consistency)
        outcome = Outcome(operation.status, result.body, result.etag, result.next_cursor)
        outcome.private, outcome.replayed = result.private, result.replayed
        if key and draft and result.etag:
            draft.add(result.depends_on, result.expires_at)
            self.cache.put(key, draft, result.body, result.etag, result.at)
        if operation.writes and not invocation.dry_run:
            outcome.consistency = await self.transactions.consistency(invocation, result)
        return outcome

    def _refusal(self, operation: Operation, incoming: Incoming, error: Exception) -> Refusal:
        refusal = self._told(operation, incoming, error)
        refusal.fill({"base_url": incoming.base_url, **_ids_in(incoming.in_path)})
        return refusal

    def _told(self, operation: Operation, incoming: Incoming, error: Exception) -> Refusal:
        if isinstance(error, Refusal):
            return error
        changes = operation.takes_key and not dry_runs.asked(operation, incoming.dry_run)
        retry = how_to_retry(operation, incoming.idempotency_key) if changes else None
        if isinstance(error, StoreUnavailable):
            return self.outages.refusal(operation.name, error, retry)
        log.error("defect", operation=operation.name, exc_info=error)
        refusal = Refusal("forum_error", recovery=retry)
        refusal.fill({"retryAfter": _DEFECT_RETRY_S})
        return refusal


def _ids_in(values: Values) -> Values:
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str) and ids.prefix_of(value)
    }
