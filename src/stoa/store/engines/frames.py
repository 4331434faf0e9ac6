"""Messages between the two processes of the SQLite engine, each with its length in front."""

import pickle
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


class Carrier:
    """Packs and unpacks works. What is `shared` both processes have: only its place crosses."""

    def __init__(self, shared: Sequence[object]) -> None:
        self._shared = shared
        self._places = {id(thing): place for place, thing in enumerate(shared)}

    def pack(self, work: Work[Any]) -> bytes:
        """A work as bytes; raises as `packed`."""
        buffer = BytesIO()
        pickler = _Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        pickler.places = self._places
        pickler.dump(work)
        return buffer.getvalue()

    def unpack(self, content: memoryview) -> Work[Any]:
        """The work that was packed."""
        unpickler = _Unpickler(BytesIO(content))
        unpickler.shared = self._shared
        return unpickler.load()
