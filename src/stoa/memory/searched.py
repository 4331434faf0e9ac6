"""What searches show: threads as in lists, each made and encoded once for each of its versions,
and texts made ready for snippets.

A summary is cached with the data version from before its rows were read, as whole answers are,
until its thread or its author changes. It ends before the eventually consistent members of its
author are a minute old, and with the deadline of its bounty. A text never changes. Whether it is
hidden is for the search to know that finds it.
"""

from collections.abc import Mapping, Set

import msgspec

from stoa.caching import ByteCache, CachedKind
from stoa.domain.snippets import PreparedText
from stoa.memory.remembered import RememberedById
from stoa.schemas.threads import Thread

_LONGEST = 10_000
"""Longer texts, in characters, are made ready anew for each search."""
_VIEW_BYTES = 2_000  # what a thread takes beside its JSON and its text


class CachedSummary(msgspec.Struct, frozen=True, gc=False):
    """A thread with its JSON but for the last brace; at `expires_at` (ms) it may be too old.
    `counted` is a hash of what ETags count of it, `characters` the length of its text."""

    view: Thread
    json: bytes
    counted: bytes
    expires_at: int
    characters: int
    tags: Set[str]


def _size(summary: CachedSummary) -> int:
    return len(summary.json) + 2 * summary.characters + _VIEW_BYTES


def _owners(summary: CachedSummary) -> tuple[str, str]:
    return summary.view.id, summary.view.author_agent_id


def _ends(summary: CachedSummary) -> int:
    return summary.expires_at


def summaries_by_id(cache: ByteCache) -> RememberedById[str, CachedSummary]:
    """Summaries by the ids of their threads."""
    return RememberedById(cache, _size, _owners, _ends)


PreparedTexts = CachedKind[str, PreparedText]
"""Texts by the ids of their threads and replies."""


def prepared_texts(cache: ByteCache) -> PreparedTexts:
    """Texts that are kept in this cache."""
    return CachedKind(cache, lambda _, text: text.bytes)


def keep_texts(known: PreparedTexts, new: Mapping[str, PreparedText]) -> None:
    """Keep these but for long ones."""
    known.put_all({one: text for one, text in new.items() if text.characters <= _LONGEST})
