"""The index of one process: its file, and the newest texts in memory.

A text is indexed when it is read from the database, and is in the file some thousand texts later. A
hidden one is no longer `live`, and is removed from the file some seconds later.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from sys import getsizeof
from threading import RLock
from typing import NamedTuple

import apsw
import msgspec
from pyroaring import BitMap

from stoa.caching import USUAL_MB, ByteCache, CachedKind, room
from stoa.clock import elapsed_ms
from stoa.domain.words import words
from stoa.logs import log
from stoa.search.postings import (
    PART,
    READ_ERRORS,
    IndexState,
    PartFacts,
    Postings,
    WordTexts,
    is_damage,
)
from stoa.store.search import NumberedText, SearchText, Whose

_KNOWN_BYTES = 16 * 1024 * 1024
"""The memory for words that were searched and texts that were found lately, with the usual bound of
all caches."""

_LIGHT_READS = 500
"""How many words are looked up in parts of the file in half a millisecond."""

_SLOTS = 64
"""How many processes of one machine may have an index of the same database, each with its own
file."""

_WORD_BYTES, _NUMBER_BYTES = 300, 8
"""The bytes of a word in memory, and of each of its texts."""

_KEPT = ("live", "openings", "answered", "accepted", "hidden")
"""Sets of texts that are stored in the file, by name."""


class SearchSizes(NamedTuple):
    """The sizes of the index and of its steps.

    So many texts are in memory before they are `flushed` to the file: a start reads as many
    again. So many are `kept` while the index is behind, as it takes half of the time to write
    them at once, and while the file cannot be written; then indexing stops. They take at most so
    many `bytes` and those of one text. New texts are written only while the disk has so many
    bytes `free`, as all else on it needs them more. A step in the file is of so many `words`. So
    many events `ahead`, and as many texts from before the index, a search reads before it
    answers, some `texts` at a time, as a statement takes as long as reading 100 texts; with more
    behind them its answer is partial. Events are `followed` so many at a time, and the rest left
    behind so many `characters` of their texts. So many of the newest texts with all words of a
    phrase are `checked`, up to so many `characters`, some of them read at a time: whether the
    words stand side by side there.
    """

    flushed: int = 4_000
    kept: int = 16_000
    bytes: int = 32 * 1024 * 1024
    free: int = 64 * 1024 * 1024
    words: int = 100
    ahead: int = 500
    ahead_characters: int = 300_000
    texts: int = 200
    followed: int = 8
    checked: int = 1_000
    checked_characters: int = 1_000_000
    checked_at_once: int = 100


SEARCH_SIZES = SearchSizes()
"""The sizes of a service."""


def tagged(tag: str) -> str:
    """The word of the texts in threads with a tag, which no text has."""
    return f"\x00#{tag}"


def by_author(agent_id: str) -> str:
    """The word of the texts in threads of an agent, which no text has."""
    return f"\x00@{agent_id}"


class LogPlace(msgspec.Struct, frozen=True):
    """A place in the event log: a number, and the event there, "" if the log was empty. In another
    epoch, or with another event there, the index is of another state of the database."""

    epoch: int
    seq: int
    event: str


class IndexProgress(msgspec.Struct, frozen=True):
    """How far the index has read: the log up to `place`, and the texts up to the number `scanned`;
    all that were there at the beginning when that is None."""

    place: LogPlace
    scanned: int | None


class _Recent:
    """Texts in memory: their numbers by word, and by word of their titles."""

    def __init__(self) -> None:
        self.anywhere: defaultdict[str, list[int]] = defaultdict(list)
        self.title: defaultdict[str, list[int]] = defaultdict(list)
        self.count = self.numbers = 0

    def add(self, number: int, found: "_TextWords") -> None:
        """Add the words of a text."""
        for word in found.anywhere:
            self.anywhere[word].append(number)
        for word in found.title:
            self.title[word].append(number)
        self.numbers += len(found.anywhere) + len(found.title)
        self.count += 1

    @property
    def bytes(self) -> int:
        """Roughly the bytes that they take."""
        words = len(self.anywhere) + len(self.title)
        return _WORD_BYTES * words + _NUMBER_BYTES * self.numbers

    def extend(self, others: "_Recent") -> None:
        """Add the texts of others."""
        for numbers, more in ((self.anywhere, others.anywhere), (self.title, others.title)):
            for word, added in more.items():
                numbers[word].extend(added)
        self.numbers += others.numbers
        self.count += others.count

    def texts(self, word: str, among: BitMap | None = None) -> WordTexts:
        """Those with a word, `among` others if they are given."""
        found = (BitMap(numbers.get(word, ())) for numbers in (self.anywhere, self.title))
        return WordTexts(*(one if among is None else one & among for one in found))


class _TextWords(NamedTuple):
    """The words that find a text, and those of its title."""

    anywhere: Set[str]
    title: Set[str]

    @classmethod
    def of(cls, text: SearchText) -> "_TextWords":
        """The words of a shown text; none of others."""
        if not text.is_shown:
            return cls(frozenset(), frozenset())
        in_title, others = {*words(text.title)}, chain.from_iterable(map(words, text.parts))
        facts = by_author(text.author_id), *map(tagged, text.tags)
        return cls({*in_title, *others, *facts}, in_title)


class SearchIndex:
    """The indexed texts, by their words. Any thread may use it; it does not change while `lock` is
    held. With more than the usual `cache_mb` it keeps more words in memory."""

    def __init__(
        self,
        path: Path | None = None,
        sizes: SearchSizes = SEARCH_SIZES,
        cache_mb: int = USUAL_MB,
    ) -> None:
        self.lock, self.sizes = RLock(), sizes
        self._path, self.known_bytes = path, room(_KNOWN_BYTES, cache_mb)
        self._postings: Postings | None = None
        self._begin()

    def _begin(self) -> None:
        """Hold no text, as if nothing had been read."""
        self.place: LogPlace | None = None
        self.scanned: int | None = 0
        self.seen_version = -1
        self.is_checked, self.behind = False, True
        self._steps: Iterator[bool] | None = None
        self.is_busy = self._syncs_next = False
        self._recent, self._writing = _Recent(), _Recent()
        self.live, self.openings = BitMap(), BitMap()
        self._live_now: BitMap | None = None
        self.answered, self.accepted = BitMap(), BitMap()
        self._hidden, self._removing = BitMap(), BitMap()
        self._new_parts = set[int]()
        self._removes = self._is_failing = self._ends = False
        self.thread_of, self.created = array("I"), array("Q")
        self._forget()

    def _forget(self) -> None:
        """Drop all cached words and texts."""
        self._cache = ByteCache(self.known_bytes)
        self._known = CachedKind[str, WordTexts](self._cache, _size)
        self._whose = CachedKind[int, Whose](self._cache, _size_of_whose)

    @property
    def kept_bytes(self) -> int:
        """The memory of words that were searched and texts that were found lately."""
        return self._cache.kept_bytes

    @property
    def is_open(self) -> bool:
        """Whether all of the file was read."""
        return self._postings is not None

    def open(self) -> None:
        """Read the file. The first use of the index does it, so after every fork."""
        with self.lock:
            if self._postings is None:
                postings = _opened(self._path)
                try:
                    self._load(postings)
                except READ_ERRORS as error:
                    postings = self._anew(postings, error)
                self._postings = postings  # last, as others look whether it is there

    def _make_anew(self, error: Exception) -> None:
        """Begin anew with an empty file: this one is damaged."""
        postings, self._postings = self._postings, None
        self._postings = self._anew(postings, error)

    def _anew(self, postings: Postings | None, error: Exception) -> Postings:
        """An empty file in place of a damaged one, of which all that was read is forgotten."""
        log.warning("search index is damaged and made anew", reason=str(error))
        self._begin()
        return _emptied(postings, self._path)

    def _load(self, postings: Postings) -> None:
        values = postings.values()
        if "progress" not in values:
            return
        progress = msgspec.json.decode(values["progress"], type=IndexProgress)
        self.place, self.scanned = progress.place, progress.scanned
        kept = (BitMap.deserialize(values[name]) for name in _KEPT)
        self.live, self.openings, self.answered, self.accepted, self._hidden = kept
        for part, threads, times in sorted(postings.facts()):
            self._grow(part * PART)
            self.thread_of.frombytes(threads)
            self.created.frombytes(times)

    def clear(self, place: LogPlace, was: LogPlace | None = None) -> None:
        """Begin anew: the log after this place is still to be read, and every text. Does nothing if
        it is no longer at the place where it `was`."""
        with self.lock:
            if self.place != was:
                return
            postings, self._postings = self._postings, None
            self._begin()
            self.place, self.is_checked = place, True
            if was is None and postings:  # nothing is in its file, which others may want to take
                self._postings = postings
            else:
                self._postings = _emptied(postings, self._path)

    @property
    def is_full(self) -> bool:
        """Whether it takes no more texts for now, as they cannot be written."""
        return self._has(self.sizes.kept)

    def _has(self, texts: int) -> bool:
        """Whether so many texts are in memory, or fewer that are as large as they may be."""
        return self._recent.count >= texts or self._recent.bytes >= self.sizes.bytes

    @property
    def live_now(self) -> BitMap:
        """The `live` texts, in a set that does not change any more."""
        self._live_now = self._live_now or self.live.copy()
        return self._live_now

    @property
    def newest(self) -> int:
        """The number of the newest text, 0 without any."""
        return self.live.max() if self.live else 0

    def put(self, texts: Iterable[SearchText], upto: int | None = None) -> bool:
        """Index these texts as they are now: shown ones are added, the others dropped. For `upto`
        see `mark`."""
        for text in texts:
            found = _TextWords.of(text)  # before the lock, for which the event loop may wait
            with self.lock:
                if not self.mark([text], upto):
                    return False
                if text.is_shown:
                    self._recent.add(text.number, found)
                    self._note(text)
        return True

    def has_read_beyond(self, upto: int | None) -> bool:
        """Whether the log was read beyond this number, if one is given."""
        return upto is not None and self.place is not None and self.place.seq > upto

    def _note(self, text: SearchText) -> None:
        number = text.number
        self.live.add(number)
        self._live_now = None
        self._grow(number + 1)
        self.thread_of[number], self.created[number] = text.thread, text.created_at
        self._new_parts.add(number // PART)
        if number == text.thread:
            self.openings.add(number)

    def _grow(self, size: int) -> None:
        """Make room for the facts of so many numbers, in whole parts."""
        while len(self.thread_of) < size:
            for facts in (self.thread_of, self.created):
                facts.frombytes(bytes(facts.itemsize * PART))

    def mark(self, texts: Iterable[NumberedText | SearchText], upto: int | None = None) -> bool:
        """Drop hidden texts among these, and note which are answered and accepted.

        False, and nothing is done, if the log was read beyond `upto` by now: these texts were read
        when the log ended there, so they may be older than those in the index.
        """
        with self.lock:
            if self.has_read_beyond(upto):
                return False
            for text in texts:
                if not text.is_shown and text.number in self.live:
                    self.live.discard(text.number)
                    self._live_now = None
                    self._hidden.add(text.number)
                if text.is_answered:
                    self.answered.add(text.number)
                if text.is_accepted:
                    self.accepted.add(text.number)
        return True

    @property
    def is_urgent(self) -> bool:
        """Whether the file must be written without pauses: the index lacks texts, or removed ones
        are still in the file."""
        return self.behind or bool(self._removing)

    def wait(self) -> None:
        """Wait while the file `is_busy`."""
        with self.lock:
            return

    def is_light(self, words: int) -> bool:
        """Whether so many words are looked up in about half a millisecond."""
        return not self.is_busy and words * (self.newest // PART + 1) <= _LIGHT_READS

    def find(self, wanted: Collection[str]) -> dict[str, WordTexts]:
        """The texts with these words, also those not live. Callers must not change these sets."""
        known = self._known.find
        found = {word: known(word) for word in wanted}
        missing = [word for word, texts in found.items() if texts is None]
        whole: dict[str, WordTexts] = found | self._read(missing)  # pyright: ignore[reportAssignmentType]
        # What is being written is in memory until its transaction has ended.
        for recent in (self._writing, self._recent):
            for word in recent.anywhere.keys() & whole.keys():
                whole[word] = whole[word].with_more(recent.texts(word))
        return whole

    def _read(self, missing: Collection[str]) -> dict[str, WordTexts]:
        """The texts in the file that have these words, cached from now on. A file that cannot be
        read is made anew."""
        read = {word: WordTexts(BitMap(), BitMap()) for word in missing}
        assert self._postings
        try:
            for word, (anywhere, title) in self._postings.find(missing):
                read[word].anywhere.update(anywhere)
                read[word].title.update(title)
        except READ_ERRORS as error:
            self._make_anew(error)
            return read
        for word, texts in read.items():
            self._known.put(word, texts)
        return read

    def whose(self, numbers: Collection[int]) -> dict[int, Whose]:
        """The threads of those texts that were looked up; these never change."""
        known = zip(numbers, self._whose.find_all(numbers), strict=True)
        return {number: whose for number, whose in known if whose}

    def keep_whose(self, found: Mapping[int, Whose]) -> None:
        """Cache the threads of these texts."""
        self._whose.put_all(found)

    def remove_hidden(self) -> None:
        """Have hidden texts removed from the file, by the next steps of `work`."""
        self._removes = bool(self._hidden)

    def work(self) -> bool:
        """Do the next step of writing to the file, and return whether another one follows. A step
        takes a millisecond; one that syncs the file takes as long as the disk needs, and the index
        `is_busy` until it is done."""
        self.is_busy = self._syncs_next
        try:
            with self.lock:
                return self._work()
        finally:
            self.is_busy = False

    def _work(self) -> bool:
        self._syncs_next = False
        if self._postings is None:
            return False
        self._steps = self._steps or self._due(self._postings)
        try:
            self._syncs_next = next(self._steps)
        except StopIteration:
            self._steps = None
            return False
        except (*READ_ERRORS, OSError) as error:
            if is_damage(error):
                self._make_anew(error)
            else:
                self._keep_unwritten()
                self._note_failing(str(error))
            return False
        return True

    def _note_failing(self, reason: str) -> None:
        if not self._is_failing:  # one line for each outage, or it could fill the disk
            log.warning("search index cannot be written", reason=reason)
        self._is_failing = True

    def _has_room(self, postings: Postings) -> bool:
        has_room = postings.free_bytes >= self.sizes.free
        if not has_room:
            self._note_failing("the disk is nearly full")
        return has_room

    def _due(self, postings: Postings) -> Iterator[bool]:
        if self._removes:
            self._removing, self._hidden, self._removes = self._hidden, BitMap(), False
        least = self.sizes.kept if self.behind else self.sizes.flushed
        due = self._ends or self._has(least)
        if self._removing or (due and self._has_room(postings)):
            self._writing, self._recent = self._recent, _Recent()
            new = self._writing
            # Words of hidden texts too are removed later, but the process may end before.
            shown = partial(new.texts, among=self.live)
            yield from postings.add(new.anywhere, shown, self._kept(), self.sizes.words)
            self._writing = _Recent()
            for word in new.anywhere:  # what was cached of the file lacks what was written now
                if known := self._known.find(word):
                    self._known.put(word, known.with_more(new.texts(word)))
            if self._is_failing:
                log.info("search index is written again")
            self._is_failing = False
        if self._removing:
            # Some may be shown again by now.
            gone, none = self._removing - self.live, BitMap()
            kept = IndexState({"hidden": none.serialize()})
            yield from postings.remove(gone, kept, self.sizes.words)
            self._removing = BitMap()
            self._forget()
            if self._path:
                remove_unused(self._path)

    def _kept(self) -> IndexState:
        """The values stored beside the texts that are written now."""
        assert self.place
        parts, self._new_parts = self._new_parts, set[int]()
        hidden = self._hidden | self._removing
        bitmaps = self.live, self.openings, self.answered, self.accepted, hidden
        values = {name: one.serialize() for name, one in zip(_KEPT, bitmaps, strict=True)}
        values["progress"] = msgspec.json.encode(IndexProgress(self.place, self.scanned))
        return IndexState(values, [self._facts(part) for part in parts])

    def _facts(self, part: int) -> PartFacts:
        some = slice(part * PART, (part + 1) * PART)
        return part, self.thread_of[some].tobytes(), self.created[some].tobytes()

    def _keep_unwritten(self) -> None:
        """Keep what could not be written, to try again later."""
        self._steps = None
        if self._postings:
            self._postings.shrink()
        self._hidden |= self._removing
        recent, self._recent = self._recent, self._writing
        self._recent.extend(recent)
        self._writing, self._removing = _Recent(), BitMap()
        # Which parts were in the transaction that failed is not known any more: all are written.
        self._new_parts.update(range(len(self.thread_of) // PART))

    def flush(self, until: int) -> None:
        """Write the texts in memory, as far as time allows (`until`, elapsed ms): the next start
        reads the rest again, and all texts if the log no longer has those that the file lacks."""
        self._ends = self._path is not None and self.place is not None
        while elapsed_ms() < until and self.work():
            continue

    def close(self) -> None:
        """Close the file, and forget the rest: the next use opens it again."""
        with self.lock:
            postings, self._postings = self._postings, None
            self._begin()
            if postings:
                with suppress(apsw.Error):
                    postings.close()


def remove_unused(path: Path) -> None:
    """Delete the files of indexes that no process uses: hidden texts would never be removed from
    them. A process that needs one makes it anew."""
    for slot in range(_SLOTS):
        file = Path(f"{path}-{slot}" if slot else path)
        if file.exists():
            with suppress(apsw.Error, OSError):
                Postings.open(file).discard()


def _size(word: str, texts: WordTexts) -> int:
    """Two bytes for each number, or a bit for each that exists."""
    return 4 * len(word) + sum(min(2 * len(one), one.max() // 8) for one in texts if one)


def _size_of_whose(_: int, whose: Whose) -> int:
    return sum(map(getsizeof, whose))


def _opened(path: Path | None) -> Postings:
    """The first file that no other process uses, or memory alone."""
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        for slot in range(_SLOTS):  # each process has a file of its own, which it locks
            try:
                return Postings.open(Path(f"{path}-{slot}" if slot else path))
            except apsw.BusyError:
                continue
            except (apsw.Error, OSError) as error:
                log.warning("search index has no file", path=str(path), reason=str(error))
                break
    return Postings.open(None)


def _emptied(postings: Postings | None, path: Path | None) -> Postings:
    """An empty file in place of this one, or of the first that no other process uses."""
    postings = postings or _opened(path)
    while True:
        with suppress(apsw.Error):
            postings.discard()
        postings = _opened(path)
        if not postings.values():  # another one may be free by now
            return postings
