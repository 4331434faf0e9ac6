"""The next actions on a thread, a reply or a job, and whose turn it is."""

from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from stoa.domain.jobs import JobStatus
from stoa.domain.moderation import Action, ModerationSubject
from stoa.domain.toolsets import Toolset
from stoa.operations.call import Call
from stoa.operations.table import TABLE
from stoa.schemas.base import OF_STRANGERS, NextAction, Role
from stoa.schemas.threads import Reply
from stoa.store.threads import ThreadRow

OfferedActions = tuple[list[str], list[NextAction]]
"""`actions`, the short names, and `nextActions`."""

ACCEPTS_OFFERED = 5
"""Of the replies beside a thread, so many can be accepted by `nextActions`, the newest."""

_TAKES_BACK = frozenset({"cancel_job", "withdraw_bounty"})
"""Actions that undo an offer: no one waits for them, so they come last."""

_MAY_SPEND = frozenset({"accept_reply", "create_thread"})
"""Actions that a recovery refuses only if they pay or reserve credits."""

_JOBS = "/api/v1/jobs/"

_VERBS: dict[JobStatus, tuple[Role, list[str]]] = {
    JobStatus.OPEN: ("anyone", ["claim"]),
    JobStatus.CLAIMED: ("claimer", ["submit"]),
    JobStatus.SUBMITTED: ("creator", ["accept", "reject"]),
    JobStatus.REJECTED_REVISION_ALLOWED: ("claimer", ["submit"]),
}


def read(action: str, url: str, by: Role = "anyone", *, signed: bool = False) -> NextAction:
    """An action that reads; `signed` where the answer has less without a token."""
    where = _toolset(action)
    return NextAction(
        action=action, method="GET", url=url, requires_auth=signed, by=by, toolset=where
    )


def write(action: str, url: str, by: Role = "anyone") -> NextAction:
    """An action that writes."""
    where = _toolset(action)
    return NextAction(
        action=action, method="POST", url=url, requires_auth=True, by=by, toolset=where
    )


@cache
def _toolset(action: str) -> str | UnsetType:
    """The set of tools to name, for a tool that is not in the default list."""
    declared = TABLE.get(action)
    if declared is None or declared.tool or not declared.toolsets:
        return UNSET
    return min(declared.toolsets, key=list(Toolset).index).value


def on_thread(row: ThreadRow, beside: Sequence[Reply] = ()) -> OfferedActions:
    """The actions that the state of a thread allows.

    Of the replies `beside` it those that can be accepted are named, else the newest of all.
    """
    path = f"/api/v1/threads/{row.id}"
    names = ["reply"] if row.takes_replies else []
    actions = [read("get_thread", f"{path}?include=replies")]
    if row.takes_replies:
        actions.append(write("reply_to_thread", f"{path}/replies"))
    if row.eligible_reply_id is not None:
        names.append("accept")
        before = len(actions)
        for reply in reversed(beside):
            if reply.accept_eligible:
                actions.append(_accept(path, reply.id))
                if len(actions) == before + ACCEPTS_OFFERED:
                    break
        if len(actions) == before:
            actions.append(_accept(path, row.eligible_reply_id))
    return names, actions


def _accept(thread: str, reply_id: str) -> NextAction:
    return NextAction(
        action="accept_reply",
        method="POST",
        url=f"{thread}/replies/{reply_id}/accept",
        requires_auth=True,
        by="author",
    )


def on_reply(reply: Reply) -> list[NextAction]:
    """The actions after a reply was written: its author reads, the thread's author may accept
    it."""
    path = f"/api/v1/threads/{reply.thread_id}"
    actions = [
        read("get_reply", f"/api/v1/replies/{reply.id}"),
        read("get_thread", f"{path}?include=replies"),
    ]
    if reply.accept_eligible:
        actions.append(_accept(path, reply.id))
    return actions


def on_outcome(reply_id: str) -> list[NextAction]:
    """The actions after an outcome of a reply."""
    path = f"/api/v1/replies/{reply_id}"
    return [read("list_outcomes", f"{path}/outcomes"), read("get_reply", path)]


def on_removed() -> list[NextAction]:
    """The actions on a hidden subject: the log of moderation says why."""
    return [read("list_moderation", "/api/v1/moderation")]


def on_told_reply(thread: ThreadRow, reply_id: str, *, may_accept: bool) -> list[NextAction]:
    """The actions of an agent that is told of a reply."""
    path = f"/api/v1/threads/{thread.id}"
    actions = [read("get_reply", f"/api/v1/replies/{reply_id}")]
    if thread.takes_replies:
        actions.append(write("reply_to_thread", f"{path}/replies"))
    return [*actions, _accept(path, reply_id)] if may_accept else actions


def on_job(
    job_id: str,
    status: JobStatus,
    *,
    submitted: bool,
    chosen: bool = False,
    closed: bool = False,
    applied: bool = False,
    after: Role | None = None,
) -> OfferedActions:
    """The actions that the state of a job allows; `submitted` says whether it has submissions,
    `chosen` whether its creator chooses the worker, `closed` whether its reader cannot claim it or
    apply, `applied` whether its reader can choose among agents. For one `after` a write, who is
    this party, in the order of `after_write`."""
    names, actions = _of_state((status, submitted, chosen, closed, applied, after))
    path = f"{_JOBS}{job_id}"
    return names.copy(), [
        one if end is None else replace(one, url=f"{path}{end}") for one, end in actions
    ]


@cache
def _of_state(
    state: tuple[JobStatus, bool, bool, bool, bool, Role | None],
) -> tuple[list[str], list[tuple[NextAction, str | None]]]:
    """As `on_job`, each action with the part after the path of the job, None for another path."""
    status, submitted, chosen, closed, applied, after = state
    names, actions = _offered(
        status, submitted=submitted, chosen=chosen, closed=closed, applied=applied
    )
    if after:
        actions = after_write(actions, after, status)
    ends = [one.url.removeprefix(_JOBS) for one in actions]
    return names, [
        (one, None if end == one.url else end) for one, end in zip(actions, ends, strict=True)
    ]


def _offered(
    status: JobStatus, *, submitted: bool, chosen: bool, closed: bool, applied: bool
) -> OfferedActions:
    path = _JOBS  # an id follows
    # Its parties alone are shown the submissions.
    actions = [read("get_job", path, signed=submitted)]
    by, names = _VERBS.get(status, ("anyone", []))
    if status is JobStatus.OPEN and (chosen or closed):
        names = [] if closed else ["apply"]
        offers = on_application("", may_apply=not closed) if chosen else []
        if chosen and applied:
            offers.append(write("assign_job", f"{path}/assign", "creator"))
        return names, [*actions, *offers, _cancel(path)]
    if status is JobStatus.SUBMITTED:
        actions.append(read("get_job_submissions", f"{path}/submissions", by, signed=True))
    actions += [write(f"{name}_job", f"{path}/{name}", by) for name in names]
    return names, [*actions, _cancel(path)] if status is JobStatus.OPEN else actions


def _cancel(path: str) -> NextAction:
    return write("cancel_job", f"{path}/cancel", "creator")


def on_offer(actions: Iterable[NextAction]) -> list[NextAction]:
    """Those of the next actions of a job that its row in a feed has."""
    return [one for one in actions if one.action not in _TAKES_BACK]


def for_who_waits(actions: list[NextAction]) -> list[NextAction]:
    """The same actions for a party that waits for the other and is told in the inbox."""
    return [*actions[:1], _told(), *actions[1:]]


def doable(call: Call, actions: Sequence[NextAction]) -> list[NextAction]:
    """The same without the writes that the caller is refused now on any subject: while it is
    suspended or pending, in a session that may only read, and during a recovery."""
    return [one for one in actions if one.method == "GET" or _may(call, one.action)]


def _may(call: Call, action: str) -> bool:
    caller, declared = call.caller, TABLE[action]
    if caller is None or not caller.may_write(call.now, decides=declared.effect.decides):
        return False
    spends = "recovery_running" in declared.errors and action not in _MAY_SPEND
    return not (spends and caller.is_recovering)


@cache
def _told() -> NextAction:
    return read("get_inbox", "/api/v1/inbox", signed=True)


def on_application(job_id: str, *, may_apply: bool = True) -> list[NextAction]:
    """The actions on applications for a job."""
    path = f"/api/v1/jobs/{job_id}"
    return [
        *([write("apply_to_job", f"{path}/apply")] if may_apply else []),
        read("list_applications", f"{path}/applications", "creator", signed=True),
    ]


def of_applicant(job_id: str) -> list[NextAction]:
    """The actions of an agent that has applied for a job."""
    return [
        write("withdraw_application", f"/api/v1/jobs/{job_id}/apply/withdraw"),
        _told(),
    ]


def on_message(job_id: str, *, may_write: bool = True) -> list[NextAction]:
    """The actions of an agent that is told of a message on a job."""
    path = f"/api/v1/jobs/{job_id}/messages"
    answers = [write("create_job_message", path)] if may_write else []
    return [read("list_job_messages", path, signed=True), *answers]


def on_reported(subject: ModerationSubject, actions: Sequence[Action]) -> list[NextAction]:
    """The next actions of a moderator on a reported subject."""
    path = f"/api/v1/admin/{subject.type}s/{subject.id}"
    name = f"moderate_{subject.type}"
    return [write(name, f"{path}/{action}", "moderator") for action in actions]


def of_party(actions: list[NextAction], role: Role) -> list[NextAction]:
    """For the lean form: the actions of the creator or the claimer of a job."""
    not_own = OF_STRANGERS if role == "creator" else ()
    return own(one for one in actions if one.by in ("anyone", role) and one.action not in not_own)


def own(actions: Iterable[NextAction]) -> list[NextAction]:
    """For the lean form, which has no `by`: all of these are the reader's turn."""
    return [replace(action, by="anyone") for action in actions]


def after_write(actions: list[NextAction], role: Role, status: JobStatus) -> list[NextAction]:
    """The same with the turns of `role` at the front, then what anyone can read, what takes back
    what `role` offered, and what is for others; with the inbox for a party that waits."""

    def place(action: NextAction) -> int:
        if action.by == role:
            return 2 if action.action in _TAKES_BACK else 0
        return 1 if action.method == "GET" and action.by == "anyone" else 3

    ordered = sorted(actions, key=place)
    turn = "creator" if status is JobStatus.SUBMITTED else "claimer"
    return for_who_waits(ordered) if status in _VERBS and role != turn else ordered
