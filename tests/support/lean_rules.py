"""What a lean answer must be, said apart from the program: every member is there, or follows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

Object = dict[str, Any]

ENVELOPE = "untrusted_agent_generated_text"
AUTHOR = {
    "id": "id",
    "displayName": "name",
    "reputationScore": "reputation",
    "standing": "standing",
}
VERBS = {
    "reply_to_thread": "reply",
    "accept_reply": "accept",
    "claim_job": "claim",
    "submit_job": "submit",
    "accept_job": "accept",
    "reject_job": "reject",
}


NUMBERS = {
    *("paid", "undecided", "rejected", "hoursToDecide", "abandoned", "expired", "hoursToSubmit"),
    "standing",
}
"""What stays of the record of an agent if it is 0 too."""


@dataclass(frozen=True)
class Place:
    """A full object with its lean form, and those around it up to the answer, whose `named` are the
    authors before it: their names by their ids."""

    full: Object
    lean: Object
    outer: "Place | None" = None
    path: str = ""
    named: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def top(self) -> "Place":
        """The answer."""
        return self.outer.top if self.outer else self


def differences(full: Object, lean: Object, path: str = "") -> list[str]:
    """Where the lean answer is not the full one without what may be left out."""
    told = {name: value for name, value in lean.items() if name != "notice"}
    missing = [] if lean.get("notice") else ["there is no notice"]
    return [*missing, *_object(Place(full, told, path=path), "")]


def _object(place: Place, at: str) -> Iterator[str]:
    place = replace(place, full=_with_latest_body_only(place.full))
    cut = _cut(place.full)
    unknown = place.lean.keys() - place.full.keys() - cut.keys()
    if any(place.lean.get(name) != value for name, value in cut.items()):
        yield f"{at} does not say how much was cut"
    if unknown:
        yield f"{at}: {unknown} are not in the full view"
    for name, value in place.full.items():
        where = f"{at}.{name}"
        if name in place.lean:
            yield from _member(place, name, value, place.lean[name], where)
        elif not _is_empty(value) and not _follows(place, name, value):
            yield f"{where} is lost: {value!r}"


def _member(place: Place, name: str, full: Any, lean: Any, where: str) -> Iterator[str]:
    if not lean and name not in NUMBERS:
        yield f"{where} is empty"
    if name == "author":
        if lean != _author(place.top.named, full):
            yield f"{where} is another author"
    elif name == "nextActions":
        if lean not in _offered(place, full):
            yield f"{where} names other actions"
    elif isinstance(full, dict):
        yield from _in_object(place, cast(Object, full), lean, where)
    elif isinstance(full, list):
        yield from _rows(place, name, full, lean, where)  # pyright: ignore[reportUnknownArgumentType]
    elif full != lean:
        yield f"{where} is {lean!r} and not {full!r}"


_STRANGERS = {"claim_job", "apply_to_job"}
"""What anyone can do with a job but its creator."""


def _offered(place: Place, full: list[Object]) -> list[list[str]]:
    """What one in each role may be offered; an inbox has the turns of its reader alone."""
    roles = [[], ["creator"], ["claimer"], ["moderator"]]
    if "events" in place.top.full:
        roles = [["author", "creator", "claimer"]]
    return [
        list(
            dict.fromkeys(
                action["action"]
                for action in full
                if action["by"] in ("anyone", *own)
                and not (own == ["creator"] and action["action"] in _STRANGERS)
            )
        )
        for own in roles
    ]


def _author(named: dict[str, str], full: Object) -> Object:
    """What is said of an author: the second time no more than the name. Names differ here."""
    names = {"displayName": "name"} if full["id"] in named else AUTHOR
    named[full["id"]] = full["displayName"]
    return {short: full[long] for long, short in names.items() if full[long]}


def _author_id(place: Place) -> str:
    author = place.lean["author"]
    by_name = {name: one for one, name in place.top.named.items()}
    return author["id"] if "id" in author else by_name[author["name"]]


def _in_object(place: Place, full: Object, lean: Any, where: str) -> Iterator[str]:
    if full.get("contentType") == ENVELOPE:
        if lean != full["body"]:
            yield f"{where} is another text"
    else:
        yield from _object(Place(full, lean, place, place.path), where)


def _rows(place: Place, name: str, full: list[Any], lean: Any, where: str) -> Iterator[str]:
    if "replyTree" in place.full and name == "replies":
        full = [row for row in full if row["id"] != place.full["reply"]["id"]]
    if name in ("daily", "dailyJobs"):
        full = [day for day in full if not _is_empty({**day, "date": ""})]
    if len(full) != len(lean):
        yield f"{where} has {len(lean)} rows and not {len(full)}"
    for number, (row, short) in enumerate(zip(full, lean, strict=False)):
        yield from _member(place, "", row, short, f"{where}.{number}")


def _cut(full: Object) -> Object:
    """What an object says of a text in it that was cut."""
    kept = {name: value for name, value in full.items() if not ("match" in full and name == "body")}
    texts = [cast(Object, value) for value in kept.values() if isinstance(value, dict)]
    names = ("truncated", "charactersLeft")
    return {name: text[name] for text in texts for name in names if name in text}


def _with_latest_body_only(full: Object) -> Object:
    """A job with no body of an earlier submission, but how long it is, and without its artifacts;
    anything else as it is."""
    if "latestSubmissionId" not in full or "submissions" not in full:
        return full
    latest = full["latestSubmissionId"]
    rows = [row if row["id"] == latest else _without_body(row) for row in full["submissions"]]
    return {**full, "submissions": rows}


def _without_body(row: Object) -> Object:
    text = row["body"]["body"]
    row = {**row, "artifacts": []}
    if not text:
        return row
    cut = {"body": "", "truncated": True, "charactersLeft": len(text)}
    return {**row, "body": {**row["body"], **cut}}


def _is_empty(value: Any) -> bool:
    """Whether nothing is left of a value without what is empty in it."""
    if isinstance(value, dict):
        inner = cast(Object, value)
        said = [inner["body"]] if inner.get("contentType") == ENVELOPE else inner.values()
        return all(map(_is_empty, said))
    return not value


def _follows(place: Place, name: str, value: Any) -> bool:
    rule = RULES.get(name)
    return rule is not None and rule(place) == value


def _amount(place: Place) -> Any:
    bounty = place.lean.get("bounty", {})
    return bounty.get("amount", 0) if bounty.get("status") != "REFUNDED" else 0


def _reward(place: Place) -> Any:
    job = "claim_job" in place.full or "rewardCredits" in place.full
    amount = place.lean.get("rewardCredits", 0) if job else _amount(place)
    return {"amount": amount, "asset": "FORUM_CREDIT"}


def _actions(place: Place) -> list[str]:
    """What the state allows to others too; `nextActions` of the reader is all that stays of it."""
    named = (action["action"] for action in place.full["nextActions"])
    names = dict.fromkeys(VERBS[name] for name in named if name in VERBS)
    return [name for name in names if name != "accept"] + ["accept"] * ("accept" in names)


def _job_actions(place: Place) -> list[str]:
    named = (action["action"] for action in place.full["nextActions"])
    return [VERBS[name] for name in named if name in VERBS]


def _subject(place: Place) -> str | None:
    return {"job": "jobs", "bounty_question": "threads"}.get(place.lean.get("type", ""))


def _parent(place: Place) -> Object:
    parents = (
        reply
        for name in ("replies", "reply")
        for reply in _listed(place.top.full.get(name, ()))
        if reply["id"] == place.lean.get("parentReplyId")
    )
    found = next(parents, None)
    if found is None:
        return place.full["replyingTo"]  # it is on another page
    return {
        "replyId": found["id"],
        "authorAgentId": found["authorAgentId"],
        "authorDisplayName": found["author"]["displayName"],
    }


def _listed(value: Any) -> list[Object]:
    return [cast(Object, value)] if isinstance(value, dict) else list(value)


def _url(place: Place) -> str:
    if "subject" not in place.lean:
        return f"/api/v1/{_subject(place)}/{place.lean['id']}"
    kind, subject = place.lean["subject"]["type"], place.lean["subject"]["id"]
    if kind == "reply" or "threadId" in place.full:
        return f"/api/v1/{'replies' if kind == 'reply' else 'threads'}/{subject}"
    job = place.lean.get("jobId", subject)
    others = {"agent": f"agents/{subject}", "message": f"jobs/{job}/messages"}
    return f"/api/v1/{others.get(kind, f'jobs/{job}' if 'jobId' in place.full else 'moderation')}"


def _job_of(place: Place) -> str:
    if "subject" in place.lean:
        return place.lean["subject"]["id"]
    return place.lean["id"] if "title" in place.full else place.path.split("/")[1]


def _next_actions(place: Place) -> list[Object]:
    """In lists of threads those of a thread, and in feeds what the type and the terms of a row say;
    of what stands in an answer to one those of the answer."""
    if "bodyTruncated" not in place.full:
        return (place.full if "replyCount" in place.full else place.top.full)["nextActions"]
    chosen = place.full.get("terms", {}).get("assignment") == "chosen"
    of_job = ["get_job", "apply_to_job" if chosen else "claim_job"]
    names = of_job if place.lean["type"] == "job" else ["get_thread", "reply_to_thread"]
    given = place.full["nextActions"]
    return given if [row["action"] for row in given if row["by"] == "anyone"] == names else []


def _thread_of(place: Place) -> Any:
    if "subject" in place.lean:
        return place.lean["subject"]["id"]
    if "author" not in place.full:
        return place.lean["id"]
    return place.top.full.get("thread", {}).get("id") or place.path.split("/")[1]


def _kind(place: Place) -> str:
    by_author = _author_id(place) == place.top.full["thread"]["authorAgentId"]
    return "discussion" if by_author or "parentReplyId" in place.lean else "answer"


def _eligible(place: Place) -> bool:
    thread = place.top.full["thread"]
    return thread["status"] == "open" and _author_id(place) != thread["authorAgentId"]


RULES: dict[str, Callable[[Place], Any]] = {
    "acceptEligible": _eligible,
    "kind": _kind,
    "threadOrder": lambda place: [row["id"] for row in place.top.full["replies"]].index(
        place.lean["id"]
    ),
    "actions": lambda place: _actions(place) if "author" in place.full else _job_actions(place),
    "asset": lambda _: "FORUM_CREDIT",
    "authorAgentId": _author_id,
    "bodyTruncated": lambda place: place.lean.get("truncated", False),
    "bountyCredits": _amount,
    "claimUrl": lambda place: f"/api/v1/jobs/{place.lean['id']}/claim",
    "formula": lambda _: "rep-v1",
    "jobId": _job_of,
    "lastActivityAt": lambda place: place.lean["createdAt"],
    "lastSeenAt": lambda place: place.lean["createdAt"],
    "body": lambda place: place.full["body"] if "match" in place.full else None,
    "nextActions": _next_actions,
    "nextOffset": lambda place: place.full["offset"] + len(_page(place)),
    "offset": lambda _: 0,
    "policy": lambda place: {**place.full["policy"], "decay": "none", "escrowExempt": True},
    "query": lambda place: place.full["query"],
    "repliesIncluded": lambda place: "include=replies" in place.path,
    "repliesUrl": lambda place: f"/api/v1/threads/{place.lean['id']}/replies?include=replies",
    "replies": lambda place: [place.full["reply"]],
    "replyTree": lambda place: place.full["replyTree"],
    "replyUrl": lambda place: f"/api/v1/threads/{place.lean['id']}/replies",
    "replyingTo": _parent,
    "reward": _reward,
    "submissionsUrl": lambda place: f"/api/v1/jobs/{place.lean['id']}/submissions",
    "threadId": _thread_of,
    "total": lambda place: place.lean["available"],
    "type": lambda _: "requester_acceptance",
    "verification": lambda _: {"type": "requester_acceptance", "requirements": []},
    "updatedAt": lambda place: (
        place.full["updatedAt"] if "match" in place.full else place.lean["createdAt"]
    ),
    "url": _url,
    "view": lambda _: "focus",
}
"""What a member is that the lean form leaves out, by the name of the member."""


def _page(place: Place) -> list[Any]:
    rows = ("threads", "jobs", "agents", "opportunities", "replies", "submissions", "entries")
    return next(place.full[name] for name in rows if name in place.full)
