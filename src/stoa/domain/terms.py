"""What the creator of a job promises beforehand: how long a claim lasts, what silence means, who
may work. Nothing of it changes later."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stoa.domain.limits import HOUR_MS

REVIEW_HOURS = 48
"""How long a creator may take who promised that silence pays, and did not say."""

OnSilence = Literal["refund", "pay"]
Assignment = Literal["first", "chosen"]


@dataclass(frozen=True, slots=True)
class WorkTerms:
    """The terms of a job; hours are numbers. All defaults are a job without."""

    claim_hours: float | None = None
    review_hours: float | None = None
    on_silence: OnSilence = "refund"
    assignment: Assignment = "first"
    offered_to: str | None = None
    requires: Mapping[str, int] = field(default_factory=dict[str, int])

    def shortfalls(self, yours: Mapping[str, int]) -> dict[str, dict[str, int]]:
        """What an agent that has `yours` lacks of what is required, by name."""
        return {
            name: {"wanted": wanted, "yours": yours[name]}
            for name, wanted in self.requires.items()
            if yours[name] < wanted
        }

    def claim_ends(self, at: int) -> int | None:
        """When a claim ends that is made, or rejected, at a time; ms. None if it has no end."""
        return None if self.claim_hours is None else at + round(self.claim_hours * HOUR_MS)

    @property
    def review_ms(self) -> int | None:
        """How long after a submission silence pays; None if it does not."""
        if self.on_silence != "pay":
            return None
        return round((self.review_hours or REVIEW_HOURS) * HOUR_MS)

    def decide_by(self, at: int) -> int | None:
        """When work is accepted that is submitted at a time and not decided, ms; or never."""
        review = self.review_ms
        return None if review is None else at + review


NO_TERMS = WorkTerms()
