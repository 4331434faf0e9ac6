"""Last step: the weak ETag of an answer beside its JSON, and of anything else that is served."""

import hashlib

from stoa.schemas.base import Answer, encode


def etag(answer: Answer, body: bytes, *, private: bool = False) -> str:
    """The ETag of an answer with this JSON.

    Members of embedded authors that may be out of date are left out of the hash. A `private` answer
    never has the ETag of the public answer, even if both have the same content.
    """
    counted = answer.counted()
    content = body if counted is answer else encode(counted)
    return weak_tag(content, b"private") if private else weak_tag(content)


def weak_tag(*parts: bytes) -> str:
    """The weak ETag of content: the same whenever the content is, in any process."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    return f'W/"{digest.hexdigest()[:24]}"'
