"""The opportunities that a search names beside its threads: those that have to do with it."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stoa.domain import limits
from stoa.domain.querylang import Query
from stoa.domain.related import Asked, asked, best, described, of_tag, sharing
from stoa.operations.call import Call
from stoa.operations.opportunities import rows_views
from stoa.operations.rows import Rows
from stoa.schemas.base import encode
from stoa.schemas.opportunities import Opportunity
from stoa.store import holds, opportunities
from stoa.store.dependencies import read_from
from stoa.store.opportunities import NEW_THREAD, START, OpportunityRow
from stoa.store.tx import Tx

LOOKED_AT = 150
"""So many opportunities are compared with a search, those with the highest rewards."""

_MOST_SETS, _MOST_TAGS = 500, 24
"""For so many sets of at most so many tags it is cached which opportunities share them. They are
dropped with the opportunities, or when there are more."""

_MOST = 500
"""Opportunities whose words are cached. They never change, and a full cache is emptied."""


class Shown(NamedTuple):
    """An opportunity as it travels, and as JSON with a hash of it."""

    view: Opportunity
    json: bytes
    counted: bytes

    @classmethod
    def of(cls, view: Opportunity) -> "Shown":
        """One that is shown for the first time."""
        json = encode(view)
        return cls(view, json, hashlib.sha1(json, usedforsecurity=False).digest())


def as_rows(shown: Sequence[Shown]) -> Rows:
    """Opportunities as rows of a search."""
    json = b",".join([one.json for one in shown])
    return Rows("relatedOpportunities", [json], b"".join([one.counted for one in shown]))


class Offers(NamedTuple):
    """Open opportunities by id, the best first, and the ids that have each word or tag. `sets` has
    those of words that were asked for as bitmaps of their places, `shared` those that share so many
    of some tags, `shown` those that were shown already as they travel."""

    rows: dict[str, OpportunityRow]
    holders: dict[str, set[str]]
    subjects: list[str]
    places: dict[str, int]
    sets: dict[str, int]
    shared: dict[frozenset[str], list[int]]
    shown: dict[str, Shown]

    @classmethod
    def of(cls, rows: dict[str, OpportunityRow], holders: dict[str, set[str]]) -> "Offers":
        """Offers of which none was shown yet."""
        places = {subject: place for place, subject in enumerate(rows)}
        return cls(rows, holders, [*rows], places, {}, {}, {})

    def having(self, word: str) -> int:
        """Which have a word or a tag."""
        found = self.sets.get(word)
        if found is None and (holders := self.holders.get(word)):
            found = self.sets[word] = self.those(holders)
        return found or 0

    def sharing(self, tags: frozenset[str]) -> list[int]:
        """At each place, from 0, which share so many of these tags."""
        found = self.shared.get(tags)
        if found is None:
            found = sharing(self.having, len(self.rows), tags)
            if len(self.shared) >= _MOST_SETS:
                self.shared.clear()
            if len(tags) <= _MOST_TAGS:
                self.shared[tags] = found
        return found

    def those(self, subjects: Iterable[str]) -> int:
        """Which of these ids are offers."""
        if self.places.keys().isdisjoint(subjects):
            return 0
        bits = 0
        for subject in subjects:
            if subject in self.places:
                bits |= 1 << self.places[subject]
        return bits


async def related(call: Call, query: Query, tags: frozenset[str], found: list[str]) -> list[Shown]:
    """A few opportunities that a query matches, or that have any of these tags, the best first.

    `found` are the ids of the threads that the query found.
    """
    words = asked(query)
    if not tags and not any(words):
        return []
    offers = await _offers(call)
    if len(offers.rows) == LOOKED_AT:
        offers = await _with_more(call, offers, words, tags, found)
    by_tags, count = offers.sharing(tags), len(offers.rows)
    places = best(offers.having, count, words, by_tags, offers.those(found), limits.SUGGESTIONS)
    return await _shown(call, offers, [offers.subjects[place] for place in places])


async def _shown(call: Call, offers: Offers, subjects: list[str]) -> list[Shown]:
    missing = [offers.rows[subject] for subject in subjects if subject not in offers.shown]
    if missing:
        for view in await rows_views(call, missing):
            offers.shown[view.id] = Shown.of(view)
    return [offers.shown[subject] for subject in subjects]


async def _offers(call: Call) -> Offers:
    """Those with the highest rewards, which are kept until one of them changes or ends."""
    cache, marks, before = call.services.offers, call.tx.marks, len(call.tx.ran)
    kept = cache.get(marks, call.now)
    if kept:
        return kept
    rows = {row.id: row for row in await _page(call.tx, [])}
    latest = cache.latest
    if latest and latest.rows == rows:
        holders = latest.holders  # their words never change
    else:
        holders = _holders(await _words(call, rows))
    offers = Offers.of(rows, holders)
    read = read_from(call.tx.ran[before:])
    deadline = await holds.next_deadline(call.tx) if read else None
    cache.keep(offers, marks, read and (read | rows.keys()) - {NEW_THREAD}, deadline)
    return offers


def _holders(words: dict[str, frozenset[str]]) -> dict[str, set[str]]:
    holders: defaultdict[str, set[str]] = defaultdict(set)
    for subject, its_words in words.items():
        for word in its_words:
            holders[word].add(subject)
    return dict(holders)


async def _with_more(
    call: Call, offers: Offers, asked: Asked, tags: frozenset[str], found: list[str]
) -> Offers:
    """As there may be more: also those that share a tag, and those found."""
    wanted = frozenset[str]().union(*asked)
    extra = await _page(call.tx, sorted(wanted | tags))
    extra += await opportunities.among(call.tx, found)
    more = {row.id: row for row in extra if row.id not in offers.rows}
    words = await _words(call, more)
    holders = {
        word: offers.holders.get(word, set()) | {one for one in more if word in words[one]}
        for word in (*wanted, *map(of_tag, tags))
    }
    rows = sorted((offers.rows | more).values(), key=_order, reverse=True)
    return Offers.of({row.id: row for row in rows}, holders)


def _order(row: OpportunityRow) -> tuple[int, int, str]:
    return row.amount, row.created_at, row.id


async def _page(tx: Tx, tags: list[str]) -> list[OpportunityRow]:
    return await opportunities.page(
        tx, START, tags=tags, least=0, types=[], limit=LOOKED_AT, offset=0
    )


async def _words(call: Call, rows: dict[str, OpportunityRow]) -> dict[str, frozenset[str]]:
    cached = call.services.described
    missing = [row for row in rows.values() if row.id not in cached]
    made = {
        view.id: described(view.title, view.tags, view.requirements, view.body.body)
        for view in await rows_views(call, missing)
    }
    known = {subject: cached[subject] for subject in rows if subject in cached}
    if len(cached) + len(made) > _MOST:
        cached.clear()
    cached.update(made)
    return known | made
