"""Threads and their authors for searches and lists, each encoded once for each of its versions, and
texts prepared for snippets.

A thread and its author are cached until they change, each with the data version from before its
rows were read, as whole answers are. They are separate values since they end at different times: an
author before its eventually consistent members are a minute old, a thread at the deadline of its
bounty. A text never changes; whether it is hidden is checked by the search that finds it.
"""

import hashlib
from collections.abc import Mapping
from typing import Self, cast

import msgspec
from msgspec import UNSET, UnsetType

from stoa.caching import CachedKind
from stoa.domain.snippets import PreparedText
from stoa.schemas.agents import Agent
from stoa.schemas.base import encode
from stoa.schemas.content import Addition, UntrustedContent
from stoa.schemas.encoded import EncodedRow, known_by
from stoa.schemas.search import FoundThread, Match
from stoa.schemas.threads import Thread

_LONGEST = 10_000
"""Longer texts, in characters, are prepared for each search."""
_THREAD_BYTES, _AUTHOR_BYTES = 800, 200  # what each takes beside its JSON


class CachedThread(msgspec.Struct, frozen=True, gc=False):
    """A thread in JSON: the parts `before` its author and `behind` it, without the last brace. It
    is valid until `expires_at` (ms). `counted` is a hash of both parts, `characters` the length of
    its text; one that is `extended` has additions."""

    id: str
    author_id: str
    before: bytes
    behind: bytes
    counted: bytes
    expires_at: int
    characters: int
    tags: tuple[str, ...]
    created_at: str
    extended: bool

    @classmethod
    def of(cls, view: Thread, expires_at: int) -> Self:
        """A thread as it travels."""
        before, behind = encode(view).split(encode(view.author), 1)
        return cls(
            view.id,
            view.author_agent_id,
            before,
            behind[:-1],
            hashlib.sha1(before + behind, usedforsecurity=False).digest(),
            expires_at,
            len(view.body.body),
            tuple(view.tags),
            view.created_at,
            extended=view.additions is not UNSET,
        )

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.before) + len(self.behind) + _THREAD_BYTES


class CachedAuthor(msgspec.Struct, frozen=True, gc=False):
    """An agent in JSON, valid until `expires_at` (ms). `counted` is a hash of the parts that ETags
    are made of."""

    json: bytes
    counted: bytes
    expires_at: int

    @classmethod
    def of(cls, agent: Agent, expires_at: int) -> Self:
        """An agent as it travels."""
        return cls(encode(agent), known_by(agent), expires_at)

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.json) + _AUTHOR_BYTES


class _Texts(msgspec.Struct):
    """All texts in the JSON of a thread."""

    body: UntrustedContent
    additions: list[Addition] | UnsetType = UNSET


class ListedThread(msgspec.Struct, frozen=True, gc=False):
    """A thread and its author, as lists and searches show them."""

    thread: CachedThread
    author: CachedAuthor

    @property
    def expires_at(self) -> int:
        """When (ms) it may be another one, or too old."""
        return min(self.thread.expires_at, self.author.expires_at)

    @property
    def view(self) -> Thread:
        """A row of a list."""
        return cast(Thread, EncodedRow(Thread, self._json + b"}", self._counted))

    def found(self, match: Match) -> FoundThread:
        """A row of a search, with its match."""
        shown = encode(match)
        wire = b'%b,"match":%b}' % (self._json, shown)
        return cast(FoundThread, EncodedRow(FoundThread, wire, self._counted + shown))

    def text(self) -> str:
        """The text with its additions."""
        texts = msgspec.json.decode(self._json + b"}", type=_Texts)
        return "\n".join([texts.body.body, *(one.body.body for one in texts.additions or ())])

    @property
    def _json(self) -> bytes:
        """The JSON without the last brace."""
        return b"".join((self.thread.before, self.author.json, self.thread.behind))

    @property
    def _counted(self) -> bytes:
        """A hash of the parts that ETags are made of."""
        return self.thread.counted + self.author.counted


PreparedTexts = CachedKind[str, PreparedText]
"""Texts by the ids of their threads and replies."""


def keep_texts(known: PreparedTexts, new: Mapping[str, PreparedText]) -> None:
    """Cache these texts except long ones."""
    known.put_all({one: text for one, text in new.items() if text.characters <= _LONGEST})
