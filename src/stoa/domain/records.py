"""The record of an agent: how its jobs, claims and bounties ended, and how long it took.

What happened is counted by its kind and its outcome. A job counts once for each of its parties when
it ends, with the same outcome for both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Literal, NamedTuple

from stoa.domain.limits import HOUR_MS

CountKind = Literal["requester", "worker", "release", "decision", "submission", "bounty"]

LAST = 100
"""How many durations of each kind are kept: the latest ones."""

DIGITS = 8
"""Of a duration that is kept, in seconds."""

_MOST_SECONDS = 10**DIGITS - 1


class Counted(NamedTuple):
    """Something that counts once for an agent, and how long it took (ms)."""

    agent_id: str
    kind: CountKind
    outcome: str = ""
    took: int | None = None


def kept_duration(took: int) -> str:
    """A duration (ms) as it is kept, in seconds."""
    return str(min(max(took // 1000, 0), _MOST_SECONDS)).zfill(DIGITS)


def release(*, abandoned: bool, reopened: bool) -> str:
    """How a claim ended without work: whether that counts against the worker, and whether the job
    is open again."""
    return f"{'abandoned' if abandoned else 'free'}{'_reopened' if reopened else ''}"


@dataclass(frozen=True, slots=True)
class Tally:
    """What is counted of an agent, by kind and outcome, its durations (s) by kind, and its standing
    beside it."""

    counts: Mapping[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    durations: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    standing: int = 0

    def number(self, kind: CountKind, *begins: str, end: str = "") -> int:
        """How often an outcome of this kind was counted whose name starts with one of `begins` (any
        name if none is given) and ends with `end`."""
        return sum(
            count
            for (other, outcome), count in self.counts.items()
            if other == kind and outcome.startswith(begins or "") and outcome.endswith(end)
        )

    def hours(self, kind: CountKind, share: float = 0.5) -> float | None:
        """The hours that this share of the latest took at most; the median with a half."""
        seconds = sorted(self.durations.get(kind, ()))
        if not seconds:
            return None
        found = seconds[ceil(share * len(seconds)) - 1]
        return round(found * 1000 / HOUR_MS, 2)

    def plus(self, more: Sequence[Counted]) -> "Tally":
        """With what happened by now and is not kept yet."""
        counts, durations = dict(self.counts), dict(self.durations)
        for count in more:
            key = (count.kind, count.outcome)
            counts[key] = counts.get(key, 0) + 1
            if count.took is not None:
                kept = (*durations.get(count.kind, ()), count.took // 1000)
                durations[count.kind] = kept[-LAST:]
        return Tally(counts, durations, self.standing)


def read_durations(kept: str) -> list[int]:
    """Durations that were kept, in seconds."""
    return [int(kept[at : at + DIGITS]) for at in range(0, len(kept), DIGITS)]
