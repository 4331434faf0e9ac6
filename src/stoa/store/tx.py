"""The interface of a store, the same for every engine."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from stoa.store.changes import Changes, ChangesSeen

Value = str | int | bytes | None
Row = Sequence[Any]
Statement = tuple[str, dict[str, Value]]
"""The name of a statement and its values."""
T = TypeVar("T")

_encode = msgspec.json.Encoder().encode
json_texts = msgspec.json.Decoder(list[str]).decode
"""The texts of an array that is stored as JSON."""


def as_json(value: Any) -> str:
    """A value of a statement that takes or stores JSON, such as an array of ids."""
    return _encode(value).decode()


class Tx(Protocol):
    """One transaction. Statements are named `file.statement` after `queries/<file>.sql`."""

    @property
    def ran(self) -> Sequence[Statement]:
        """The statements run so far, if this store's answers are cached; otherwise empty."""
        ...

    @property
    def seen(self) -> ChangesSeen | None:
        """The data version that this transaction reads, or an earlier one, to find later changes;
        None if nothing that it reads may be cached."""
        ...

    @property
    def now(self) -> int:
        """The one clock value of this transaction, ms; taken anew by `lock`."""
        ...

    async def one(self, statement: str, **values: Value) -> Row | None:
        """The first row, or None."""
        ...

    async def all(self, statement: str, **values: Value) -> list[Row]:
        """Every row."""
        ...

    async def run(self, statement: str, **values: Value) -> int:
        """Carry out a change; returns the number of rows it touched."""
        ...

    async def run_all(self, *changes: Statement) -> list[int]:
        """Carry out changes in this order, of which none reads what an earlier one changes; returns
        the number of rows that each touched."""
        ...

    async def put(self, statement: str, least: int = 1, /, **values: Value) -> None:
        """Carry out a change that touches `least` rows or more; its result is not needed.

        On PostgreSQL it waits for other such changes, which do not read what it changes, until
        another statement runs or the transaction ends. Raises `NotTouched`, then or now.
        """
        ...

    async def number(self, statement: str, **values: Value) -> int:
        """Add a row; returns its number."""
        ...

    def defer(self, statement: str, **values: Value) -> None:
        """Run a change just before the commit, as one statement with other deferred changes of the
        same kind. It must not break a constraint, and nothing before the commit may read it.

        On PostgreSQL the statement may take the values of all as `:rows`, a JSON array.
        """
        ...

    def drop_deferred(self, statement: str, **values: Value) -> None:
        """Drop the deferred changes of a statement that have these among their values: their row is
        gone by now."""
        ...

    async def held(self, statement: str, **values: Value) -> Row | None:
        """The first row, locked as `lock` does; the statement locks it on PostgreSQL."""
        ...

    async def aside(self, work: Callable[[], T], *, light: bool = False) -> T:
        """Call a function without statements that may take longer than 2 ms of processor time:
        where the transaction runs on the event loop, in another thread. A `light` one takes
        less."""
        ...

    async def lock(self, table: str, *ids: str) -> bool:
        """Wait until no other transaction changes these rows, in the order of their ids; later
        reads are current, and stay so until the end. False when earlier reads are current too.

        `table` names a statement `locks.<table>` with the array `:ids`. It may also stand for a
        rule over rows that do not exist yet. Lock tables in one order: moderation, address or key,
        agent, job, thread, account; accounts are else locked by their moves. With one writer this
        does nothing.
        """
        ...

    def may_pass(self, error: Exception) -> bool:
        """Whether an error is that of the engine, its connection or its time limit, and not of the
        request: the same work may succeed in another transaction."""
        ...

    async def undone(self, work: "Work[T]") -> T:
        """Run `work` in this transaction and undo all its changes; returns its result."""
        ...


async def one_row(tx: Tx, statement: str, **values: Value) -> Row:
    """The row of a statement that always gives one, such as one that counts."""
    row = await tx.one(statement, **values)
    assert row is not None, statement
    return row


async def first_number(tx: Tx, statement: str, **values: Value) -> int:
    """The number in the first row of a statement; 0 without one."""
    row = await tx.one(statement, **values)
    return int(row[0]) if row else 0


Work = Callable[[Tx], Coroutine[Any, Any, T]]


Timed = tuple[int, Work[Any]]
"""A piece of work and the time (ms) at which its transaction takes place."""


class NotTouched(Exception):
    """A change did not find its rows; the message names its statement."""


class StoreUnavailable(Exception):
    """The store does not answer or not in time; after a write the outcome may be unknown."""


class WritingStopped(StoreUnavailable):
    """The engine accepts no writes for now, and has logged why."""


class StartRefused(Exception):
    """The store cannot be opened; the message is one line for the operator."""


class DatabaseHeld(StartRefused):
    """Another program holds the file of the database, at least for a while."""


class Restored(NamedTuple):
    """The result of a restore: the time of the backup in ms, and the path of the old database."""

    taken_at: int
    kept: Path | None


class Store(ABC):
    """An engine. The default methods are those of one without a replica or a server, whose answers
    may not be cached."""

    lag_ms = 0
    """Milliseconds after which a write is on every replica that is read from."""
    changes: Changes | None = None
    """What commits have changed; None if other processes write too, so that no answer may be
    cached."""

    @abstractmethod
    async def read(
        self,
        work: Work[T],
        *,
        slow: bool = False,
        brief: bool = False,
        single: bool = False,
        background: bool = False,
        at_least: str | None = None,
    ) -> T:
        """Run `work` on one snapshot. `slow` work never holds up the event loop, but `brief` work,
        which mostly is quick, is tried on it for `limits.BRIEF_READ_MS`: to hand it to a thread
        takes as long as a quick read. `single` work is one statement, which is a snapshot of its
        own. `background` work is slow too, and waits for other such work in the place of calls.
        With `at_least` a replica may answer that has all up to this `position`, "" for any. `brief`
        work and such of a replica may be run a second time."""

    @abstractmethod
    async def write(self, work: Work[T]) -> T:
        """Run `work` in a transaction; returns once its commit is durable.

        An exception of `work` undoes its changes and is raised here. Raises `StoreUnavailable` when
        the store takes no writes or the outcome of the commit is not known.
        """

    @abstractmethod
    async def wipe(self) -> bool:
        """Remove erased texts from the files of the engine, as far as they are its own; False if
        some may be left, since a read that began before goes on."""

    async def move_log(self) -> None:  # noqa: B027 - most engines do that themselves
        """Move a long log into the database while others write, where the engine leaves that to
        this program: a write need not wait for it then."""

    async def position(self, agent_id: str = "", wrote_at: int = 0) -> str | None:  # noqa: ARG002
        """The current position for `at_least`, None without a replica or if it is not known. With
        an agent it also includes its last write, which was at `wrote_at` or later."""
        return None

    @abstractmethod
    def listen(self, told: Callable[[], None]) -> None:
        """Call `told` on the running event loop after commits, soon also after those of other
        processes. It may be called without a commit, and once for many."""

    def figures(self) -> dict[str, str | int]:
        """Facts about the store for the operator."""
        return {}

    @property
    @abstractmethod
    def waiting(self) -> int:
        """How many transactions wait to be written."""

    @property
    def connections(self) -> int:
        """How many connections to a server of the database are in use."""
        return 0

    @property
    @abstractmethod
    def trouble(self) -> str | None:
        """Why writes are refused, or None."""

    @property
    def lost(self) -> bool:
        """Whether writes stay refused until this process is started again."""
        return False

    @abstractmethod
    async def close(self) -> None:
        """Finish what runs and close the files."""


class DeadRows(NamedTuple):
    """The table with most dead rows that are not cleaned up."""

    table: str
    dead: int
    living: int


class SlowStatement(NamedTuple):
    """The statement that has run longest."""

    seconds: float
    process: int
    text: str


class DatabaseHealth(NamedTuple):
    """Facts about a database server: its version, connections in use by all clients and its limit
    of them, replicas and how many bytes the last one is behind, and the bytes of its log that it
    keeps for missing replicas."""

    version: str
    major: int
    connections: int
    connections_most: int
    dead: DeadRows | None
    slowest: SlowStatement | None
    replicas: int
    behind_bytes: int
    kept_bytes: int


class Alone(Protocol):
    """A database that no server uses while this program writes to it."""

    place: str

    async def commit(self, works: Sequence[Timed]) -> list[Any]:
        """Run these in their order and commit them together; returns once that is durable.

        The outcome of each is its result, or its exception, which undoes its own changes alone;
        when there is one, all may be undone and run again from the first, each in a transaction of
        its own. Raises `StoreUnavailable` when the engine fails, and `StartRefused` when a server
        uses the database: some may be committed then.
        """
        ...
