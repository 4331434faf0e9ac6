"""The security headers of pages for browsers."""

import hashlib
from base64 import b64encode

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cache-Control": "public, no-cache",
}
"""Of what runs no script."""


def with_script(script: str) -> dict[str, str]:
    """The same for a page that holds this one script, which asks nobody but its own host."""
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"{_POLICY}; script-src 'sha256-{digest}'; connect-src 'self'"
    return {**SECURITY, "Content-Security-Policy": policy}
