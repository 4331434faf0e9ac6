"""Reads a Stack Exchange `Posts.xml` of any size in constant memory.

`posts` walks the file once and yields what ordering needs of each row: numbers, the author, and
where in the file the row stands. `attributes` reads one such row again, with its text. Nothing
but one chunk of the file is held at a time. Characters that XML does not allow are left out.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

import msgspec

from stoa.importers import ImportStopped
from stoa.importers.refused_characters import Marker, without_marks

QUESTION = 1
ANSWER = 2

ANONYMOUS = "anonymous"
COMMUNITY_USER = "-1"

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CHUNK_BYTES = 1 << 18
_ID = re.compile("[0-9]{1,18}")  # 18 digits fit into 64 bits

Attributes = dict[str, str]


@dataclass(frozen=True, slots=True)
class XmlRow:
    """One `<row>`: its attributes and where its bytes are."""

    attributes: Attributes
    start: int
    length: int


class Post(msgspec.Struct, frozen=True):
    """A row without its text. `created` is ms since 1970; ids are those of the file."""

    id: int
    type: int
    created: int
    question: int | None
    accepted_answer: int | None
    author: str
    author_name: str
    start: int
    length: int


class _Parser:
    """Feeds expat and collects the rows it finds; knows the line that it stopped at."""

    def __init__(self) -> None:
        self._expat = expat.ParserCreate("utf-8")
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.StartDoctypeDeclHandler = self._doctype
        self._depth = 0
        self._marker = Marker()
        self._open: tuple[Attributes, int] | None = None
        self._rows: list[XmlRow] = []

    def feed(self, data: bytes, *, last: bool = False) -> list[XmlRow]:
        """The rows that end in `data`. Raises ExpatError, or _Unexpected."""
        if self._expat.CurrentByteIndex <= 0 and data.startswith(_UTF_16):
            raise _Unexpected("the text is UTF-16; convert the file to UTF-8")
        self._expat.Parse(self._marker.marked(data, last=last), last)
        rows, self._rows = self._rows, []
        return rows

    @property
    def line(self) -> int:
        return self._expat.CurrentLineNumber

    def _start(self, name: str, attributes: Attributes) -> None:
        if self._depth == 0 and name != "posts":
            raise _Unexpected(f"the root element is <{name}>, not <posts> as in a Posts.xml")
        if self._depth == 1 and name == "row":
            self._open = _clean(attributes), self._expat.CurrentByteIndex
        self._depth += 1

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._depth == 1 and self._open:
            attributes, start = self._open
            self._rows.append(XmlRow(attributes, start, self._expat.CurrentByteIndex - start))
            self._open = None

    def _doctype(self, *_declaration: object) -> None:
        # Entities could expand without bound, and rows are read again one by one without them.
        raise _Unexpected("a document type declaration does not belong into a Posts.xml")


class _Unexpected(Exception):
    """Well-formed, but not a Posts.xml."""


def rows(path: Path) -> Iterator[XmlRow]:
    """Every row of the file, in its order. Raises ImportStopped naming the line of a defect."""
    parser = _Parser()
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield from parser.feed(chunk)
        yield from parser.feed(b"", last=True)
    except OSError as error:
        raise ImportStopped(f"cannot read {path}: {error.strerror}") from None
    except expat.ExpatError as error:
        problem = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise ImportStopped(f"{path}, line {error.lineno}: {problem}") from None
    except _Unexpected as error:
        raise ImportStopped(f"{path}, line {parser.line}: {error}") from None


def _clean(attributes: Attributes) -> Attributes:
    return {name: without_marks(value) for name, value in attributes.items()}


def attributes(file: BinaryIO, post_id: int, start: int, length: int) -> tuple[Attributes, int]:
    """The attributes of the row at `start`, and how many characters were left out of them.

    Raises ImportStopped if another row stands there.
    """
    file.seek(start)
    marker, found = Marker(), list[Attributes]()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda _name, attributes: found.append(attributes)
    try:
        parser.Parse(marker.marked(file.read(length), last=True), False)
    except expat.ExpatError:
        found.clear()
    row = _clean(found[0]) if found else {}
    if _number(row.get("Id")) != post_id:
        raise ImportStopped(f"{file.name} changed while it was read: run the import again")
    return row, marker.count


def post(row: XmlRow) -> Post | None:
    """What ordering needs of a row, or None without a usable Id, PostTypeId or CreationDate."""
    get = row.attributes.get
    post_id, kind = _number(get("Id")), _number(get("PostTypeId"))
    created = milliseconds(get("CreationDate", ""))
    if post_id is None or kind is None or created is None:
        return None
    key, name = author(row.attributes)
    return Post(
        id=post_id,
        type=kind,
        created=created,
        question=_number(get("ParentId")),
        accepted_answer=_number(get("AcceptedAnswerId")),
        author=key,
        author_name=name,
        start=row.start,
        length=row.length,
    )


def author(attributes: Attributes) -> tuple[str, str]:
    """How the author of a post is told from others, and what to call them.

    Deleted users have no id but the name they went by; a few posts have neither.
    """
    user_id = attributes.get("OwnerUserId", "").strip()
    display_name = attributes.get("OwnerDisplayName", "").strip()
    if user_id == COMMUNITY_USER:
        return f"user:{user_id}", display_name or "Community"
    if user_id:
        return f"user:{user_id}", display_name or f"user{user_id}"
    if display_name:
        return f"name:{display_name}", display_name
    return ANONYMOUS, ANONYMOUS


def _number(text: str | None) -> int | None:
    return int(text) if text and _ID.fullmatch(text) else None


def milliseconds(text: str) -> int | None:
    """A date of the file, which is UTC, in ms since 1970; None for what is none or lies before."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    created = round(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000)
    return created if created >= 0 else None
