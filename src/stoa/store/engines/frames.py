"""Messages between the two processes of the SQLite engine, each with its length in front."""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from stoa.store.tx import Work

_LENGTH = 4


def frame(content: bytes) -> bytes:
    """A content with its length in front."""
    return len(content).to_bytes(_LENGTH) + content


def packed(thing: object) -> bytes:
    """A thing as bytes. Raises what `pickle` does when it cannot be packed."""
    return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)


def unpacked(content: bytes | memoryview) -> Any:
    """The thing that was packed, by this process or by the other one."""
    return pickle.loads(content)  # noqa: S301 - no other process has these sockets


class Frames:
    """Assembles messages from received bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[memoryview]:
        """The messages that are complete after these bytes."""
        data = self._rest + data
        view = memoryview(data)
        place = 0
        while place + _LENGTH <= len(data):
            end = place + _LENGTH + int.from_bytes(data[place : place + _LENGTH])
            if end > len(data):
                break
            yield view[place + _LENGTH : end]
            place = end
        self._rest = data[place:]


class _Pickler(pickle.Pickler):
    places: dict[int, int]

    def persistent_id(self, obj: object) -> int | None:
        return self.places.get(id(obj))


class _Unpickler(pickle.Unpickler):
    shared: Sequence[object]

    def persistent_load(self, pid: int) -> object:
        return self.shared[pid]


class PlainForm(ABC):
    """Takes works of one type apart into plain values, and makes them again. That is three times as
    fast as pickling them whole."""

    works: type

    @abstractmethod
    def values(self, work: Any) -> tuple[Any, ...]:
        """What the work consists of: text, numbers, lists and tuples."""

    @abstractmethod
    def work(self, values: Any) -> Work[Any]:
        """The work that consisted of these."""


_PICKLED = 255
"""The first byte of a pickled work; in front of plain values stands the place of their form."""


class WorkCodec:
    """Packs and unpacks works. What is `shared` both processes have: only its place crosses. A
    `PlainForm` among it packs the works of its type."""

    def __init__(self, shared: Sequence[object]) -> None:
        self._shared = shared
        self._places = {id(thing): place for place, thing in enumerate(shared)}
        self._plain = {
            place: thing for place, thing in enumerate(shared) if isinstance(thing, PlainForm)
        }
        self._forms = {form.works: form for form in self._plain.values()}

    def pack(self, work: Work[Any]) -> bytes:
        """A work as bytes; raises as `packed`."""
        form = self._forms.get(type(work))
        if form:
            return bytes((self._places[id(form)],)) + packed(form.values(work))
        buffer = BytesIO(bytes((_PICKLED,)))
        buffer.seek(1)
        pickler = _Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        pickler.places = self._places
        pickler.dump(work)
        return buffer.getvalue()

    def unpack(self, content: memoryview) -> Work[Any]:
        """The work that was packed."""
        form = self._plain.get(content[0])
        if form:
            return form.work(unpacked(content[1:]))
        unpickler = _Unpickler(BytesIO(content[1:]))
        unpickler.shared = self._shared
        return unpickler.load()
