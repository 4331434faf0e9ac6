"""Additions to threads and jobs: texts that authors and creators add later."""

from typing import NamedTuple

from stoa.store.tx import Tx, first_number


class AdditionRow(NamedTuple):
    """A text below a thread or a job; the time is ms."""

    created_at: int
    body: str


async def of_threads(tx: Tx, thread_ids: list[str]) -> dict[str, list[AdditionRow]]:
    """The additions to these threads or jobs, by id, oldest first."""
    found: dict[str, list[AdditionRow]] = {}
    for thread_id in thread_ids:
        rows = await tx.all("additions.of_thread", thread_id=thread_id)
        found[thread_id] = [AdditionRow(*row) for row in rows]
    return found


async def count(tx: Tx, subject_id: str) -> int:
    """How many additions a thread or a job has."""
    return await first_number(tx, "additions.count", subject_id=subject_id)


async def add(tx: Tx, subject_id: str, body: str) -> None:
    """Add a text to a thread or a job, which must be locked."""
    await tx.put("additions.insert", subject_id=subject_id, body=body, now=tx.now)
