"""The index of open offers, kept in memory between recommendations and searches.

Sets of offers are bitmaps. With them the recommendations of an agent, and the opportunities that a
search compares, are found without SQL, in the order of `opportunities.recommended`. A new index is
made of the one before it and of the offers that came or went since, not of all.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, count, islice
from typing import NamedTuple

import msgspec

from stoa.domain.bitmaps import Ranked, by_count
from stoa.domain.labels import offered_words
from stoa.domain.terms import Attained
from stoa.memory.remembered import Remembered
from stoa.store import holds, opportunities
from stoa.store.dependencies import read_from
from stoa.store.opportunities import (
    NEW_THREAD,
    START,
    OfferPosition,
    OfferReader,
    OfferTerm,
    OpportunityRow,
)
from stoa.store.tx import Tx


class OfferIndexSizes(NamedTuple):
    """When an index is made of what is on offer: each `made_each_ms` at most, as this takes some
    8 ms with 5,000 offers. Until then recommendations ask SQL, which takes 0.1 ms, and searches
    have the one before. With up to `few` offers searches always have the newest, and it is made on
    the event loop. More than `most` terms are left to SQL: to read them takes too long, so it is
    looked ten times less often whether there are fewer now. One is made of all that is on offer
    when there are more than `room` numbers beyond two for each offer."""

    most: int = 25_000
    few: int = 500
    made_each_ms: int = 1_000
    room: int = 64

    def is_recent(self, index: "OfferIndex", now: int) -> bool:
        """Whether an index is too new to be made again."""
        each_ms = self.made_each_ms * (10 if index.too_many else 1)
        return 0 <= now - index.made_at < each_ms


OFFER_INDEX_SIZES = OfferIndexSizes()
"""The sizes of a service."""


class OfferIndex(NamedTuple):
    """All that is on offer. Each offer has a number, which is its own in every index that is made
    of this one, as `unused` numbers are given to new offers alone; they are `ranked`, the highest
    reward first. `keys` and `numbers` give the number of a key and of an id, `sizes` how many terms
    an offer has, one if none. `having` are the offers that have a label, `tagged` those that have
    it as a tag, `by_author` those of an author, `requiring` those that require as much of their
    worker: some of these may be on offer no more. `found_by` are the labels that a term finds.

    What is recommended to the `chosen` agents, who see more or less than all, is left to SQL.
    `made_at` is ms; no two have the same `version`. A search may have one that `is_large` and out
    of date; there may be `too_many` to show any."""

    ranked: Ranked
    rows: dict[int, OpportunityRow]
    keys: dict[str, int]
    numbers: dict[str, int]
    sizes: dict[int, int]
    having: dict[str, int]
    tagged: dict[str, int]
    by_author: dict[str, int]
    requiring: dict[Attained, int]
    found_by: dict[str, frozenset[str]]
    unused: Iterator[int]
    made_at: int
    version: object
    chosen: frozenset[str] = frozenset()
    too_many: bool = False
    is_large: bool = False

    def labels(self, terms: Iterable[str]) -> frozenset[str]:
        """The labels of open offers that one of these terms finds."""
        found = map(self.found_by.get, self.found_by.keys() & terms)
        labels = chain.from_iterable(filter(None, found))
        return frozenset(label for label in labels if self.having[label] & self.ranked.all)

    def left_out(self, reader: OfferReader) -> int:
        """The agent's own offers, and those that require more than it has."""
        bits = self.by_author.get(reader.agent_id, 0)
        for least, those in self.requiring.items():
            if not reader.attained.meets(least):
                bits |= those
        return bits & self.ranked.all

    def recommended(
        self, reader: OfferReader, after: OfferPosition, limit: int
    ) -> list[OpportunityRow]:
        """See `opportunities.recommended`."""
        if after[0] < 0:  # made up: all that shares no term comes behind it
            after = (0, *START[1:])
        others = self.ranked.all & ~self.left_out(reader)
        shared = {
            label: bits
            for label in self.labels(reader.terms)
            if (bits := self.having[label] & others)
        }
        found = self._in_order(by_count([*shared.values()], others), after)
        return [self._row(number, overlap, shared) for number, overlap in islice(found, limit)]

    def _in_order(
        self, by_overlap: Sequence[int], after: OfferPosition
    ) -> Iterator[tuple[int, int]]:
        for overlap in range(min(len(by_overlap) - 1, after[0]), -1, -1):
            behind = self._behind(after) if overlap == after[0] else -1
            for number in self.ranked.ascending(by_overlap[overlap] & behind):
                yield number, overlap

    def _behind(self, after: OfferPosition) -> int:
        """Those after a place in the open feed."""
        rows, ranked = self.rows, self.ranked
        place = bisect_left(ranked.order, 1, key=lambda number: rows[number].place[1:] < after[1:])
        return ~ranked.first(ranked.all, place)

    def _row(self, number: int, overlap: int, shared: dict[str, int]) -> OpportunityRow:
        row = self.rows[number]
        if not overlap:
            return row
        labels = sorted(label for label, bits in shared.items() if bits >> number & 1)
        return OpportunityRow(*row[:4], msgspec.json.encode(labels).decode(), overlap)


def none_on_offer(now: int, *, too_many: bool = False) -> OfferIndex:
    """An index without offers."""
    return OfferIndex(
        Ranked([]), {}, {}, {}, {}, {}, {}, {}, {}, {}, count(), now, object(), too_many=too_many
    )


async def offer_index(
    tx: Tx, kept: Remembered[OfferIndex], sizes: OfferIndexSizes, *, for_search: bool = False
) -> OfferIndex | None:
    """The index of open offers, cached or read anew; None where SQL is to be asked. Where other
    processes write too, an index may be out of date: only searches use it then, and only one of
    many offers."""
    found = kept.get(tx.seen, tx.now)
    if found is None and (for_search or tx.seen is not None):
        latest = kept.latest
        if latest and sizes.is_recent(latest, tx.now):
            # Where others write, it may be out of date: for few offers SQL is quick enough.
            few_elsewhere = tx.seen is None and not latest.is_large
            if latest.too_many or not for_search or few_elsewhere:
                return None
            found = latest if latest.is_large else None
        found = found or await _read(tx, kept, sizes)
    return None if found is None or found.too_many else found


async def _read(tx: Tx, kept: Remembered[OfferIndex], sizes: OfferIndexSizes) -> OfferIndex:
    before = len(tx.ran)
    keys = await opportunities.offer_keys(tx, sizes.most + 1)
    latest = kept.latest
    if latest is None or latest.ranked.all.bit_length() > 2 * len(keys) + sizes.room:
        latest = none_on_offer(tx.now)  # or most numbers would be of what is on offer no more
    # The texts behind a key never change, so the terms of known ones are not read again.
    new = [key for key in keys if key not in latest.keys]
    terms = await opportunities.offer_terms(tx, new, sizes.most + 1)
    too_many, is_large = max(len(keys), len(terms)) > sizes.most, len(keys) > sizes.few
    if not too_many:
        work = partial(changed, latest, keys, terms, tx.now)
        latest = await tx.aside(work, light=not is_large)
        too_many = sum(latest.sizes.values()) > sizes.most
    found = none_on_offer(tx.now, too_many=True) if too_many else latest
    found = found._replace(chosen=await opportunities.chosen_agents(tx), is_large=is_large)
    read = read_from(tx.ran[before:])
    kept.keep(found, tx.seen, read and read - {NEW_THREAD}, await holds.next_deadline(tx))
    return found


def changed(
    latest: OfferIndex, keys: Sequence[str], terms: Sequence[OfferTerm], now: int
) -> OfferIndex:
    """The index of what has these keys, the highest reward first. The `terms` are those of what the
    latest has not. It is not changed itself, as other threads read it."""
    rows, numbers, sizes = latest.rows.copy(), latest.numbers.copy(), latest.sizes.copy()
    by_key = latest.keys.copy()
    for number in rows.keys() - map(by_key.get, keys):
        row = rows.pop(number)
        del by_key[row.key], numbers[row.id], sizes[number]
    having = defaultdict[str, int](int, latest.having)
    tagged = defaultdict[str, int](int, latest.tagged)
    by_author = defaultdict[str, int](int, latest.by_author)
    requiring = defaultdict[Attained, int](int, latest.requiring)
    for subject, kind, amount, created_at, added, author, required, term, is_tag in terms:
        if subject not in numbers:
            number = numbers[subject] = next(latest.unused)
            row = rows[number] = OpportunityRow(subject, kind, amount, created_at, "[]", 0, added)
            by_key[row.key], sizes[number] = number, 0
            by_author[author] |= 1 << number
            if required is not None:
                least = Attained.least(opportunities.read_requirements(required))
                requiring[least] |= 1 << number
        number = numbers[subject]
        sizes[number] += 1
        if term is not None:
            having[term] |= 1 << number
            if is_tag:
                tagged[term] |= 1 << number
    # What ended between two statements of a stepwise read has a key and no terms.
    ranked, version = Ranked([by_key[key] for key in keys if key in by_key]), object()
    found_by = _found_by(latest.found_by, having.keys() - latest.having.keys())
    found = ranked, rows, by_key, numbers, sizes, having, tagged, by_author, requiring, found_by
    return OfferIndex(*found, latest.unused, now, version)


def _found_by(
    latest: Mapping[str, frozenset[str]], new: Iterable[str]
) -> dict[str, frozenset[str]]:
    """The labels that a term finds, with new ones."""
    more: defaultdict[str, set[str]] = defaultdict(set)
    for label in new:
        for word in offered_words(label):
            more[word].add(label)
    found = {word: latest.get(word, frozenset()) | labels for word, labels in more.items()}
    return {**latest, **found}
