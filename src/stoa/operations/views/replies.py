"""Builds the resources of replies from their rows, column by column: the fastest way for a thread
with many."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import ne
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from stoa import __version__
from stoa.domain.outcomes import is_disputed
from stoa.memory.authors import Versions
from stoa.operations.call import Call
from stoa.operations.views.threads import added_to, thread_resource, was_answered
from stoa.schemas.agents import Agent
from stoa.schemas.base import encode, iso
from stoa.schemas.content import CONTENT_TYPE, WARNING, UntrustedContent
from stoa.schemas.outcomes import NO_OUTCOMES, OutcomeCounts
from stoa.schemas.removal import Removal, removal
from stoa.schemas.threads import Reply, ReplyingTo, Thread
from stoa.store.replies import ReplyColumns, ReplyRow
from stoa.store.threads import ThreadRow

_decode_said = msgspec.json.Decoder(tuple[int, int, int, int, list[str] | None]).decode


def _by_place(kind: type[msgspec.Struct]) -> Any:
    """The same type, made of the values of its fields in order; the last ones may be left out if
    they are usually absent."""
    fields = [
        (field.name, field.type, UNSET) if field.name in _LEFT_OUT else (field.name, field.type)
        for field in msgspec.structs.fields(kind)
    ]
    name, bases = kind.__name__, (kind,)
    return msgspec.defstruct(name, fields, bases=bases, rename="camel", frozen=True, gc=False)


_LEFT_OUT = ("removed", "held", "withdrawn_at", "disputed", "truncated", "characters_left")
_Reply, _Content = _by_place(Reply), _by_place(UntrustedContent)
_TYPE, _WARNING = msgspec.Raw(encode(CONTENT_TYPE)), msgspec.Raw(encode(WARNING))


class WithReplies(NamedTuple):
    """A thread with its replies beside it, and the versions of the agents shown."""

    thread: Thread
    replies: list[Reply]
    versions: list[int]


async def thread_with_replies(call: Call, row: ThreadRow, replies: ReplyColumns) -> WithReplies:
    """A thread with its replies beside it."""
    named = _named(row, replies)
    authors, versions = await call.services.authors.load(call.tx, named, call.embedded)
    shown = [*map(versions.__getitem__, named)]
    author, views = authors[row.author_id], _replies(row, replies, authors)
    added = (await added_to(call, row))[row.id] if row.addition_count else ()
    answered = await was_answered(call, row)
    thread = thread_resource(call, row, author, views, answered=answered, replies=True, added=added)
    return WithReplies(thread, views, shown)


def known_by(
    row: ThreadRow, thread: Thread, replies: ReplyColumns, count: int, versions: list[int]
) -> bytes:
    """The text that tells an answer with this thread and its first so many replies from all others:
    all its mutable values, with the first and the last id for the rest."""
    offered: object = [action.url for action in thread.next_actions[-2:]]
    if count < len(replies.id):
        offered = thread.next_actions  # of all replies
        known = dict(zip(_named(row, replies), versions, strict=True))
        replies = replies.first(count)
        versions = [known[agent_id] for agent_id in _named(row, replies)]
    were_imported = replies.imported_score.count(None) < count
    are_gone = any(replies.removed_at) or any(replies.withdrawn_at)
    state = (
        __version__,
        offered,
        row.status,
        row.accepted_reply_id,
        row.locked,
        row.reply_count,
        row.last_activity_at,
        thread.updated_at,
        thread.bounty,
        row.addition_count,
        row.imported_score,
        row.withdrawn_at,
        count,
        replies.id[:1],
        replies.id[-1:],
        versions,
        replies.said if any(replies.said) else None,
        replies.imported_score if were_imported else None,
        (replies.removed_at, replies.removed_reason, replies.withdrawn_at) if are_gone else None,
    )
    return encode(state)


async def replies_of_threads(
    call: Call, threads: Mapping[str, ThreadRow], rows: Sequence[ReplyRow]
) -> list[Reply]:
    """Replies of these threads as answers show them, by id."""
    versions = _authors_of(ReplyColumns.of(rows))
    authors = (await call.services.authors.load(call.tx, versions, call.embedded)).agents
    return [
        view
        for row in rows
        for view in _replies(threads[row.thread_id], ReplyColumns.of([row]), authors)
    ]


async def reply_views(call: Call, thread: ThreadRow, rows: Sequence[ReplyRow]) -> list[Reply]:
    """Replies of one thread as answers show them."""
    replies = ReplyColumns.of(rows)
    shown = await call.services.authors.load(call.tx, _authors_of(replies), call.embedded)
    return _replies(thread, replies, shown.agents)


async def reply_view(call: Call, thread: ThreadRow, row: ReplyRow) -> Reply:
    """One reply as answers show it."""
    return (await reply_views(call, thread, [row]))[0]


def _named(thread: ThreadRow, replies: ReplyColumns) -> Versions:
    """The agents that a thread with its replies names."""
    found = _authors_of(replies)
    found[thread.author_id] = thread.author_version
    return found


def _authors_of(replies: ReplyColumns) -> dict[str, int | None]:
    """Agents with their versions, if the rows have these. Else the authors above a reply are among
    those beside it."""
    if not replies.author_version:
        return dict.fromkeys(replies.author_id)
    found: dict[str, int | None] = dict(zip(replies.author_id, replies.author_version, strict=True))
    if not any(replies.parent_id):
        return found
    above = zip(replies.parent_author_id, replies.parent_author_version, strict=True)
    return {agent_id: version for agent_id, version in above if agent_id} | found


def _replies(thread: ThreadRow, replies: ReplyColumns, authors: Mapping[str, Agent]) -> list[Reply]:
    """Replies of a thread. Values that no reply has cost nothing for each."""
    unset, times = repeat(UNSET), [*map(iso, replies.created_at)]
    were_imported = replies.imported_score.count(None) < len(times)
    were_said, are_gone = any(replies.said), any(replies.removed_at) or any(replies.withdrawn_at)
    scores = [*map(_score_of, replies.said)] if were_said else [0] * len(times)
    may_be_accepted = map(ne, replies.author_id, repeat(thread.author_id))
    if are_gone:
        may_be_accepted = map(_and_here, may_be_accepted, replies.removed_at, replies.withdrawn_at)
    beside = ()
    if were_said or are_gone:
        beside = (
            map(_removal, replies.removed_at, replies.removed_reason),
            unset,
            map(_withdrawn, replies.withdrawn_at),
            _disputed(thread, replies.id, scores),
        )
    made = map(
        _Reply,
        replies.id,
        repeat(thread.id),
        replies.author_id,
        map(authors.__getitem__, replies.author_id),
        replies.parent_id,
        map(_Content, repeat(_TYPE), replies.body, repeat(_WARNING)),
        times,
        times,
        scores,
        map(_given, replies.imported_score) if were_imported else unset,
        map(_outcomes, replies.said) if were_said else repeat(NO_OUTCOMES),
        replies.depth,
        replies.thread_order,
        replies.kind,
        may_be_accepted if thread.status == "open" else repeat(False),
        _above(replies, authors) if any(replies.parent_id) else repeat(None),
        *beside,
    )
    return [*made]


def _given(score: int | None) -> int | UnsetType:
    return UNSET if score is None else score


def _and_here(by_another: bool, removed_at: int | None, withdrawn_at: int | None) -> bool:
    return by_another and removed_at is None and withdrawn_at is None


def _removal(at: int | None, reason: str | None) -> Removal | UnsetType:
    return UNSET if at is None else removal(at, reason)


def _withdrawn(at: int | None) -> str | UnsetType:
    return UNSET if at is None else iso(at)


def _score_of(said: str | None) -> int:
    return _decode_said(said)[0] if said else 0


def _outcomes(said: str | None) -> OutcomeCounts:
    if said is None:
        return NO_OUTCOMES
    _, worked, worked_with_changes, did_not_work, environments = _decode_said(said)
    return OutcomeCounts(
        worked=worked,
        worked_with_changes=worked_with_changes,
        did_not_work=did_not_work,
        environments=environments or UNSET,
    )


def _above(replies: ReplyColumns, authors: Mapping[str, Agent]) -> Iterable[ReplyingTo | None]:
    for reply_id, author_id in zip(replies.parent_id, replies.parent_author_id, strict=True):
        if reply_id is None or author_id is None:
            yield None
        else:
            name = authors[author_id].display_name
            yield ReplyingTo(reply_id=reply_id, author_agent_id=author_id, author_display_name=name)


def _disputed(
    thread: ThreadRow, reply_ids: Iterable[str], scores: Iterable[int]
) -> Iterable[bool | UnsetType]:
    for reply_id, score in zip(reply_ids, scores, strict=True):
        accepted = reply_id == thread.accepted_reply_id
        yield True if is_disputed(score, accepted=accepted) else UNSET
