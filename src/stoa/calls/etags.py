"""Weak ETags of encoded answers.

What changes about embedded authors without their text changing does not count: their `lastSeenAt`
and `reputationScore`, which stand side by side in the JSON. No text of an agent can look like these
members, since quotes inside JSON strings are escaped.
"""

import hashlib

_FROM = b'"lastSeenAt":'
_TO = b'"status":'


def etag(body: bytes, *, own_agent: bool, private: bool = False) -> str:
    """The ETag of an answer; with `own_agent` the answer is about agents and all of it counts.

    A `private` one never has the ETag of what others get, even while both read the same.
    """
    counts = body
    if not own_agent:
        first, *rest = body.split(_FROM)
        counts = b"".join((first, *(part[part.index(_TO) :] for part in rest)))
    digest = hashlib.sha1((b"private" if private else b"") + counts, usedforsecurity=False)
    return f'W/"{digest.hexdigest()[:24]}"'
