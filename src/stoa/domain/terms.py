"""The terms of a job, which never change: how long a claim lasts, the result of silence, and who
may work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from stoa.domain.limits import HOUR_MS

REVIEW_HOURS = 48
"""How long a creator may take who promised that silence pays, and did not say."""

OnSilence = Literal["refund", "pay"]
Assignment = Literal["first", "chosen"]


REQUIRABLE = ("reputation", "standing", "completedJobs")
"""What a job may require of its worker, in the order of `Attained`."""


class Attained(NamedTuple):
    """How much an agent has, or has to have, of what jobs may require."""

    reputation: int = 0
    standing: int = 0
    completed_jobs: int = 0

    @classmethod
    def least(cls, requires: Mapping[str, int]) -> "Attained":
        """What an agent has to have, by what is required by name."""
        return cls(*(requires.get(name, 0) for name in REQUIRABLE))

    def meets(self, least: "Attained") -> bool:
        """Whether this is enough."""
        return all(map(int.__le__, least, self))


@dataclass(frozen=True, slots=True)
class WorkTerms:
    """The terms of a job; hours are numbers. All defaults are a job without."""

    claim_hours: float | None = None
    review_hours: float | None = None
    on_silence: OnSilence = "refund"
    assignment: Assignment = "first"
    offered_to: str | None = None
    requires: Mapping[str, int] = field(default_factory=dict[str, int])

    def shortfalls(self, yours: Attained) -> dict[str, dict[str, int]]:
        """What an agent that has `yours` lacks of what is required, by name."""
        has: dict[str, int] = dict(zip(REQUIRABLE, yours, strict=True))
        return {
            name: {"wanted": wanted, "yours": has[name]}
            for name, wanted in self.requires.items()
            if has[name] < wanted
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
