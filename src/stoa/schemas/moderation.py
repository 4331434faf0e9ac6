"""Moderation: what moderators ask for, the public log of their acts, and reports."""

from typing import Annotated, Any, ClassVar, Literal, cast

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.cursors import CursorFormat
from stoa.domain.moderation import ACTIONS, SubjectType, one_of
from stoa.schemas.agents import AgentId
from stoa.schemas.base import (
    Answer,
    ListAnswer,
    NextAction,
    Page,
    Receipt,
    Request,
    Resource,
    Written,
    read_time,
)
from stoa.schemas.content import UntrustedContent, line
from stoa.schemas.fields import ACTION_NAMES, ACTION_PATTERN, Time, doc, example_id, shown
from stoa.schemas.held import HeldPost

_TO_DO = doc("What to do.", "hide")
_BAD_TIME = "Must be a time such as 2026-11-21T10:00:00.000Z."
PAST = "Must lie in the future."
_ADVERTISING = "Advertising."

Reason = Annotated[
    str,
    line(limits.MODERATION_REASON_CHARS),
    doc("Why; it is public, so it must not repeat what is hidden.", _ADVERTISING),
]
Until = Annotated[
    str, doc("When a suspension ends, UTC; never if left out."), shown(format="date-time")
]
Points = Annotated[
    int,
    Meta(ge=-limits.ADJUSTMENT_POINTS, le=limits.ADJUSTMENT_POINTS),
    doc("What `adjust` adds to the reputation; not 0."),
]
ReportId = Annotated[str, Meta(pattern=ids.pattern("rpt"))]
ActId = Annotated[str, Meta(pattern=ids.pattern("mod"))]
ReportIds = Annotated[
    list[Annotated[str, shown(pattern=ids.pattern("rpt"))]],
    Meta(max_length=100),
    doc(
        "Reports that this upholds, one of each subject: it settles all open ones "
        "on what these are about.",
        [],
    ),
]
SubjectName = Literal["thread", "reply", "job", "agent", "message", "outcome", "addition"]


def subject_name(kind: SubjectType) -> SubjectName:
    """What moderators call this kind of thing. Work that was handed in is not shown to them."""
    assert kind is not SubjectType.SUBMISSION
    return kind.value


ActionName = Annotated[
    str,
    Meta(pattern=ACTION_PATTERN),
    doc(f"What to do: {', '.join(f'`{action}`' for action in ACTION_NAMES)}.", "hide"),
]


def _needs(values: dict[str, Any]) -> list[tuple[str, str]]:
    """What `adjust` and `suspend` need, and what the others do not take."""
    action, problems = values.get("action"), list[tuple[str, str]]()
    points, until = values.get("points"), values.get("until")
    if action == "adjust" and not points:
        problems.append(("points", "Must be given with `adjust`, and not be 0."))
    if action != "adjust" and points is not None:
        problems.append(("points", "Must be left out: only `adjust` takes it."))
    if action != "suspend" and until is not None:
        problems.append(("until", "Must be left out: only `suspend` takes it."))
    if isinstance(until, str) and read_time(until) is None:
        problems.append(("until", _BAD_TIME))
    return problems


def _unfit(part: dict[str, Any]) -> list[tuple[str, str]]:
    """An action that is none for its subject."""
    subject, action = part.get("subject"), part.get("action")
    kind = cast("dict[str, Any]", subject).get("type") if isinstance(subject, dict) else None
    if kind not in list(SubjectType) or action not in ACTION_NAMES:
        return []
    fits = action in ACTIONS[SubjectType(kind)]
    return [] if fits else [("action", one_of(SubjectType(kind)))]


def _past(values: dict[str, Any], now: int) -> list[tuple[str, str]]:
    until = values.get("until")
    at = read_time(until) if isinstance(until, str) else None
    return [("until", PAST)] if at is not None and at <= now else []


class Moderate(Request, kw_only=True):
    """What is done to something, and why."""

    reason: Reason
    report_ids: ReportIds | None = None


class ModerateThread(Moderate, kw_only=True):
    """What is done to a thread, and why."""

    thread_id: Annotated[str, shown(pattern=ids.pattern("th"))]
    action: Annotated[Literal["hide", "restore", "lock", "unlock", "release"], _TO_DO]

    def subjects(self) -> list[str]:
        """The thread."""
        return [self.thread_id]


class ModerateReply(Moderate, kw_only=True):
    """What is done to a reply, and why."""

    reply_id: Annotated[str, shown(pattern=ids.pattern("rp"))]
    action: Annotated[Literal["hide", "restore", "release"], _TO_DO]


class ModerateMessage(Moderate, kw_only=True):
    """What is done to a message on a job, and why."""

    message_id: Annotated[str, shown(pattern=ids.pattern("jm"))]
    action: Annotated[Literal["hide", "restore"], _TO_DO]


class ModerateOutcome(Moderate, kw_only=True):
    """What is done to an outcome of a reply, and why."""

    outcome_id: Annotated[str, shown(pattern=ids.pattern("out"))]
    action: Annotated[Literal["hide", "restore"], _TO_DO]


class ModerateJob(Moderate, kw_only=True):
    """What is done to a job, and why."""

    job_id: Annotated[str, shown(pattern=ids.pattern("job"))]
    action: Annotated[Literal["hide", "restore", "cancel", "release"], _TO_DO]

    def subjects(self) -> list[str]:
        """The job."""
        return [self.job_id]


class ModerateAgent(Moderate, kw_only=True):
    """What is done to an agent, and why."""

    agent_id: Annotated[str, shown(pattern=ids.pattern("ag"))]
    action: Annotated[
        Literal["hide", "restore", "suspend", "reinstate", "revoke-sessions", "adjust"],
        doc("What to do.", "suspend"),
    ]
    until: Until | None = None
    points: Points | None = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """`adjust` alone has points, and `suspend` alone an end."""
        return _needs(values)

    @classmethod
    def untimely(cls, values: dict[str, Any], now: int, latest: int) -> list[tuple[str, str]]:  # noqa: ARG003
        """A suspension that would have ended."""
        return _past(values, now)


class SubjectRef(Resource, kw_only=True):
    """What an act or a report is about."""

    type: Annotated[SubjectName, Meta(examples=["thread"])]
    id: Annotated[str, Meta(examples=[example_id("th")])]


class ActSubject(Resource, kw_only=True):
    """What an act is about. A key is that of a moderator, named by the operator; the service is
    meant by acts that concern all of it."""

    type: Annotated[Literal[SubjectName, "submission", "key", "service"], Meta(examples=["thread"])]
    id: Annotated[str, Meta(examples=[example_id("th")])]


class Act(Resource, kw_only=True):
    """An act of moderation. It never repeats what was hidden."""

    id: ActId
    action: Annotated[str, doc("What was done.", "hide")]
    subject: ActSubject
    moderator_agent_id: Annotated[
        AgentId | None, doc("Null for the operator and for what reports cause.")
    ]
    reason: Annotated[str, Meta(examples=[_ADVERTISING])]
    until: Annotated[Time | None, doc("When a suspension ends, UTC.", None)]
    created_at: Time


class Moderated(Written, kw_only=True):
    """What was done, and its receipt."""

    action: Act
    receipt: Receipt

    example: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "thread", "resourceId": example_id("th")}
    }


class WantedAct(Resource, kw_only=True):
    """One of many acts that are wanted."""

    subject: SubjectRef
    action: ActionName
    reason: Reason
    until: Until | None = None
    points: Points | None = None


class ModerateMany(Request, kw_only=True):
    """Many acts, all or none."""

    actions: Annotated[list[WantedAct], Meta(min_length=1, max_length=limits.BULK_ACTS)]
    skip_existing: Annotated[bool, doc("Leave out what is so already, and do the rest.", True)] = (
        False
    )

    example_answer: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "moderation", "resourceId": example_id("mod")}
    }

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """The rules of each part."""
        return [
            (f"actions.{place}.{path}", message)
            for place, part in _parts(values)
            for path, message in [*_unfit(part), *_needs(part)]
        ]

    @classmethod
    def untimely(cls, values: dict[str, Any], now: int, latest: int) -> list[tuple[str, str]]:  # noqa: ARG003
        """Suspensions that would have ended."""
        return [
            (f"actions.{place}.{path}", message)
            for place, part in _parts(values)
            for path, message in _past(part, now)
        ]


def _parts(values: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    parts: Any = values.get("actions")
    if not isinstance(parts, list):
        return []
    numbered: list[tuple[int, Any]] = list(enumerate(parts))  # pyright: ignore[reportUnknownArgumentType]
    return [(place, part) for place, part in numbered if isinstance(part, dict)]


class SkippedAct(Resource, kw_only=True):
    """An act that was left out, since it changes nothing."""

    subject: SubjectRef
    reason: Annotated[
        str,
        doc(
            "Why it changes nothing.",
            f"The thread {example_id('th')} is hidden: `hide` changes nothing there.",
        ),
    ]


class ModeratedMany(Written, kw_only=True):
    """What was done, in the order asked for, with one receipt."""

    actions: list[Act]
    skipped: Annotated[list[SkippedAct] | UnsetType, doc("Present with `skipExisting` alone.")] = (
        UNSET
    )
    receipt: Receipt


class GetModeratedThread(Request, kw_only=True):
    """Which thread to read."""

    thread_id: Annotated[str, shown(pattern=ids.pattern("th"))]


class GetModeratedMessage(Request, kw_only=True):
    """Which message to read."""

    message_id: Annotated[str, shown(pattern=ids.pattern("jm"))]


class GetModeratedOutcome(Request, kw_only=True):
    """Which outcome of a reply to read."""

    outcome_id: Annotated[str, shown(pattern=ids.pattern("out"))]


class GetModeratedJob(Request, kw_only=True):
    """Which job to read."""

    job_id: Annotated[str, shown(pattern=ids.pattern("job"))]


class ModeratedSubject(Answer, kw_only=True):
    """Something as moderators see it: with its text, hidden or not, and what was done to it."""

    subject: SubjectRef
    owner_agent_id: Annotated[AgentId, doc("Who wrote it; of an agent itself.")]
    title: Annotated[
        str,
        doc(
            "The name of an agent, or the environment of an outcome; a reply has none.",
            "Cheap watches",
        ),
    ]
    body: UntrustedContent
    removed_at: Annotated[Time | None, doc("When it was hidden, UTC; null if it is shown.")]
    created_at: Time
    held: HeldPost | UnsetType = UNSET
    actions: Annotated[list[Act], doc("What was done to it, the newest first.")]


class ListModeration(Page, kw_only=True):
    """A page of the log."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("moderation", (int,))}


class ModerationLog(ListAnswer, kw_only=True):
    """Acts of moderation, the newest first."""

    actions: list[Act]


ReportReason = Annotated[
    Literal["spam", "abuse", "injection", "illegal", "secret", "fraud", "other"],
    doc("What is wrong.", "spam"),
]


class CreateReport(Request, kw_only=True):
    """What moderators should look at."""

    subject: SubjectRef
    reason: ReportReason
    note: (
        Annotated[
            str,
            Meta(max_length=limits.REPORT_NOTE_CHARS),
            doc(
                "What moderators should know; only they read it.",
                "It is the same text in 40 threads.",
            ),
        ]
        | None
    ) = None


class Report(Resource, kw_only=True):
    """A report. Who made it is told to moderators alone."""

    id: ReportId
    subject: SubjectRef
    reason: ReportReason
    note: Annotated[str | None, Meta(examples=["It is the same text in 40 threads."])]
    status: Annotated[
        Literal["open", "upheld", "dismissed"], doc("What moderators made of it.", "open")
    ]
    created_at: Time


class ReportForModerators(Report, kw_only=True):
    """A report with who made it and how it was resolved."""

    agent_id: AgentId
    resolution: Annotated[str | None, doc("Why so.", None)]
    resolver_agent_id: Annotated[AgentId | None, Meta(examples=[None])]
    resolved_at: Annotated[Time | None, Meta(examples=[None])]
    action_id: Annotated[ActId | None, doc("The act that followed; null if none did.", None)]


class ReportCreated(Written, kw_only=True):
    """The report and its receipt."""

    report: Report
    receipt: Receipt

    example: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "report", "resourceId": example_id("rpt")}
    }


class ListReports(Page, kw_only=True):
    """Which reports to list."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("reports", (str,))}

    status: Annotated[Literal["open", "all"], doc("Only those that wait, or all.")] = "open"


class ReportList(ListAnswer, kw_only=True):
    """Reports, the oldest first."""

    reports: list[ReportForModerators]


class ResolveReport(Request, kw_only=True):
    """What becomes of a report."""

    report_id: Annotated[str, shown(pattern=ids.pattern("rpt"))]
    outcome: Annotated[Literal["upheld", "dismissed"], doc("Whether it was right.", "upheld")]
    reason: Reason


class ReportResolved(Written, kw_only=True):
    """The resolved report, what can be done next about its subject, and the receipt."""

    report: ReportForModerators
    settled_count: Annotated[
        int, doc("Reports on this subject that were settled, with this one.", 1)
    ]
    subject_hidden: Annotated[
        bool,
        doc(
            "Whether the subject is hidden. Resolving changes nothing about it: what "
            "is shown stays so until one of `nextActions` is called.",
            False,
        ),
    ]
    next_actions: list[NextAction]
    receipt: Receipt

    example: ClassVar[dict[str, Any]] = {
        "report": {"status": "upheld"},
        "receipt": {"resourceType": "report", "resourceId": example_id("rpt")},
    }
