"""All texts of a moderated subject, which moderators read even when it is hidden."""

from stoa.domain.moderation import ModerationSubject, SubjectType
from stoa.store import additions, jobs, moderation, threads
from stoa.store.moderation import TextRow
from stoa.store.tx import Tx, json_texts


async def read(tx: Tx, subject: ModerationSubject) -> TextRow:
    """The title of an existing subject, and all its other texts as its body; for moderators
    alone."""
    row = await moderation.text(tx, subject.type, subject.id)
    beside = await _beside(tx, subject)
    return row._replace(body="\n".join(filter(None, [row.body, *beside])))


async def _beside(tx: Tx, subject: ModerationSubject) -> list[str]:
    """The texts beside the main text: labels, lists and additions."""
    match subject.type:
        case SubjectType.THREAD:
            thread = await threads.get(tx, subject.id)
            assert thread
            texts = [_labels(thread.tags)]
        case SubjectType.JOB:
            job = await jobs.get(tx, subject.id)
            assert job
            lists = [job.requirements, job.acceptance_criteria, job.verification]
            listed = [text for one in lists for text in json_texts(one)]
            texts = [*listed, job.effort_estimate or "", _labels(job.tags)]
        case _:
            return []
    added = (await additions.of_threads(tx, [subject.id]))[subject.id]
    return [*texts, *(one.body for one in added)]


def _labels(stored: str) -> str:
    return ", ".join(json_texts(stored))
