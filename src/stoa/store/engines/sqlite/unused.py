"""Overwrites the bytes of a SQLite file that hold no row, which may have words of erased texts.

With `secure_delete` SQLite overwrites deleted rows with zeros. But when it moves rows to another
page, it leaves the old copies in the unused bytes of the first page. No program reads these bytes,
so they are overwritten in the file itself: the file stays valid even if the process is killed
halfway.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import unpack_from

import apsw

_READ_BYTES = 1024 * 1024
_BEFORE_LIST = {0x02: 12, 0x05: 12, 0x0A: 8, 0x0D: 8}
"""The bytes before the list of rows, by the first byte of a page of a table or an index. One with
the rest of a long row begins with the number of the next, so with 0 in a file of this size:"""
_MOST_PAGES = 1 << 24
_FILE_HEADER = 100


class FilePages:
    """The pages of a file, which must not be written to while it is overwritten."""

    def __init__(self, file: apsw.VFSFile, size: int) -> None:
        self._file, self._size = file, size

    def to_overwrite(self) -> Iterator[list[int]]:
        """The places of pages with something in their unused bytes, in steps of a millisecond."""
        end = self._file.xFileSize()
        if end > _MOST_PAGES * self._size:
            raise apsw.TooBigError("unused bytes of a file over 64 GB cannot be overwritten")
        for start in range(0, end, _READ_BYTES):
            read = self._file.xRead(min(_READ_BYTES, end - start), start)
            yield [
                start + place
                for place in range(0, len(read), self._size)
                if _has_unused(read[place : place + self._size], start + place)
            ]

    def overwrite(self, places: Iterable[int]) -> None:
        """Overwrite the unused bytes of these pages as they are now."""
        for place in places:
            first, last = _unused(self._file.xRead(self._size, place), place)
            self._file.xWrite(bytes(last - first), place + first)

    def sync(self) -> None:
        """Sync the file to the disk."""
        self._file.xSync(apsw.SQLITE_SYNC_FULL)


@contextmanager
def pages_of(connection: apsw.Connection, path: Path) -> Generator[FilePages]:
    """The pages of the file of a connection, opened as SQLite does: to close a file in another way
    would end the locks that this process has on it."""
    flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READWRITE, 0]
    file = apsw.VFSFile("", str(path.resolve()), flags)
    try:
        yield FilePages(file, connection.pragma("page_size"))
    finally:
        file.xClose()


def _has_unused(page: bytes, place: int) -> bool:
    first, last = _unused(page, place)
    return page.count(0, first, last) < last - first


def _unused(page: bytes, place: int) -> tuple[int, int]:
    """The begin and the end of the unused bytes of a page; it has none if it has no list of
    rows."""
    header = 0 if place else _FILE_HEADER
    before = _BEFORE_LIST.get(page[header], 0)
    if not before:
        return 0, 0
    rows, last = unpack_from(">HH", page, header + 3)
    first = header + before + 2 * rows
    return (first, last) if first <= last <= len(page) else (0, 0)  # the page is damaged
