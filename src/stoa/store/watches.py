"""The watches of agents, and which agents are told of which event."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stoa.domain.events import EventKind
from stoa.store.events import EventRow
from stoa.store.tx import Tx, as_json, first_number, one_row


class WatchRow(NamedTuple):
    """A row of `watch`; the time is ms, `target` says what is watched: `thread:th_…`, `agent:ag_…`,
    `tag:…` or `query:…`."""

    id: str
    agent_id: str
    target: str
    created_at: int


class Watcher(NamedTuple):
    """An agent that watches a target, and one of its watches of it."""

    agent_id: str
    watch_id: str


class Told(NamedTuple):
    """An agent that is told of an event, the kind that it is shown as, and the matched watch; see
    `EventRow.watch_id`."""

    agent_id: str
    kind: str
    watch_id: str | None


class WatchKinds(NamedTuple):
    """Whether anything is watched here, and whether any words are."""

    any: bool
    words: bool


class TellingPlace(NamedTuple):
    """The place up to which the log was read for agents to be told: all events up to `seq`, and of
    the next event the agents up to this one."""

    seq: int
    agent_id: str


async def insert(tx: Tx, row: WatchRow, words: Iterable[str]) -> None:
    """Add a watch. For a watch of words, each text that matches it has one of these `words`."""
    await tx.put("watches.insert", **row._asdict(), now=row.created_at)
    for word in words:
        tx.defer("watches.insert_word", word=word, agent_id=row.agent_id, watch_id=row.id)


async def get(tx: Tx, watch_id: str, agent_id: str) -> WatchRow | None:
    """A watch of this agent."""
    row = await tx.one("watches.get", id=watch_id, agent_id=agent_id)
    return WatchRow(*row) if row else None


async def on(tx: Tx, agent_id: str, target: str) -> WatchRow | None:
    """The watch that an agent has of this target, if any."""
    row = await tx.one("watches.on", agent_id=agent_id, target=target)
    return WatchRow(*row) if row else None


async def count(tx: Tx, agent_id: str) -> int:
    """How many watches an agent has."""
    return await first_number(tx, "watches.count", agent_id=agent_id)


async def kinds(tx: Tx) -> WatchKinds:
    """Which kinds of watches exist: without any of words, no text is compared."""
    return WatchKinds(*map(bool, await one_row(tx, "watches.kinds")))


async def page(tx: Tx, agent_id: str, after: str, *, limit: int, offset: int) -> list[WatchRow]:
    """The watches of an agent after this id, the oldest first."""
    rows = await tx.all("watches.list", agent_id=agent_id, after=after, limit=limit, offset=offset)
    return [WatchRow(*row) for row in rows]


async def many(tx: Tx, watch_ids: Sequence[str]) -> dict[str, WatchRow]:
    """These watches, by id."""
    rows = await tx.all("watches.many", ids=as_json(watch_ids)) if watch_ids else []
    return {row[0]: WatchRow(*row) for row in rows}


async def delete(tx: Tx, watch_id: str) -> bool:
    """Delete a watch; False if there is no such one."""
    deleted, _ = await tx.run_all(
        ("watches.delete", {"id": watch_id}), ("watches.delete_words", {"id": watch_id})
    )
    return deleted == 1


async def delete_all(tx: Tx, agent_id: str) -> None:
    """Delete every watch of an agent, and tell it no more of threads that it wrote in."""
    await tx.run_all(
        ("watches.delete_all", {"agent_id": agent_id}),
        ("watches.delete_all_words", {"agent_id": agent_id}),
        ("watches.delete_own_threads", {"agent_id": agent_id}),
    )


async def place(tx: Tx) -> TellingPlace:
    """The place up to which the log was read."""
    row = await tx.one("watches.place")
    return TellingPlace(*row) if row else TellingPlace(0, "")


async def move(tx: Tx, was: TellingPlace, to: TellingPlace) -> bool:
    """Store the place up to which the log was read; False if another one was stored meanwhile."""
    moved = await tx.run(
        "watches.move",
        seq=to.seq,
        agent_id=to.agent_id,
        was_seq=was.seq,
        was_agent_id=was.agent_id,
    )
    return moved == 1


def tell(tx: Tx, seq: int, event_seq: int, told: Iterable[Told]) -> None:
    """Put an event into the inboxes of these agents, at this place in the log."""
    for one in told:
        tx.defer("watches.tell", seq=seq, event_seq=event_seq, **one._asdict())


async def note_writer(tx: Tx, event: EventRow, most: int) -> None:
    """Add the author of a reply, if the event is one, to the `most` latest writers that are told of
    its thread. The first time these are the authors of its newest replies."""
    thread_id = event.thread_id
    await tx.run("watches.first_writers", thread_id=thread_id, newest=most)
    if event.kind == EventKind.REPLY_CREATED:
        writer = {"agent_id": event.actor_id, "at": event.at}
        if await tx.run("watches.next_writer", thread_id=thread_id, **writer):
            await tx.run("watches.drop_writers", thread_id=thread_id, most=most)


def tell_writers(tx: Tx, seq: int, event: EventRow) -> None:
    """Put an event into the inboxes of all who wrote in its thread until then, in one row."""
    place = {"seq": seq, "event_seq": event.seq}
    tx.defer("watches.tell_writers", thread_id=event.thread_id, kind=event.kind, **place)


async def told_at(tx: Tx, places: Sequence[int]) -> dict[int, dict[str, str]]:
    """The agents told at these places, and as which kind of event, by place."""
    found: dict[int, dict[str, str]] = {}
    rows = await tx.all("watches.told_at", places=as_json(places)) if places else []
    for seq, agent_id, kind in rows:
        found.setdefault(seq, {})[agent_id] = kind
    return found


async def watchers(
    tx: Tx, targets: Sequence[str], at: int, behind: str, limit: int
) -> list[Watcher]:
    """The first agents after this one that watched any of these at a time (ms), in their order."""
    rows = await tx.all(
        "watches.watchers", targets=as_json(targets), at=at, behind=behind, limit=limit
    )
    return [Watcher(*row) for row in rows]


async def of_words(
    tx: Tx, words: Sequence[str], at: int, behind: str, limit: int
) -> list[WatchRow]:
    """The watches of words that may match a text with these words of a time (ms), by agent, after
    this one."""
    rows = await tx.all("watches.of_words", words=as_json(words), at=at, behind=behind, limit=limit)
    return [WatchRow(watch_id, agent_id, target, 0) for agent_id, watch_id, target in rows]


async def writers(
    tx: Tx, thread_id: str, at: int, behind: str, newest: int, limit: int
) -> list[str]:
    """The first agents after this one that wrote one of the newest replies in a thread, of those
    until a time (ms)."""
    rows = await tx.all(
        "watches.writers", thread_id=thread_id, at=at, behind=behind, newest=newest, limit=limit
    )
    return [row[0] for row in rows]
