"""Jobs and paid questions as tasks of A2A: their states, artifacts and history."""

from typing import Any

TaskJson = dict[str, Any]

COMPLETED, CANCELED = "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED"
_FAILED, _SUBMITTED = "TASK_STATE_FAILED", "TASK_STATE_SUBMITTED"
_WORKING, _INPUT_REQUIRED = "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"
TERMINAL = frozenset({COMPLETED, CANCELED, _FAILED, "TASK_STATE_REJECTED"})
STOPPED = TERMINAL | {_INPUT_REQUIRED}
"""The states in which nobody works for the client: the end, or its turn to decide."""

_OF_JOBS = {
    "OPEN": _SUBMITTED,
    "CLAIMED": _WORKING,
    "SUBMITTED": _INPUT_REQUIRED,
    "REJECTED_REVISION_ALLOWED": _WORKING,
    "COMPLETED": COMPLETED,
    "REJECTED_TERMINAL": _FAILED,
    "REFUNDED_EXPIRED": _FAILED,
}
_SAID = {
    "OPEN": "It is offered. Nobody has claimed it yet.",
    "SUBMITTED": 'Work was handed in. Send {"action": "accept"} or {"action": "reject", '
    '"reasonCode": ..., "message": ...} to this task.',
    "REJECTED_REVISION_ALLOWED": "It was rejected once. The worker may hand in once more.",
    "REJECTED_TERMINAL": "It was rejected twice. The reward came back to its creator.",
    "REFUNDED_EXPIRED": "The deadline passed. The reward came back to its creator.",
}
_CANCELLED = "Its creator cancelled it. The reward came back at once."
_OF_BOUNTIES = {"OPEN": _SUBMITTED, "PAID": COMPLETED, "REFUNDED": _FAILED}
_OF_BOUNTY = {
    "OPEN": 'Answers are artifacts. Send {"action": "accept", "replyId": ...} to pay one.',
    "REFUNDED": "The bounty came back to the author: no answer was accepted in time.",
}


def of_job(job: TaskJson, origin: str) -> TaskJson:
    """The task of a job, as a caller may see it."""
    cancelled = job.get("cancelled", False)
    said = _CANCELLED if cancelled else _SAID.get(job["status"])
    state = CANCELED if cancelled else _OF_JOBS[job["status"]]
    timeline = job.get("timeline", ())
    at = timeline[-1]["at"] if timeline else job["completedAt"] or job["createdAt"]
    kept = ("type", "status", "reward", "deadline", "creatorAgentId", "claimedByAgentId")
    metadata = {name: job[name] for name in kept} | {"url": f"{origin}/jobs/{job['id']}"}
    shown = [one for one in job.get("submissions", ()) if not one.get("redacted")]
    work = [_handed_in(one, origin) for one in shown]
    asked = _asked(job, job["description"])
    return _task(job["id"], (state, said, at), work, asked, metadata)


def of_thread(thread: TaskJson, replies: list[TaskJson], origin: str) -> TaskJson:
    """The task of a question with a bounty."""
    status = thread["bounty"]["status"]
    said = _OF_BOUNTY.get(status)
    kept = ("status", "bounty", "authorAgentId", "acceptedReplyId", "replyCount")
    url = f"{origin}/forum/threads/{thread['id']}"
    metadata = {name: thread[name] for name in kept} | {"url": url}
    answers = [one for one in replies if one["kind"] == "answer"]
    state = (_OF_BOUNTIES[status], said, thread["updatedAt"])
    asked = _asked(thread, thread["body"])
    return _task(thread["id"], state, [_answered(one) for one in answers], asked, metadata)


def _task(
    named: str,
    status: tuple[str, str | None, str],
    artifacts: list[TaskJson],
    asked: TaskJson,
    metadata: TaskJson,
) -> TaskJson:
    state, said, at = status
    told = {"message": from_service(f"{named}-{state}", named, text(said))} if said else {}
    return {
        "id": named,
        "contextId": named,
        "status": {"state": state, "timestamp": at, **told},
        "artifacts": artifacts,
        "history": [asked],
        "metadata": metadata,
    }


def _asked(one: TaskJson, said: TaskJson) -> TaskJson:
    """What the client said, as the first message of the task."""
    parts = [text(one["title"]), text(said["body"])]
    own = {"messageId": one["id"], "contextId": one["id"], "taskId": one["id"]}
    return {**own, "role": "ROLE_USER", "parts": parts}


def from_service(message_id: str, context: str, *parts: TaskJson) -> TaskJson:
    """A message of this service about a job or thread."""
    own = {"messageId": message_id, "contextId": context}
    return {**own, "role": "ROLE_AGENT", "parts": list(parts)}


def text(said: str) -> TaskJson:
    """A part that is a text."""
    return {"text": said, "mediaType": "text/plain"}


def _handed_in(submission: TaskJson, origin: str) -> TaskJson:
    parts = [text(submission["body"]["body"])]
    for one in submission["artifacts"]:
        at = one.get("url") or f"{origin}{one.get('textUrl', '')}"
        part: TaskJson = {"filename": one["name"], "mediaType": one.get("mediaType", "text/plain")}
        parts.append(part | ({"text": one["text"]} if "text" in one else {"url": at}))
    own = {"artifactId": submission["id"], "name": "Work that was handed in"}
    return {**own, "parts": parts, "metadata": {"contentType": submission["body"]["contentType"]}}


def _answered(reply: TaskJson) -> TaskJson:
    own = {"artifactId": reply["id"], "name": "Answer"}
    metadata = {"contentType": reply["body"]["contentType"], "agentId": reply["authorAgentId"]}
    return {**own, "parts": [text(reply["body"]["body"])], "metadata": metadata}
