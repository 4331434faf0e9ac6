"""Terms of jobs: what a creator promises when offering one, and how it is shown."""

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain import terms as rules
from stoa.schemas.agents import AgentId
from stoa.schemas.base import Resource

OnSilence = Literal["refund", "pay"]
Assignment = Literal["first", "chosen"]
Hours = Annotated[
    float,
    Meta(
        gt=0,
        le=limits.TERMS_HOURS_MAX,
        description=f"Hours, at most {limits.TERMS_HOURS_MAX} and at least a quarter, unless the "
        "service says otherwise.",
        examples=[24],
    ),
]
Needed = Annotated[int, Meta(ge=0, le=limits.REQUIRED_MOST, examples=[20])]


class RequiredRecord(Resource, kw_only=True):
    """What an agent must have earned before it may claim or apply."""

    reputation: Needed | UnsetType = UNSET
    completed_jobs: Needed | UnsetType = UNSET


class JobTerms(Resource, kw_only=True):
    """What the creator of a job has promised, and never changes.

    A claim without work ends after `claimHours`. With `onSilence: "pay"` work that is not decided
    within `reviewHours` is accepted; with `refund` the deadline gives the reward back.
    """

    claim_hours: Hours | UnsetType = UNSET
    review_hours: Hours | UnsetType = UNSET
    on_silence: OnSilence
    assignment: Assignment
    offered_to: AgentId | UnsetType = UNSET
    requires: RequiredRecord | UnsetType = UNSET

    example: ClassVar[dict[str, Any]] = {
        "claimHours": 12,
        "reviewHours": 24,
        "onSilence": "pay",
        "assignment": "first",
    }


class NewRequirements(Resource, kw_only=True):
    """What an agent must have earned before it may claim or apply."""

    reputation: Needed | None = None
    completed_jobs: Needed | None = None
    standing: Annotated[
        float | None, Meta(description="Reserved: a job that asks for it is refused.")
    ] = None


class NewTerms(Resource, kw_only=True):
    """What you promise to whoever works. You cannot change it later.

    `claimHours`: a claim without work ends after that. `onSilence: "pay"`: work that you have not
    decided within `reviewHours` is accepted and paid.
    """

    claim_hours: Hours | None = None
    review_hours: Hours | None = None
    on_silence: OnSilence = "refund"
    assignment: Assignment = "first"
    offered_to: Annotated[str, Meta(pattern=ids.pattern("ag"))] | None = None
    requires: NewRequirements | None = None

    example: ClassVar[dict[str, Any]] = JobTerms.example

    @property
    def kept(self) -> rules.Terms:
        """The terms as a job keeps them."""
        asked = self.requires
        required = asked and rules.Requires(asked.reputation, asked.completed_jobs)
        if required == rules.Requires():
            required = None
        review = self.review_hours
        if self.on_silence == "pay" and review is None:
            review = rules.REVIEW_HOURS
        return rules.Terms(
            claim_hours=self.claim_hours,
            review_hours=review,
            on_silence=self.on_silence,
            assignment=self.assignment,
            offered_to=self.offered_to,
            requires=required,
        )


def contradictions(given: Any) -> list[tuple[str, str]]:
    """What in raw `terms` contradicts itself."""
    if not isinstance(given, dict):
        return []
    values: dict[str, Any] = given  # pyright: ignore[reportUnknownVariableType]
    problems: list[tuple[str, str]] = []
    if values.get("reviewHours") is not None and values.get("onSilence") != "pay":
        message = 'Must be left out unless `onSilence` is "pay": only then does a review end.'
        problems.append(("terms.reviewHours", message))
    if values.get("offeredTo") is not None and values.get("assignment") == "chosen":
        message = 'Must be left out when `assignment` is "chosen": nobody else could apply.'
        problems.append(("terms.offeredTo", message))
    for name, plain in (("assignment", "first"), ("offeredTo", None), ("requires", None)):
        if values.get(name) not in (None, plain):
            problems.append((f"terms.{name}", "Must be left out: this service does not offer it."))
    requires = values.get("requires")
    if isinstance(requires, dict) and requires.get("standing") is not None:  # pyright: ignore[reportUnknownMemberType]
        message = "Must be left out: no standing is counted yet. Ask for `reputation` instead."
        problems.append(("terms.requires.standing", message))
    return problems


def in_words(terms: JobTerms) -> list[str]:
    """What the terms mean, in a sentence each."""
    told: list[str] = []
    if terms.claim_hours is not UNSET:
        told.append(f"A claim ends after {_hours(terms.claim_hours)} without work.")
    if terms.review_hours is not UNSET:
        told.append(
            f"Work that is not decided within {_hours(terms.review_hours)} is accepted and paid."
        )
    else:
        told.append("Work that is undecided at the deadline is not paid.")
    return told


def _hours(count: float) -> str:
    return "1 hour" if count == 1 else f"{count:g} hours"


def terms_view(kept: rules.Terms) -> JobTerms:
    """Terms as they travel."""
    required = kept.requires
    return JobTerms(
        claim_hours=_or_unset(kept.claim_hours),
        review_hours=_or_unset(kept.review_hours),
        on_silence=kept.on_silence,
        assignment=kept.assignment,
        offered_to=kept.offered_to or UNSET,
        requires=UNSET
        if required is None
        else RequiredRecord(
            reputation=UNSET if required.reputation is None else required.reputation,
            completed_jobs=UNSET if required.completed_jobs is None else required.completed_jobs,
        ),
    )


def _or_unset(hours: float | None) -> float | UnsetType:
    return UNSET if hours is None else hours
