"""One value that was made of what was read, for as long as nothing of that changes."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Generic, TypeVar

from stoa.store.changes import Marks

T = TypeVar("T")


@dataclass(slots=True)
class _Entry(Generic[T]):
    """`checked` is the stamp at which nothing of `depends_on` had changed yet."""

    value: T
    depends_on: Set[str]
    stamp: int
    expires_at: int | None
    checked: int


class Remembered(Generic[T]):
    """Keeps the latest value, for all threads of a process."""

    def __init__(self) -> None:
        self._entry: _Entry[T] | None = None

    @property
    def latest(self) -> T | None:
        """The value that was kept last, whatever has changed since."""
        return self._entry.value if self._entry else None

    def get(self, marks: Marks | None, now: int) -> T | None:
        """The value, if it is still what would be made now (ms)."""
        entry = self._entry
        if entry is None or marks is None or entry.stamp < 0:
            return None
        if entry.expires_at is not None and now >= entry.expires_at:
            return None
        current = marks.changes.stamp()
        if entry.checked != current:
            if not marks.changes.fresh(entry.depends_on, entry.stamp):
                return None
            entry.checked = current
        return entry.value

    def keep(
        self, value: T, marks: Marks | None, depends_on: Set[str] | None, expires_at: int | None
    ) -> None:
        """Keep a value until something of `depends_on` changes, or until `expires_at` (ms). Without
        these it is out of date at once."""
        stamp = marks.stamp if marks and depends_on is not None else -1
        self._entry = _Entry(value, depends_on or frozenset(), stamp, expires_at, checked=-1)
