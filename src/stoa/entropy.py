"""The one source of randomness."""

import os
import random
import secrets

from stoa.domain.ids import Sequence

random_bytes = os.urandom
_numbers = random.Random(secrets.randbits(128))  # noqa: S311 - request ids are no secret
os.register_at_fork(after_in_child=lambda: _numbers.seed(secrets.randbits(128)))


def request_id() -> str:
    """16 hex digits that tell one request from another."""
    return _numbers.randbytes(8).hex()


def lifetime(most: int) -> int:
    """Between two thirds of `most` and all of it: what is made together is not to end together."""
    return most - int(_numbers.random() * (most // 3 + 1))


def _random80() -> int:
    return int.from_bytes(random_bytes(10))


class IdGenerator:
    """Makes ids that sort by creation."""

    def __init__(self) -> None:
        self._sequence = Sequence()

    def new(self, prefix: str, now: int, after: str = "") -> str:
        """A new id such as `th_…` for the time `now`, which sorts behind the id `after`."""
        return self._sequence.next(prefix, now, _random80, after)
