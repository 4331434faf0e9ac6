"""Refusals below `/oauth/` in the form of RFC 6749, 5.2."""

from stoa.domain.errors import Refusal
from stoa.domain.oauth import OAuthRefusal

_ERRORS = {
    401: "invalid_client",
    403: "unauthorized_client",
    405: "method_not_allowed",
    429: "too_many_requests",
    500: "server_error",
    503: "temporarily_unavailable",
}
"""By status, what a refusal of the service is called here; any other is `invalid_request`."""
_NOT_PLAIN = str.maketrans({'"': "'", "\\": "/"})


def translated(refusal: Refusal) -> OAuthRefusal:
    """A refusal of the service as clients of OAuth read it."""
    problems = [f"{issue.path.removeprefix('query.')}: {issue.message}" for issue in refusal.issues]
    told = [*problems] or [refusal.message, refusal.recovery]
    error = _ERRORS.get(refusal.status, "invalid_request")
    return OAuthRefusal(error, " ".join(told), refusal.status)


def body(refusal: OAuthRefusal) -> dict[str, str]:
    """The members of the answer. A description has printable ASCII without quotes alone."""
    printable = refusal.description.translate(_NOT_PLAIN).encode("ascii", "replace").decode()
    description = "".join(char if char.isprintable() else " " for char in printable)
    return {"error": refusal.error, "error_description": description}
