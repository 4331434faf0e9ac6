"""A primary with a replica, which answers reads that may be slightly stale.

The position of the primary in its write-ahead log is noted twice a second: all that was
acknowledged before a note lies before its position. A replica that has replayed the oldest note of
the last `lag_s` seconds is no older than that. With each note the acts of moderation are counted:
a replica answers only when it has replayed the last one, so that nothing hidden is read there.

After a fail-over a replica may be further in the log of the old primary than the new one is, which
began another timeline. So each timeline is marked in the database, and a position is the timeline
and the place in its log: a replica that does not show the mark of the primary's timeline is behind.
"""

import asyncio
from collections import deque
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, Self

from asyncpg import PostgresError

from stoa.domain.errors import Refusal
from stoa.logs import log
from stoa.metrics import Commits
from stoa.store import consistency
from stoa.store.engines.postgres.errors import said
from stoa.store.engines.postgres.pool import Busy
from stoa.store.engines.postgres.store import PostgresStore
from stoa.store.tx import StoreUnavailable, T, Tx, Value, Work, one_row

EVERY_S = 0.5
QUIET_S = 5.0
"""How many seconds without a failed read until the log reports the replica as used again."""


class _Behind(Exception):
    """The replica lags too far behind."""


class _NotYet(Exception):
    """The replica has not replayed the position that this read needs; others may use it."""


class ReplicatedStore(PostgresStore):
    """A store that also reads from a `replica`, if the read allows it and the replica is at most so
    many seconds behind. The other arguments are those of the primary."""

    def __init__(
        self, replica: PostgresStore, lag_s: int, *primary: Any, commits: Commits | None = None
    ) -> None:
        super().__init__(*primary, commits=commits)
        self._replica = replica
        self._lag_s = lag_s
        self._notes: deque[tuple[float, int]] = deque()
        self._timeline = ""
        self._place = 0
        self._acts: int = 0
        self._acted: int = 0
        self._task: asyncio.Task[None] | None = None
        self._state = "used"
        self._failed_at = 0.0
        self._answered = {"replicaReads": 0, "primaryReads": 0}
        self.lag_ms = 1000 * lag_s + self.longest_ms

    async def start(self) -> Self:
        """Note the position of the primary, now and then regularly. Raises `StoreUnavailable`."""
        await super().start()
        await self._note()
        self._replica.start_watching()
        self._task = asyncio.create_task(self._go_on())
        return self

    async def read(self, work: Work[T], *, at_least: str | None = None, **how: Any) -> T:
        if at_least is not None:
            try:
                result = await self._read_replica(work, consistency.named(at_least))
            except (_NotYet, Busy):
                pass  # only this read goes to the primary
            except Refusal:
                pass  # an event may have told of what is not on the replica yet
            except _Behind as error:
                self._note_failure("behind", str(error))
            except StoreUnavailable as error:
                self._note_failure("gone", str(error))
            else:
                self._note_success()
                return result
            self._answered["primaryReads"] += 1
        return await super().read(work, **how)

    async def position(self, agent_id: str = "", wrote_at: int = 0) -> str | None:
        with suppress(StoreUnavailable):
            noted = await super().read(partial(_written, agent_id), single=True)
            if agent_id and noted.at < wrote_at:
                # Another transaction had locked the agent, so the write did not record its time.
                values: dict[str, Value] = {"agent_id": agent_id, "at": wrote_at}
                await self.write(lambda tx: tx.run("replication.note_write", **values))
                noted = await super().read(partial(_written, agent_id), single=True)
            return consistency.token(noted.place, agent_id, noted.at)
        return None

    def figures(self) -> dict[str, str | int]:
        return {"replica": self._state, **self._answered}

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._replica.close()
        await super().close()

    async def _read_replica(self, work: Work[T], wanted: int) -> T:
        if trouble := self._replica.trouble:
            raise StoreUnavailable(trouble)
        try:
            result = await self._replica.read_after(partial(self._refuse_behind, wanted), work)
        except PostgresError as error:  # such as a table that it does not have yet
            raise StoreUnavailable(said(error)) from error
        self._answered["replicaReads"] += 1
        return result

    async def _refuse_behind(self, wanted: int, tx: Tx) -> None:
        """Raise unless the replica may answer a read that needs this position."""
        oldest = self._oldest()
        replayed = await _replayed(tx)
        if consistency.timeline(replayed) < consistency.timeline(oldest):
            raise _Behind("it does not follow this primary yet")
        if replayed < oldest:
            raise _Behind(f"{oldest - replayed} bytes of the log")
        if replayed < max(wanted, self._acted):
            raise _NotYet

    def _oldest(self) -> int:
        """The position that a replica must have replayed to be within the allowed lag."""
        since = asyncio.get_running_loop().time() - self._lag_s
        while self._notes and self._notes[0][0] < since:
            self._notes.popleft()
        if not self._notes:
            raise StoreUnavailable("where the primary is has not been known for long")
        return self._notes[0][1]

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            with suppress(StoreUnavailable):
                await self._note()

    async def _note(self) -> None:
        asked_at = asyncio.get_running_loop().time()
        noted = await super().read(partial(_written, ""), single=True)
        if noted.timeline != noted.marked:
            await self.write(lambda tx: tx.run("replication.mark", timeline=noted.timeline))
        another = noted.timeline != self._timeline or noted.place < self._place
        if another:  # what was noted of the log before says nothing about this one
            self._notes.clear()
        if another or noted.acts != self._acts:
            self._acts, self._acted = noted.acts, noted.place
        self._timeline, self._place = noted.timeline, noted.place
        self._notes.append((asked_at, noted.place))
        if len(self._notes) > 2 * self._lag_s / EVERY_S:
            self._notes.popleft()

    def _note_failure(self, state: str, reason: str) -> None:
        self._failed_at = asyncio.get_running_loop().time()
        if self._state == "used":
            log.warning("replica not used", state=state, reason=reason)
        self._state = state

    def _note_success(self) -> None:
        quiet_since = asyncio.get_running_loop().time() - QUIET_S
        if self._state != "used" and self._failed_at < quiet_since:
            log.warning("replica used again")
            self._state = "used"


class _Written(NamedTuple):
    """The time (ms) of an agent's last write, a position after it and after the last act of
    moderation, the number of that act, the timeline of the log, and the one that is marked."""

    at: int
    place: int
    acts: int
    timeline: str
    marked: str


async def _written(agent_id: str, tx: Tx) -> _Written:
    row = await one_row(tx, "replication.written", agent_id=agent_id)
    at, place, acts, timeline, marked = row
    return _Written(at, consistency.position(timeline, place), acts, timeline, marked)


async def _replayed(tx: Tx) -> int:
    """The position that a replica shows, on the timeline whose mark it shows."""
    row = await tx.one("replication.replayed")
    if row is None or row[0] is None:
        raise StoreUnavailable("it is no replica")
    return consistency.position(row[1], row[0])
