"""Seventh step: run the operation and encode its answer in one transaction.

The SQLite engine may run a write in another process, to which `PlainRuns` takes it.
"""

from collections.abc import Awaitable
from contextlib import nullcontext
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import asdict, astuple, replace

from stoa.calls import idempotency, refunds
from stoa.calls.encode import encoded, for_members
from stoa.calls.idempotency import InProgress, Keyed, in_progress
from stoa.calls.invocation import Invocation
from stoa.calls.replica import at_least
from stoa.calls.validity import Validity, validity
from stoa.clock import Clock
from stoa.domain.errors import Refusal
from stoa.logs import log
from stoa.operations.call import Call, Caller, Interest, Services
from stoa.operations.parts import due
from stoa.operations.parts.key_standing import check_key_session
from stoa.operations.parts.moderation import still_shown
from stoa.operations.table import TABLE, Ahead, Charged, KnownAnswer, Mode, Operation, Then
from stoa.schemas.base import ListAnswer, decode, encode
from stoa.schemas.encoded import whole
from stoa.schemas.minimal import minimal, receipt_id
from stoa.schemas.options import FULL, Options
from stoa.store import agents
from stoa.store import idempotency as stored_answers
from stoa.store.engines.frames import PlainForm
from stoa.store.idempotency import KeptAnswer, StoredForm
from stoa.store.tx import Store, StoreUnavailable, Tx

_UNGUARDED = nullcontext()


class Result(msgspec.Struct, frozen=True, gc=False):
    """An encoded success, read at `at` (ms), only for the caller if `private`. It has a `validity`
    if it was read to be cached. A `replayed` one is the stored response to an earlier call, a
    `minimal` one if only its short form was stored. One with an `interest` found nothing, and may
    wait for that."""

    body: bytes
    next_cursor: str | None
    private: bool
    at: int
    etag: str | None = None
    validity: Validity | None = None
    replayed: bool = False
    minimal: bool = False
    interest: Interest | None = None


class Transactions:
    """Runs checked calls in transactions of the store."""

    def __init__(self, store: Store, services: Services, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._services = services
        self._members_only = services.settings.members_only
        self._in_progress = InProgress()

    async def run(
        self, invocation: Invocation, shown: str | None, *, to_keep: bool = False
    ) -> Result:
        """The committed result, with its validity if it is `to_keep`. Due refunds are booked first,
        in separate transactions.

        `shown` is the `consistency` of an earlier write that a read must show.
        """
        caller, keyed = invocation.caller, invocation.keyed
        if ahead := invocation.operation.effect.ahead:
            invocation = replace(invocation, found=await self._ahead(invocation, ahead))
        first = OperationRun(self._services, invocation, invocation.operation.settles, to_keep)
        alone = self._in_progress.alone(caller.agent_id, keyed) if caller and keyed else _UNGUARDED
        with alone:
            try:
                result = await self._once(first, shown)
            except refunds.RefundsDue:
                # In transactions of their own: due refunds stay booked even if the call is refused.
                await refunds.book(self._store, self._services.ids, invocation)
                result = await self._once(replace(first, check_refunds=False), shown)
        operation = invocation.operation
        then = operation.effect.then
        if then is not None and not result.minimal:
            result = await self._completed(invocation, result, then)
        # What is free tells of itself what takes a token.
        if self._members_only and operation.who.charged is not Charged.NONE:
            return replace(result, body=for_members(result.body))
        return result

    async def known(
        self, invocation: Invocation, find: KnownAnswer, caller: Caller, asked: str | None
    ) -> tuple[bytes, str] | None:
        """The answer that is known without a transaction, and its ETag. It is cached for all who
        `asked` the same."""
        answer = await find(self._services, self._store, caller, invocation.request)
        if answer is None:
            return None
        if invocation.warnings:
            answer = replace(answer, warnings=invocation.warnings)
        body, etag = encoded(answer, invocation.options)
        if asked:
            self._services.memory.inboxes.keep(asked, body, etag)
        return body, etag

    async def has_answer(self, operation: Operation, caller: Caller, key: str) -> bool:
        """Whether a response is stored under this key for a caller that may write."""
        if not caller.may_write(self._clock(), decides=operation.effect.decides):
            return False
        find = partial(stored_answers.get, agent_id=caller.agent_id, key=key)
        return await self._store.read(find, single=True) is not None

    def consistency(self, invocation: Invocation, result: Result) -> Awaitable[str | None]:
        """The position with which a client reads this write from a replica, if there is one."""
        caller = invocation.caller
        writer, wrote_at = (caller.agent_id, result.at) if caller else ("", 0)
        return self._store.position(writer, wrote_at)

    def _once(self, run: "OperationRun", shown: str | None) -> Awaitable[Result]:
        if run.invocation.operation.writes:
            return self._store.write(run)
        return self._read(run, shown)

    async def _ahead(self, invocation: Invocation, ahead: Ahead) -> bytes:
        """What the operation shows but does not depend on, read before its transaction; empty if
        reading fails."""

        async def work(tx: Tx) -> bytes:
            call = Call(tx, self._services, None, invocation.address, invocation.base_url)
            return await ahead(call, invocation.request)

        try:
            return await self._store.read(work, slow=True, single=True)
        except StoreUnavailable:
            return b""

    async def _completed(self, invocation: Invocation, result: Result, then: Then) -> Result:
        """The result with what its operation reads after the commit. If that read fails, the result
        goes without it: the write stays."""
        answer: Any = decode(result.body, invocation.operation.response)

        async def work(tx: Tx) -> Any:
            call = Call(tx, self._services, None, invocation.address, invocation.base_url)
            return await then(call, answer)

        try:
            stepwise = invocation.operation.effect.stepwise
            answer = await self._store.read(work, slow=True, brief=True, single=stepwise)
        except StoreUnavailable:
            pass
        except Exception:
            log.exception("defect")
        full = invocation.options == FULL
        body = encode(answer) if full else encoded(answer, invocation.options)[0]
        return replace(result, body=body)

    async def _read(self, run: "OperationRun", shown: str | None) -> Result:
        invocation = run.invocation
        slow = invocation.operation.effect.mode is Mode.SLOW_READ
        brief = slow and invocation.request.is_short
        settled_before = self._clock() - self._store.lag_ms
        wanted = at_least(invocation, shown or "", settled_before)
        stepwise = invocation.operation.effect.stepwise
        return await self._store.read(run, slow=slow, brief=brief, single=stepwise, at_least=wanted)


class OperationRun(msgspec.Struct, frozen=True, gc=False):
    """The work of one call within its transaction; the answer is made `to_keep` it, or for its
    caller alone."""

    services: Services
    invocation: Invocation
    check_refunds: bool
    to_keep: bool = False

    async def __call__(self, tx: Tx) -> Result:
        """Run the operation and encode its answer. Raises `RefundsDue` if refunds are due."""
        asked = self.invocation
        operation, caller, keyed = asked.operation, asked.caller, asked.keyed
        if self.check_refunds and asked.dry_run:
            return await self._tried(tx)
        if self.check_refunds and caller:
            await refunds.check(tx, caller.agent_id, asked.request)
        if keyed and caller:
            if not caller.may_write(tx.now, decides=operation.effect.decides):
                await tx.undone(self._done)  # refused, unless the agent may write by now
            first = await idempotency.first_answer(tx, caller.agent_id, keyed)
            if first:
                if operation.who.by_key:
                    await check_key_session(tx, caller)
                return await self._replayed(tx, first)
            if asked.replays:  # the time of its key has ended since: the next try is a new call
                raise in_progress()
        return await self._done(tx)

    async def _done(self, tx: Tx) -> Result:
        """The result of the operation."""
        asked = self.invocation
        operation, caller, keyed = asked.operation, asked.caller, asked.keyed
        call = Call(tx, self.services, caller, asked.address, asked.base_url, buckets=asked.buckets)
        call.found, call.held = asked.found, asked.held
        # What is read after the commit is put into the full answer; only then it is made lean.
        call.options = FULL if operation.effect.then else asked.options
        answer: Any = await operation.run(call, asked.request)
        if asked.warnings:
            answer = whole(answer)
            answer = replace(answer, warnings=[*asked.warnings, *(answer.warnings or ())])
        if asked.dry_run:
            answer = replace(answer, dry_run=True)
        tag = None
        if operation.has_etag or call.options != FULL:
            known_by = call.known_by
            body, tag = encoded(answer, call.options, private=call.private, known_by=known_by)
        else:
            body = encode(answer)
        valid = await validity(call) if self.to_keep and not call.private else None
        if caller and operation.writes:
            agents.seen(tx, caller.agent_id)
        if caller and keyed:
            await idempotency.keep(
                tx, caller.agent_id, keyed, answer, body, changed=call.changes_something
            )
        return Result(
            body,
            whole(answer).next_cursor if issubclass(operation.response, ListAnswer) else None,
            call.private,
            tx.now,
            tag if operation.has_etag else None,
            valid,
            interest=call.interest,
        )

    async def _replayed(self, tx: Tx, first: KeptAnswer) -> Result:
        """The result of an earlier call with the same key, the minimal one if the answer names a
        hidden agent. If its receipt alone is stored, the answer is made again, or the minimal one
        is made of the receipt if that fails."""
        assert self.invocation.caller
        body = await still_shown(tx, first.answer, self.invocation.caller.agent_id)
        form = StoredForm(first.form)
        if body is None:
            body, form = minimal(first.answer, to_keep=True), StoredForm.MINIMAL
        if form == StoredForm.RECEIPT:
            again = await tx.undone(self._made_again)
            if again is not None and receipt_id(again) == receipt_id(body):
                body = again
            else:
                body, form = minimal(body), StoredForm.MINIMAL
        is_minimal = form == StoredForm.MINIMAL
        return Result(body, None, False, first.created_at, replayed=True, minimal=is_minimal)

    async def _made_again(self, tx: Tx) -> bytes | None:
        """The answer to a call that changed nothing; None if the call would be refused by now."""
        # Without the key: under it the receipt is stored already.
        again = replace(self, invocation=replace(self.invocation, keyed=None))
        try:
            return (await again._done(tx)).body
        except Refusal as refusal:
            if refusal.code == "removed":
                raise
            return None

    async def _tried(self, tx: Tx) -> Result:
        """The result of a dry run. Due refunds are booked first, and left as they are where that
        fails, as it is with every write."""
        result = await tx.undone(self._booked_first)
        return result or await tx.undone(replace(self, check_refunds=False))

    async def _booked_first(self, tx: Tx) -> Result | None:
        """The result after all due bookings; None if these fail."""
        caller, request = self.invocation.caller, self.invocation.request
        assert caller
        try:
            await due.book_for(tx, self.services.ids, caller.agent_id, request.subjects())
        except Exception as error:  # the sweep fails with it too, and logs it
            if tx.may_pass(error):
                raise
            return None
        return await replace(self, check_refunds=False)(tx)


class PlainRuns(PlainForm):
    """Runs of operations as plain values, for the process that writes."""

    works = OperationRun

    def __init__(self, services: Services) -> None:
        self._services = services

    def values(self, work: OperationRun) -> tuple[Any, ...]:
        """What differs between runs, in a plain tuple: other types take longer to pickle."""
        asked = work.invocation
        return (
            asked.operation.name,
            asdict(asked.request),
            asked.caller and astuple(asked.caller),
            asked.keyed and astuple(asked.keyed),
            {} if asked.options == FULL else asdict(asked.options),
            asked.warnings,
            asked.address,
            asked.base_url,
            asked.dry_run,
            asked.found,
            asked.held,
            asked.replays,
            work.check_refunds,
        )

    def work(self, values: tuple[Any, ...]) -> OperationRun:
        """The run, with the services of this process."""
        name, request, caller, keyed, options, warnings, *rest = values
        address, base_url, dry_run, found, held, replays, check_refunds = rest
        operation = TABLE[name]
        invocation = Invocation(
            operation,
            operation.request(**request),
            warnings,
            Caller(*caller) if caller else None,
            address,
            base_url,
            keyed=Keyed(*keyed) if keyed else None,
            options=Options(**options) if options else FULL,
            dry_run=dry_run,
            found=found,
            held=held,
            replays=replays,
        )
        return OperationRun(self._services, invocation, check_refunds)
