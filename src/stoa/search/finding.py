"""Finds the texts of a query in the index."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Literal, NamedTuple

from pyroaring import BitMap

from stoa.domain.limits import SEARCH_TOTAL, SEARCH_UNKNOWN
from stoa.domain.querylang import Phrase, Query, weights
from stoa.domain.words import as_written, is_signed, is_unspaced, says_little, words
from stoa.search.index import SearchIndex, by_author, tagged
from stoa.search.postings import WordTexts
from stoa.search.ranking import (
    BY_CLASSES,
    LOOKED_AT,
    PhraseTexts,
    RankKey,
    at_least,
    behind,
    best_first,
    choices_of,
    descending,
    matching,
    newest,
    points,
    rarities_of,
)
from stoa.store import search
from stoa.store.search import Narrowing, SearchText, Whose
from stoa.store.tx import Tx

_LIGHT_WORDS, _LIGHT_FOUND = 24, 1_500_000
"""With so few words, and so many texts found for each of its phrases together, each part of a
search takes under 2 ms, and mostly half of that among a million texts."""

_LIGHT_ORDERED = 20_000
"""So many texts without phrases are sorted in under 2 ms, and with each phrase half as many. All
may be, except for the first page of the best."""

_LIGHT_CHARACTERS = 10_000
"""How much text is read for phrases in under a millisecond."""

RankKeyOf = Callable[[int], RankKey]
SearchOrder = Literal["relevance", "recent", "score"]
"""The best texts first, the newest threads, or those with the best replies as these are ordered in
their threads, of the `SEARCH_TOTAL` best."""


class SearchPlace(NamedTuple):
    """A place in the order of a search: the key of a text there. Later writes and hidden texts move
    no text to another side of it, as the rarities of the phrases are stored in it; an accepted
    answer may. A thread whose best text was hidden may appear again for another."""

    rarities: Sequence[int]
    key: RankKey


class TextsWanted(NamedTuple):
    """How many texts are wanted of those up to the number `upto`, in this order, after a place and
    after so many more."""

    upto: int
    limit: int
    offset: int = 0
    sort: SearchOrder = "relevance"
    after: SearchPlace | None = None


class FoundTexts(NamedTuple):
    """The texts found, by their threads in order, without hidden ones; the numbers of these texts,
    and what gives the place of one; the number of the last text read, if as many were found as were
    wanted; how many threads there are, whether the index lacks some that it should have, and words
    of the query that no text has."""

    texts: dict[str, str]
    numbers: dict[str, int]
    place: Callable[[int], SearchPlace]
    last: int | None
    total: int
    is_partial: bool
    unknown: list[str]


async def find(
    tx: Tx,
    index: SearchIndex,
    query: Query,
    narrowed: Narrowing,
    wanted: TextsWanted,
) -> FoundTexts:
    """The best texts of matching threads."""
    upto, limit, offset, sort, after = wanted
    asked = await tx.aside(
        lambda: _Search(index, query, narrowed, upto), light=_is_light(index, query)
    )
    if any(one[1:] for one in asked.texts):
        await asked.read_phrases(tx)
    total, ordered, key = await tx.aside(lambda: asked.ranked(wanted), light=asked.is_light(wanted))
    if sort == "score":
        ordered, key = await _by_score(tx, index, asked, ordered, key)
        ordered = behind(ordered, key, after.key, limit) if after else ordered
    numbers = ordered[offset : offset + limit]
    whose = await _whose(tx, index, numbers, is_partial=asked.is_partial)
    texts = dict(whose[one] for one in numbers if one in whose)
    number_of = {whose[one][0]: one for one in numbers if one in whose}

    def place(number: int) -> SearchPlace:
        return SearchPlace(asked.rarities, key(number))

    last = numbers[-1] if numbers and len(numbers) == limit else None
    told = last, total, asked.is_partial, asked.unknown()
    return FoundTexts(texts, number_of, place, *told)


async def _by_score(
    tx: Tx, index: SearchIndex, asked: "_Search", numbers: list[int], rank: RankKeyOf
) -> tuple[list[int], RankKeyOf]:
    """Texts in the order of the best replies of their threads, and in the given order if these are
    equal, with the key of that order."""
    whose = await _whose(tx, index, numbers, is_partial=asked.is_partial)
    worths = await search.best_worths(tx, {thread_id for thread_id, _ in whose.values()})
    there = [number for number in numbers if number in whose]

    def worth(number: int) -> int:
        return worths.get(whose[number][0], 0)

    return sorted(there, key=lambda one: -worth(one)), lambda one: (worth(one), *rank(one))


def _is_light(index: SearchIndex, query: Query) -> bool:
    """Whether the texts of a query are found in under 2 ms."""
    words = len(query.include) + len(query.exclude) + len(query.other_terms)
    return words <= _LIGHT_WORDS and index.is_light(words)


class _Search:
    """One search in the index: the `texts` of each of its phrases, and those `found` in threads
    that pass its filters."""

    def __init__(self, index: SearchIndex, query: Query, narrowed: Narrowing, upto: int) -> None:
        self._query, self._narrowed, self._sizes = query, narrowed, index.sizes
        facts = [*map(tagged, narrowed.tags)]
        if narrowed.author is not None:
            facts.append(by_author(narrowed.author))
        with index.lock:  # for all of it, so that the sets are of one moment
            self.is_partial = index.behind
            self._known = index.find({*_words(query), *facts})
            self._live, self._openings = index.live_now, index.openings
            self._answered, self._accepted = index.answered, index.accepted
            self._thread_of, self._created = index.thread_of, index.created
        if upto < index.newest:  # what was written since makes no word rarer either
            self._live = self._live.copy()
            self._live.remove_range(upto + 1, _END)
        self._count, self._among = len(self._live), self._live
        for fact in facts:
            self._among = self._among & self._known[fact].anywhere
        self.texts = {one: self._all_words(one) for one in (*query.include, *query.exclude)}
        self.rarities: Sequence[int] = ()
        self._match()

    def _match(self) -> None:
        """Find the texts that match."""
        self._phrases = [self._phrase(one) for one in self._query.include]
        self.found = self._found()
        for one in self._query.quoted:
            self.found &= self.texts[one].anywhere

    async def read_phrases(self, tx: Tx) -> None:
        """Drop the texts in which the words of a phrase are not adjacent."""
        before = self.found
        self.texts |= await self._side_by_side(tx)
        self._match()
        self.found &= before

    def is_light(self, wanted: TextsWanted) -> bool:
        """Whether the found texts are ranked in under 2 ms."""
        phrases, found = len(self._phrases), len(self.found)
        if phrases > BY_CLASSES or phrases * found > _LIGHT_FOUND:
            return False
        is_first = not (wanted.offset or wanted.after) and wanted.sort == "relevance"
        return is_first or found << phrases <= _LIGHT_ORDERED

    def ranked(self, wanted: TextsWanted) -> tuple[int, list[int], RankKeyOf]:
        """How many threads match, the best texts of the first ones after a place, and the key of
        their order. By score they are sorted later: here they are the best of all."""
        _, limit, offset, sort, after = wanted
        for one in self._query.exclude:
            self.found -= self.texts[one].anywhere
        self.rarities = rarities_of(self._phrases, self._count)
        if after and len(after.rarities) == len(self._phrases):
            # Those of the first page: with others texts would change sides of the place.
            self.rarities = after.rarities
        choices = choices_of(self._phrases, self.rarities, weights(self._query), self._accepted)
        ordered = descending(self.found)
        if self._phrases:
            ordered = best_first(self.found, self._phrases, choices)

        def key(number: int) -> RankKey:
            return points(number, choices), number

        if sort == "recent":
            key = self._recency
            looked_at = self._first_of_each(islice(ordered, LOOKED_AT))
            ordered = iter(sorted(looked_at, key=key, reverse=True))
        firsts, total = self._first_of_each(ordered), self._total()
        if sort == "score":
            return total, [*islice(firsts, SEARCH_TOTAL)], key
        if after:
            return total, behind(firsts, key, after.key, limit), key
        return total, [*islice(firsts, offset + limit)], key

    def _recency(self, number: int) -> RankKey:
        return self._created[number], self._thread_of[number]

    def unknown(self) -> list[str]:
        """The first words of the query that no shown text has in any form, without optional ones:
        very common words, and parts of a longer run without blanks."""
        missing: dict[str, None] = {}
        for wording, phrase in zip(self._query.include, self._phrases, strict=True):
            if phrase.present or wording in self._query.in_runs:
                continue
            for word in wording:
                anywhere = self._known[word].anywhere if wording[1:] else phrase.present
                is_part = is_unspaced(word) and wording[1:]
                if not (says_little(word) or is_part or anywhere & self._live):
                    missing[as_written(word)] = None
        return [*missing][:SEARCH_UNKNOWN]

    def _total(self) -> int:
        """How many threads these texts are of, up to `SEARCH_TOTAL`."""
        if self.found.intersection_cardinality(self._openings) >= SEARCH_TOTAL:
            return SEARCH_TOTAL
        numbers, threads = self.found.to_array(), set[int]()
        if len(numbers) < 2:  # for so few `itemgetter` returns no tuple
            return len(numbers)
        # Texts that stand far apart are mostly of different threads, so the first few tell it.
        apart = len(numbers) // SEARCH_TOTAL + 1
        for first in range(apart):
            threads.update(itemgetter(*numbers[first::apart])(self._thread_of))
            if len(threads) >= SEARCH_TOTAL:
                return SEARCH_TOTAL
        return len(threads)

    def _first_of_each(self, numbers: Iterable[int]) -> Iterator[int]:
        """The first text of each thread."""
        seen: set[int] = set()
        for number in numbers:
            thread = self._thread_of[number]
            if thread not in seen:
                seen.add(thread)
                yield number

    def _found(self) -> BitMap:
        """The texts with enough of the phrases, or without phrases the openings of threads, among
        those that pass the filters."""
        narrowed = self._narrowed
        if self._phrases:
            needed, others = self._needed()
            found = matching(needed, others, self._among, self._count, self._thread_of)
        else:
            found = self._among & self._openings
        if narrowed.status == "answered":
            found = found & self._answered
        elif narrowed.status == "open":
            found = found - self._answered
        elif narrowed.status is not None:
            found = BitMap()
        if narrowed.since:
            # Numbers grow with time: the newest suffice, and to look at all would take too long.
            created, since = self._created, narrowed.since
            some = newest(found, LOOKED_AT)
            found = BitMap([number for number in some if created[number] >= since])
        return found

    def _needed(self) -> tuple[list[BitMap], list[BitMap]]:
        """The texts of each required phrase, and of others that suffice if they are rare.

        Words that most texts have are not required beside others, nor words with signs beside their
        letters. Of a run without blanks half of the pairs are required, and a third suffice if that
        is rare: one pair is no word. Words that no text has are not required either, if enough
        others are left.
        """
        needed: list[BitMap] = []
        others: list[BitMap] = []
        phrases = dict(zip(self._query.include, self._phrases, strict=True))
        for wording in phrases.keys() - (self._query.in_runs - self._query.quoted):
            present = phrases[wording].present
            if wording in self._query.quoted or wording[1:]:
                needed.append(present)
            elif is_signed(wording[0]):
                others.append(present)
            elif not says_little(wording[0]):
                needed.append(present)
        for pairs in self._query.pairs:
            levels = at_least([phrases[one].present for one in pairs], self._among)
            half, third = (len(pairs) + 1) // 2, max(2, (len(pairs) + 2) // 3)
            needed.append(levels[half] if half < len(levels) else BitMap())
            others.append(levels[third] if third < len(levels) else BitMap())
        return _had(needed or [phrase.present for phrase in self._phrases]), others

    def _all_words(self, wording: Phrase) -> WordTexts:
        """The texts with all words of a phrase, at any place."""
        first, *others = (self._known[word] for word in wording)
        for word in others:
            first = WordTexts(first.anywhere & word.anywhere, first.title & word.title)
        return first

    def _phrase(self, wording: Phrase) -> PhraseTexts:
        texts = self.texts[wording]
        forms = self._query.forms.get(wording, ())
        other, other_in_title = WordTexts.any_of(map(self._known.__getitem__, forms))
        present = texts.anywhere | other if other else texts.anywhere
        present = present & self._live  # for how rare it is
        return PhraseTexts(texts.anywhere, texts.title, other, other_in_title, present)

    async def _side_by_side(self, tx: Tx) -> dict[Phrase, WordTexts]:
        """The texts in which the words of phrases are adjacent, of those that were read."""
        longer = [one for one in self.texts if one[1:]]
        sizes = self._sizes
        unread = self.found & BitMap.union(*(self.texts[one].anywhere for one in longer))
        numbers = [*descending(newest(unread, sizes.checked))]
        read = _PhrasesRead(longer, sizes.checked_characters)
        while numbers and read.left > 0:
            texts = await search.texts(tx, numbers[: sizes.checked_at_once])
            numbers = numbers[sizes.checked_at_once :]
            characters = (
                sizes.checked_characters - read.left + sum(text.characters for text in texts)
            )
            light = characters <= _LIGHT_CHARACTERS
            await tx.aside(partial(read.look_through, texts), light=light)
        # Of texts that were not read, those that may have an excluded phrase are left out.
        for one in self._query.exclude:
            if one in read.exact:
                read.exact[one].anywhere.update((unread - read.numbers) & self.texts[one].anywhere)
        return read.exact


class _PhrasesRead:
    """The texts in which the words of `phrases` are adjacent, and the numbers of all texts read. So
    many characters are `left` to be read."""

    def __init__(self, phrases: Sequence[Phrase], left: int) -> None:
        self.exact = {one: WordTexts(BitMap(), BitMap()) for one in phrases}
        self.numbers, self.left = BitMap(), left
        self._spaced = [(f" {' '.join(one)} ", parts) for one, parts in self.exact.items()]

    def look_through(self, texts: Iterable[SearchText]) -> None:
        """Read texts, the newest first, while any characters are left. If the words of a text have
        more characters, those count."""
        for text in sorted(texts, reverse=True):
            if self.left <= 0:
                return
            title, *others = spaced = [*map(_spaced, (text.title, *text.parts))]
            self.left -= max(text.characters, sum(map(len, spaced)))
            self.numbers.add(text.number)
            for phrase, parts in self._spaced:
                if phrase in title:
                    parts.title.add(text.number)
                if phrase in title or any(phrase in one for one in others):
                    parts.anywhere.add(text.number)


_END = 1 << 32


def _had(needed: list[BitMap]) -> list[BitMap]:
    """These sets without the empty ones, if at least two and half of them are left."""
    had = [texts for texts in needed if texts]
    return had if len(had) >= 2 and 2 * len(had) >= len(needed) else needed


def _spaced(text: str) -> str:
    """The words of a text with one space around each, in which a phrase is searched."""
    return f" {' '.join(words(text))} "


def _words(query: Query) -> set[str]:
    phrases = (*query.include, *query.exclude)
    return {word for phrase in phrases for word in phrase} | query.other_terms


async def _whose(
    tx: Tx, index: SearchIndex, numbers: Collection[int], *, is_partial: bool
) -> dict[int, Whose]:
    """The threads of these texts. In a partial search some may be hidden by now, and some may be
    missing for a transaction that began before the index was last updated: each is looked up, and
    those are left out."""
    began_before = tx.seen is not None and tx.seen.data_version < index.seen_version
    known = {} if is_partial or began_before else index.whose(numbers)
    missing = [number for number in numbers if number not in known]
    if missing:
        found = await search.whose(tx, missing, shown=is_partial)
        index.keep_whose(found)
        known |= found
    return known
