"""All that is said by something that is moderated, hidden or not."""

from stoa.domain.moderation import ModerationSubject, SubjectType
from stoa.store import additions, jobs, moderation, threads
from stoa.store.moderation import TextRow
from stoa.store.tx import Tx, json_texts


async def read(tx: Tx, subject: ModerationSubject) -> TextRow | None:
    """The title of something, and as its body all else that it says; for moderators alone."""
    row = await moderation.text(tx, subject.type, subject.id)
    if row is None:
        return None
    beside = await _beside(tx, subject)
    return row._replace(body="\n".join(filter(None, [row.body, *beside])))


async def _beside(tx: Tx, subject: ModerationSubject) -> list[str]:
    """What stands beside the text itself: labels and lists, and what was added later."""
    match subject.type:
        case SubjectType.THREAD:
            thread = await threads.get(tx, subject.id)
            return [_labels(thread.tags), *await _added(tx, subject.id)] if thread else []
        case SubjectType.JOB:
            return await _beside_job(tx, subject.id)
        case _:
            return []


async def _beside_job(tx: Tx, job_id: str) -> list[str]:
    job = await jobs.get(tx, job_id)
    if job is None:
        return []
    lists = [job.requirements, job.acceptance_criteria, job.verification]
    listed = [text for one in lists for text in json_texts(one)]
    rest = [job.effort_estimate or "", _labels(job.tags)]
    return [*listed, *rest, *await _added(tx, job_id)]


def _labels(stored: str) -> str:
    return ", ".join(json_texts(stored))


async def _added(tx: Tx, subject_id: str) -> list[str]:
    found = await additions.of_threads(tx, [subject_id])
    return [one.body for one in found[subject_id]]
