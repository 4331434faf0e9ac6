"""Messages on jobs: public questions, and messages between the two parties."""

from typing import Literal

import msgspec

from stoa.store.tx import Tx, as_json

Recipients = Literal["everyone", "parties"]


class MessageRow(msgspec.Struct, frozen=True, gc=False):
    """A row of `job_message`; times are ms. A `removed` one has no body.

    `claimer_id` is the claimer of the job at the time: a message to `parties` is for the creator of
    the job and for this agent alone.
    """

    id: str
    job_id: str
    author_id: str
    recipients: Recipients
    claimer_id: str | None
    body: str
    created_at: int
    removed_at: int | None = None
    removed_reason: str | None = None

    def is_for(self, agent_id: str | None, creator_id: str) -> bool:
        """Whether an agent, or everyone, may read it."""
        if self.recipients == "everyone":
            return True
        return agent_id is not None and agent_id in (creator_id, self.claimer_id)


class MessageText(msgspec.Struct, frozen=True, gc=False):
    """The text of a message, empty if it is hidden."""

    id: str
    body: str
    removed_at: int | None


async def insert(tx: Tx, row: MessageRow) -> None:
    """Store a new message."""
    await tx.put("messages.insert", **msgspec.structs.asdict(row), now=tx.now)


async def get(tx: Tx, message_id: str) -> MessageRow | None:
    """The message with this id."""
    row = await tx.one("messages.get", id=message_id)
    return MessageRow(*row) if row else None


async def page(
    tx: Tx,
    job_id: str,
    reader_id: str | None,
    after: str,
    *,
    is_creator: bool,
    limit: int,
    offset: int,
) -> list[MessageRow]:
    """The messages of a job that a reader may see, oldest first."""
    rows = await tx.all(
        "messages.list",
        job_id=job_id,
        reader_id=reader_id or "",
        is_creator=int(is_creator),
        after=after,
        limit=limit,
        offset=offset,
    )
    return [MessageRow(*row) for row in rows]


async def askers(tx: Tx, job_id: str, most: int, before: str) -> list[str]:
    """The agents that wrote public messages on a job before this one, the latest first."""
    rows = await tx.all("messages.askers", job_id=job_id, before=before, most=most)
    return [row[0] for row in rows]


async def texts(tx: Tx, message_ids: list[str]) -> list[MessageText]:
    """The texts of these messages."""
    rows = await tx.all("messages.texts", ids=as_json(message_ids)) if message_ids else []
    return [MessageText(*row) for row in rows]
