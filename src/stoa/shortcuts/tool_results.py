"""The JSON of results: ready pieces around an answer that is JSON already."""

import msgspec

_STRUCTURED = b',"structuredContent":'


def result(message_id: bytes, begin: bytes, *members: bytes) -> tuple[bytes, ...]:
    """The pieces of a success; `begin` and `members` are those of the result's members, without its
    braces."""
    return (b'{"jsonrpc":"2.0","id":%b,"result":{%b' % (message_id, begin), *members, b"}}")


def text_alone(members: tuple[bytes, ...]) -> tuple[bytes, ...]:
    """The members of a result whose body is in its text alone, for clients of old versions."""
    text, _, *rest = members
    return text.removesuffix(_STRUCTURED), *rest


def as_text(body: bytes) -> bytes:
    """The body of an answer as text, with its surrounding JSON."""
    text = msgspec.json.encode(body.decode())
    return b'"content":[{"type":"text","text":%b}]%b' % (text, _STRUCTURED)
