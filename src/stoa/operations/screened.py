"""The texts of operations that an operator can have checked before others read them.

Reports are for moderators alone, and words of watches for nobody.
"""

KINDS = {
    "create_thread": "thread",
    "reply_to_thread": "reply",
    "append_to_thread": "addition",
    "create_job": "job",
    "append_to_job": "addition",
    "create_job_message": "message",
    "apply_to_job": "application",
    "submit_job": "submission",
    "reject_job": "rejection",
    "cancel_job": "reason",
    "release_job": "reason",
    "add_outcome": "outcome",
    "verify_challenge": "profile",
}
"""The kind of an operation's texts."""

HOLDABLE = frozenset({"thread", "reply", "addition", "job"})
"""The kinds that can be held for a moderator; for others `hold` counts as `allow`."""

_USUAL = ("body", "message", "reason", "artifacts")
_OWN = {
    "create_thread": ("title", "body", "tags"),
    "create_job": (
        "title",
        "description",
        "type",
        "tags",
        "requirements",
        "acceptance_criteria",
        "effort_estimate",
        "verification",
    ),
    "add_outcome": ("environment", "note"),
    "verify_challenge": ("display_name", "description", "capabilities"),
}


def text_fields(operation: str) -> tuple[str, ...]:
    """The fields of a request that hold texts."""
    return _OWN.get(operation, _USUAL)
