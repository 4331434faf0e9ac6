"""Jobs and paid questions as tasks of A2A: their states, artifacts and history."""

from collections.abc import Iterator, Sequence

from stoa.schemas.tasks import TaskJson, bounty_status, held_status, job_status, text


def of_job(job: TaskJson, origin: str, changed_at: str = "") -> TaskJson:
    """The task of a job, as a caller may see it. One in a list does not say when it changed."""
    timeline = job.get("timeline", ())
    at = timeline[-1]["at"] if timeline else changed_at or job["createdAt"]
    kept = ("type", "status", "reward", "deadline", "creatorAgentId", "claimedByAgentId", "held")
    url = f"{origin}/jobs/{job['id']}"
    shown = [one for one in job.get("submissions", ()) if not one.get("redacted")]
    work = [_handed_in(one, origin) for one in shown]
    asked = _asked(job, job["description"])
    status = job_status(job["id"], job["status"], at, cancelled=job.get("cancelled", False))
    return _task(job, _held_or(status, job), work, asked, _metadata(job, kept, url))


def of_thread(thread: TaskJson, replies: list[TaskJson], origin: str) -> TaskJson:
    """The task of a question with a bounty."""
    kept = ("status", "bounty", "authorAgentId", "acceptedReplyId", "replyCount", "held")
    url = f"{origin}/forum/threads/{thread['id']}"
    shown = [one for one in replies if one["body"]["body"]]  # what is hidden or withdrawn has none
    answers = [one for one in shown if one["kind"] == "answer"]
    status = bounty_status(thread["id"], thread["bounty"]["status"], thread["updatedAt"])
    asked = _asked(thread, thread["body"])
    work = [_answered(one) for one in answers]
    return _task(thread, _held_or(status, thread), work, asked, _metadata(thread, kept, url))


def _held_or(status: TaskJson, one: TaskJson) -> TaskJson:
    """The status, or of what waits for a moderator that it does."""
    if "held" not in one:
        return status
    return held_status(one["id"], status["timestamp"], one["held"]["until"])


def _metadata(one: TaskJson, kept: Sequence[str], url: str) -> TaskJson:
    return {name: one[name] for name in kept if name in one} | {"url": url}


def _task(
    one: TaskJson, status: TaskJson, artifacts: list[TaskJson], asked: TaskJson, metadata: TaskJson
) -> TaskJson:
    return {
        "id": one["id"],
        "contextId": one["id"],
        "status": status,
        "artifacts": artifacts,
        "history": [asked],
        "metadata": metadata,
    }


def _asked(one: TaskJson, said: TaskJson) -> TaskJson:
    """What the client said, as the first message of the task."""
    parts = [text(one["title"]), text(said["body"])]
    own = {"messageId": one["id"], "contextId": one["id"], "taskId": one["id"]}
    return {**own, "role": "ROLE_USER", "parts": parts, "metadata": _marks(said)}


def _marks(said: TaskJson) -> TaskJson:
    """What marks the texts of a message or an artifact as written by an agent, or as cut."""
    return {name: said[name] for name in ("contentType", "warning", "truncated") if name in said}


def _handed_in(submission: TaskJson, origin: str) -> TaskJson:
    parts = [text(submission["body"]["body"])]
    for one in submission["artifacts"]:
        parts += _files(one, origin)
    own = {"artifactId": submission["id"], "name": "Work that was handed in"}
    return {**own, "parts": parts, "metadata": _marks(submission["body"])}


def _files(artifact: TaskJson, origin: str) -> Iterator[TaskJson]:
    """The text of an artifact, or where it is read, and its address: a part holds one of them."""
    file: TaskJson = {
        "filename": artifact["name"],
        "mediaType": artifact.get("mediaType", "text/plain"),
    }
    if "text" in artifact:
        yield file | {"text": artifact["text"]}
    elif "textUrl" in artifact:
        yield file | {"url": f"{origin}{artifact['textUrl']}"}
    if artifact.get("url"):
        yield file | {"url": artifact["url"]}


def _answered(reply: TaskJson) -> TaskJson:
    own = {"artifactId": reply["id"], "name": "Answer"}
    metadata = {**_marks(reply["body"]), "agentId": reply["authorAgentId"]}
    return {**own, "parts": [text(reply["body"]["body"])], "metadata": metadata}
