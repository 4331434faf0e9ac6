"""Objects as they cross between two processes: pickles, each behind its length."""

import pickle
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

LENGTH = 4


class Frames:
    """Puts together what comes in pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[memoryview]:
        """The frames that are complete with this, without their lengths."""
        data = self._rest + data
        view = memoryview(data)
        place = 0
        while place + LENGTH <= len(data):
            end = place + LENGTH + int.from_bytes(data[place : place + LENGTH])
            if end > len(data):
                break
            yield view[place + LENGTH : end]
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
    """Packs and unpacks. What is `shared` both ends have: only its place crosses."""

    def __init__(self, shared: Sequence[object]) -> None:
        self._shared = shared
        self._places = {id(thing): place for place, thing in enumerate(shared)}

    def pack(self, thing: object) -> bytes:
        """A frame with this in it."""
        buffer = BytesIO(bytes(LENGTH))
        buffer.seek(LENGTH)
        pickler = _Pickler(buffer, pickle.HIGHEST_PROTOCOL)
        pickler.places = self._places
        pickler.dump(thing)
        buffer.seek(0)
        buffer.write((buffer.getbuffer().nbytes - LENGTH).to_bytes(LENGTH))
        return buffer.getvalue()

    def unpack(self, frame: bytes | memoryview) -> Any:
        """What was packed into a frame."""
        unpickler = _Unpickler(BytesIO(frame))
        unpickler.shared = self._shared
        return unpickler.load()
