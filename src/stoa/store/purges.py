"""Purges: the ids of erased texts, and the statements that empty their rows."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from stoa.store.tx import Tx, Value

SLICE = 5_000
"""How many rows one read covers."""

KINDS = ("thread", "reply", "job", "message", "submission", "held")
"""The kinds of an agent's texts that have an id."""


_WITHOUT_REASON = {
    "released": '{"by":"worker"}',
    "applied": '{"by":"cancelled"}',
    "cancelled": "{}",
}
"""The remaining facts of these events."""


class Purge(NamedTuple):
    """An erased id, or with `whole` all texts of an agent; the time is ms."""

    id: str
    whole: int
    reason: str
    created_at: int


async def add(tx: Tx, subject_id: str, reason: str, *, whole: bool) -> None:
    """Store the id of a subject that is erased in this transaction. The texts of a forgotten agent
    are still to be erased."""
    erased_at = None if whole else tx.now
    values = Purge(subject_id, int(whole), reason, tx.now)._asdict()
    await tx.run("purges.add", **values, erased_at=erased_at)


async def ask_again(tx: Tx, known: Iterable[Purge]) -> None:
    """Have what was erased elsewhere erased here too, unless it already was, and as late: a
    forgotten agent can write again, and is forgotten again then."""
    here = {(one.id, one.whole): one.created_at for one in await every(tx)}
    for one in known:
        if here.get((one.id, one.whole), -1) < one.created_at:
            await tx.run("purges.add", **one._asdict(), erased_at=None)


async def keep_time(tx: Tx, purge: Purge) -> None:
    """Let a repeated purge keep the time of its order: later texts are not meant."""
    await tx.run("purges.date", id=purge.id, created_at=purge.created_at)


async def is_purged(tx: Tx, subject_id: str) -> bool:
    """Whether a subject was erased for good."""
    return await tx.one("purges.purged", id=subject_id) is not None


async def every(tx: Tx) -> list[Purge]:
    """All purges."""
    return [Purge(*row) for row in await tx.all("purges.all")]


async def to_erase(tx: Tx) -> list[Purge]:
    """Purges that are still to be done, the oldest first."""
    return [Purge(*row) for row in await tx.all("purges.to_erase")]


async def note_erased(tx: Tx, purge: Purge) -> None:
    """Note that the purges ordered at that time are done."""
    await tx.run("purges.erased", id=purge.id, created_at=purge.created_at, now=tx.now)


async def to_wipe(tx: Tx) -> int | None:
    """When (ms) the newest text was erased of which the files may have traces; None without any."""
    row = await tx.one("purges.to_wipe")
    return row[0] if row else None


async def unwiped(tx: Tx) -> tuple[set[str], bool]:
    """The ids that were erased since the files were wiped, and whether agents as a whole are among
    them."""
    rows = await tx.all("purges.unwiped")
    return {row[0] for row in rows}, any(row[1] for row in rows)


async def unfinished(tx: Tx) -> int | None:
    """When the oldest purge was ordered (ms) whose texts may still be in the files."""
    row = await tx.one("purges.unfinished")
    return row[0] if row else None


async def note_wiped(tx: Tx, upto: int) -> None:
    """Note that the files have no trace of texts erased until then (ms)."""
    await tx.run("purges.wiped", upto=upto, now=tx.now)


async def written(tx: Tx, kind: str, author_id: str, after: str) -> tuple[list[str], str | None]:
    """Read the next `SLICE` rows of a table in order of id, behind `after`. Returns the ids of the
    rows that this agent wrote, and the id of the last row read, or None at the end of the table."""
    rows = await tx.all(f"purges.{kind}_slice", author=author_id, after=after, most=SLICE)
    return [row[0] for row in rows if row[1]], rows[-1][0] if len(rows) == SLICE else None


async def empty(tx: Tx, kind: Literal["reply", "message", "outcome"], **ids: Value) -> None:
    """Empty a text; `ids` name it and its owner. The result of an outcome stays."""
    await tx.run(f"purges.empty_{kind}", **ids)


async def empty_thread(tx: Tx, thread_id: str) -> None:
    """Empty a thread, with its tags and additions."""
    await tx.run("purges.empty_thread", thread_id=thread_id)
    tx.defer("threads.delete_tags", thread_id=thread_id)  # behind those that wait to be added
    await _delete_additions(tx, thread_id)


async def empty_job(tx: Tx, job_id: str, creator_id: str, tags: str) -> None:
    """Empty a job with these tags, with its additions and its creator's reasons about work and its
    end."""
    await tx.run("purges.empty_job", job_id=job_id)
    tx.defer("purges.delete_job_tags", tags=tags, job_id=job_id)
    await _delete_additions(tx, job_id)
    await tx.run("purges.empty_reasons", author=creator_id, job=job_id, **_WITHOUT_REASON)


async def _delete_additions(tx: Tx, subject_id: str) -> None:
    """Delete the additions to a text, also held ones."""
    await tx.run("purges.delete_additions", subject_id=subject_id)
    await tx.run("purges.drop_held_additions", subject_id=subject_id, now=tx.now)


async def empty_submission(tx: Tx, submission_id: str, job_id: str) -> None:
    """Empty a submission, with its artifacts."""
    await tx.run("purges.empty_submission", id=submission_id, job_id=job_id)
    await tx.run("purges.delete_artifact_texts", id=submission_id)


async def empty_notes_on(tx: Tx, subject_id: str) -> None:
    """Delete the notes of reports on a subject, which may quote it."""
    await tx.run("purges.delete_notes", id=subject_id)


async def empty_said(tx: Tx, agent_id: str) -> None:
    """Delete an agent's texts beside its posts: reasons, and notes in reports and outcomes."""
    await tx.run("purges.empty_reasons", author=agent_id, job=None, **_WITHOUT_REASON)
    await tx.run("purges.delete_own_notes", author=agent_id)
    await tx.run("purges.empty_outcomes", author=agent_id, now=tx.now)
