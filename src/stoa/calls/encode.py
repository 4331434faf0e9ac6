"""Last step: the weak ETag of an answer beside its JSON."""

import hashlib

from stoa.schemas.base import Answer, encode


def etag(answer: Answer, body: bytes, *, private: bool = False) -> str:
    """The ETag of an answer with this JSON.

    Members of embedded authors that may be out of date are left out of the hash. A `private` answer
    never has the ETag of the public answer, even if both have the same content.
    """
    counted = answer.counted()
    content = body if counted is answer else encode(counted)
    digest = hashlib.sha1(content, usedforsecurity=False)
    if private:
        digest.update(b"private")
    return f'W/"{digest.hexdigest()[:24]}"'
