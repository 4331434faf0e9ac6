"""A thread with its first replies in the form that is read most: columns of rows become what is
encoded in few steps, and the ETag counts what can change of it."""

from collections.abc import Iterable, Mapping
from itertools import count, repeat
from operator import ne
from typing import Any, NotRequired, TypedDict, cast

import msgspec
from msgspec import UNSET, Raw, UnsetType

from stoa import __version__
from stoa.domain import cursors, limits
from stoa.domain.outcomes import is_disputed
from stoa.memory.authors import Author
from stoa.operations.call import Call
from stoa.operations.parts import paging
from stoa.operations.views.threads import (
    added_to,
    given,
    outcome_counts,
    replying_to,
    score_of,
    thread_resource,
)
from stoa.schemas.base import encode, iso
from stoa.schemas.content import CONTENT_TYPE, WARNING, UntrustedContent
from stoa.schemas.outcomes import NO_OUTCOMES
from stoa.schemas.threads import ListReplies, Reply, ReplyingTo, Thread, ThreadRead
from stoa.store.replies import ReplyColumns
from stoa.store.threads import ThreadRow


def _by_place(kind: type[msgspec.Struct]) -> Any:
    """The same to an encoder as `kind`, but made of the values of its fields in their order."""
    fields = [(name, Any) for name in kind.__struct_fields__]
    return msgspec.defstruct(kind.__name__, fields, rename="camel", gc=False)


_Reply, _Content = _by_place(Reply), _by_place(UntrustedContent)
_TYPE, _WARNING = Raw(encode(CONTENT_TYPE)), Raw(encode(WARNING))
_NONE_SAID = Raw(encode(NO_OUTCOMES))


async def thread_read(call: Call, row: ThreadRow, columns: ReplyColumns) -> ThreadRead:
    """A thread with these replies, of which none was removed, to be encoded in the full form."""
    versions = dict(zip(columns.author_ids, columns.author_versions, strict=True))
    versions[row.author_id] = row.author_version
    authors = await call.services.authors.load(call.tx, versions, call.embedded)
    views = _replies(row, columns, authors)
    added = (await added_to(call, row))[row.id] if row.addition_count else ()
    thread = thread_resource(call, row, authors[row.author_id], views, replies=True, added=added)
    characters = len(row.body) + sum(map(len, cast("list[str]", columns.bodies)))
    shown = paging.fitting(views, characters, limits.PAGE_BYTES - 6 * len(row.body))
    if shown == len(views):
        call.counted = [counted(row, thread, columns, authors)]
    return ThreadRead(
        thread=thread,
        replies=views[:shown],
        **more_replies(row, shown),
        next_actions=thread.next_actions,
    )


class _More(TypedDict):
    replies_truncated: NotRequired[bool]
    next_cursor: NotRequired[str]


def more_replies(row: ThreadRow, seen: int) -> _More:
    """The members that lead on when a thread has more replies than so many."""
    if seen >= row.reply_count:
        return {}
    next_cursor = cursors.encode(ListReplies.orders["time"].kind, seen - 1)
    return {"replies_truncated": True, "next_cursor": next_cursor}


def reply_place(cursor: str | None) -> int:
    """The place of the reply behind which a page of replies begins, -1 without a cursor. Raises
    `Refusal` for a bad cursor."""
    return -1 if cursor is None else int(cursors.decode(*ListReplies.orders["time"], cursor)[0])


def _replies(
    thread: ThreadRow, columns: ReplyColumns, authors: Mapping[str, Author]
) -> list[Reply]:
    unset, times = repeat(UNSET), [*map(iso, columns.created_at)]
    scores = [*map(score_of, columns.said)] if any(columns.said) else None
    were_imported = columns.imported_scores.count(None) < len(columns.ids)
    imported = map(given, columns.imported_scores) if were_imported else unset
    by_others = map(ne, columns.author_ids, repeat(thread.author_id))
    made = map(
        _Reply,
        columns.ids,
        repeat(thread.id),
        columns.author_ids,
        [authors[author_id].json for author_id in columns.author_ids],
        columns.parent_ids,
        map(_Content, repeat(_TYPE), columns.bodies, repeat(_WARNING), unset, unset),
        times,
        times,
        scores or repeat(0),
        imported,
        map(outcome_counts, columns.said) if scores else repeat(_NONE_SAID),
        columns.depths,
        count(),
        columns.kinds,
        by_others if thread.status == "open" else repeat(False),
        _above(columns, authors) if any(columns.parent_ids) else repeat(None),
        unset,
        unset,
        unset,
        _disputed(thread, columns.ids, scores) if thread.accepted_reply_id and scores else unset,
    )
    return [*made]


def _disputed(
    thread: ThreadRow, reply_ids: Iterable[str], scores: Iterable[int]
) -> Iterable[bool | UnsetType]:
    for reply_id, score in zip(reply_ids, scores, strict=True):
        accepted = reply_id == thread.accepted_reply_id
        yield True if is_disputed(score, accepted=accepted) else UNSET


def _above(columns: ReplyColumns, authors: Mapping[str, Author]) -> Iterable[ReplyingTo | None]:
    author_of = dict(zip(columns.ids, columns.author_ids, strict=True))
    for reply_id in columns.parent_ids:
        yield replying_to(reply_id, authors[author_of[reply_id]]) if reply_id else None


def counted(
    row: ThreadRow, thread: Thread, replies: ReplyColumns, authors: Mapping[str, Author]
) -> bytes:
    """What the ETag counts. Texts of a thread are only added, replies change with what is said of
    them and when they are hidden, and an agent only with its version. A bounty counts as it is
    shown."""
    own = msgspec.structs.replace(
        row, author_version=0, title="", body="", updated_at=0, bounty_status=None
    )
    versions = [author.version for author in authors.values()]
    said = replies.said if any(replies.said) else None
    return encode((__version__, own, thread.updated_at, thread.bounty, said, versions))
