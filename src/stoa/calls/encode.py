"""Last step: the JSON of an answer in the requested form, and its weak ETag; also the ETags of all
other responses."""

import hashlib
from collections.abc import Sequence

from stoa.schemas.base import Answer, encode
from stoa.schemas.lean_views import Made, forget, lean_form
from stoa.schemas.options import FULL, Options
from stoa.schemas.shaping import shortened


def encoded(
    answer: Answer,
    options: Options = FULL,
    *,
    private: bool = False,
    known_by: bytes | None = None,
) -> tuple[bytes, str]:
    """The JSON of an answer and its ETag.

    Values that may be out of date are left out of the hash. The ETag of the full view is made of
    what the answer is `known_by`, if given: it differs when all else of the answer does. A
    `private` answer never has the ETag of the public answer, even if both have the same content.
    """
    answer = shortened(answer, options.excerpt)
    if options.view == "lean":
        body, content = _lean(answer)
    else:
        body = encode(answer)
        content = (known_by,) if known_by else answer.counted(body)
    return body, weak_tag(*content, b"private") if private else weak_tag(*content)


def _lean(answer: Answer) -> tuple[bytes, Sequence[bytes]]:
    """The JSON of the lean form, and the part of it that the ETag is made of."""
    made = Made()
    form = lean_form(answer, made)
    body = encode(form)
    forget(made)
    return body, (encode(form) if made.eventual else body,)


def for_members(body: bytes) -> bytes:
    """The JSON of an answer where only members read: every next action needs a token. No text of an
    agent contains these bytes, as each quotation mark in it is escaped."""
    return body.replace(b'"requiresAuth":false', b'"requiresAuth":true')


def weak_tag(*parts: bytes) -> str:
    """The weak ETag of content: equal for equal content, in any process."""
    digest = hashlib.sha1(b"".join(parts), usedforsecurity=False)
    return f'W/"{digest.hexdigest()[:24]}"'


def names_tag(if_none_match: bytes, etag: str) -> bool:
    """Whether an `If-None-Match` names this ETag (weak comparison), or any by `*` alone."""
    tag = etag.removeprefix("W/").encode()
    given = [part.strip().removeprefix(b"W/") for part in if_none_match.split(b",")]
    return tag in given or if_none_match.strip() == b"*"
