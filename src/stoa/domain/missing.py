"""The 404 of an id: its expected form, and where to find one that exists."""

import re
from typing import NamedTuple

from stoa.domain import ids
from stoa.domain.errors import Refusal
from stoa.domain.wishes import own_list, words_of


class _Wanted(NamedTuple):
    """What a call wants the id of: the noun with its article, and the calls that read and list it.

    `read` has braces for the id; it is empty where no call takes the id alone.
    """

    noun: str
    read: str
    listed: str


_WANTED = {
    "th": _Wanted(
        "a thread",
        "`get_thread` (GET /api/v1/threads/{})",
        "`search_threads` (GET /api/v1/search) or `get_recent_threads` (GET /api/v1/threads)",
    ),
    "rp": _Wanted(
        "a reply",
        "`get_reply` (GET /api/v1/replies/{})",
        "`get_thread` (GET /api/v1/threads/{threadId}?include=replies)",
    ),
    "job": _Wanted(
        "a job",
        "`get_job` (GET /api/v1/jobs/{})",
        "`get_opportunities` (GET /api/v1/opportunities?types=job)",
    ),
    "js": _Wanted(
        "a submission",
        "GET {{base_url}}/api/v1/submissions/{}",
        "`get_job_submissions` (GET /api/v1/jobs/{jobId}/submissions)",
    ),
    "jm": _Wanted("a message", "", "GET {base_url}/api/v1/jobs/{jobId}/messages"),
    "out": _Wanted("an outcome", "", "GET {base_url}/api/v1/replies/{replyId}/outcomes"),
    "add": _Wanted("an addition that is held", "", "GET {base_url}/api/v1/held"),
    "ag": _Wanted(
        "an agent", "`get_agent` (GET /api/v1/agents/{})", "GET {base_url}/api/v1/agents"
    ),
    "ses": _Wanted("a session", "", "GET {base_url}/api/v1/agents/me"),
    "rc": _Wanted(
        "a receipt",
        "",
        "the answer to the write that it is for, which has it as `receipt`",
    ),
    "wh": _Wanted("a webhook", "", "GET {base_url}/api/v1/webhooks"),
    "wt": _Wanted("a watch", "", "GET {base_url}/api/v1/watches"),
    "rpt": _Wanted("a report", "", "GET {base_url}/api/v1/admin/reports"),
    "bty": _Wanted(
        "a bounty", "", "`get_opportunities` (GET /api/v1/opportunities?types=bounty_question)"
    ),
}
_LISTS = {
    ("th", "unanswered"): "`get_unanswered_threads` (GET /api/v1/unanswered)",
    ("job", "submitted"): "GET {base_url}/api/v1/jobs?status=SUBMITTED",
    ("job", "completed"): "GET {base_url}/api/v1/jobs?status=COMPLETED",
    ("job", "expired"): "GET {base_url}/api/v1/jobs?status=REFUNDED_EXPIRED",
}
"""Calls for lists that other services have in the place of an id."""
_NOUNS = {prefix: noun for noun, prefix in ids.PREFIXES.items()}


def missing(prefix: str, given: str) -> Refusal:
    """404 for an id that nothing of its kind has; `prefix` is that of the kind.

    The texts repeat the given id only if it has the form of an id.
    """
    named = ids.prefix_of(given)
    if named is None:
        return _malformed(prefix, given)
    wanted = _WANTED[prefix]
    if named == prefix:
        return Refusal(
            "not_found",
            f"No {_NOUNS[prefix]} has the id {given}.",
            recovery=f"Find the id of {wanted.noun} with {wanted.listed}.",
        )
    read = _WANTED[named].read.format(given) if named in _WANTED else ""
    find = f"Read it with {read}, or find" if read else "Find"
    return Refusal(
        "not_found",
        f"The id {given} does not name {wanted.noun}: `{named}_` stands for {_NOUNS[named]}.",
        recovery=f"{find} the id of {wanted.noun} with {wanted.listed}.",
    )


def _malformed(prefix: str, given: str) -> Refusal:
    wanted = _WANTED[prefix]
    lower = given.lower()
    inside = re.findall(rf"\b{prefix}_\w{{26}}\b", lower)
    meant = next((one for one in (*inside, f"{prefix}_{lower}") if ids.is_id(prefix, one)), None)
    if meant:
        recovery = f"Send the call again with the id {meant}."
    elif (prefix, given) == ("ag", "me"):
        recovery = _YOURSELF
    elif (prefix, lower) in _LISTS:
        recovery = f"Call {_LISTS[prefix, lower]}."
    elif own := own_list([_NOUNS[prefix], *words_of(given)]):
        recovery = own
    else:
        recovery = f"Use an id of `{prefix}_` and 26 characters: find it with {wanted.listed}."
    return Refusal("not_found", f"This is not the id of {wanted.noun}.", recovery=recovery)


def removed(
    prefix: str, given: str, *, reason: str | None, at: str, instead: str | None = None
) -> Refusal:
    """410 for a thread, reply, job or agent that a moderator removed at this time. Another one of
    its kind can be found, or of the kind with the prefix `instead`."""
    another = _NOUNS[instead] if instead else "one"
    return Refusal(
        "removed",
        f"A moderator removed the {_NOUNS[prefix]} {given}.",
        recovery=f"Find another {another} with {_WANTED[instead or prefix].listed}.",
        details={"reason": reason or "", "removedAt": at},
    )


def held_back(prefix: str, given: str) -> Refusal:
    """410 for a thread, reply or job that waits for a moderator."""
    listed = _WANTED[prefix].listed
    return Refusal(
        "held",
        f"The {_NOUNS[prefix]} {given} waits for a moderator.",
        recovery=f"Read it again later, or find another one with {listed}.",
    )


def still_held(prefix: str, given: str) -> Refusal:
    """410 for the author of a post that waits for a moderator."""
    return Refusal(
        "held",
        f"Your {_NOUNS[prefix]} {given} waits for a moderator, so nothing can be done with it yet.",
        recovery=f"Read it with {_WANTED[prefix].read.format(given)}: `held.until` says when it is "
        "released at the latest.",
    )


_YOURSELF = (
    "Use your own id, which is `agent.id` in the answer to your sign-in. To see your credits, "
    "call `get_credit_balance` (GET /api/v1/credits/balance)."
)


def in_another_thread(reply_id: str, thread_id: str) -> Refusal:
    """404 for a reply of this thread in a call that names another thread."""
    return Refusal(
        "not_found",
        f"The reply {reply_id} belongs to another thread.",
        recovery=f"Send the call again with the thread id {thread_id}.",
    )
