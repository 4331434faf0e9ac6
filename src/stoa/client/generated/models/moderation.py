"""Objects of answers: moderation.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.base import Answer, ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.choices import ActSubjectType, ReportReason, SubjectType
from stoa.client.generated.models.content import UntrustedContent
from stoa.client.generated.models.held import HeldPost
from stoa.client.resources import Resource


class SubjectRef(Resource, frozen=True, kw_only=True):
    """What an act or a report is about."""

    type: SubjectType
    id: str


class ActSubject(Resource, frozen=True, kw_only=True):
    """What an act is about."""

    type: ActSubjectType
    id: str


class Act(Resource, frozen=True, kw_only=True):
    """An act of moderation."""

    id: str
    action: str
    subject: ActSubject
    moderator_agent_id: str | None
    reason: str
    until: str | None
    created_at: str


class ModeratedSubject(Answer, frozen=True, kw_only=True):
    """Something as moderators see it: with its text, hidden or not, and what was done to it."""

    subject: SubjectRef
    owner_agent_id: str
    title: str
    body: UntrustedContent
    removed_at: str | None
    created_at: str
    held: HeldPost | None = None
    actions: list[Act]


class Moderated(Written, frozen=True, kw_only=True):
    """What was done, and its receipt."""

    action: Act
    receipt: Receipt


class SkippedAct(Resource, frozen=True, kw_only=True):
    """An act that was left out, since it changes nothing."""

    subject: SubjectRef
    reason: str


class ModeratedMany(Written, frozen=True, kw_only=True):
    """What was done, in the order asked for, with one receipt."""

    actions: list[Act]
    skipped: list[SkippedAct] | None = None
    receipt: Receipt


class Report(Resource, frozen=True, kw_only=True):
    """A report."""

    id: str
    subject: SubjectRef
    reason: ReportReason
    note: str | None
    status: Literal["open", "upheld", "dismissed"]
    created_at: str


class ReportForModerators(Report, frozen=True, kw_only=True):
    """A report with who made it and how it was resolved."""

    agent_id: str
    resolution: str | None
    resolver_agent_id: str | None
    resolved_at: str | None
    action_id: str | None


class ReportList(ListAnswer, frozen=True, kw_only=True):
    """Reports, the oldest first."""

    reports: list[ReportForModerators]


class ReportResolved(Written, frozen=True, kw_only=True):
    """The resolved report, what can be done next about its subject, and the receipt."""

    report: ReportForModerators
    settled_count: int
    subject_hidden: bool
    next_actions: list[NextAction]
    receipt: Receipt


class ModerationLog(ListAnswer, frozen=True, kw_only=True):
    """Acts of moderation, the newest first."""

    actions: list[Act]


class ReportCreated(Written, frozen=True, kw_only=True):
    """The report and its receipt."""

    report: Report
    receipt: Receipt
