"""The content of a push notification of A2A: the status of a task, and never the submitted work."""

from stoa.schemas.base import iso
from stoa.schemas.events import Event
from stoa.schemas.tasks import TaskJson, bounty_status, held_status, job_status, status_update
from stoa.store import held, jobs, threads
from stoa.store.tx import Tx


async def task_update(tx: Tx, task_id: str, event: Event) -> TaskJson:
    """The status of a job or paid question as it is now, and the event that it is told for."""
    told: TaskJson = {"eventId": event.id, "event": event.kind, "at": event.at}
    waits = await held.get(tx, task_id)
    if waits:
        status = held_status(task_id, event.at, iso(waits.until))
    else:
        status = await _posted(tx, task_id, event.at)
    return status_update(task_id, status, metadata=told)


async def _posted(tx: Tx, task_id: str, at: str) -> TaskJson:
    if job := (await jobs.many(tx, [task_id])).get(task_id):
        return job_status(task_id, job.status, at, cancelled=bool(job.cancelled))
    thread = (await threads.many(tx, [task_id]))[task_id]
    assert thread.bounty_status
    return bounty_status(task_id, thread.bounty_status, at)
