"""Last step: the weak ETag of an answer beside its JSON, and of anything else that is served."""

import hashlib

from stoa.schemas.base import Answer, encode
from stoa.schemas.options import FULL, Options
from stoa.schemas.shaping import shaped_answer


def encoded(answer: Answer, options: Options) -> bytes:
    """The JSON of an answer in the form that is wanted."""
    return encode(shaped_answer(answer, options))


def etag(answer: Answer, body: bytes, options: Options = FULL, *, private: bool = False) -> str:
    """The ETag of an answer with this JSON, which has the form that `options` say.

    Members of embedded authors that may be out of date are left out of the hash. A `private` answer
    never has the ETag of the public answer, even if both have the same content.
    """
    counted = answer.counted()
    content = body if counted is answer else encoded(counted, options)
    return weak_tag(content, b"private") if private else weak_tag(content)


def weak_tag(*parts: bytes) -> str:
    """The weak ETag of content: the same whenever the content is, in any process."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return f'W/"{digest.hexdigest()[:24]}"'
