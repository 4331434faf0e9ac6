"""Resources whose JSON is made once, for all answers that show them."""

import hashlib
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

import msgspec
from msgspec.structs import replace

from stoa.schemas.base import Answer, Resource, decode, encode

R = TypeVar("R", bound=Resource)


class Encoded(Generic[R]):
    """A wrapper of a resource or an answer that encodes it once, when its JSON is first needed.

    Code that reads a member gets that of the `resource`. The JSON encoder writes `wire`, its JSON.
    An ETag is computed from `known_by`, which differs when the resource does, except in members
    that may be a minute old.
    """

    def __init__(self, resource: R) -> None:
        self.resource = resource

    @cached_property
    def wire(self) -> msgspec.Raw:
        """Its JSON."""
        return msgspec.Raw(encode(self.resource))

    @cached_property
    def known_by(self) -> bytes:
        """A hash of what ETags count of it."""
        return _hash_without_late(bytes(self.wire))

    def counted(self, _: bytes) -> tuple[bytes]:
        """See `Answer.counted`."""
        return (self.known_by,)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.resource, name)


class EncodedRow(Encoded[R]):
    """A row of a list whose JSON is there. Its members are read when one is asked for."""

    def __init__(self, kind: type[R], wire: bytes, known_by: bytes) -> None:
        self.wire, self.known_by = msgspec.Raw(wire), known_by
        self._kind = kind

    @cached_property
    def resource(self) -> R:
        """The row as it travels."""
        return decode(bytes(self.wire), self._kind)


def encoded_once(resource: R) -> R:
    """The same, as a resource like any other."""
    return cast(R, Encoded(resource))


def whole(resource: R) -> R:
    """The resource itself, which has steps that read all of its members."""
    found: Any = resource
    return cast("Encoded[R]", found).resource if isinstance(found, Encoded) else resource


def known_by(resource: Resource) -> bytes:
    """A hash of what ETags count of a resource, which is made once where its JSON is."""
    found: Any = resource
    return found.known_by if isinstance(found, Encoded) else _hash_without_late(encode(resource))


def _hash_without_late(body: bytes) -> bytes:
    return hashlib.sha1(b"".join(without_late(body)), usedforsecurity=False).digest()


_LATE, _ON_TIME = b'"lastSeenAt":"', b'"status":"'
"""The first member of an agent that may be a minute old, and the first behind those."""


def without_late(body: bytes) -> list[bytes]:
    """The JSON of an answer that embeds agents, in pieces, without what of these may be a minute
    old. No text in it holds the names of members: its quotes are escaped."""
    pieces = body.split(_LATE)
    for place in range(1, len(pieces)):
        piece = pieces[place]
        pieces[place] = piece[piece.index(_ON_TIME) :]
    return pieces


def counted(answer: Answer, rows: str) -> list[bytes]:
    """What ETags count of an answer: all but its rows, and of each of these what counts of it."""
    pieces = [encode(replace(answer, **{rows: []}))]
    for resource in getattr(answer, rows):
        found: Any = resource
        if isinstance(found, Encoded):
            pieces.append(found.known_by)
        else:
            pieces += without_late(encode(resource))
    return pieces
