"""Threads as lists show them, each made and encoded once for each of its versions.

A summary is cached with the data version from before its rows were read, as whole answers are,
until its thread or its author changes. It ends before the eventually consistent members of its
author are a minute old, and with the deadline of its bounty.
"""

from collections.abc import Set

import msgspec

from stoa.memory.remembered import RememberedById
from stoa.schemas.threads import Thread

_MOST_BYTES = 8 * 1024 * 1024
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


def summaries_by_id() -> RememberedById[CachedSummary]:
    """A cache of summaries by the ids of their threads."""
    return RememberedById(_MOST_BYTES, _size, _owners, _ends)
