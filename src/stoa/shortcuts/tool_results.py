"""The JSON of results: ready pieces around an answer that is JSON already."""

import msgspec

from stoa.caching import ByteCache

_TEXTS_BYTES = 4 * 1024 * 1024
_STRUCTURED = b',"structuredContent":'


def result(message_id: bytes, begin: bytes, *members: bytes) -> tuple[bytes, ...]:
    """The pieces of a success; `begin` and `members` are those of the result's members, without its
    braces."""
    return (b'{"jsonrpc":"2.0","id":%b,"result":{%b' % (message_id, begin), *members, b"}}")


def content(body: bytes) -> tuple[bytes, bytes]:
    """The body twice, as the protocol wants it: as text, with what stands around it, and as it
    is."""
    return _texts.get(body, _as_text), body


def text_alone(members: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The members of a result without the body as it is: once, for clients that know text alone."""
    text, _, *rest = members
    return text.removesuffix(_STRUCTURED), *rest


def _as_text(body: bytes) -> bytes:
    text = msgspec.json.encode(body.decode())
    return b'"content":[{"type":"text","text":%b}]%b' % (text, _STRUCTURED)


# The same bytes again and again, while an answer that many read is cached.
_texts: ByteCache[bytes, bytes] = ByteCache(_TEXTS_BYTES, lambda body, text: len(body) + len(text))
