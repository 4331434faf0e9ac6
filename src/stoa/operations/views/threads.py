"""Builds the resources of threads and replies from their rows."""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import UNSET, UnsetType

from stoa.domain.credits import NOTHING, Credits
from stoa.domain.outcomes import is_disputed
from stoa.memory.authors import Author, Versions
from stoa.operations.call import Call
from stoa.operations.views import next_actions
from stoa.schemas.base import iso
from stoa.schemas.content import Addition, UntrustedContent
from stoa.schemas.credits import Bounty, Reward
from stoa.schemas.outcomes import NO_OUTCOMES, OutcomeCounts
from stoa.schemas.removal import removal
from stoa.schemas.threads import Reply, ReplyingTo, Thread
from stoa.store import additions
from stoa.store.additions import AdditionRow
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadRow

_decode_labels = msgspec.json.Decoder(list[str]).decode
_decode_said = msgspec.json.Decoder(tuple[int, int, int, int, list[str] | None]).decode


async def thread_views(
    call: Call, rows: Sequence[ThreadRow], *, kept: bool = False
) -> list[Thread]:
    """Threads as they travel; `kept` ones are for calls that want other forms too."""
    versions: Versions = {row.author_id: row.author_version for row in rows}
    authors = await call.services.authors.load(call.tx, versions, call.embedded)
    added = await added_to(call, *rows)
    return [
        thread_resource(call, row, authors[row.author_id], kept=kept, added=added.get(row.id, ()))
        for row in rows
    ]


async def added_to(call: Call, *rows: ThreadRow) -> dict[str, list[AdditionRow]]:
    """What the authors added below their threads, by the ids of these."""
    return await additions.of_threads(call.tx, [row.id for row in rows if row.addition_count])


async def thread_view(call: Call, row: ThreadRow, beside: Sequence[Reply] = ()) -> Thread:
    """One thread as it travels; of the replies `beside` it those that can be accepted are named."""
    versions: Versions = {row.author_id: row.author_version}
    authors = await call.services.authors.load(call.tx, versions, call.embedded)
    added = (await added_to(call, row)).get(row.id, ())
    return thread_resource(call, row, authors[row.author_id], beside, added=added)


async def thread_with_replies(
    call: Call, row: ThreadRow, replies: list[ReplyRow]
) -> tuple[Thread, list[Reply]]:
    """A thread as it travels with its replies beside it."""
    versions = {**_authors_of(replies), row.author_id: row.author_version}
    authors = await call.services.authors.load(call.tx, versions, call.embedded)
    views = [_reply(call, reply, row, authors) for reply in replies]
    added = (await added_to(call, row)).get(row.id, ())
    return thread_resource(
        call, row, authors[row.author_id], views, replies=True, added=added
    ), views


def bounty_view(call: Call, row: ThreadRow) -> Bounty | None:
    """The bounty as if a refund that is due had been booked."""
    if row.bounty_id is None or row.bounty_status is None or row.bounty_expires_at is None:
        return None
    status = row.bounty_status
    if status == "OPEN":
        if row.bounty_expires_at <= call.now:
            status = "REFUNDED"
        else:
            call.expires(row.bounty_expires_at)
    return Bounty(
        id=row.bounty_id,
        amount=Credits(row.bounty_amount or 0),
        status=status,
        expires_at=iso(row.bounty_expires_at),
    )


def _updated_at(row: ThreadRow, bounty: Bounty | None) -> int:
    if bounty and bounty.status == "REFUNDED" and row.bounty_status == "OPEN":
        return max(row.updated_at, row.bounty_expires_at or 0)
    return row.updated_at


def thread_resource(
    call: Call,
    row: ThreadRow,
    author: Author,
    beside: Sequence[Reply] = (),
    *,
    replies: bool = False,
    kept: bool = False,
    added: Sequence[AdditionRow] = (),
) -> Thread:
    """One thread as it travels, by its row and its author."""
    names, actions = next_actions.on_thread(row, beside)
    bounty = bounty_view(call, row)
    offered = bounty.amount if bounty and bounty.status != "REFUNDED" else NOTHING
    return Thread(
        id=row.id,
        author_agent_id=row.author_id,
        author=author.json if call.as_json and not kept else author.agent,
        title=row.title,
        body=UntrustedContent(body=row.body),
        tags=_decode_labels(row.tags),
        status=row.status,
        accepted_reply_id=row.accepted_reply_id,
        created_at=iso(row.created_at),
        updated_at=iso(_updated_at(row, bounty)),
        last_activity_at=iso(row.last_activity_at),
        imported_score=UNSET if row.imported_score is None else row.imported_score,
        reply_count=row.reply_count,
        locked=bool(row.locked),
        bounty_credits=offered,
        replies_included=replies,
        replies_url=f"/api/v1/threads/{row.id}/replies?include=replies",
        actions=names,
        next_actions=actions,
        reward=Reward(amount=offered),
        bounty=bounty,
        additions=[*map(addition_view, added)] if added else UNSET,
        withdrawn_at=UNSET if row.withdrawn_at is None else iso(row.withdrawn_at),
    )


def addition_view(row: AdditionRow) -> Addition:
    """A text that was added below another."""
    return Addition(body=UntrustedContent(body=row.body), created_at=iso(row.created_at))


async def replies_of_threads(
    call: Call, threads: Mapping[str, ThreadRow], rows: list[ReplyRow]
) -> list[Reply]:
    """Replies as they travel, each of one of these threads, by id."""
    authors = await call.services.authors.load(call.tx, _authors_of(rows), call.embedded)
    return [_reply(call, row, threads[row.thread_id], authors) for row in rows]


async def reply_views(call: Call, thread: ThreadRow, rows: list[ReplyRow]) -> list[Reply]:
    """Replies of one thread as they travel."""
    return await replies_of_threads(call, {thread.id: thread}, rows)


def _authors_of(rows: Sequence[ReplyRow]) -> Versions:
    found: Versions = {}
    for row in rows:
        found[row.author_id] = row.author_version
        if row.parent_id:
            author_id, version = row.parent_author
            found[author_id] = version
    return found


async def reply_view(call: Call, thread: ThreadRow, row: ReplyRow) -> Reply:
    """One reply as it travels."""
    return (await reply_views(call, thread, [row]))[0]


def _reply(call: Call, row: ReplyRow, thread: ThreadRow, authors: Mapping[str, Author]) -> Reply:
    author = authors[row.author_id]
    created_at, is_shown = iso(row.created_at), row.removed_at is None
    by_another, withdrawn = row.author_id != thread.author_id, row.withdrawn_at
    is_accepted = row.id == thread.accepted_reply_id
    return Reply(
        id=row.id,
        thread_id=row.thread_id,
        author_agent_id=row.author_id,
        author=author.json if call.as_json else author.agent,
        parent_reply_id=row.parent_id,
        body=UntrustedContent(body=row.body),
        created_at=created_at,
        updated_at=created_at,
        score=row.score,
        imported_score=given(row.imported_score),
        outcomes=outcome_counts(row.said),
        depth=row.depth,
        thread_order=row.thread_order,
        kind=row.kind,
        accept_eligible=thread.status == "open" and by_another and is_shown and not withdrawn,
        replying_to=_replying_to(row, authors) if row.parent_id else None,
        removed=UNSET if is_shown else removal(row.removed_at, row.removed_reason),
        withdrawn_at=iso(withdrawn) if withdrawn else UNSET,
        disputed=True if is_disputed(row.score, accepted=is_accepted) else UNSET,
    )


def given(score: int | None) -> int | UnsetType:
    """A score that is there for some posts only, as it travels."""
    return UNSET if score is None else score


def score_of(said: str | None) -> int:
    """The score of a reply of which this is said."""
    return _decode_said(said)[0] if said else 0


def outcome_counts(said: str | None) -> OutcomeCounts:
    """What agents say of a reply, as it travels."""
    if said is None:
        return NO_OUTCOMES
    _, worked, worked_with_changes, did_not_work, environments = _decode_said(said)
    return OutcomeCounts(
        worked=worked,
        worked_with_changes=worked_with_changes,
        did_not_work=did_not_work,
        environments=environments or UNSET,
    )


def _replying_to(row: ReplyRow, authors: Mapping[str, Author]) -> ReplyingTo:
    author_id, _ = row.parent_author
    return replying_to(row.parent_id or "", authors[author_id])


def replying_to(reply_id: str, author: Author) -> ReplyingTo:
    """Which reply a nested reply answers."""
    return ReplyingTo(
        reply_id=reply_id,
        author_agent_id=author.agent.id,
        author_display_name=author.agent.display_name,
    )
