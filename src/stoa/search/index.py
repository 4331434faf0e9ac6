"""The index of one process: what it has in its file, and the newest texts in memory.

A text is indexed the moment it is read from the database, and is in the file some hundreds of texts
later. A text that is hidden stays in the segments until they are merged, but is not `live`.
"""

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from threading import RLock

import apsw
import msgspec
from pyroaring import BitMap

from stoa.caching import ByteCache
from stoa.domain.words import words
from stoa.logs import log
from stoa.search.segments import Segments, TextFacts, WordTexts
from stoa.store.search import NumberedText, SearchText, Whose

FLUSHED_TEXTS = 2_000
"""So many texts are kept in memory before they are written. A start reads as many again."""

KEPT_TEXTS = 10_000
"""So many are indexed while the file cannot be written; then indexing stops."""

_WHOSE = 15_000
"""So many texts are kept whose ids are known, of some 250 bytes each."""

_KNOWN_BYTES = 16 * 1024 * 1024
"""What is kept of words that were looked for lately."""

_SLOTS = 64
"""Processes of one machine that may have an index of the same database, each a file of its own."""

ANSWERED, ACCEPTED = "\x00answered", "\x00accepted"
"""Facts of texts stand in the index as words that no text has: the thread is answered, the reply is
the one that was accepted."""


def tagged(tag: str) -> str:
    """The word of the texts in threads with a tag."""
    return f"\x00#{tag}"


def by_author(agent_id: str) -> str:
    """The word of the texts in threads of an agent."""
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
    """Texts in memory: their numbers by word."""

    def __init__(self) -> None:
        self.anywhere: defaultdict[str, list[int]] = defaultdict(list)
        self.title: defaultdict[str, list[int]] = defaultdict(list)
        self.facts = TextFacts.none()

    def add(self, text: SearchText) -> None:
        """Add a text."""
        number, in_title = text.number, set(words(text.title))
        for word in {*in_title, *words(text.body), *_facts(text)}:
            self.anywhere[word].append(number)
        for word in in_title:
            self.title[word].append(number)
        for values, value in zip(self.facts, (number, text.thread, text.created_at), strict=True):
            values.append(value)

    def extend(self, others: "_Recent") -> None:
        """Add the texts of others."""
        for place in ("anywhere", "title"):
            numbers: defaultdict[str, list[int]] = getattr(self, place)
            for word, more in getattr(others, place).items():
                numbers[word].extend(more)
        for values, added in zip(self.facts, others.facts, strict=True):
            values.extend(added)

    def __len__(self) -> int:
        return len(self.facts.numbers)


def _facts(text: SearchText) -> Iterator[str]:
    yield by_author(text.author_id)
    yield from map(tagged, text.tags)
    if text.is_answered:
        yield ANSWERED
    if text.is_accepted:
        yield ACCEPTED


class SearchIndex:
    """The texts that can be found, by their words. Any thread may use it; what it holds while
    `lock` is held does not change."""

    def __init__(self, path: Path | None = None) -> None:
        self.lock = RLock()
        self._path = path
        self._segments: Segments | None = None
        self._steps: Iterator[None] | None = None
        self.place: LogPlace | None = None
        self.seen_version = -1
        self.is_checked, self.behind = False, True
        self._begin()

    def _begin(self) -> None:
        """Hold no text."""
        self.scanned: int | None = 0
        self._recent, self._writing = _Recent(), _Recent()
        self.live, self.openings = BitMap(), BitMap()
        self.thread_of, self.created = array("I"), array("Q")
        self._whose: dict[int, Whose] = {}
        self._known = _none_known()

    def open(self) -> None:
        """Read what is in the file. The first use of the index does it, so behind every fork."""
        with self.lock:
            if self._segments is None:
                self._segments = _opened(self._path)
                self._load(self._segments)

    def _load(self, segments: Segments) -> None:
        self.live = segments.live()
        progress = segments.state("progress", IndexProgress)
        if progress:
            self.place, self.scanned = progress.place, progress.scanned
        for facts in segments.facts():
            self._note(facts)

    def clear(self, place: LogPlace) -> None:
        """Begin anew: what is behind this place in the log is still to be read, and every text."""
        with self.lock:
            self._steps = None
            if self._segments:
                self._segments.clear()
            self._begin()
            self.place, self.is_checked = place, True

    @property
    def is_full(self) -> bool:
        """Whether it takes no more texts for now, as they cannot be written."""
        return len(self._recent) >= KEPT_TEXTS

    @property
    def newest(self) -> int:
        """The number of the newest text, 0 without any."""
        return self.live.max() if self.live else 0

    def put(self, texts: Iterable[SearchText]) -> None:
        """Index these texts as they are now: those that are shown, the others are dropped."""
        with self.lock:
            before = len(self._recent)
            for text in texts:
                if text.is_shown:
                    self._recent.add(text)
                    self.live.add(text.number)
                else:
                    self.live.discard(text.number)
            facts = self._recent.facts
            self._note(TextFacts(*(values[before:] for values in facts)))

    def mark(self, texts: Iterable[NumberedText]) -> None:
        """Drop those of these texts that are hidden, and note which are answered and accepted."""
        with self.lock:
            for text in texts:
                if not text.is_shown:
                    self.live.discard(text.number)
                if text.is_answered:
                    self._recent.anywhere[ANSWERED].append(text.number)
                if text.is_accepted:
                    self._recent.anywhere[ACCEPTED].append(text.number)

    def _note(self, facts: TextFacts) -> None:
        most = max(facts.numbers, default=0)
        if more := max(0, most + 1 - len(self.thread_of)):
            more += len(self.thread_of) // 8
            self.thread_of.frombytes(bytes(more * self.thread_of.itemsize))
            self.created.frombytes(bytes(more * self.created.itemsize))
        for number, thread, created_at in zip(*facts, strict=True):
            self.thread_of[number], self.created[number] = thread, created_at
            if number == thread:
                self.openings.add(number)

    def find(self, wanted: Collection[str]) -> dict[str, WordTexts]:
        """The texts with these words, those that are not live too. They must not be changed."""
        known = self._known.find
        found = {word: known(word) for word in wanted}
        missing = [word for word, texts in found.items() if texts is None]
        whole: dict[str, WordTexts] = found | self._read(missing)  # pyright: ignore[reportAssignmentType]
        for recent in filter(len, (self._writing, self._recent)):
            for word, texts in whole.items():
                if word in recent.anywhere:
                    anywhere = texts.anywhere | BitMap(recent.anywhere[word])
                    title = texts.title | BitMap(recent.title.get(word, ()))
                    whole[word] = WordTexts(anywhere, title)
        return whole

    def _read(self, missing: Collection[str]) -> dict[str, WordTexts]:
        """The texts in the file that have these words, which are kept from now on."""
        read = {word: WordTexts(BitMap(), BitMap()) for word in missing}
        assert self._segments
        for word, *parts in self._segments.find(missing):
            for all_of, part in zip(read[word], parts, strict=True):
                if part:
                    all_of.update(BitMap.deserialize(part))
        for word, texts in read.items():
            self._known.put(word, texts)
        return read

    def whose(self, numbers: Iterable[int]) -> dict[int, Whose]:
        """Whose these texts are, of those that were looked up; this never changes."""
        known = self._whose
        return {number: known[number] for number in numbers if number in known}

    def keep_whose(self, found: Mapping[int, Whose]) -> None:
        """Keep whose these texts are. When there are too many, all are dropped first."""
        if len(self._whose) + len(found) > _WHOSE:
            self._whose = {}
        self._whose.update(found)

    def work(self) -> bool:
        """Do a step of what is due in the file, of a few milliseconds; whether there is more."""
        with self.lock:
            if self._segments is None:
                return False
            self._steps = self._steps or self._due(self._segments)
            try:
                next(self._steps)
            except StopIteration:
                self._steps = None
                return False
            except apsw.Error as error:
                self._steps = None
                self._keep_unwritten()
                log.warning("search index cannot be written", reason=str(error))
                return False
            return True

    def _due(self, segments: Segments) -> Iterator[None]:
        yield from segments.sweep()
        if len(self._recent) >= FLUSHED_TEXTS:
            self._writing, self._recent = self._recent, _Recent()
            assert self.place
            progress = IndexProgress(self.place, self.scanned)
            numbers = self._writing
            by_word = {
                word: (anywhere, numbers.title.get(word, ()))
                for word, anywhere in numbers.anywhere.items()
            }
            yield from segments.add(by_word, numbers.facts, self.live.copy(), progress)
            self._writing = _Recent()
            self._known = _none_known()
        yield from segments.merge(lambda: self.live)

    def _keep_unwritten(self) -> None:
        """Keep what could not be written in memory, to try again later."""
        recent, self._recent = self._recent, self._writing
        self._writing = _Recent()
        self._recent.extend(recent)

    def close(self) -> None:
        """Close the file, and forget what is not in it: the next use opens it again."""
        with self.lock:
            if self._segments:
                with suppress(apsw.Error):
                    self._segments.close()
            self._segments = self._steps = self.place = None
            self.seen_version, self.is_checked, self.behind = -1, False, True
            self._begin()


def _none_known() -> ByteCache[str, WordTexts]:
    return ByteCache(_KNOWN_BYTES, _size)


def _size(word: str, texts: WordTexts) -> int:
    """Two bytes for each number, or a bit for each there is."""
    return 4 * len(word) + sum(min(2 * len(one), one.max() // 8) for one in texts if one)


def _opened(path: Path | None) -> Segments:
    """The first file that no other process uses, or none but the memory."""
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
        for slot in range(_SLOTS):
            try:
                return Segments.open(Path(f"{path}-{slot}" if slot else path))
            except apsw.BusyError:
                continue
            except apsw.Error as error:
                log.warning("search index has no file", path=str(path), reason=str(error))
                break
    return Segments.open(None)
