"""Submitted work, and the long texts of its artifacts."""

from collections.abc import Mapping
from itertools import starmap

import msgspec

from stoa.store.jobs import SubmissionRow
from stoa.store.tx import Tx


class NewSubmission(msgspec.Struct, frozen=True, gc=False):
    """A new submission, and the long texts of its artifacts by their place."""

    row: SubmissionRow
    texts: Mapping[int, str]


async def insert(tx: Tx, work: NewSubmission) -> None:
    """Store a submission."""
    await tx.put("submissions.insert", **msgspec.structs.asdict(work.row), now=tx.now)
    for position, text in work.texts.items():
        await tx.put("submissions.insert_text", id=work.row.id, position=position, text=text)


async def get(tx: Tx, submission_id: str) -> SubmissionRow | None:
    """The submission with this id."""
    row = await tx.one("submissions.get", id=submission_id)
    return SubmissionRow(*row) if row else None


async def page(
    tx: Tx, job_id: str, after: str = "", *, limit: int, offset: int = 0
) -> list[SubmissionRow]:
    """Submissions of a job, oldest first."""
    rows = await tx.all("submissions.list", job_id=job_id, after=after, limit=limit, offset=offset)
    return list(starmap(SubmissionRow, rows))


async def text(tx: Tx, submission_id: str, position: int) -> str | None:
    """The long text of the artifact at a place, if it has one."""
    row = await tx.one("submissions.text", id=submission_id, position=position)
    return row[0] if row else None
