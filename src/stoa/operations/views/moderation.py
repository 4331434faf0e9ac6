"""Builds acts and reports for answers, from their rows."""

from typing import Any, cast

from stoa.operations.call import Call
from stoa.schemas.base import iso
from stoa.schemas.moderation import Act, ActSubject, Report, ReportForModerators, SubjectRef
from stoa.store import moderation
from stoa.store.moderation import ActRow, ReportRow

_NEWEST = 20


def act_view(row: ActRow) -> Act:
    """An act, without the points of an adjustment."""
    return Act(
        id=row.id,
        action=row.action,
        subject=ActSubject(type=cast(Any, row.subject_type), id=row.subject_id),
        moderator_agent_id=row.moderator_id,
        reason=row.reason,
        until=None if row.until is None else iso(row.until),
        created_at=iso(row.created_at),
    )


async def acts_on(call: Call, subject_id: str) -> list[Act]:
    """The newest acts on something."""
    return [act_view(row) for row in await moderation.acts_on(call.tx, subject_id, _NEWEST)]


def _members(row: ReportRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "subject": SubjectRef(type=cast(Any, row.subject_type), id=row.subject_id),
        "reason": row.reason,
        "note": row.note,
        "status": row.outcome or "open",
        "created_at": iso(row.created_at),
    }


def report_view(row: ReportRow) -> Report:
    """A report as its author sees it."""
    return Report(**_members(row))


def report_for_moderators(row: ReportRow) -> ReportForModerators:
    """A report with its author and how it was resolved."""
    return ReportForModerators(
        **_members(row),
        agent_id=row.agent_id,
        resolution=row.resolution,
        resolver_agent_id=row.resolver_id,
        resolved_at=None if row.resolved_at is None else iso(row.resolved_at),
        action_id=row.act_id,
    )
