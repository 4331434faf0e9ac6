"""Calls that wait for events. None of them holds a thread, a transaction or a connection meanwhile.

One task of a process reads new events for all that wait, and wakes those whom an event concerns.
"""

import asyncio
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from enum import Enum, auto
from functools import partial
from typing import NamedTuple

from stoa.domain.addresses import bucket_key
from stoa.operations.call import Caller, Interest
from stoa.settings import Settings
from stoa.store import events, sessions
from stoa.store.events import EventRow
from stoa.store.tx import Store, StoreUnavailable, Tx

LOOK_S = 0.25
"""How often new events are looked for, in case no signal came."""

SESSIONS_S = 1.0
"""How often it is checked whether the sessions of those who wait have ended, or whose agents were
suspended."""

_BATCH = 500
_PAUSE_S = 0.5


class Woken(Enum):
    """Why a wait is over."""

    FOUND = auto()  # there may be something
    ENDED = auto()  # its time is over, or another call takes its place
    SESSION = auto()  # its session has ended, or its agent was suspended


class _New(NamedTuple):
    rows: list[EventRow]
    newest: int
    terms: dict[str, set[str]]


class Place:
    """One call or stream among those that wait."""

    __slots__ = ("_future", "_waiting", "caller", "ended", "interest")

    def __init__(self, waiting: "Waiting", caller: Caller | None) -> None:
        self._waiting = waiting
        self._future: asyncio.Future[Woken] | None = None
        self.caller = caller
        self.interest: Interest | None = None
        self.ended = False

    async def until(self, interest: Interest, seconds: float) -> Woken:
        """Wait for what a call is interested in, so many seconds at most."""
        if self.ended:
            return Woken.ENDED
        loop = asyncio.get_running_loop()
        self.interest, self._future = interest, loop.create_future()
        timer = loop.call_later(seconds, self.wake, Woken.ENDED)
        self._waiting.joined(self)
        try:
            return await self._future
        finally:
            timer.cancel()
            self._waiting.left(self)
            self.interest = self._future = None

    def wake(self, why: Woken) -> None:
        """End the wait."""
        if self._future and not self._future.done():
            self._future.set_result(why)

    def end(self) -> None:
        """End this wait and refuse further ones."""
        self.ended = True
        self.wake(Woken.ENDED)


class Waiting:
    """All that waits in one process."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._limits = (settings.limit_waits_agent, settings.limit_waits_anonymous)
        self._owners: dict[str, deque[Place]] = {}
        self._asleep: set[Place] = set()
        self._signal = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._read_up_to = 0
        self._ending = False

    @property
    def asleep(self) -> int:
        """How many calls and streams wait now."""
        return len(self._asleep)

    @property
    def count(self) -> int:
        """How many calls and streams wait or are served between two waits."""
        return sum(map(len, self._owners.values()))

    @contextmanager
    def place(self, caller: Caller | None, address: str) -> Generator[Place]:
        """A place for a call or stream. With too many of one agent, or of one address without a
        token, the oldest of these ends."""
        of_agent, anonymous = self._limits
        owner, limit = (caller.agent_id, of_agent) if caller else (bucket_key(address), anonymous)
        places = self._owners.setdefault(owner, deque())
        place = Place(self, caller)
        place.ended = self._ending
        places.append(place)
        if limit and len(places) > limit:
            places.popleft().end()
        try:
            yield place
        finally:
            with suppress(ValueError):  # it ended for another
                places.remove(place)
            if not places and self._owners.get(owner) is places:
                del self._owners[owner]

    def joined(self, place: Place) -> None:
        """Note that a call begins to wait."""
        assert place.interest
        if not self._asleep:
            self._read_up_to = place.interest.after
        elif place.interest.after < self._read_up_to:
            place.wake(Woken.FOUND)
        self._asleep.add(place)
        self._signal.set()
        if self._task is None:
            self._store.listen(self._signal.set)
            self._task = asyncio.create_task(self._run())

    def left(self, place: Place) -> None:
        """Note that a call does not wait any more."""
        self._asleep.discard(place)

    def end(self) -> None:
        """Answer all that waits, and let nothing wait any more: the server is ending."""
        self._ending = True
        for places in list(self._owners.values()):
            for place in list(places):
                place.end()

    async def stop(self) -> None:
        """End everything that waits, and the task that reads for it."""
        self.end()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        checked = 0.0
        while True:
            await self._next_signal()
            if not self._asleep:
                continue
            try:
                await self._look()
                now = asyncio.get_running_loop().time()
                if now - checked >= SESSIONS_S:
                    checked = now
                    await self._check_sessions()
            except StoreUnavailable:
                await asyncio.sleep(_PAUSE_S)

    async def _next_signal(self) -> None:
        seconds = LOOK_S if self._asleep else None
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._signal.wait()
        self._signal.clear()

    async def _look(self) -> None:
        """Read the new events and wake whom they concern."""
        new = await self._store.read(partial(_new, after=self._read_up_to), single=True)
        for place in list(self._asleep):
            interest = place.interest
            too_many = len(new.rows) == _BATCH
            if interest and (too_many or any(_concerns(row, interest, new) for row in new.rows)):
                place.wake(Woken.FOUND)
        self._read_up_to = max(self._read_up_to, new.newest)

    async def _check_sessions(self) -> None:
        """Wake those whose sessions have ended, or who were suspended since they came."""
        signed_in = [(place, place.caller) for place in self._asleep if place.caller]
        asked = {caller.session_id: caller.agent_id for _, caller in signed_in}
        if not asked:
            return
        check = partial(sessions.still_live, sessions=asked)
        live = await self._store.read(check, single=True)
        for place, caller in signed_in:
            status = live.get(caller.session_id)
            if status is None or caller.is_suspended_by(status):
                place.wake(Woken.SESSION)


async def _new(tx: Tx, after: int) -> _New:
    log = await events.log(tx)
    if log.newest <= after:
        return _New([], log.newest, {})
    rows = await events.between(tx, after, log.newest, _BATCH)
    offers = [row.subject_id for row in rows if row.offer]
    return _New(rows, log.newest, await events.terms(tx, offers) if offers else {})


def _concerns(row: EventRow, interest: Interest, new: _New) -> bool:
    """Whether a call that is interested may find this event. One of a tag looks for itself."""
    if row.seq <= interest.after or row.kind not in interest.kinds:
        return False
    inbox = interest.inbox
    if inbox is None:
        return interest.actor_id in (None, row.actor_id)
    if inbox.agent_id in (row.party_id, row.other_id):
        return True
    fits = row.offer and row.actor_id != inbox.agent_id
    return bool(fits and not new.terms.get(row.subject_id, set()).isdisjoint(inbox.terms))
