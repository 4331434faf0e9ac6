"""The file of the index: for each word the texts that have it.

They are stored as compressed bitmaps, one for each 65,536 numbers of texts, with a checksum: a
wrong bit of one is no error for SQLite, and mostly makes another bitmap. A change is one
transaction of many short steps, so a killed process leaves it complete or not at all. Each step
tells whether the next one syncs the file. Everything in the file can be made again from the
database. One process uses it.
"""

import os
import shutil
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from heapq import heapify, heappop
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import apsw
import msgspec
from pyroaring import BitMap

from stoa.store.engines.sqlite.unused import pages_of
from stoa.store.statements import parse

_FORMAT = b"7"
"""The format of the file and of the words in it: a file of another format is made anew."""

_CHECKSUM_BYTES = 4

PART = 1 << 16
"""How many numbers of texts share a bitmap for each word."""

_CACHE_KB = 16_000
"""The cache for pages of the file: with 2,000 a lookup among a million texts takes half as long
again."""

_MEMORY = ":memory:"

_SQL = parse(Path(__file__).with_suffix(".sql").read_text(encoding="utf-8"))

_encode = msgspec.json.encode


READ_ERRORS = (apsw.Error, ValueError, KeyError, msgspec.MsgspecError)
"""The errors of reading a damaged file."""
_DAMAGES = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, *READ_ERRORS[1:])
_FAILED_READS = {266, 522}
_RESET_DATABASE = 1009
"""`SQLITE_IOERR_READ`, `SQLITE_IOERR_SHORT_READ` and `SQLITE_DBCONFIG_RESET_DATABASE`, which the
types of apsw lack."""


def is_damage(error: Exception) -> bool:
    """Whether an error means that the file is damaged, or ends too early, and not that it cannot be
    written."""
    if isinstance(error, apsw.IOError):
        return error.extendedresult in _FAILED_READS
    return isinstance(error, _DAMAGES)


class WordTexts(NamedTuple):
    """The texts that have a word, and those that have it in their title."""

    anywhere: BitMap
    title: BitMap

    def with_more(self, more: "WordTexts") -> "WordTexts":
        """These and more, in new sets."""
        return WordTexts(self.anywhere | more.anywhere, self.title | more.title)

    @classmethod
    def any_of(cls, words: Iterable["WordTexts"]) -> "WordTexts":
        """The texts that have one of some words."""
        anywhere, title = BitMap(), BitMap()
        for word in words:
            anywhere |= word.anywhere
            title |= word.title
        return cls(anywhere, title)


PartFacts = tuple[int, bytes, bytes]
"""A part, and for its numbers the threads (4 bytes each) and when these were created (8 bytes)."""


class IndexState(NamedTuple):
    """The values beside the words: by name, and facts of some parts."""

    values: Mapping[str, bytes]
    facts: Iterable[PartFacts] = ()


class Postings:
    """The words of one file, or in memory alone. For one thread at a time."""

    def __init__(self, connection: apsw.Connection, path: Path | None) -> None:
        self._connection, self.path = connection, path
        self._execute = connection.cursor().execute

    @classmethod
    def open(cls, path: Path | None) -> "Postings":
        """Open a file, which is made anew if it is damaged or of another format; `path` None is the
        memory. Raises `apsw.Error` or `OSError` where there can be none, `apsw.BusyError` where
        another process uses it."""
        try:
            return cls._of(path)
        except READ_ERRORS as error:
            if path is None or not is_damage(error):
                raise
            return cls._of(path)

    @classmethod
    def _of(cls, path: Path | None) -> "Postings":
        # To close one that is there, as this does, would end the locks that this process has on it.
        if path and not path.exists():
            # Readable for nobody else, as the database is: the words of all texts are in it.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        file = _number(path)
        connection = apsw.Connection(str(path) if path else _MEMORY)
        try:
            execute = connection.execute
            execute("PRAGMA locking_mode = EXCLUSIVE")
            execute("PRAGMA journal_mode = WAL")
            execute(f"PRAGMA cache_size = {-_CACHE_KB}")
            execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON")
            execute("BEGIN IMMEDIATE").fetchall()
            execute(_SQL["tables"])
            execute("COMMIT")
            postings = cls(connection, path)
            if postings.values().get("format", _FORMAT) != _FORMAT:
                raise ValueError("another format")
            if _number(path) != file:
                raise apsw.BusyError
        except BaseException as error:
            with closing(connection):
                is_damaged = isinstance(error, READ_ERRORS) and is_damage(error)
                if is_damaged:
                    _lock(connection)
                is_there = _number(path) == file
                if path and is_damaged and is_there:
                    remove(path)
            if not is_there:
                raise apsw.BusyError("another process was removing the file") from error
            raise
        return postings

    def values(self) -> dict[str, bytes]:
        """The stored values, by name. Raises ValueError if they are damaged, as do all that
        read."""
        return {name: _checked(value) for name, value in self._execute(_SQL["states"]).fetchall()}

    def facts(self) -> list[PartFacts]:
        """The stored facts."""
        rows = self._execute(_SQL["facts"]).fetchall()
        return [(part, _checked(threads), _checked(times)) for part, threads, times in rows]

    def find(self, words: Iterable[str]) -> Iterator[tuple[str, WordTexts]]:
        """The texts of these words, a row for each word and part of the numbers."""
        wanted = _encode([*words]).decode()
        for word, *found in self._execute(_SQL["find"], (wanted,)).fetchall():
            yield word, _texts(*found)

    def add(
        self,
        words: Iterable[str],
        texts: Callable[[str], WordTexts],
        kept: IndexState,
        at_once: int,
    ) -> Iterator[bool]:
        """Add to these words their `texts`, in steps of `at_once` words. The last step commits them
        together with `kept`."""
        ordered = [*words]  # in the order of the file, but sorting them would be one long step
        heapify(ordered)
        with self._transaction():
            while ordered:
                some = [heappop(ordered) for _ in range(min(at_once, len(ordered)))]
                rows = [row for word in some for row in self._added(word, *texts(word))]
                self._connection.executemany(_SQL["put"], rows)
                yield False
            yield True
            self._keep(kept)

    def _added(
        self, word: str, anywhere: BitMap, title: BitMap
    ) -> Iterator[tuple[int, str, bytes, bytes]]:
        for part, some in _by_part(anywhere):
            texts = WordTexts(some, title & some)
            old = self._execute(_SQL["posting"], (part, word)).fetchall()
            if old:
                texts = texts.with_more(_texts(*old[0]))
            else:
                self._execute(_SQL["place"], (word, part))
            yield part, word, *_row(texts)

    def remove(self, texts: BitMap, kept: IndexState, at_once: int) -> Iterator[bool]:
        """Remove texts from all words, in steps of `at_once` words, and the words that no text has
        any more. After the last step no byte of them is left in the file."""
        with self._transaction():
            for part, some in _by_part(texts):
                last = ""
                while rows := self._execute(_SQL["behind"], (part, last, at_once)).fetchall():
                    last = rows[-1][0]
                    for word, *found in rows:
                        self._take(part, word, _texts(*found), some)
                    yield False
            yield True
        yield from self._overwritten()
        with self._transaction():  # only now: a process that was killed before removes them again
            self._keep(kept)

    def _overwritten(self) -> Iterator[bool]:
        """Overwrite the pages of deleted rows, in steps."""
        self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        if self.path:
            with pages_of(self._connection, self.path) as pages:
                for some in pages.to_overwrite():
                    pages.overwrite(some)
                    yield False
            self._connection.release_memory()  # which holds these pages as they were

    def _take(self, part: int, word: str, found: WordTexts, texts: BitMap) -> None:
        if not found.anywhere.intersect(texts):
            return
        left = WordTexts(*(one - texts for one in found))
        if left.anywhere:
            self._execute(_SQL["put"], (part, word, *_row(left)))
        else:
            self._execute(_SQL["delete"], (part, word))
            self._execute(_SQL["displace"], (word, part))

    def _keep(self, kept: IndexState) -> None:
        values = {**kept.values, "format": _FORMAT}
        rows = [(name, _with_checksum(value)) for name, value in values.items()]
        self._connection.executemany(_SQL["keep"], rows)
        facts = [(part, *map(_with_checksum, some)) for part, *some in kept.facts]
        self._connection.executemany(_SQL["keep_facts"], facts)

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._execute("ROLLBACK")
            raise

    @property
    def free_bytes(self) -> int:
        """How much may be written where the file is."""
        return shutil.disk_usage(self.path.parent).free if self.path else sys.maxsize

    def shrink(self) -> None:
        """Shorten the log of changes, if possible: a failed one keeps its length otherwise."""
        with suppress(apsw.Error):
            self._execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def discard(self) -> None:
        """Delete the file, which no other process can open until it is gone, and close it."""
        if self.path:
            remove(self.path)
        self.close()  # which leaves a log of this name, as SQLite sees that the file has gone


def _row(texts: WordTexts) -> tuple[bytes, bytes]:
    """The stored form of a word's texts, with one checksum for both sets."""
    anywhere = texts.anywhere.serialize()
    return anywhere, _with_checksum(texts.title.serialize(), crc32(anywhere))


def _texts(anywhere: bytes | None, title: bytes) -> WordTexts:
    """The texts of a word in a row; None without a row."""
    if anywhere is None:
        raise ValueError("a word has no texts")
    in_title = _checked(title, crc32(anywhere))
    return WordTexts(BitMap.deserialize(anywhere), BitMap.deserialize(in_title))


def _with_checksum(kept: bytes, before: int = 0) -> bytes:
    return kept + crc32(kept, before).to_bytes(_CHECKSUM_BYTES, "big")


def _checked(kept: bytes, before: int = 0) -> bytes:
    """A stored value without its checksum, which is checked."""
    if _with_checksum(kept[:-_CHECKSUM_BYTES], before) != kept:
        raise ValueError("another checksum")
    return kept[:-_CHECKSUM_BYTES]


def _lock(connection: apsw.Connection) -> None:
    """Lock a damaged file. Raises `apsw.BusyError` where another process uses it."""
    connection.config(_RESET_DATABASE, 1)  # or it could not be opened
    connection.execute("BEGIN EXCLUSIVE")


def remove(path: Path) -> None:
    """Delete a file with what belongs to it. The file is the last: once it is gone another process
    may make one, with a log of its own."""
    for end in ("-wal", "-shm", ""):
        Path(f"{path}{end}").unlink(missing_ok=True)


def _number(path: Path | None) -> int | None:
    """The identity of a file, which differs from that of the next one in its place; None without a
    file."""
    with suppress(FileNotFoundError):
        return path.stat().st_ino if path else None
    return None


def _by_part(numbers: BitMap) -> Iterator[tuple[int, BitMap]]:
    """These numbers by their parts."""
    rest = numbers
    while rest:
        part, some = rest[0] // PART, rest
        rest = some.copy()
        rest.remove_range(0, (part + 1) * PART)
        yield part, some - rest if rest else some
