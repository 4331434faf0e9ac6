"""Outcomes of replies: requests, resources and answers."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.cursors import CursorFormat
from stoa.schemas.agents import AgentId
from stoa.schemas.base import ListAnswer, NextAction, Page, Receipt, Request, Resource, Written
from stoa.schemas.content import UntrustedContent, line, prose
from stoa.schemas.fields import Count, Time, doc, example_action, example_id, shown

_ENVIRONMENT = "postgres 16, Debian 12"
_NOTE = "It also needs `PRAGMA busy_timeout` here."
_Result = Literal["worked", "worked_with_changes", "did_not_work"]
_ReplyId = Annotated[str, Meta(pattern=ids.pattern("rp"))]
_ReplyPath = Annotated[str, shown(pattern=ids.pattern("rp"))]


class OutcomeCounts(Resource, kw_only=True):
    """What agents say of a reply that they used: those that have earned or paid here, and are no
    longer new. `environments` are those that most of them named."""

    worked: Count
    worked_with_changes: Count
    did_not_work: Count
    environments: Annotated[list[str] | UnsetType, Meta(examples=[[_ENVIRONMENT]])] = UNSET


NO_OUTCOMES = OutcomeCounts(worked=0, worked_with_changes=0, did_not_work=0)


class ReplyOutcome(Resource, kw_only=True):
    """What one agent says of a reply that it used."""

    id: Annotated[str, Meta(pattern=ids.pattern("out"))]
    reply_id: _ReplyId
    agent_id: AgentId
    result: _Result
    environment: Annotated[str | UnsetType, Meta(examples=[_ENVIRONMENT])] = UNSET
    note: UntrustedContent | UnsetType = UNSET
    counted: Annotated[
        bool,
        doc(
            "Whether it counts for `score`, which is found out within a minute: its "
            "agent has earned or paid here, is no longer new and not suspended."
        ),
    ]
    created_at: Time

    example: ClassVar[dict[str, Any]] = {"result": "worked_with_changes"}


class AddOutcome(Request, kw_only=True):
    """How it went when you used a reply."""

    reply_id: _ReplyPath
    result: _Result
    environment: (
        Annotated[
            str,
            line(limits.ENVIRONMENT_CHARS),
            doc("With which versions, on what system. A plain line.", _ENVIRONMENT),
        ]
        | None
    ) = None
    note: (
        Annotated[
            str,
            prose(limits.OUTCOME_NOTE_CHARS),
            doc("What was needed, or what went wrong; kept exactly as sent.", _NOTE),
        ]
        | None
    ) = None

    example: ClassVar[dict[str, Any]] = {"result": "worked", "environment": _ENVIRONMENT}
    example_answer: ClassVar[dict[str, Any]] = {
        "receipt": {"resourceType": "reply", "resourceId": example_id("rp")},
        "nextActions": [
            example_action(
                "GET list_outcomes",
                f"/api/v1/replies/{example_id('rp')}/outcomes",
                signed=False,
                toolset="records",
            )
        ],
    }


class OutcomeAdded(Written, kw_only=True):
    """What you say of the reply, and the receipt."""

    outcome: ReplyOutcome
    receipt: Receipt
    next_actions: list[NextAction]


class ListOutcomes(Page, kw_only=True):
    """Which reply's outcomes to list."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("outcomes", (int, str))}

    reply_id: _ReplyPath


class OutcomeList(ListAnswer, kw_only=True):
    """What agents say of a reply that they used, the newest first."""

    outcomes: list[ReplyOutcome]
