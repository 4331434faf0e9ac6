"""The one way in for every call, whichever face it came through.

Who calls, limits, reading and validating the input, the transaction, encoding: in this order, which
is the order of refusals too.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec
import structlog

from stoa import entropy
from stoa.clock import Clock
from stoa.domain import limits, tokens
from stoa.domain.addresses import bucket_key
from stoa.domain.errors import Refusal
from stoa.logs import note_agent
from stoa.operations import escrow, idempotency, posted_tokens
from stoa.operations.cache import AnswerCache, Entry
from stoa.operations.call import Call, Caller, Services
from stoa.operations.callers import Callers, is_live
from stoa.operations.etags import etag
from stoa.operations.idempotency import keyed
from stoa.operations.limiter import Bucket, Charge, Limiter, full
from stoa.operations.outages import Outages
from stoa.operations.perform import Asked, Performance, Performed, RefundsDue
from stoa.operations.snapshots import Snapshots
from stoa.operations.table import TABLE, Access, Charged, Mode, Operation
from stoa.schemas.base import Answer, Request, Warning, encode
from stoa.schemas.validation import Values, parse
from stoa.store import consistency
from stoa.store.tx import Store, StoreUnavailable

log = structlog.get_logger("stoa.runner")
UNAVAILABLE_RETRY_S = 5

Q = TypeVar("Q", bound=Request)
A = TypeVar("A", bound=Answer)
Make = Callable[[], Awaitable[tuple[bytes, int]]]


@dataclass(slots=True)
class Inquiry:
    """What a face hands over.

    `authorization` is the header's text or None. `values` reads the raw input, raising a Refusal
    when it cannot; it is asked after limits are spent. `place` names a field in issues. `cache_key`
    is the same for requests that must get the same answer, None when there is no such key.
    `consistency` is what the answer to a write gave, to be seen in this answer. `idempotency_key`
    is the same for a write that is sent again.
    """

    authorization: str | None
    address: str
    base_url: str
    values: Callable[[], Awaitable[Values]]
    place: Callable[[str], str] = str
    cache_key: str | None = None
    consistency: str | None = None
    idempotency_key: str | None = None


@dataclass(slots=True)
class Outcome:
    """An encoded success or a refusal, with the charge that the headers show.

    A `private` success differs for this caller. What was written is seen by who shows
    `consistency`.
    """

    status: int
    body: bytes = b""
    etag: str | None = None
    next_cursor: str | None = None
    private: bool = False
    consistency: str | None = None
    refusal: Refusal | None = None
    charge: Charge | None = None


class Runner:
    """Runs operations. Faces call `call`; nothing else opens a transaction for an agent."""

    def __init__(self, store: Store, limiter: Limiter, services: Services, clock: Clock) -> None:
        self._store = store
        self._limiter = limiter
        self._services = services
        self._clock = clock
        settings = services.settings
        self._cache = AnswerCache(store, settings.cache_mb * 1024 * 1024)
        self._snapshots = Snapshots()
        self._callers = Callers(store)
        self._outages = Outages(lambda: store.trouble)
        self._limits = {
            Charged.THREADS: settings.limit_threads,
            Charged.REPLIES: settings.limit_replies,
            Charged.ACCEPTS: settings.limit_accepts,
        }

    async def call(self, operation: Operation, inquiry: Inquiry) -> Outcome:
        """Answer one call. Never raises for anything that a caller can cause."""
        try:
            caller = await self._caller(operation, inquiry.authorization, inquiry.address)
            reads = self._reads_bucket(caller, inquiry.address)
            charge = await self._charge(operation, caller, reads, inquiry.address)
            if charge and not charge.allowed:
                return _full(charge)
            outcome = await self._guarded(operation, inquiry, caller, charge)
            if outcome.refusal and charge and charge.resource != Charged.READS:
                charge = await self._limiter.swap(self._clock(), charge, reads)
                if not charge.allowed:
                    return _full(charge)
            outcome.charge = charge
            return outcome  # noqa: TRY300 - an early return stands above
        except Refusal as refusal:
            return Outcome(refusal.status, refusal=refusal)
        except Exception as error:
            return self._failed(operation, error)

    def ready(self, key: str, address: str) -> Outcome | None:
        """The answer to an anonymous read, if it is kept under this `cache_key`; charged as `call`
        would charge it. None, charging nothing, when it takes a `call`."""
        now = self._clock()
        entry = self._cache.get(key, now)
        if entry is None:
            return None
        charge = self._limiter.take_at_once(now, self._reads_bucket(None, address))
        if charge is None or not charge.allowed:
            return None
        return Outcome(200, entry.body, entry.etag, charge=charge)

    async def look(self, run: Callable[[Call, Q], Coroutine[Any, Any, A]], request: Q) -> A:
        """What an anonymous reader sees, for pages and feeds: the typed answer of a public read.

        Raises `Refusal`, 503 while the store is not available.
        """

        async def read() -> A:
            return await self._store.read(
                lambda tx: run(Call(tx, self._services, None, "", ""), request),
                slow=True,
                at_least="",
            )

        operation = TABLE.get(run.__name__)
        try:
            if operation and operation.mode is Mode.SNAPSHOT:
                return (await self._snapshots.get(operation.name, self._clock(), read)).answer
            return await read()
        except StoreUnavailable as error:
            raise self._unavailable(run.__name__, error) from error

    async def kept(self, key: str, shown_id: str, make: Make) -> bytes:
        """The bytes that `make` gives with the time (ms) until which they hold, or the ready ones.

        They are made anew when `shown_id` or an agent's profile changed, and within a minute.
        """
        now = self._clock()
        entry = self._cache.get(key, now)
        if entry:
            return entry.body
        stamp = self._store.stamp()
        body, until = await make()
        self._cache.put(key, Entry(body, "", shown_id, stamp, _end(now, until)))
        return body

    async def shed(self, address: str) -> Refusal | None:
        """The refusal of an uncharged call from an address that makes too many."""
        try:
            await self._count(address)
        except Refusal as refusal:
            return refusal
        return None

    async def _count(self, address: str) -> Charge:
        """Count an uncharged call. 429 for an address that makes too many."""
        settings = self._services.settings
        window = limits.UNCHARGED_WINDOW_MS
        bucket = Bucket("uncharged", bucket_key(address), settings.limit_uncharged, window)
        charge = await self._limiter.take(self._clock(), bucket)
        if not charge.allowed:
            raise full(charge)
        return charge

    async def _caller(
        self, operation: Operation, authorization: str | None, address: str
    ) -> Caller | None:
        if authorization is not None:
            return await self._bearer(authorization, address)
        if operation.access is Access.AGENT:
            await self._count(address)
            raise Refusal("missing_bearer_token", headers=_CHALLENGE)
        return None

    async def _bearer(self, authorization: str, address: str) -> Caller:
        """Whose token it is. A call with a token that was not live before counts against its
        address until the token proves to be live: so invented ones are refused with 429 before they
        are looked up."""
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        digest = tokens.digest(token)
        was_live = self._callers.was_live(digest, self._clock())
        charge = None if was_live else await self._count(address)
        may_be_one = scheme.lower() == "bearer" and (was_live or tokens.well_formed(token))
        row = await self._callers.find(digest) if may_be_one else None
        if row is None or not is_live(row, self._clock()):
            if charge is None:
                await self._count(address)
            expired = row is not None and row.revoked_at is None
            raise _bad_token("token_expired" if expired else "invalid_token")
        if charge is not None and charge.limit:
            await self._limiter.give_back(charge)
        note_agent(row.agent_id)
        return Caller(row.agent_id, row.agent_status, row.agent_version, row.last_seen_at)

    def _reads_bucket(self, caller: Caller | None, address: str) -> Bucket:
        settings = self._services.settings
        if caller:
            key, limit = caller.agent_id, settings.limit_reads_agent
        else:
            key, limit = bucket_key(address), settings.limit_reads_anonymous
        return Bucket(Charged.READS, key, limit, limits.READS_WINDOW_MS)

    async def _charge(
        self, operation: Operation, caller: Caller | None, reads: Bucket, address: str
    ) -> Charge | None:
        """Take one unit of what the operation is charged to; uncharged ones are shed by address."""
        now = self._clock()
        if operation.charged is Charged.NONE:
            await self._count(address)
            return None
        if operation.charged is Charged.READS or caller is None:
            return await self._limiter.take(now, reads)
        own = Bucket(
            operation.charged,
            caller.agent_id,
            self._limits[operation.charged],
            limits.WRITES_WINDOW_MS,
        )
        return await self._limiter.take(now, own, reads)

    async def _guarded(
        self,
        operation: Operation,
        inquiry: Inquiry,
        caller: Caller | None,
        charge: Charge | None,
    ) -> Outcome:
        try:
            if operation.writes and charge and not charge.exact:
                raise Refusal("temporarily_unavailable", retry_after=UNAVAILABLE_RETRY_S)
            return await self._answer(operation, inquiry, caller)
        except Refusal as refusal:
            return Outcome(refusal.status, refusal=refusal)
        except Exception as error:
            return self._failed(operation, error)

    async def _answer(
        self, operation: Operation, inquiry: Inquiry, caller: Caller | None
    ) -> Outcome:
        key = None
        if operation.shows and inquiry.cache_key:
            key = inquiry.cache_key
            entry = self._cache.get(key, self._clock())
            if entry:
                return Outcome(operation.status, entry.body, entry.etag)
        values = await inquiry.values()
        if operation.writes:
            posted = [*values.items(), (idempotency.HEADER, inquiry.idempotency_key)]
            await posted_tokens.refuse(self._store, posted, inquiry.place)
        request, warnings = parse(operation.request, values, inquiry.place, self._span)
        if operation.mode is Mode.SNAPSHOT:
            return await self._snapshot(operation, request, warnings)
        stamp = self._store.stamp()
        asked = Asked(operation, request, warnings, caller, inquiry.address, inquiry.base_url)
        if operation.takes_key and inquiry.idempotency_key is not None:
            known = keyed(inquiry.idempotency_key, operation, request)
            asked = msgspec.structs.replace(asked, keyed=known)
        done = await self._transact(asked, self._at_least(operation, inquiry, caller))
        outcome = Outcome(operation.status, done.body, next_cursor=done.next_cursor)
        outcome.private = done.private
        if operation.writes:
            writer, wrote_at = (caller.agent_id, done.at) if caller else ("", 0)
            outcome.consistency = await self._store.position(writer, wrote_at)
        if operation.has_etag:
            outcome.etag = etag(done.body, own_agent=operation.own_agent, private=done.private)
            if key:
                shown_id = getattr(request, operation.shows or "")
                end = _end(done.at, done.expires_at)
                self._cache.put(key, Entry(done.body, outcome.etag, shown_id, stamp, end))
        return outcome

    def _span(self) -> tuple[int, int]:
        """Between when and when the deadline of a job may lie, ms."""
        now = self._clock()
        return now, self._services.latest_deadline(now)

    def _at_least(
        self, operation: Operation, inquiry: Inquiry, caller: Caller | None
    ) -> str | None:
        """What a replica must have to answer; None when it may not."""
        if not operation.lagging:
            return None
        shown = inquiry.consistency
        if caller and not consistency.covers(shown, caller.agent_id, caller.last_seen_at):
            # Another client of the agent may have written what this one does not know of.
            settled = caller.last_seen_at + self._store.lag_ms < self._clock()
            return (shown or "") if settled else None
        return shown or ""

    async def _snapshot(
        self, operation: Operation, request: Request, warnings: list[Warning]
    ) -> Outcome:
        async def make() -> Answer:
            return await self._store.read(
                lambda tx: operation.run(Call(tx, self._services, None, "", ""), request), slow=True
            )

        snapshot = await self._snapshots.get(operation.name, self._clock(), make)
        body = snapshot.body
        if warnings:
            body = encode(msgspec.structs.replace(snapshot.answer, warnings=warnings))
        tag = etag(body, own_agent=operation.own_agent)
        return Outcome(operation.status, body, tag)

    async def _transact(self, asked: Asked, at_least: str | None) -> Performed:
        """Perform it; for an operation that `settles`, once the refunds are booked that are due for
        the caller and for what the request is about."""
        operation, caller = asked.operation, asked.caller
        slow = operation.mode is Mode.SLOW_READ
        run = (
            self._store.write
            if operation.writes
            else partial(self._store.read, slow=slow, at_least=at_least)
        )
        at_once = Performance(self._services, asked)
        if caller is None or not operation.settles:
            return await run(at_once)
        try:
            return await run(Performance(self._services, asked, unless_due=True))
        except RefundsDue:
            await self._store.write(
                partial(
                    escrow.expire_due,
                    ids=self._services.ids,
                    agent_id=caller.agent_id,
                    subject_ids=asked.subjects,
                )
            )
            return await run(at_once)

    def _failed(self, operation: Operation, error: Exception) -> Outcome:
        if isinstance(error, StoreUnavailable):
            refusal = self._unavailable(operation.name, error)
        else:
            log.error("defect", operation=operation.name, exc_info=error)
            refusal = Refusal("forum_error")
        return Outcome(refusal.status, refusal=refusal)

    def _unavailable(self, operation: str, error: StoreUnavailable) -> Refusal:
        self._outages.note(operation, error)
        return Refusal("temporarily_unavailable", retry_after=UNAVAILABLE_RETRY_S)


_CHALLENGE = (("WWW-Authenticate", "Bearer"),)


def _end(read_at: int, expires_at: int | None) -> int:
    """When an answer is to be made anew that was read at `read_at`, ms."""
    latest = read_at + entropy.lifetime(limits.KEPT_MS)
    return min(latest, expires_at or latest)


def _bad_token(reason: str) -> Refusal:
    return Refusal("invalid_or_expired_token", details={"reason": reason}, headers=_CHALLENGE)


def _full(charge: Charge) -> Outcome:
    refusal = full(charge)
    return Outcome(refusal.status, refusal=refusal, charge=charge)
