"""The JSON of results: ready pieces around an answer that is JSON already."""

import msgspec

from stoa.caching import ByteCache

_TEXTS_BYTES = 4 * 1024 * 1024


def result(message_id: bytes, *members: bytes) -> bytes:
    """A success; `members` are pieces of the JSON of the result's members, without its braces."""
    return b"".join((b'{"jsonrpc":"2.0","id":', message_id, b',"result":{', *members, b"}}"))


def content(body: bytes) -> tuple[bytes, ...]:
    """The body twice, as the protocol wants it: as text, and as it is."""
    return (
        b'"content":[{"type":"text","text":',
        _texts.get(body, _as_text),
        b'}],"structuredContent":',
        body,
    )


def _as_text(body: bytes) -> bytes:
    return msgspec.json.encode(body.decode())


# The same bytes again and again, while an answer that many read is cached.
_texts: ByteCache[bytes, bytes] = ByteCache(_TEXTS_BYTES, lambda body, text: len(body) + len(text))
