"""Messages between the two processes of the SQLite engine, each with its length in front."""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

from stoa.store.tx import Work

_LENGTH = 4


def frame(content: bytes) -> bytes:
    """The bytes of one message: its length, then its content."""
    return len(content).to_bytes(_LENGTH) + content


def pickled(thing: object) -> bytes:
    """An object as bytes. Raises what `pickle` raises for an object that cannot be pickled."""
    return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)


def unpickled(content: bytes | memoryview) -> Any:
    """The object that this process or the other one pickled."""
    return pickle.loads(content)  # noqa: S301 - no other process has these sockets


class Frames:
    """Assembles messages from received bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[memoryview]:
        """The messages that these bytes complete. Take them all: only then the rest is kept."""
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

    # By identity, not equality: shared objects were made before the fork, so both processes have
    # them at the same index. An equal object that was made later is pickled as usual.
    def persistent_id(self, obj: object) -> int | None:
        return self.places.get(id(obj))


class _Unpickler(pickle.Unpickler):
    shared: Sequence[object]

    def persistent_load(self, pid: int) -> object:
        return self.shared[pid]


class PlainForm(ABC):
    """Turns work of one type into plain values, and back. That is three times as fast as pickling
    it whole."""

    works: type

    @abstractmethod
    def values(self, work: Any) -> tuple[Any, ...]:
        """The plain values of the work: text, numbers, lists and tuples."""

    @abstractmethod
    def work(self, values: Any) -> Work[Any]:
        """The work with these values."""


_PICKLED = 255
"""The first byte of a pickled work. For plain values it is the index of their `PlainForm` in
`shared`."""


class WorkCodec:
    """Encodes works for the other process. Both processes have the `shared` objects, so only their
    index is sent. A `PlainForm` in `shared` encodes the works of its type."""

    def __init__(self, shared: Sequence[object]) -> None:
        self._shared = shared
        self._places = {id(thing): place for place, thing in enumerate(shared)}
        self._plain = {
            place: thing for place, thing in enumerate(shared) if isinstance(thing, PlainForm)
        }
        self._forms = {form.works: form for form in self._plain.values()}

    def encode(self, work: Work[Any]) -> bytes:
        """A work as bytes. Raises as `pickled`."""
        form = self._forms.get(type(work))
        if form:
            return bytes((self._places[id(form)],)) + pickled(form.values(work))
        buffer = BytesIO(bytes((_PICKLED,)))
        buffer.seek(1)  # a new BytesIO writes from its first byte on
        pickler = _Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        pickler.places = self._places
        pickler.dump(work)
        return buffer.getvalue()

    def decode(self, content: memoryview) -> Work[Any]:
        """The work of these bytes."""
        form = self._plain.get(content[0])
        if form:
            return form.work(unpickled(content[1:]))
        unpickler = _Unpickler(BytesIO(content[1:]))
        unpickler.shared = self._shared
        return unpickler.load()
