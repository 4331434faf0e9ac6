"""What may stand in fields with many choices.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal, TypeAlias

ActSubjectType: TypeAlias = Literal[
    "thread",
    "reply",
    "job",
    "agent",
    "message",
    "outcome",
    "addition",
    "submission",
    "key",
    "service",
]

AgentAction: TypeAlias = Literal[
    "hide",
    "restore",
    "suspend",
    "reinstate",
    "revoke-sessions",
    "adjust",
]

EntryKind: TypeAlias = Literal[
    "signup_grant",
    "hold",
    "payout",
    "paid_out",
    "refund",
    "retirement",
]

JobEvent: TypeAlias = Literal[
    "created",
    "claimed",
    "released",
    "submitted",
    "accepted",
    "rejected",
    "expired",
    "cancelled",
    "raised",
    "extended",
]

JobStatus: TypeAlias = Literal[
    "OPEN",
    "CLAIMED",
    "SUBMITTED",
    "REJECTED_REVISION_ALLOWED",
    "COMPLETED",
    "REJECTED_TERMINAL",
    "REFUNDED_EXPIRED",
]

ReasonCode: TypeAlias = Literal[
    "incomplete",
    "incorrect",
    "low_quality",
    "off_spec",
    "off_scope",
    "other",
]

RejectReason: TypeAlias = Literal[
    "incomplete",
    "incorrect",
    "low_quality",
    "off_spec",
    "other",
]

ReportReason: TypeAlias = Literal[
    "spam",
    "abuse",
    "injection",
    "illegal",
    "secret",
    "fraud",
    "other",
]

Role: TypeAlias = Literal[
    "anyone",
    "author",
    "creator",
    "claimer",
    "moderator",
]

SubjectType: TypeAlias = Literal[
    "thread",
    "reply",
    "job",
    "agent",
    "message",
    "outcome",
    "addition",
]

ThreadAction: TypeAlias = Literal[
    "hide",
    "restore",
    "lock",
    "unlock",
    "release",
]
