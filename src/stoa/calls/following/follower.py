"""Repeats the reads of events when there may be new ones: for a call that waits for the first, and
for a stream, which sends each."""

import asyncio
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from stoa.calls.authenticate import Authenticator
from stoa.calls.encode import names_tag
from stoa.calls.following.shared_reads import SharedReads
from stoa.calls.following.waiting import Waiting, WaitingCall, Woken
from stoa.calls.incoming import EventStream, Incoming, Streamed
from stoa.calls.invocation import Invocation
from stoa.calls.transaction import Result
from stoa.domain import limits
from stoa.operations.call import Interest
from stoa.operations.table import Operation
from stoa.store.tx import StoreUnavailable


@dataclass(frozen=True, slots=True)
class Follower:
    """The rest of a call that waits, or streams events, after its first read. Before each further
    read its token is checked again."""

    authenticator: Authenticator
    waiting: Waiting
    reads: SharedReads

    async def awaited(
        self, operation: Operation, incoming: Incoming, invocation: Invocation, result: Result
    ) -> Result:
        """The result itself, unless the call waits: then the first result with a new event, or the
        empty one if its time is over or its agent was suspended."""
        if not (interest := _waits(incoming, result)):
            return result
        now = asyncio.get_running_loop().time
        end = now() + interest.seconds
        with self.waiting.place(invocation.caller, incoming.address, result.at) as place:
            while (interest := _waits(incoming, result)) and (
                await place.until(interest, end - now()) is not Woken.ENDED
            ):
                await self._ask_again(operation, incoming, place)
                onward = _from(invocation, interest.cursor)
                result = await self.reads.run(onward, incoming.consistency)
        return result

    async def events(
        self, operation: Operation, incoming: Incoming, invocation: Invocation, result: Result
    ) -> EventStream:
        """Each event after the first result, that of a call for `one_by_one`. Earlier events come
        as slowly as pages of them would. It ends when its agent is suspended, when another stream
        takes its place, when the store is unavailable, and when the server ends."""
        now = asyncio.get_running_loop().time
        sent_at, sent, was_at_end = now(), 0, False
        with self.waiting.place(invocation.caller, incoming.address, result.at) as place:
            yield Streamed(_place_of(invocation, result))
            while not place.ended:
                if result.interest is None:
                    page = _decode_page(result.body)
                    cursor = page.next_cursor
                    yield Streamed(cursor, bytes(page.events[0]))
                    sent_at, sent = now(), sent + 1
                    if not (was_at_end or sent % limits.PAGE_MAX):
                        await place.pause()
                else:
                    cursor = result.interest.cursor
                    was_at_end |= result.interest.at_end
                    # Since the last that was sent: to read past events of others sends nothing.
                    left = sent_at + limits.STREAM_COMMENT_MS / 1000 - now()
                    if await place.until(result.interest, left) is Woken.ENDED:
                        if not place.ended:
                            yield Streamed(cursor)
                            sent_at = now()
                        continue
                try:
                    await self._ask_again(operation, incoming, place)
                    onward = _from(invocation, cursor)
                    result = await self.reads.run(onward, incoming.consistency)
                except StoreUnavailable:
                    return

    async def _ask_again(
        self, operation: Operation, incoming: Incoming, place: WaitingCall
    ) -> None:
        """Check the token again: 401 if it is no longer valid. If its agent was suspended since,
        the wait ends."""
        authorization, address = incoming.authorization, incoming.address
        caller = await self.authenticator.caller(operation, authorization, address)
        if caller:
            place.note(caller.status)


def one_by_one(invocation: Invocation) -> Invocation:
    """The same call for one event, so that each has a cursor of its own."""
    return replace(invocation, request=replace(invocation.request, limit=1, wait=0))


class _Page(msgspec.Struct, rename="camel"):
    """The members of an answer with one event that a stream needs."""

    events: list[msgspec.Raw]
    next_cursor: str


_decode_page = msgspec.json.Decoder(_Page).decode


def _place_of(invocation: Invocation, result: Result) -> str:
    """The cursor after which a stream begins; "" for the oldest event."""
    if result.interest:
        return result.interest.cursor
    return getattr(invocation.request, "cursor", None) or ""


def _waits(incoming: Incoming, result: Result) -> Interest | None:
    """The events that a call waits for: it asked to wait, and found nothing new. None if it does
    not wait."""
    interest = result.interest
    if interest is None or not interest.seconds:
        return None
    known = incoming.if_none_match
    has_it = bool(known) and names_tag(known, result.etag or "")
    return interest if has_it or not interest.found else None


def _from(invocation: Invocation, cursor: str) -> Invocation:
    """The same call from a later place on."""
    return replace(invocation, request=replace(invocation.request, cursor=cursor or None))
