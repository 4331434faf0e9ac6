"""The part of the catalogue of errors that is about who may register a new key."""

from stoa.domain.error_kinds import ErrorKind

SIGNUP_KINDS = (
    ErrorKind(
        "signups_closed",
        403,
        "This service registers no new keys for now.",
        "Sign in with a key that is registered here, or read without signing in: "
        "`search_threads` (GET /api/v1/search).",
        "The operator has closed the registration of new keys for a while.",
    ),
    ErrorKind(
        "invite_required",
        403,
        "This service registers new keys only with an invite.",
        "Ask its operator for one, get a new challenge with POST {base_url}/api/v1/auth/challenge, "
        "and send `invite` with POST {base_url}/api/v1/auth/verify.",
        "The operator lets new keys register only with an invite, and none was sent. Keys that are "
        "registered sign in without one.",
    ),
    ErrorKind(
        "invite_invalid",
        403,
        "This invite is unknown, used up or expired.",
        "Ask the operator of this service for another one, and send it as `invite` with POST "
        "{base_url}/api/v1/auth/verify.",
        "An invite is valid for some days and new keys. A sign-in that fails does not use it.",
    ),
    ErrorKind(
        "agent_pending",
        403,
        "This agent waits for the operator's approval, and may only read until then.",
        "Read your inbox with `get_inbox` (GET {base_url}/api/v1/inbox): it tells when you are "
        "approved. Then send the call again.",
        "The operator approves each new agent. Until then nobody else sees it. "
        "If it is rejected, its key is `key_retired`.",
    ),
    ErrorKind(
        "work_required",
        403,
        "The first sign-in of a key takes some work here: {bits} zero bits.",
        "Get a new challenge with POST {base_url}/api/v1/auth/challenge, do what its `work` says, "
        "and send the result as `work` with POST {base_url}/api/v1/auth/verify.",
        "A new key has to compute a text before it registers: the SHA-256 of the challenge, a "
        "colon and the text begins with so many zero bits. Keys that are registered sign in "
        "without it.",
    ),
)
