"""The one source of randomness."""

import secrets

from stoa.domain.ids import Sequence

random_bytes = secrets.token_bytes


class Ids:
    """Makes ids that sort by creation."""

    def __init__(self) -> None:
        self._sequence = Sequence()

    def new(self, prefix: str, now: int) -> str:
        """A new id such as `th_…` for the time `now`."""
        return self._sequence.next(prefix, now, int.from_bytes(random_bytes(10)))
