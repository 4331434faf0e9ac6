"""The index of open offers, kept in memory between recommendations and searches.

All that is on offer is read at once, and sets of it are bitmaps of places in the open feed. So what
is recommended to an agent is found without a statement, as `opportunities.recommended` finds it,
and so are the opportunities that a search looks at.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

import msgspec

from stoa.domain.bitmaps import ascending, by_count
from stoa.domain.labels import offered_words
from stoa.memory.remembered import Remembered
from stoa.store import holds, opportunities
from stoa.store.dependencies import read_from
from stoa.store.opportunities import (
    NEW_THREAD,
    START,
    OfferPosition,
    OfferTerm,
    OpportunityRow,
)
from stoa.store.tx import Tx


class OfferIndexSizes(NamedTuple):
    """When an index is made of the terms of all that is on offer. More than `most` are left to SQL:
    to read them all would take too long. With up to `few` a search has the newest index, as SQL
    would take as long as making it; with more it may have one that is out of date, no older than
    `large_each_ms`, as making it holds up all other calls for some 50 ms; recommendations, which
    are read on the event loop, then ask SQL. For them a small one is made each `made_each_ms` at
    most: where many jobs are offered, each new one would make it again."""

    most: int = 25_000
    few: int = 2_500
    made_each_ms: int = 1_000
    large_each_ms: int = 5_000

    def is_recent(self, index: "OfferIndex", now: int) -> bool:
        """Whether an index is not made again yet."""
        each_ms = self.large_each_ms if index.is_large else self.made_each_ms
        return 0 <= now - index.made_at < each_ms


OFFER_INDEX_SIZES = OfferIndexSizes()
"""Those of a service."""


class OfferIndex(NamedTuple):
    """All that is on offer, the highest reward first. `having` are the places of those that have a
    label, `tagged` of those that have it as a tag, `by_author` of those of an author; `found_by`
    are the labels that a term finds. What is offered to one of the `chosen` agents alone is left to
    SQL. `made_at` is ms; no two have the same `version`. A search may have one that `is_large` and
    out of date; there may be `too_many` to show any."""

    rows: list[OpportunityRow]
    having: dict[str, int]
    tagged: dict[str, int]
    by_author: dict[str, int]
    found_by: dict[str, set[str]]
    made_at: int
    version: object
    chosen: frozenset[str] = frozenset()
    too_many: bool = False
    is_large: bool = False

    def labels(self, terms: Iterable[str]) -> frozenset[str]:
        """The labels of what is on offer that one of these terms finds."""
        found = map(self.found_by.get, self.found_by.keys() & terms)
        return frozenset(chain.from_iterable(filter(None, found)))

    def recommended(
        self, agent_id: str, terms: Sequence[str], after: OfferPosition, limit: int
    ) -> list[OpportunityRow]:
        """See `opportunities.recommended`."""
        if after[0] < 0:  # made up: all that shares no term comes behind it
            after = (0, *START[1:])
        others = (1 << len(self.rows)) - 1 & ~self.by_author.get(agent_id, 0)
        shared = {
            label: bits for label in self.labels(terms) if (bits := self.having[label] & others)
        }
        found = self._in_order(by_count([*shared.values()], others), after)
        return [self._row(place, overlap, shared) for place, overlap in islice(found, limit)]

    def _in_order(
        self, by_overlap: Sequence[int], after: OfferPosition
    ) -> Iterator[tuple[int, int]]:
        for overlap in range(len(by_overlap) - 1, -1, -1):
            if overlap <= after[0]:
                bits = by_overlap[overlap]
                if overlap == after[0]:
                    bits &= self._behind(after)
                for place in ascending(bits):
                    yield place, overlap

    def _behind(self, after: OfferPosition) -> int:
        """The places behind one in the open feed."""
        first = sum(1 for row in self.rows if row.place[1:] >= after[1:])
        return -1 << first

    def _row(self, place: int, overlap: int, shared: dict[str, int]) -> OpportunityRow:
        row = self.rows[place]
        if not overlap:
            return row
        labels = sorted(label for label, bits in shared.items() if bits >> place & 1)
        return OpportunityRow(*row[:4], msgspec.json.encode(labels).decode(), overlap)


async def offer_index(
    tx: Tx, kept: Remembered[OfferIndex], sizes: OfferIndexSizes, *, for_search: bool = False
) -> OfferIndex | None:
    """What is on offer now, as it is kept or read anew; None where SQL is to be asked."""
    found = kept.get(tx.seen, tx.now)
    if found is None:
        if tx.seen is None:
            return None
        latest = kept.latest
        if latest and not for_search and (latest.is_large or sizes.is_recent(latest, tx.now)):
            return None
        if latest and sizes.is_recent(latest, tx.now):
            found = latest if latest.is_large else None
        elif latest and latest.is_large:
            await tx.aside(lambda: None)  # to read it takes too long for the event loop
            if not kept.making.acquire(blocking=False):  # another thread reads it already
                return None if latest.too_many else latest
            try:
                found = await _read(tx, kept, sizes)
            finally:
                kept.making.release()
        found = found or await _read(tx, kept, sizes)
    return None if found.too_many else found


async def _read(tx: Tx, kept: Remembered[OfferIndex], sizes: OfferIndexSizes) -> OfferIndex:
    before = len(tx.ran)
    rows = await opportunities.on_offer(tx, sizes.most + 1)
    chosen = await opportunities.chosen_agents(tx)
    read, is_large = read_from(tx.ran[before:]), len(rows) > sizes.few
    if len(rows) > sizes.most:
        made = OfferIndex([], {}, {}, {}, {}, tx.now, object(), too_many=True)
    else:
        made = await tx.aside(partial(_made, rows, tx.now), light=not is_large)
    found = made._replace(chosen=chosen, is_large=is_large)
    kept.keep(found, tx.seen, read and read - {NEW_THREAD}, await holds.next_deadline(tx))
    return found


def _made(rows: Sequence[OfferTerm], now: int) -> OfferIndex:
    """The index of rows, one for each term of each that is on offer."""
    having: defaultdict[str, int] = defaultdict(int)
    tagged: defaultdict[str, int] = defaultdict(int)
    by_author: defaultdict[str, int] = defaultdict(int)
    offers: dict[str, OpportunityRow] = {}
    place = 0
    for subject, kind, amount, created_at, author, term, is_tag in rows:
        if subject not in offers:
            offers[subject] = OpportunityRow(subject, kind, amount, created_at, "[]")
            place = 1 << len(offers) - 1
            by_author[author] |= place
        if term is not None:
            having[term] |= place
            if is_tag:
                tagged[term] |= place
    found_by: defaultdict[str, set[str]] = defaultdict(set)
    for label in having:
        for word in offered_words(label):
            found_by[word].add(label)
    return OfferIndex([*offers.values()], having, tagged, by_author, found_by, now, object())
