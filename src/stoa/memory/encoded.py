"""The JSON of answers that are kept as they are: the same object is encoded once."""

from threading import Lock

from stoa.caching import ByteCache
from stoa.schemas.base import Answer

_MOST_BYTES = 4 * 1024 * 1024
_ANSWER_BYTES = 2_000  # what an answer holds beside what it shares with others

Encoded = tuple[bytes, str]
"""The JSON of an answer in its full form, and its ETag."""


class EncodedAnswers:
    """Answers with their JSON, for all threads of a process."""

    def __init__(self) -> None:
        self._known = ByteCache[int, tuple[Answer, Encoded]](_MOST_BYTES, _size)
        self._lock = Lock()

    def find(self, answer: Answer) -> Encoded | None:
        """What was kept of this very answer."""
        with self._lock:
            known = self._known.find(id(answer))
        return known[1] if known and known[0] is answer else None

    def keep(self, answer: Answer, encoded: Encoded) -> None:
        """Keep how an answer was encoded. It is held too, so that no other has its identity."""
        with self._lock:
            self._known.put(id(answer), (answer, encoded))


def _size(_: int, known: tuple[Answer, Encoded]) -> int:
    return _ANSWER_BYTES + len(known[1][0])
