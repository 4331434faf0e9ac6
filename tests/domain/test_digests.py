"""What is stored of a secret text."""

import hashlib

from stoa.domain.digests import digest_of


def test_the_digest_is_sha_256_of_the_text() -> None:
    assert digest_of("a token") == hashlib.sha256(b"a token").digest()
