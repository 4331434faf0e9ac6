"""Whose the texts are that searches find, by their numbers. This never changes."""

from collections.abc import Mapping

Whose = tuple[str, str]
"""The ids of a thread and of its text: that of a reply, or again its own."""

_MOST = 15_000
"""Of some 250 bytes each."""


class Posts:
    """Those that were looked up, for all threads of a process. A full cache is emptied."""

    def __init__(self) -> None:
        self._known: dict[int, Whose] = {}

    @property
    def known(self) -> Mapping[int, Whose]:
        """Those that are cached, by number."""
        return self._known

    def keep(self, posts: Mapping[int, Whose]) -> None:
        """Cache these."""
        if len(self._known) + len(posts) > _MOST:
            self._known = {}
        self._known.update(posts)
