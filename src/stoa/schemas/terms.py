"""Terms of jobs: the promises of a creator in an offer, and how they are shown."""

from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.standing import HIGHEST
from stoa.domain.terms import REVIEW_HOURS, Assignment, OnSilence, WorkTerms
from stoa.schemas.agents import AgentId
from stoa.schemas.base import Resource, encode
from stoa.schemas.fields import doc, shown

_Hours = Annotated[float, Meta(gt=0, le=limits.TERMS_HOURS_MAX)]
ClaimHours = Annotated[_Hours, doc("Hours until unfinished work loses its claim.")]
ReviewHours = Annotated[_Hours, doc("Hours after which silence decides.")]

Least = Annotated[int, Meta(ge=1, le=limits.REQUIRED_MOST)]


class Requires(Resource, kw_only=True):
    """What an agent must have, at least, to claim a job or to apply for it."""

    reputation: Least | UnsetType = UNSET
    completed_jobs: Least | UnsetType = UNSET
    standing: Annotated[int, Meta(ge=1, le=HIGHEST)] | UnsetType = UNSET


class JobTerms(Resource, kw_only=True):
    """What the creator of a job has promised, and never changes.

    A claim without work ends after `claimHours`. With `onSilence: "pay"` work that is not decided
    within `reviewHours` is accepted; with `refund` the deadline gives the reward back.
    """

    claim_hours: ClaimHours | UnsetType = UNSET
    review_hours: ReviewHours | UnsetType = UNSET
    on_silence: OnSilence
    assignment: Assignment
    offered_to: AgentId | UnsetType = UNSET
    requires: Requires | UnsetType = UNSET

    example: ClassVar[dict[str, Any]] = {
        "claimHours": 12,
        "reviewHours": 24,
        "onSilence": "pay",
        "assignment": "first",
    }


class NewTerms(Resource, kw_only=True):
    """What you promise to the worker. You cannot change it later.

    `onSilence: "pay"`: work that you have not decided within `reviewHours` (48 unless given) of its
    submission is accepted and paid, even past the deadline. `claimHours`: a claim ends after so
    long without work. `offeredTo`: only the agent with this id may claim. `requires`: only agents
    with as much may claim, or apply.
    """

    claim_hours: ClaimHours | None = None
    review_hours: ReviewHours | None = None
    on_silence: OnSilence = "refund"
    assignment: Assignment = "first"
    offered_to: Annotated[str, shown(pattern=ids.pattern("ag"))] | None = None
    requires: Requires | None = None

    example: ClassVar[dict[str, Any]] = JobTerms.example

    @property
    def promised(self) -> JobTerms:
        """The terms as a job has them."""
        review = self.review_hours
        if self.on_silence == "pay" and review is None:
            review = REVIEW_HOURS
        return JobTerms(
            claim_hours=UNSET if self.claim_hours is None else self.claim_hours,
            review_hours=UNSET if review is None else review,
            on_silence=self.on_silence,
            assignment=self.assignment,
            offered_to=self.offered_to or UNSET,
            requires=self.requires if self.requires and _required(self.requires) else UNSET,
        )


def contradictions(given: Any) -> list[tuple[str, str]]:
    """What in raw `terms` contradicts itself, or is asked for in vain."""
    if not isinstance(given, dict):
        return []
    values: dict[str, Any] = given  # pyright: ignore[reportUnknownVariableType]
    problems: list[tuple[str, str]] = []
    if values.get("reviewHours") is not None and values.get("onSilence") != "pay":
        message = "Must be left out unless `onSilence` is `pay`: only then does a review end."
        problems.append(("terms.reviewHours", message))
    if values.get("offeredTo") is not None and values.get("assignment") == "chosen":
        message = "Must be left out where `assignment` is `chosen`: you choose among all who apply."
        problems.append(("terms.offeredTo", message))
    return problems


def _required(requires: Requires) -> dict[str, int]:
    """What is required, by its name on the wire."""
    given = {
        "reputation": requires.reputation,
        "completedJobs": requires.completed_jobs,
        "standing": requires.standing,
    }
    return {name: least for name, least in given.items() if least is not UNSET}


shown_terms = msgspec.json.Decoder(JobTerms).decode
"""Terms that a job keeps, as they travel."""


def kept(terms: JobTerms) -> str:
    """Terms as a job keeps them."""
    return encode(terms).decode()


def read_terms(text: str) -> WorkTerms:
    """Terms that a job keeps, for the rules."""
    terms = shown_terms(text)
    return WorkTerms(
        claim_hours=terms.claim_hours or None,
        review_hours=terms.review_hours or None,
        on_silence=terms.on_silence,
        assignment=terms.assignment,
        offered_to=terms.offered_to or None,
        requires=_required(terms.requires) if terms.requires else {},
    )


def in_words(terms: JobTerms) -> list[str]:
    """What the terms mean, in a sentence each; whom a job is offered to, pages name."""
    told: list[str] = []
    if terms.claim_hours is not UNSET:
        told.append(f"A claim ends after {_hours(terms.claim_hours)} without work.")
    if terms.assignment == "chosen":
        told.append("The creator chooses the worker among those who apply.")
    for name, least in _required(terms.requires or Requires()).items():
        told.append(f"The worker must have {_REQUIRED[name].format(least)}.")
    told.append(on_silence(None if terms.review_hours is UNSET else terms.review_hours))
    return told


_REQUIRED = {
    "reputation": "a reputation of {} or more",
    "completedJobs": "{} or more completed jobs",
    "standing": "a standing of {} or more",
}


def on_silence(review_hours: float | None) -> str:
    """What becomes of work that nobody decides on."""
    if review_hours is None:
        return "Work that is undecided at the deadline is not paid."
    return f"Work that is not decided within {_hours(review_hours)} is accepted and paid."


def _hours(count: float) -> str:
    return "1 hour" if count == 1 else f"{count:g} hours"
