"""Finds the further agents that an event concerns, after its write: those that watch, wrote in the
thread or are mentioned. They get it in their inboxes, at a later place in the log than the event
itself."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from stoa.domain import limits, querylang, watches
from stoa.domain.events import EventKind
from stoa.domain.labels import wanted_words
from stoa.domain.watches import WatchedText
from stoa.entropy import IdGenerator
from stoa.logs import log
from stoa.operations.views import events as event_views
from stoa.operations.views.agents import capabilities_of
from stoa.operations.views.events import About
from stoa.store import additions, agents, events, messages, replies
from stoa.store import watches as rows
from stoa.store.events import EventRow
from stoa.store.jobs import JobRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import Tx, json_texts
from stoa.store.watches import TellingPlace, Told, Watcher, WatchKinds

_LOOKED_AT = watches.MET | {EventKind.JOB_MESSAGE}
_LIGHT_CHARACTERS, _LIGHT_WATCHES = 10_000, 10
"""Such a text is compared with so many watches in under 2 ms."""
_EVERYONE = "~"
"""Sorts after the id of every agent."""

_NO_EVENT = 0
"""Stands in for the event that is already in an inbox."""

_NOBODY: tuple[list[Watcher], str] = [], _EVERYONE
_NO_WRITERS: tuple[list[str], str] = [], _EVERYONE


class Concerned(NamedTuple):
    """The agents that an event is told to. Those that have it already as an offer that fits keep it
    when the offer is over. Says whether it is told to all who wrote in its thread."""

    told: list[Told]
    stays: list[Told]
    writers: bool


class News(NamedTuple):
    """The rows to tell: events with the agents that they concern, replies that are `hidden` by now
    in busy threads, whose authors are told of what follows there, and the places between which the
    log was read."""

    told: list[tuple[EventRow, Concerned]]
    hidden: list[EventRow]
    was: TellingPlace
    upto: TellingPlace

    @property
    def is_due(self) -> bool:
        """Whether there is anything to write: agents to tell, an event with more agents, or many
        events read."""
        is_far = self.upto.seq - self.was.seq >= limits.TELLING_BEHIND
        return bool(self.told or self.hidden or self.upto.agent_id) or is_far


async def look(tx: Tx, looked: int) -> News:
    """Read some new events, after the place up to which all are told. Each statement has to see
    what was committed before that statement: in an older snapshot, events below the end of the log
    may be missing, and nobody would be told of them."""
    was = await rows.place(tx)
    newest = (await events.log(tx)).newest
    # With an agent the place is within an event, of which the agents behind are to be told yet.
    upto = was if was.agent_id or was.seq >= looked else TellingPlace(looked, "")
    found = await events.between(tx, upto.seq, newest, limits.TELLING_EVENTS)
    known = await event_views.about(tx, [row for row in found if row.kind in _LOOKED_AT])
    kinds = await rows.kinds(tx) if found else WatchKinds(any=False, words=False)
    told: list[tuple[EventRow, Concerned]] = []
    hidden: list[EventRow] = []
    count, left = 0, limits.TELLING_CHARACTERS
    for row in found:
        behind, upto = upto.agent_id, TellingPlace(row.seq, "")
        if row.kind not in _LOOKED_AT:
            continue
        if known.hides(row):
            if row.kind == EventKind.REPLY_CREATED and _in_one_row(row, known):
                hidden.append(row)
            continue
        try:
            text = await _text(tx, row, known)
            some, last = await _concerned(tx, row, known, kinds, behind, text)
        except Exception as error:  # or nobody would be told of any event behind it
            if tx.may_pass(error):
                raise
            log.exception("event cannot be told of", id=row.id)
            continue
        left -= len(text.written) if text else 0
        if any(some):
            told.append((row, some))
            count += len(some.told) + len(some.stays)
        if last != _EVERYONE:  # places are behind an event: the next look begins with this one
            upto = TellingPlace(row.seq - 1, last)
        if last != _EVERYONE or count >= limits.TELLING_AGENTS or left <= 0:
            break
    return News(told, hidden, was, upto)


async def tell(tx: Tx, ids: IdGenerator, news: News) -> None:
    """Write the rows, unless another process did meanwhile."""
    if not await rows.move(tx, news.was, news.upto):
        return
    for row in news.hidden:
        await rows.note_writer(tx, row, limits.TELLING_WRITERS)
    for row, (told, stays, writers) in news.told:
        if told or writers:
            seq = await events.mark(tx, ids.new("ev", tx.now), row)
            rows.tell(tx, seq, row.seq, told)
            if row.offer:  # it stands there once, though it fits them by what they can do later
                rows.tell(tx, row.seq, _NO_EVENT, told)
            if writers:
                await rows.note_writer(tx, row, limits.TELLING_WRITERS)
                rows.tell_writers(tx, seq, row)
        rows.tell(tx, row.seq, row.seq, stays)


async def _concerned(
    tx: Tx,
    row: EventRow,
    known: About,
    kinds: WatchKinds,
    behind: str,
    text: WatchedText | None,
) -> tuple[Concerned, str]:
    """The first agents after this one that an event concerns, and the agent where the search
    ended."""
    settled = row.kind == EventKind.REPLY_ACCEPTED and bool(event_views.facts_of(row).credits)
    in_one_row = _in_one_row(row, known) and not settled
    mentioned = await _mentioned(tx, text) if text else set[str]()
    # The row of a mentioned agent says too whether it wrote in the thread.
    names_writers = not in_one_row or mentioned
    writers, first = await _writers(tx, row, behind) if names_writers else _NO_WRITERS
    watchers, second = await _watchers(tx, row, known, behind) if kinds.any else _NOBODY
    readers, third = await _of_words(tx, row, text, behind) if kinds.words else _NOBODY
    # Each list may end early, and behind the first of their ends some agents would be left out.
    last = min(first, second, third)
    watching = dict([*readers, *watchers])
    met = dict.fromkeys(writers, "") | watching
    left_out = await _told_anyway(tx, row)
    named = (watching if in_one_row else met).keys() | mentioned
    chosen = sorted(one for one in named if behind < one <= last and one not in left_out)
    offered = await _offered(tx, row, chosen) if row.offer and chosen else set[str]()
    told = [
        Told(
            one,
            EventKind.MENTIONED
            if one in mentioned
            else EventKind.BOUNTY_SETTLED
            if settled and one in writers
            else row.kind,
            met.get(one),
        )
        for one in chosen
        if one not in offered
    ]
    stays = [Told(one, row.kind, None) for one in sorted(offered)]
    # With the last part, so that who was told of the event by itself is known by then.
    return Concerned(told, stays, in_one_row and last == _EVERYONE), last


def _in_one_row(row: EventRow, known: About) -> bool:
    """Whether one row tells all who wrote in the thread of an event. They may have an offer in
    their inboxes already."""
    thread = known.threads.get(row.thread_id or "")
    if thread is None or row.offer or not watches.tells_thread(row.kind):
        return False
    return thread.reply_count > limits.TELLING_BUSY


async def _text(tx: Tx, row: EventRow, known: About) -> WatchedText | None:
    """The text of an event, if everyone can read it."""
    thread, job = known.threads.get(row.thread_id or ""), known.jobs.get(row.job_id or "")
    if row.kind == EventKind.THREAD_CREATED and thread:
        return WatchedText(thread.title, thread.body)
    if row.kind == EventKind.JOB_CREATED and job:
        return WatchedText(job.title, job.description)
    if row.kind == EventKind.REPLY_CREATED:
        found = await replies.texts(tx, [row.subject_id])
        return WatchedText(*found.values())
    if row.kind == EventKind.TEXT_ADDED:
        added = (await additions.of_threads(tx, [row.subject_id]))[row.subject_id]
        return WatchedText(*(one.body for one in added if one.created_at == row.at))
    if row.kind == EventKind.JOB_MESSAGE and event_views.facts_of(row).asked:
        return WatchedText(*(one.body for one in await messages.texts(tx, [row.subject_id])))
    return None


async def _writers(tx: Tx, row: EventRow, behind: str) -> tuple[list[str], str]:
    """Those who wrote in the thread of an event, and the agent where the search ended."""
    if row.thread_id is None or not watches.tells_thread(row.kind):
        return [], _EVERYONE
    newest, most = limits.TELLING_WRITERS, limits.TELLING_AGENTS
    found = await rows.writers(tx, row.thread_id, row.at, behind, newest, most)
    return found, found[-1] if len(found) == most else _EVERYONE


async def _watchers(tx: Tx, row: EventRow, known: About, behind: str) -> tuple[list[Watcher], str]:
    """Those who watch the thread, the agent or a tag of an event, and the agent where the search
    ended."""
    subject: ThreadRow | JobRow | None = known.threads.get(row.thread_id or "")
    subject = subject or known.jobs.get(row.job_id or "")
    of = [one for one in (row.actor_id, row.subject_id) if one and one.startswith("ag_")]
    met = watches.targets(row.kind, row.thread_id, of, json_texts(subject.tags) if subject else [])
    most = limits.TELLING_AGENTS
    found = await rows.watchers(tx, met, row.at, behind, most) if met else []
    return found, found[-1].agent_id if len(found) == most else _EVERYONE


async def _of_words(
    tx: Tx, row: EventRow, text: WatchedText | None, behind: str
) -> tuple[list[Watcher], str]:
    """Those who watch words of a new text, and the agent where the search ended. Of the last one
    not all watches may have been read."""
    if text is None or row.kind not in watches.NEW_TEXTS:
        return [], _EVERYONE
    most, light = limits.TELLING_WATCHES, len(text.written) <= _LIGHT_CHARACTERS
    words = await tx.aside(lambda: sorted(text.words), light=light)
    found = await rows.of_words(tx, words, row.at, behind, most)
    last = _EVERYONE
    if len(found) == most:
        # There is one before: no agent has as many watches as are read.
        last = max(one.agent_id for one in found if one.agent_id < found[-1].agent_id)

    def met() -> list[Watcher]:
        queries = [querylang.parse(watches.watched(one.target)[1]) for one in found]
        return [
            Watcher(one.agent_id, one.id)
            for one, meets in zip(found, text.meeting(queries), strict=True)
            if meets and one.agent_id <= last
        ]

    return await tx.aside(met, light=light and len(found) <= _LIGHT_WATCHES), last


async def _mentioned(tx: Tx, text: WatchedText) -> set[str]:
    """The existing agents that a text mentions."""
    found = watches.mentions(text.written)
    there = await agents.many(tx, found) if found else []
    return {row.id for row in there if row.retired_at is None and row.removed_at is None}


async def _told_anyway(tx: Tx, row: EventRow) -> Collection[str | None]:
    """Agents that need no further row: the actor, and those with the event in their inbox. The
    first row about a message names the parties of its job; those who asked before have another
    one."""
    told = {row.actor_id, row.party_id, row.other_id}
    if row.kind != EventKind.JOB_MESSAGE or row.job_id is None:
        return told
    before = row.subject_id
    return told.union(await messages.askers(tx, row.job_id, limits.MESSAGE_TOLD, before))


async def _offered(tx: Tx, row: EventRow, agent_ids: Sequence[str]) -> set[str]:
    """Those whose inboxes have an offer already, as it fits their capabilities."""
    terms = (await events.terms(tx, [row.subject_id])).get(row.subject_id, set[str]())
    there = await agents.many(tx, list(agent_ids))
    return {one.id for one in there if not terms.isdisjoint(wanted_words(capabilities_of(one)))}
