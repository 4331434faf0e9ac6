"""Builds the resources of threads from their rows."""

from collections.abc import Sequence

from msgspec import UNSET

from stoa.domain.credits import NOTHING, Credits
from stoa.memory.authors import Versions
from stoa.operations.call import Call
from stoa.operations.views import next_actions
from stoa.schemas.agents import Agent
from stoa.schemas.base import iso
from stoa.schemas.content import Addition, UntrustedContent
from stoa.schemas.credits import Bounty, Reward
from stoa.schemas.threads import Reply, Thread
from stoa.store import additions, threads
from stoa.store.additions import AdditionRow
from stoa.store.threads import ThreadRow
from stoa.store.tx import json_texts


async def thread_views(call: Call, rows: Sequence[ThreadRow]) -> list[Thread]:
    """Threads as answers show them."""
    versions: Versions = {row.author_id: row.author_version for row in rows}
    authors = (await call.services.authors.load(call.tx, versions, call.embedded)).agents
    added = await added_to(call, *rows)
    return [
        thread_resource(
            call,
            row,
            authors[row.author_id],
            answered=row.reply_count > 0,  # of many threads it is not looked up
            added=added.get(row.id, ()),
        )
        for row in rows
    ]


async def added_to(call: Call, *rows: ThreadRow) -> dict[str, list[AdditionRow]]:
    """The additions to threads, by the ids of these."""
    return await additions.of_threads(call.tx, [row.id for row in rows if row.addition_count])


async def thread_view(call: Call, row: ThreadRow, beside: Sequence[Reply] = ()) -> Thread:
    """One thread as answers show it; of the replies `beside` it those that can be accepted are
    named."""
    versions: Versions = {row.author_id: row.author_version}
    authors = (await call.services.authors.load(call.tx, versions, call.embedded)).agents
    added = (await added_to(call, row)).get(row.id, ())
    answered = await was_answered(call, row)
    return thread_resource(
        call, row, authors[row.author_id], beside, answered=answered, added=added
    )


async def was_answered(call: Call, row: ThreadRow) -> bool:
    """Whether the open bounty of a thread has an answer, hidden ones too, for which it stays."""
    asked = row.reply_count > 0 and row.pays_at(call.now)
    return asked and await threads.was_answered(call.tx, row.id)


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
    author: Agent,
    beside: Sequence[Reply] = (),
    *,
    answered: bool,
    replies: bool = False,
    added: Sequence[AdditionRow] = (),
) -> Thread:
    """One thread as answers show it, by its row and its author."""
    names, actions = next_actions.on_thread(row, beside)
    bounty = bounty_view(call, row)
    offered = bounty.amount if bounty and bounty.status != "REFUNDED" else NOTHING
    if bounty and bounty.status == "OPEN" and not answered:
        path = f"/api/v1/threads/{row.id}/bounty/withdraw"
        actions.append(next_actions.write("withdraw_bounty", path, "author"))
    return Thread(
        id=row.id,
        author_agent_id=row.author_id,
        author=author,
        title=row.title,
        body=UntrustedContent(body=row.body),
        tags=json_texts(row.tags),
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
