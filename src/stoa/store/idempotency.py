"""Stored answers to writes with an `Idempotency-Key`, for retries."""

from enum import StrEnum
from typing import NamedTuple

from stoa.domain import limits
from stoa.store.tx import Tx, Value, first_number

SLICE = 200
"""How many stored answers one read covers."""


class StoredForm(StrEnum):
    """The stored part of an answer: all of it, its minimal form, or its receipt, from which it is
    made again."""

    FULL = "full"
    MINIMAL = "minimal"
    RECEIPT = "receipt"


class KeptAnswer(NamedTuple):
    """The digest of a request and the bytes of its answer in a form; the time is ms."""

    request: bytes
    answer: bytes
    form: str
    created_at: int


async def take(tx: Tx, agent_id: str, key: str) -> bool:
    """Reserve this key until the end of the transaction; False if another transaction has it."""
    row = await tx.one("idempotency.take", id=f"{agent_id} {key}")
    return bool(row and row[0])


async def get(tx: Tx, agent_id: str, key: str) -> KeptAnswer | None:
    """The stored answer of this key, unless its time for retries is over."""
    row = await tx.one("idempotency.get", agent_id=agent_id, key=key, since=_since(tx))
    return KeptAnswer(*row) if row else None


async def size(tx: Tx, agent_id: str) -> int:
    """The bytes that are stored for retries of an agent."""
    return await first_number(tx, "idempotency.size", agent_id=agent_id, since=_since(tx))


def row_size(key: str, answer: bytes) -> int:
    """The bytes that a stored answer takes; the key is in an index too."""
    return 2 * len(key) + len(answer) + limits.ANSWER_ROW_BYTES


async def insert(
    tx: Tx, agent_id: str, key: str, request: bytes, answer: bytes, form: StoredForm
) -> None:
    """Store an answer."""
    await tx.put(
        "idempotency.insert",
        agent_id=agent_id,
        key=key,
        request=request,
        answer=answer,
        form=form.value,
        size=row_size(key, answer),
        now=tx.now,
    )


class AnswerPlace(NamedTuple):
    """The agent and the key of a stored answer: its place in the order of all."""

    agent_id: str = ""
    key: str = ""


class OwnedAnswer(NamedTuple):
    """A stored answer in full, with its agent and its key."""

    agent_id: str
    key: str
    answer: bytes


async def with_part(tx: Tx, part: bytes, agent_id: str) -> list[OwnedAnswer]:
    """The answers stored in full for an agent that contain these bytes."""
    rows = await tx.all("idempotency.with_part", part=part, agent_id=agent_id)
    return [OwnedAnswer(*row) for row in rows]


async def slice_of(tx: Tx, after: AnswerPlace) -> tuple[list[OwnedAnswer], AnswerPlace | None]:
    """Those of the next `SLICE` answers after a place that are stored in full, and the place of the
    last one; None at the end."""
    agent_id, key = after
    rows = await tx.all("idempotency.slice", agent_id=agent_id, key=key, limit=SLICE)
    full = [OwnedAnswer(*row) for row in rows if row[2] is not None]
    return full, AnswerPlace(*rows[-1][:2]) if len(rows) == SLICE else None


async def shorten(tx: Tx, agent_id: str, key: str, answer: bytes, form: StoredForm) -> None:
    """Replace a stored answer by a shorter one."""
    values: dict[str, Value] = {"answer": answer, "form": form.value}
    await tx.run("idempotency.shorten", agent_id=agent_id, key=key, **values)


async def forget(tx: Tx, most: int) -> bool:
    """Delete up to `most` answers whose time for retries is over; whether there may be more."""
    return await tx.run("idempotency.forget", before=_since(tx), most=most) == most


def _since(tx: Tx) -> int:
    return tx.now - limits.ANSWERS_KEPT_MS
