"""How many rows fit into the tokens that a caller allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from stoa.domain.token_counts import estimate
from stoa.schemas.base import Resource, encode
from stoa.schemas.options import Options
from stoa.schemas.shaping import shaped

_MEMBERS = 100
"""Tokens reserved for the members beside the rows, of which a cursor is the longest."""


@dataclass(slots=True)
class Budget:
    """The remaining tokens of `maxTokens` while rows are chosen; None is no limit."""

    options: Options
    left: int | None

    @classmethod
    def of(cls, options: Options) -> "Budget":
        """A full budget."""
        wanted = options.max_tokens
        return cls(options, None if wanted is None else wanted - _MEMBERS)

    def fitting(
        self,
        rows: Sequence[Resource],
        *,
        beside: Sequence[Resource] = (),
        least: int = 1,
        times: int = 1,
    ) -> int:
        """How many of the rows fit, `least` or more, beside the other members (`beside`) of the
        answer; each row is in the answer so many `times`."""
        if self.left is None:
            return len(rows)
        self.left -= sum(map(self._cost, beside))
        for count, row in enumerate(rows):
            cost = self._cost(row) * times
            if cost > self.left and count >= least:
                return count
            self.left -= cost
        return len(rows)

    def _cost(self, resource: Resource) -> int:
        return estimate(encode(shaped(resource, self.options)).decode())
