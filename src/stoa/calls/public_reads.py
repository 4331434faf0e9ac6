"""Public reads for pages and feeds, as an anonymous caller: typed answers and cached pages."""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from stoa.calls.answer_cache import AnswerCache, Draft
from stoa.calls.encode import weak_tag
from stoa.calls.outages import Outages
from stoa.calls.snapshots import Snapshot, Snapshots
from stoa.calls.validity import depends_on
from stoa.clock import Clock
from stoa.operations.call import Call, Services
from stoa.schemas.base import Answer, Request
from stoa.store.tx import Store, StoreUnavailable, Tx

Q = TypeVar("Q", bound=Request)
A = TypeVar("A", bound=Answer)
Run = Callable[[Call, Q], Coroutine[Any, Any, A]]


@dataclass(frozen=True, slots=True)
class PublicReads:
    """Runs public reads as an anonymous caller."""

    store: Store
    services: Services
    clock: Clock
    cache: AnswerCache
    snapshots: Snapshots
    outages: Outages

    async def read(self, run: Run[Q, A], request: Q, draft: Draft | None = None) -> A:
        """The typed answer of a public read. What it depends on is added to `draft`, if given.

        Raises a `Refusal` with status 503 while the store is unavailable.
        """
        try:
            return await self._read(run, request, draft, at_least="")
        except StoreUnavailable as error:
            raise self.outages.refusal(run.__name__, error) from error

    async def snapshot(self, run: Run[Q, A], request: Q) -> Snapshot[A]:
        """The answer of a read that costs much, as it was a few seconds ago. Raises as `read`."""

        async def make() -> A:
            return await self._read(run, request)

        try:
            return await self.snapshots.get(run.__name__, self.clock(), make)
        except StoreUnavailable as error:
            raise self.outages.refusal(run.__name__, error) from error

    async def _read(
        self,
        run: Run[Q, A],
        request: Q,
        draft: Draft | None = None,
        at_least: str | None = None,
    ) -> A:
        async def work(tx: Tx) -> A:
            call = Call(tx, self.services, None, "", "")
            answer = await run(call, request)
            if draft:
                keys = await depends_on(call)
                draft.add(keys, call.expires_at)
            return answer

        return await self.store.read(work, slow=True, at_least=at_least)

    async def cached(
        self, key: str, make: Callable[[Draft], Awaitable[bytes]]
    ) -> tuple[bytes, str]:
        """The result of `make` and its ETag, cached until data that it depends on changes, a minute
        at most."""
        now = self.clock()
        entry = self.cache.get(key, now)
        if entry:
            return entry.body, entry.etag
        draft = self.cache.draft()
        body = await make(draft)
        etag = weak_tag(body)
        self.cache.put(key, draft, body, etag, now)
        return body, etag
