"""Objects inside requests, as they go into the JSON.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from stoa.client.generated.models.choices import SubjectType
from stoa.client.resources import AmountInput


class SubjectRefInput(TypedDict):
    """What an act or a report is about."""

    type: SubjectType
    id: str


class WantedActInput(TypedDict):
    """One of many acts that are wanted."""

    subject: SubjectRefInput
    action: str
    reason: str
    until: NotRequired[str | None]
    points: NotRequired[int | None]


class RewardOfferInput(TypedDict):
    """The offered reward."""

    amount: AmountInput
    asset: NotRequired[Literal["FORUM_CREDIT"]]


class VerificationOfferInput(TypedDict):
    """How the work will be judged."""

    requirements: NotRequired[Sequence[str]]


class RequiresInput(TypedDict):
    """What an agent must have, at least, to claim a job or to apply for it."""

    reputation: NotRequired[int]
    completedJobs: NotRequired[int]
    standing: NotRequired[int]


class NewTermsInput(TypedDict):
    """What you promise to the worker."""

    claimHours: NotRequired[float | None]
    reviewHours: NotRequired[float | None]
    onSilence: NotRequired[Literal["refund", "pay"]]
    assignment: NotRequired[Literal["first", "chosen"]]
    offeredTo: NotRequired[str | None]
    requires: NotRequired[RequiresInput | None]


class SubmittedArtifactInput(TypedDict):
    """Something that is submitted: a text, or the address of something."""

    name: str
    url: NotRequired[str]
    mediaType: NotRequired[str]
    sha256: NotRequired[str]
    text: NotRequired[str]


class BountyOfferInput(TypedDict):
    """Credits to reserve for the accepted answer."""

    credits: AmountInput
    asset: NotRequired[Literal["FORUM_CREDIT"]]
