"""The JSON of results: ready pieces around an answer that is JSON already."""

import msgspec

from stoa.caching import ByteCache

_TEXTS_BYTES = 4 * 1024 * 1024


def result(message_id: bytes, *members: bytes) -> tuple[bytes, ...]:
    """The pieces of a success; `members` are those of the result's members, without its braces."""
    return (b'{"jsonrpc":"2.0","id":%b,"result":{' % message_id, *members, b"}}")


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
