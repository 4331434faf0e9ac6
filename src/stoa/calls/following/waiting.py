"""Calls that wait for events. None of them holds a thread, a transaction or a connection meanwhile.

One task of a process reads new events for all waiting calls, and wakes those that an event
concerns.
"""

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from itertools import chain
from typing import NamedTuple, Self

from stoa.calls.following.shared_waits import SharedWaits
from stoa.domain import limits
from stoa.domain.addresses import bucket_key
from stoa.domain.events import TELLS
from stoa.logs import log
from stoa.operations.call import LOG, Caller, Interest
from stoa.settings import Settings
from stoa.store import events, sessions, watches
from stoa.store.events import EventRow
from stoa.store.tx import Store, StoreUnavailable, Tx

LOOK_S = 0.25
"""How often new events are looked for, in case no signal came."""

SESSIONS_S = 1.0
"""How often waiting calls are checked: whether their sessions have ended, their agents were
suspended, or the profiles that offers must fit have changed."""

_NOT_AT_END = Interest(after=0, cursor="", seconds=0, kinds=(), at_end=False)
_BATCH = 500
_PAUSE_S = 0.5


class Woken(Enum):
    """Why a wait is over."""

    FOUND = auto()  # there may be something
    ENDED = auto()  # its time is over, or another call takes its place
    SESSION = auto()  # its session has ended


class _New(NamedTuple):
    rows: list[EventRow]
    newest: int
    terms: dict[str, set[str]]
    told: dict[int, dict[str, str]]


class WaitingCall:
    """A waiting call or stream of an `owner`. It is unregistered at the end of its `with` block."""

    def __init__(self, waiting: "Waiting", caller: Caller | None, owner: str, since: int) -> None:
        self._waiting = waiting
        self._future: asyncio.Future[Woken] | None = None
        self.status = caller.status if caller else ""
        self.caller = caller
        self.owner = owner
        self.since = since
        self.interest: Interest | None = None
        self.ended = False
        self.row = self.turn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.leave(self)

    async def until(self, interest: Interest, seconds: float) -> Woken:
        """Wait at most so many seconds for events that a call is interested in. A call that has not
        read all existing events yet reads on after a pause, and so costs no more than single
        reads."""
        if self.ended:
            return Woken.ENDED
        pause = self._waiting.look_ms / limits.SECOND_MS
        if interest.at_end or seconds < pause:
            pause, then = seconds, Woken.ENDED
        else:
            then = Woken.FOUND
        loop = asyncio.get_running_loop()
        self._future = loop.create_future()
        timer = loop.call_later(pause, self.wake, then)
        # New events wake it only if it has read all earlier ones. `joined` compares with what the
        # task has read, so events from between the read of this call and now are not missed.
        if interest.at_end:
            self.interest = interest
            self._waiting.joined(self)
        try:
            return await self._future
        finally:
            timer.cancel()
            self._future = None
            if self.interest:
                self._waiting.left(self)
                self.interest = None

    async def pause(self) -> None:
        """Wait before more is read of what is there already."""
        await self.until(_NOT_AT_END, self._waiting.look_ms / limits.SECOND_MS)

    def wake(self, why: Woken) -> None:
        """End the wait."""
        if self._future and not self._future.done():
            self._future.set_result(why)

    def note(self, status: str) -> None:
        """Note the agent's current status; a suspension ends the wait. A wait that began while the
        agent was suspended, which may read, ends with the next suspension."""
        was, self.status = self.status, status
        if was == "active" != status:
            self.end()

    def end(self) -> None:
        """End this wait and refuse further ones."""
        self.ended = True
        self.wake(Woken.ENDED)


class Waiting:
    """All waiting calls of one process. It is `shared` with the other processes of the server."""

    def __init__(
        self, store: Store, settings: Settings, shared: SharedWaits, most: int = limits.WAITS
    ) -> None:
        """`most` is how many calls and streams may wait in this process. One that has not read all
        existing events reads on every `look_ms`; sessions are checked every `sessions_s`."""
        self.look_ms, self.sessions_s = limits.WAIT_LOOK_MS, SESSIONS_S
        self._store = store
        self._shared = shared
        self._most = most
        self._limits = (settings.limit_waits_agent, settings.limit_waits_anonymous)
        self._owners: dict[str, list[WaitingCall]] = {}
        self._places: dict[WaitingCall, None] = {}
        self._asleep: dict[str, set[WaitingCall]] = {}
        self._signal = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._read_up_to = 0
        self._ending = False

    @property
    def asleep(self) -> int:
        """How many calls and streams wait now."""
        return sum(map(len, self._asleep.values()))

    @property
    def count(self) -> int:
        """How many calls and streams wait or are served between two waits."""
        return len(self._places)

    def place(self, caller: Caller | None, address: str, since: int) -> WaitingCall:
        """A place for a call or stream that began to wait at a time (ms). With too many of one
        agent, or of one address without a token, the oldest of these ends, and with too many in all
        the oldest of all."""
        owner = caller.agent_id if caller else bucket_key(address)
        places = self._owners.setdefault(owner, [])
        place = WaitingCall(self, caller, owner, since)
        place.ended = self._ending
        places.append(place)
        limit = self._limit(place)
        # The oldest ends instead of the new one, so a client that lost its connection can return.
        if limit and len(places) > limit:
            self._end(places.pop(0))
        if len(self._places) == self._most:
            self._end(next(iter(self)))
        self._places[place] = None
        place.row, place.turn = self._shared.enter(owner)
        return place

    def _limit(self, place: WaitingCall) -> int:
        """How many places of its owner are allowed over all processes, 0 for any number."""
        of_agent, anonymous = self._limits
        return of_agent if place.caller else anonymous

    def leave(self, place: WaitingCall) -> None:
        """Forget a call or stream."""
        self._free(place)
        places = self._owners.get(place.owner, [])
        with suppress(ValueError):  # it was ended to make room for another
            places.remove(place)
        if not places:
            self._owners.pop(place.owner, None)

    def _end(self, place: WaitingCall) -> None:
        """Give the place of a call or stream to another one."""
        self._free(place)
        place.end()

    def _free(self, place: WaitingCall) -> None:
        if place in self._places:
            del self._places[place]
            self._shared.leave(place.row)

    def _end_surplus(self) -> None:
        """End calls above the limits over all processes: the oldest of each owner."""
        elsewhere = self._shared.elsewhere()
        if not elsewhere:
            return
        for owner, places in list(self._owners.items()):
            # From the oldest on, each with how many of its owner began later in this process.
            for newer_here, place in reversed(list(enumerate(reversed(places)))):
                limit = self._limit(place)
                if limit and newer_here + elsewhere.newer(owner, place.turn) >= limit:
                    places.remove(place)
                    self._end(place)

    def __iter__(self) -> Iterator[WaitingCall]:
        """All calls that wait or are served between two waits, the oldest first."""
        return iter(self._places)

    def joined(self, place: WaitingCall) -> None:
        """Count a call that begins to wait."""
        assert place.interest
        if not self._asleep:
            # Nobody waited, so nothing was read. Begin where this call ended, and look at once.
            self._read_up_to = place.interest.after
            self._signal.set()
        elif place.interest.after < self._read_up_to:
            place.wake(Woken.FOUND)
        self._asleep.setdefault(place.interest.whose, set()).add(place)
        if self._task is None:
            self._store.listen(self._signal.set)
            self._task = asyncio.create_task(self._run())

    def left(self, place: WaitingCall) -> None:
        """Count a call that stops waiting."""
        assert place.interest
        whose = place.interest.whose
        places = self._asleep[whose]
        places.remove(place)
        if not places:
            del self._asleep[whose]

    def end(self) -> None:
        """Answer all that waits, and let nothing wait any more: the server is ending."""
        self._ending = True
        for place in list(self):
            place.end()

    async def stop(self) -> None:
        """End all waits, and the task that reads for them."""
        self.end()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        checked = counted = 0.0
        time = asyncio.get_running_loop().time
        while True:
            await self._next_signal()
            if not self._asleep:
                continue
            if time() - counted >= LOOK_S:
                counted = time()
                self._end_surplus()
            try:
                await self._look()
                if time() - checked >= self.sessions_s:
                    checked = time()
                    await self._check_sessions()
            except StoreUnavailable:
                await asyncio.sleep(_PAUSE_S)
            except Exception:  # if the task ended, nothing that waits would be woken any more
                log.exception("defect")
                await asyncio.sleep(_PAUSE_S)

    async def _next_signal(self) -> None:
        # Signals of PostgreSQL can be lost with their connection; without waiters none is needed.
        seconds = LOOK_S if self._asleep else None
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._signal.wait()
        self._signal.clear()

    async def _look(self) -> None:
        """Read the new events and wake the calls that they concern. If `joined` moved `_read_up_to`
        during the read, it stays there: that call may want earlier events."""
        after = self._read_up_to
        new = await self._store.read(partial(_new, after=after), single=True)
        if len(new.rows) == _BATCH:
            # Too many to compare with each waiter: let every call read its own page.
            for place in self._everyone():
                place.wake(Woken.FOUND)
        else:
            for row in new.rows:
                self._tell(row, new.terms)
            for place, told in new.told.items():
                self._tell_others(place, told)
        if self._read_up_to == after:
            self._read_up_to = new.newest  # less where the cursor of `joined` was made up

    def _tell(self, row: EventRow, terms: dict[str, set[str]]) -> None:
        """Wake the calls that an event concerns. Only an offer can concern other inboxes than those
        of its parties."""
        parties = (LOG, row.party_id or LOG, row.other_id or LOG)
        named = (place for whose in set(parties) for place in self._asleep.get(whose, ()))
        for place in self._everyone() if row.offer else named:
            if place.interest and _concerns(row, place.interest, terms):
                place.wake(Woken.FOUND)

    def _tell_others(self, seq: int, told: dict[str, str]) -> None:
        """Wake the further agents that are told of an earlier event at this place, as one of these
        kinds."""
        for agent_id, kind in told.items():
            for place in self._asleep.get(agent_id, ()):
                interest = place.interest
                if interest and seq > interest.after and kind in interest.kinds:
                    place.wake(Woken.FOUND)

    def _everyone(self) -> Iterator[WaitingCall]:
        return chain.from_iterable(self._asleep.values())

    async def _check_sessions(self) -> None:
        """Wake calls whose sessions have ended, whose agents were suspended since, or whose
        profiles have changed since they asked: other offers may fit them now."""
        signed_in = [(place, place.caller) for place in self._everyone() if place.caller]
        asked = {caller.session_id: caller.agent_id for _, caller in signed_in}
        if not asked:
            return
        check = partial(sessions.still_live, sessions=asked)
        live = await self._store.read(check, single=True)
        for place, caller in signed_in:
            standing = live.get(caller.session_id)
            if standing is None:
                place.wake(Woken.SESSION)
                continue
            place.note(standing.status)
            if (standing.suspended_at or 0) > place.since:  # also if that is over by now
                place.end()
            if _is_outdated(place.interest, standing.version):
                place.wake(Woken.FOUND)


def _is_outdated(interest: Interest | None, version: int) -> bool:
    """Whether the profile of the agent has changed since the call read which offers fit it."""
    return bool(interest and interest.inbox and interest.inbox.version < version)


async def _new(tx: Tx, after: int) -> _New:
    log = await events.log(tx)
    if log.newest <= after:
        return _New([], log.newest, {}, {})
    rows = await events.between(tx, after, log.newest, _BATCH)
    offers = [row.subject_id for row in rows if row.offer]
    terms = await events.terms(tx, offers) if offers else {}
    places = [row.seq for row in rows if row.kind == TELLS]
    return _New(rows, log.newest, terms, await watches.told_at(tx, places))


def _concerns(row: EventRow, interest: Interest, terms: dict[str, set[str]]) -> bool:
    """Whether a call may find this event. Filters by tag are left to the read of the call."""
    if row.seq <= interest.after or row.kind not in interest.kinds:
        return False
    inbox = interest.inbox
    if inbox is None:
        return interest.actor_id in (None, row.actor_id)
    if inbox.agent_id in (row.party_id, row.other_id):
        return True
    fits = row.offer and row.actor_id != inbox.agent_id
    return bool(fits and not terms.get(row.subject_id, set()).isdisjoint(inbox.terms))
