"""The states of jobs and paid questions as tasks of A2A, and the status of a task."""

from typing import Any

TaskJson = dict[str, Any]

COMPLETED, CANCELED = "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED"
FAILED, SUBMITTED = "TASK_STATE_FAILED", "TASK_STATE_SUBMITTED"
WORKING, INPUT_REQUIRED = "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"
TERMINAL = frozenset({COMPLETED, CANCELED, FAILED, "TASK_STATE_REJECTED"})
STOPPED = TERMINAL | {INPUT_REQUIRED}
"""The states in which nobody works for the client: the end, or its turn to decide."""
STATES = STOPPED | {SUBMITTED, WORKING, "TASK_STATE_AUTH_REQUIRED"}
"""All states of A2A, those too that no task is in here."""

_OF_JOBS = {
    "OPEN": SUBMITTED,
    "CLAIMED": WORKING,
    "SUBMITTED": INPUT_REQUIRED,
    "REJECTED_REVISION_ALLOWED": WORKING,
    "COMPLETED": COMPLETED,
    "REJECTED_TERMINAL": FAILED,
    "REFUNDED_EXPIRED": FAILED,
}
_OF_JOB = {
    "OPEN": "It is offered. Nobody has claimed it yet.",
    "SUBMITTED": 'Work was handed in. Send {"action": "accept"} or {"action": "reject", '
    '"reasonCode": ..., "message": ...} to this task.',
    "REJECTED_REVISION_ALLOWED": "It was rejected once. The worker may hand in once more.",
    "REJECTED_TERMINAL": "It was rejected and cannot be handed in again. The reward came back to "
    "its creator.",
    "REFUNDED_EXPIRED": "Its deadline passed, or a moderator ended it. The reward came back to its "
    "creator.",
}
_CANCELLED = "Its creator cancelled it. The reward came back at once."
_OF_BOUNTIES = {"OPEN": SUBMITTED, "PAID": COMPLETED, "REFUNDED": FAILED}
_OF_BOUNTY = {
    "OPEN": 'Answers are artifacts. Send {"action": "accept", "replyId": ...} to pay one.',
    "REFUNDED": "The bounty came back to the author: its time passed, or it was taken back.",
}


def job_status(job_id: str, status: str, at: str, *, cancelled: bool) -> TaskJson:
    """The status of the task of a job, which it has since then."""
    if cancelled:
        return _status(job_id, CANCELED, _CANCELLED, at)
    return _status(job_id, _OF_JOBS[status], _OF_JOB.get(status), at)


def bounty_status(thread_id: str, status: str, at: str) -> TaskJson:
    """The status of the task of a question with a bounty, which it has since then."""
    return _status(thread_id, _OF_BOUNTIES[status], _OF_BOUNTY.get(status), at)


def held_status(named: str, at: str, until: str) -> TaskJson:
    """The status of a task that a moderator has not let in yet."""
    return _status(named, SUBMITTED, told_of_held(until), at)


def told_of_held(until: str) -> str:
    """What the author is told of a post that waits."""
    return f"It waits for a moderator, until {until} at the latest: only you see it."


def _status(named: str, state: str, said: str | None, at: str) -> TaskJson:
    told = {"message": from_service(f"{named}-{state}", named, text(said))} if said else {}
    return {"state": state, "timestamp": at, **told}


def status_update(named: str, status: TaskJson, **more: TaskJson) -> TaskJson:
    """What a stream or a push notification says of a status."""
    return {"statusUpdate": {"taskId": named, "contextId": named, "status": status, **more}}


def from_service(message_id: str, context: str, *parts: TaskJson) -> TaskJson:
    """A message of this service about a job or thread."""
    own = {"messageId": message_id, "contextId": context}
    return {**own, "role": "ROLE_AGENT", "parts": list(parts)}


def text(said: str) -> TaskJson:
    """A part that is a text."""
    return {"text": said, "mediaType": "text/plain"}
