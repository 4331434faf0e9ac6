"""What searches and lists show: threads and their authors, each encoded once for each of its
versions, and texts made ready for snippets.

A thread and its author are cached until they change, each with the data version from before its
rows were read, as whole answers are. They are separate values since they end at different times: an
author before its eventually consistent members are a minute old, a thread at the deadline of its
bounty. A text never changes; whether it is hidden is checked by the search that finds it.
"""

from collections.abc import Mapping

import msgspec

from stoa.caching import CachedKind
from stoa.domain.snippets import PreparedText

_LONGEST = 10_000
"""Longer texts, in characters, are made ready anew for each search."""
_THREAD_BYTES, _AUTHOR_BYTES = 800, 200  # what each takes beside its JSON


class CachedThread(msgspec.Struct, frozen=True, gc=False):
    """A thread in JSON, `before` its author and `behind` it but for the last brace. At `expires_at`
    (ms) it may be another. `counted` is a hash of both parts, `characters` the length of its text;
    one that is `extended` has additions."""

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

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.before) + len(self.behind) + _THREAD_BYTES


class CachedAuthor(msgspec.Struct, frozen=True, gc=False):
    """An agent in JSON; at `expires_at` (ms) it may be too old. `counted` is a hash of what ETags
    count of it."""

    json: bytes
    counted: bytes
    expires_at: int

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.json) + _AUTHOR_BYTES


PreparedTexts = CachedKind[str, PreparedText]
"""Texts by the ids of their threads and replies."""


def keep_texts(known: PreparedTexts, new: Mapping[str, PreparedText]) -> None:
    """Keep these but for long ones."""
    known.put_all({one: text for one, text in new.items() if text.characters <= _LONGEST})
