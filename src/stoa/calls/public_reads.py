"""Public reads for pages and feeds, as an anonymous caller: typed answers and cached pages."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from stoa.calls.encode import weak_tag
from stoa.calls.outages import Outages
from stoa.calls.snapshots import Snapshot, Snapshots
from stoa.calls.validity import validity
from stoa.clock import Clock
from stoa.memory.answers import AnswerCache, Validity, ValidityBuilder
from stoa.memory.single_flight import SingleFlight
from stoa.operations.call import Call, Services
from stoa.schemas.base import NoInput
from stoa.store.tx import Store, Tx

Q = TypeVar("Q")
A = TypeVar("A")
Nothing = TypeVar("Nothing", bound=NoInput | None)
ReadOperation = Callable[[Call, Q], Coroutine[Any, Any, A]]

_SNAPSHOTS = "snapshots"
"""The dependency of a page that shows a snapshot."""


class EncodedPage(NamedTuple):
    """A page with its ETag, and the header lines that do not depend on the request."""

    body: bytes
    etag: str
    head: bytes


@dataclass(frozen=True, slots=True)
class PublicReads:
    """Runs public reads of operations and of pages, as an anonymous caller."""

    store: Store
    services: Services
    clock: Clock
    cache: AnswerCache
    snapshots: Snapshots
    outages: Outages
    flight: SingleFlight = field(default_factory=SingleFlight)

    async def read(
        self,
        run: ReadOperation[Q, A],
        request: Q,
        draft: ValidityBuilder | None = None,
        *,
        slow: bool = True,
        stepwise: bool = False,
    ) -> A:
        """The typed answer of a public read. Its dependencies are added to `draft`, if given. One
        that is not `slow` is read on the event loop. One that is `stepwise`, as searches are, is
        never read from a replica: the index matches the primary.

        Raises a `Refusal` with status 503 while the store is unavailable.
        """
        at_least = None if stepwise else ""
        work = self._read(run, request, draft, slow=slow, stepwise=stepwise, at_least=at_least)
        return await self.outages.answered(run.__name__, work)

    async def snapshot(
        self,
        run: ReadOperation[Nothing, A],
        request: Nothing,
        draft: ValidityBuilder | None = None,
        *,
        stepwise: bool = False,
    ) -> Snapshot[A]:
        """The answer of an expensive read without parameters, as it was a few seconds ago. Its
        dependencies are noted in `draft`, if given. Raises as `read`."""

        async def make() -> A:
            return await self._read(run, request, stepwise=stepwise)

        work = self.snapshots.get(run.__name__, self.clock(), make)
        snapshot = await self.outages.answered(run.__name__, work)
        if draft:
            end = snapshot.expires_at(self.clock())
            draft.add(Validity(frozenset({_SNAPSHOTS}), end))
        return snapshot

    def forget_snapshots(self) -> None:
        """Drop all snapshots, and each page that shows one."""
        self.snapshots.forget()
        if self.store.changes:
            self.store.changes.mark([_SNAPSHOTS])

    async def _read(
        self,
        run: ReadOperation[Q, A],
        request: Q,
        draft: ValidityBuilder | None = None,
        *,
        slow: bool = True,
        stepwise: bool = False,
        at_least: str | None = None,
    ) -> A:
        async def work(tx: Tx) -> A:
            call = Call(tx, self.services, None)
            answer = await run(call, request)
            if draft:
                draft.add(await validity(call))
            return answer

        return await self.store.read(work, slow=slow, single=stepwise, at_least=at_least)

    async def cached(
        self, key: str, make: Callable[[ValidityBuilder], Awaitable[bytes]]
    ) -> EncodedPage:
        """The page that `make` makes and whose head it notes in the draft, cached until data that
        it depends on changes. Parallel requests share one making."""
        entry = self.cache.get(key, self.clock())
        if entry is None and await self.flight.wait(key):
            entry = self.cache.get(key, self.clock())
        if entry:
            return EncodedPage(entry.body, entry.etag, entry.head)
        with self.flight.making(key):
            now, draft = self.clock(), self.cache.draft()
            body = await make(draft)
            etag = weak_tag(body)
            self.cache.put(key, draft, body, etag, now)
            return EncodedPage(body, etag, draft.head)
