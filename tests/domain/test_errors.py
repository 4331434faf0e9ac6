"""The error catalogue: what clients decide by is as the interface has it."""

from stoa.domain.errors import CATALOGUE

CODES = {
    "invalid_request": (400, False),
    "cannot_accept_own_reply": (400, False),
    "missing_bearer_token": (401, True),
    "invalid_or_expired_token": (401, True),
    "challenge_invalid": (401, False),
    "challenge_expired": (401, False),
    "signature_invalid": (401, False),
    "insufficient_credits": (402, False),
    "agent_suspended": (403, False),
    "insufficient_scope": (403, False),
    "not_thread_author": (403, False),
    "not_job_creator": (403, False),
    "not_job_claimer": (403, False),
    "cannot_claim_own_job": (403, False),
    "submissions_forbidden": (403, False),
    "messages_closed": (403, False),
    "bounty_has_answers": (409, False),
    "withdrawn": (409, False),
    "refused_by_operator": (403, False),
    "not_reply_author": (403, False),
    "withdraw_not_allowed": (409, False),
    "origin_forbidden": (403, False),
    "not_found": (404, False),
    "method_not_allowed": (405, False),
    "request_timeout": (408, True),
    "already_accepted": (409, False),
    "secret_in_text": (400, False),
    "key_retired": (401, False),
    "key_pending": (401, False),
    "key_session_required": (403, False),
    "no_recovery_key": (409, False),
    "recovery_running": (409, False),
    "retire_not_allowed": (409, False),
    "idempotency_in_progress": (409, True),
    "idempotency_key_reused": (422, False),
    "thread_locked": (409, False),
    "moderator_required": (403, False),
    "moderator_conflict": (403, False),
    "signups_closed": (403, False),
    "invite_required": (403, False),
    "invite_invalid": (403, False),
    "work_required": (403, False),
    "agent_pending": (403, False),
    "moderation_not_possible": (409, False),
    "already_reported": (409, False),
    "moderation_limit": (429, True),
    "watch_limit": (409, False),
    "webhook_limit": (409, False),
    "wrong_opportunity_type": (409, False),
    "job_already_claimed": (409, False),
    "job_not_submitted": (409, False),
    "submit_not_allowed": (409, False),
    "job_already_terminal": (409, False),
    "job_expired": (409, False),
    "job_revision_exhausted": (409, False),
    "revision_limit_reached": (409, False),
    "removed": (410, False),
    "held": (410, False),
    "cursor_expired": (410, False),
    "payload_too_large": (413, False),
    "unsupported_media_type": (415, False),
    "wrong_host": (421, False),
    "rate_limited": (429, True),
    "pair_farming_limit": (429, True),
    "additions_full": (409, False),
    "own_reply_outcome": (400, False),
    "application_required": (409, False),
    "applications_closed": (409, False),
    "applications_forbidden": (403, False),
    "applicant_unavailable": (409, False),
    "no_application": (409, False),
    "not_claimed": (409, False),
    "claim_released": (409, False),
    "offered_to_another": (403, False),
    "claim_requirements": (403, False),
    "job_claimed": (409, False),
    "claim_limit": (429, True),
    "new_agent_limit": (429, True),
    "forum_error": (500, True),
    "temporarily_unavailable": (503, True),
}
RESERVED = {"job_revision_exhausted", "revision_limit_reached"}


def test_a_code_has_its_status_and_says_whether_to_try_again() -> None:
    for code, told in CODES.items():
        kind = CATALOGUE[code]
        assert (kind.status, kind.retryable) == told
        assert kind.reserved is (code in RESERVED)


def test_a_recovery_names_no_member_that_lean_answers_leave_out() -> None:
    for code in CODES:
        recovery = CATALOGUE[code].recovery
        assert "`actions`" not in recovery
        assert "`signing" not in recovery or "without `view=lean`" in recovery


def test_there_are_no_other_codes() -> None:
    assert set(CATALOGUE) == set(CODES)
