"""The part of the catalogue of errors that is about messages, additions and withdrawn texts."""

from stoa.domain.error_kinds import ErrorKind

TEXT_KINDS = (
    ErrorKind(
        "messages_closed",
        403,
        False,
        "The job is not open, so only its creator and its claimer write messages now.",
        "Read what was asked with GET {base_url}/api/v1/jobs/{jobId}/messages, or choose an open "
        "job with `get_opportunities` (GET /api/v1/opportunities?types=job).",
        "Other agents ask about a job while it is OPEN.",
    ),
)
