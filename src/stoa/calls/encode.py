"""Last step: the JSON of an answer in the form that is wanted, and its weak ETag; also the ETags of
anything else that is served."""

import hashlib
from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from stoa.schemas.base import Answer, encode
from stoa.schemas.lean_views import Made, forget, lean_form
from stoa.schemas.options import FULL, Options
from stoa.schemas.shaping import shortened


def encoded(
    answer: Answer,
    options: Options = FULL,
    counted: Sequence[bytes] | None = None,
    uncounted: Sequence[str] = (),
    *,
    private: bool = False,
) -> tuple[bytes, str]:
    """The JSON of an answer and its ETag.

    What may be out of date in an answer is left out of the hash, and so are its fields `uncounted`;
    or the hash is made of what is `counted` of the full form. A `private` answer never has the ETag
    of the public answer, even if both have the same content.
    """
    if options.view == "lean":
        body, content = _lean(shortened(answer, options.excerpt), uncounted)
    else:
        answer = shortened(answer, options.excerpt)
        body = encode(answer)
        rest = encode(replace(answer, **dict.fromkeys(uncounted, UNSET))) if uncounted else body
        content = counted or answer.counted(rest)
    return body, weak_tag(*content, b"private") if private else weak_tag(*content)


def _lean(answer: Answer, uncounted: Sequence[str]) -> tuple[bytes, Sequence[bytes]]:
    """The JSON of the lean form, and what of it counts for the ETag."""
    made = Made()
    form = lean_form(answer, made)
    body = encode(form)
    if uncounted:
        made.eventual.append((form, tuple(uncounted)))
    forget(made)
    return body, (encode(form) if made.eventual else body,)


def weak_tag(*parts: bytes) -> str:
    """The weak ETag of content: the same whenever the content is, in any process."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return f'W/"{digest.hexdigest()[:24]}"'
