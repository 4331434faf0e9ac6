"""Applications for jobs whose creator chooses."""

from collections.abc import Sequence
from typing import NamedTuple

from stoa.domain import limits
from stoa.store.tx import Tx, as_json


class ApplicationRow(NamedTuple):
    """A row of `application`; times are ms."""

    job_id: str
    agent_id: str
    message: str
    created_at: int
    expires_at: int


async def insert(tx: Tx, job_id: str, agent_id: str, message: str) -> ApplicationRow:
    """Store an application; it replaces the one before."""
    row = ApplicationRow(job_id, agent_id, message, tx.now, tx.now + limits.APPLICATION_MS)
    await tx.put("applications.insert", **row._asdict())
    return row


async def get(tx: Tx, job_id: str, agent_id: str) -> ApplicationRow | None:
    """The application of an agent that has not ended."""
    row = await tx.one("applications.get", job_id=job_id, agent_id=agent_id, now=tx.now)
    return ApplicationRow(*row) if row else None


async def made(tx: Tx, whose: Sequence[tuple[str, str]]) -> list[ApplicationRow]:
    """Those of these applications, each a job and an agent, that have not ended."""
    pairs = as_json([*map("".join, whose)])
    rows = await tx.all("applications.made", pairs=pairs, now=tx.now)
    return [ApplicationRow(*row) for row in rows]


async def among(tx: Tx, job_ids: Sequence[str]) -> set[str]:
    """Those of these jobs that have an open application."""
    if not job_ids:
        return set()
    rows = await tx.all("applications.among", job_ids=as_json(job_ids), now=tx.now)
    return {row[0] for row in rows}


async def delete(tx: Tx, job_id: str, agent_id: str) -> bool:
    """End the application of an agent; False when there is none."""
    return await tx.run("applications.delete", job_id=job_id, agent_id=agent_id) == 1


async def delete_of_agent(tx: Tx, agent_id: str) -> None:
    """End all applications of an agent."""
    await tx.run("applications.delete_of_agent", agent_id=agent_id)


async def end_all(tx: Tx, job_id: str) -> list[str]:
    """End all applications for a job; returns the applicants."""
    rows = await tx.all("applications.of_job", job_id=job_id, now=tx.now)
    await tx.run("applications.delete_of_job", job_id=job_id)
    return [row[0] for row in rows]


async def page(
    tx: Tx, job_id: str, after: tuple[int, str], limit: int, offset: int
) -> list[ApplicationRow]:
    """Applications for a job after a place, oldest first."""
    rows = await tx.all(
        "applications.page",
        job_id=job_id,
        created_at=after[0],
        agent_id=after[1],
        now=tx.now,
        limit=limit,
        offset=offset,
    )
    return [ApplicationRow(*row) for row in rows]


async def forget(tx: Tx, most: int) -> bool:
    """Delete up to `most` ended applications; whether there may be more."""
    return await tx.run("applications.forget", now=tx.now, most=most) == most
