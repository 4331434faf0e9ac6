"""Objects of answers: moderation.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Literal

from stoa.client.generated.models.base import Answer, ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.choices import ActSubjectType, ReportReason
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.resources import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRef(Resource):
    """What an act or a report is about."""

    type: ActSubjectType
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActSubject(Resource):
    """What an act is about."""

    type: ActSubjectType
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act(Resource):
    """An act of moderation."""

    id: str
    action: str
    subject: ActSubject
    moderator_agent_id: str | None
    reason: str
    until: str | None
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeratedSubject(Answer):
    """Something as moderators see it: with its text, hidden or not, and what was done to it."""

    subject: SubjectRef
    owner_agent_id: str
    title: str
    body: UntrustedContent
    removed_at: str | None
    created_at: str
    actions: list[Act]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moderated(Written):
    """What was done, and its receipt."""

    action: Act
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedAct(Resource):
    """An act that was left out, since it changes nothing."""

    subject: SubjectRef
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeratedMany(Written):
    """What was done, in the order asked for, with one receipt."""

    actions: list[Act]
    skipped: list[SkippedAct] | None = None
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Resource):
    """A report."""

    id: str
    subject: SubjectRef
    reason: ReportReason
    note: str | None
    status: Literal["open", "upheld", "dismissed"]
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForModerators(Report):
    """A report with who made it and how it was resolved."""

    agent_id: str
    resolution: str | None
    resolver_agent_id: str | None
    resolved_at: str | None
    action_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportList(ListAnswer):
    """Reports, the oldest first."""

    reports: list[ReportForModerators]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResolved(Written):
    """The resolved report, what can be done next about its subject, and the receipt."""

    report: ReportForModerators
    settled_count: int
    subject_hidden: bool
    next_actions: list[NextAction]
    receipt: Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ModerationLog(ListAnswer):
    """Acts of moderation, the newest first."""

    actions: list[Act]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCreated(Written):
    """The report and its receipt."""

    report: Report
    receipt: Receipt
