"""The file of the index: which texts have a word, in segments that are merged as they grow.

A segment holds, for each word of some hundred texts or more, the numbers of these texts as
compressed bitmaps. It is written once, in steps of a few milliseconds, and counts from the last
one on: what a process that was killed has left unfinished is deleted by the next. The file holds
nothing that cannot be made again from the database. One process uses it.
"""

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar
from zlib import crc32

import apsw
import msgspec
from pyroaring import BitMap

from stoa.store.statements import parse

FORMAT = 1
"""Of the file, with that of the words in it: a file of another format is made anew."""

MERGED_AT_ONCE = 8
"""So many segments of about one size become one."""

_STEP_WORDS = 250
_MEMORY = ":memory:"

_SQL = parse(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))

T = TypeVar("T")
Found = tuple[str, bytes, bytes | None]
_Row = tuple[int, str, bytes, bytes | None]

_encode, _decode = msgspec.json.encode, msgspec.json.decode


class WordTexts(NamedTuple):
    """The texts that have a word, and those that have it in their title."""

    anywhere: BitMap
    title: BitMap


TextsByWord = Mapping[str, tuple[Sequence[int], Sequence[int]]]
"""The numbers of a segment's texts by word, as in `WordTexts`."""


class TextFacts(NamedTuple):
    """Of some texts their numbers, those of their threads, and when these were created (ms)."""

    numbers: "array[int]"
    threads: "array[int]"
    times: "array[int]"

    @classmethod
    def none(cls) -> "TextFacts":
        """Of no text."""
        return cls(array("I"), array("I"), array("Q"))


class Segments:
    """The segments of one file, or of none but the memory. For one thread at a time."""

    def __init__(self, connection: apsw.Connection, path: Path | None) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute
        self.path = path
        self.sizes: dict[int, int] = {}
        self._hashes: dict[int, BitMap] = {}
        self._relist()

    @classmethod
    def open(cls, path: Path | None) -> "Segments":
        """Open a file, which is made anew if it is damaged or of another format; `path` None is
        the memory. Raises `apsw.Error` where there can be none, `apsw.BusyError` where another
        process uses it."""
        try:
            return cls._of(path)
        except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError, ValueError):
            if path is None:
                raise
            remove(path)
            return cls._of(path)

    @classmethod
    def _of(cls, path: Path | None) -> "Segments":
        if path:
            # Readable for nobody else, as the database is: the words of all texts are in it.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = apsw.Connection(str(path) if path else _MEMORY)
        try:
            execute = connection.execute
            execute("PRAGMA locking_mode = EXCLUSIVE")
            execute("PRAGMA journal_mode = WAL")
            execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
            execute("BEGIN IMMEDIATE").fetchall()
            execute(_SQL["tables"])
            execute("COMMIT")
            segments = cls(connection, path)
            if segments.state("format", int) not in (None, FORMAT):
                raise ValueError("another format")
            segments.keep(format=FORMAT)
        except BaseException:
            connection.close()
            raise
        return segments

    def state(self, name: str, kind: type[T]) -> T | None:
        """What was kept under this name."""
        row = self._execute(_SQL["state"], (name,)).fetchone()
        return _decode(row[0], type=kind) if row else None

    def live(self) -> BitMap:
        """The texts that can be found."""
        row = self._execute(_SQL["state"], ("live",)).fetchone()
        return BitMap.deserialize(row[0]) if row else BitMap()

    def keep(self, **values: object) -> None:
        """Keep these."""
        rows = [(name, _encode(value)) for name, value in values.items()]
        self._connection.executemany(_SQL["keep"], rows)

    def facts(self) -> Iterator[TextFacts]:
        """The facts of all texts, one segment after the other."""
        return map(self._facts, sorted(self.sizes))

    def _facts(self, number: int) -> TextFacts:
        row, found = self._execute(_SQL["facts"], (number,)).fetchone(), TextFacts.none()
        for values, compressed in zip(found, row or (), strict=True):
            values.frombytes(compressed)
        return found

    def find(self, words: Iterable[str]) -> list[Found]:
        """The bitmaps of these words in each segment that has them."""
        hashed = [(word, _hash(word)) for word in words]
        pairs = [
            (number, word)
            for number, known in self._hashes.items()
            for word, value in hashed
            if value in known
        ]
        return self._execute(_SQL["find"], (_encode(pairs).decode(),)).fetchall() if pairs else []

    def add(
        self, words: TextsByWord, facts: TextFacts, live: BitMap, progress: object
    ) -> Iterator[None]:
        """Write a segment in steps; with its last step it counts, and the `progress` is kept."""
        number, ordered = self._next(), sorted(words)
        for first in range(0, len(ordered), _STEP_WORDS):
            some = ordered[first : first + _STEP_WORDS]
            self._insert(_rows(number, words, some))
            yield
        with self._connection:
            self._list(number, BitMap(map(_hash, ordered)), facts)
            self.keep(progress=progress)
            self._execute(_SQL["keep"], ("live", live.serialize()))
        self._relist()

    def merge(self, live: Callable[[], BitMap]) -> Iterator[None]:
        """Merge segments of one size, if there are enough, in steps. Texts that are not live are
        left out."""
        merged = self._due()
        if not merged:
            return
        number, after, hashes = self._next(), "", BitMap()
        largest = max(merged, key=self.sizes.__getitem__)
        while True:
            row = self._execute(_SQL["far"], (largest, after, _STEP_WORDS)).fetchone()
            upto = row[0] if row else "\U0010ffff\U0010ffff"
            rows = [*_together(number, self._between(merged, after, upto), live())]
            self._insert(rows)
            hashes.update(_hash(row[1]) for row in rows)
            yield
            if row is None:
                break
            after = upto
        with self._connection:
            facts = TextFacts.none()
            for one in merged:
                for values, more in zip(facts, self._facts(one), strict=True):
                    values.extend(more)
            self._list(number, hashes, facts)
            self._connection.executemany(_SQL["drop_segment"], zip(merged))
        self._relist()

    def sweep(self) -> Iterator[None]:
        """Delete what belongs to no segment, in steps."""
        number = 0
        while row := self._execute(_SQL["next"], (number,)).fetchone():
            number = row[0]
            while number not in self.sizes:
                self._execute(_SQL["sweep"], (number, _STEP_WORDS))
                if not self._connection.changes():
                    break
                yield

    def clear(self) -> None:
        """Forget all."""
        with self._connection:
            self._execute(_SQL["clear"])
            self.keep(format=FORMAT)
        self._relist()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _between(self, numbers: Sequence[int], after: str, upto: str) -> list[Found]:
        rows: list[Found] = []
        for number in numbers:
            rows += self._execute(_SQL["between"], (number, after, upto)).fetchall()
        return rows

    def _insert(self, rows: Iterable[_Row]) -> None:
        with self._connection:
            self._connection.executemany(_SQL["add_word"], rows)

    def _next(self) -> int:
        row = self._execute(_SQL["last"]).fetchone()
        assert row
        return row[0] + 1

    def _list(self, number: int, hashes: BitMap, facts: TextFacts) -> None:
        compressed = (values.tobytes() for values in facts)
        row = (number, len(facts.numbers), hashes.serialize(), *compressed)
        self._execute(_SQL["add_segment"], row)

    def _relist(self) -> None:
        rows = self._execute(_SQL["segments"]).fetchall()
        self.sizes = {number: size for number, size, _ in rows}
        self._hashes = {number: BitMap.deserialize(compressed) for number, _, compressed in rows}

    def _due(self) -> list[int]:
        """The segments to merge: the first kind of a size of which there are enough."""
        by_size: dict[int, list[int]] = {}
        for number, size in self.sizes.items():
            by_size.setdefault(size.bit_length() // 3, []).append(number)
        due = [some for _, some in sorted(by_size.items()) if len(some) >= MERGED_AT_ONCE]
        return due[0] if due else []


def remove(path: Path) -> None:
    """Delete a file with what belongs to it."""
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(FileNotFoundError):
            name.unlink()


def _hash(word: str) -> int:
    """A number of 24 bits. A segment without the number of a word does not have the word, so that
    it is not asked; of words that it does not have one in a hundred has the number of another."""
    return crc32(word.encode()) & 0xFFFFFF


def _rows(number: int, words: TextsByWord, some: Iterable[str]) -> Iterator[_Row]:
    for word in some:
        anywhere, title = words[word]
        yield number, word, BitMap(anywhere).serialize(), _compressed(BitMap(title))


def _compressed(numbers: BitMap) -> bytes | None:
    return numbers.serialize() if numbers else None


def _together(number: int, rows: Iterable[Found], live: BitMap) -> Iterator[_Row]:
    """The rows of several segments as those of one."""
    by_word: dict[str, list[BitMap]] = {}
    for word, *parts in rows:
        union = by_word.setdefault(word, [BitMap(), BitMap()])
        for all_of, part in zip(union, parts, strict=True):
            if part:
                all_of.update(BitMap.deserialize(part))
    for word, parts in sorted(by_word.items()):
        anywhere, title = (part & live for part in parts)
        if anywhere:
            yield number, word, anywhere.serialize(), _compressed(title)
