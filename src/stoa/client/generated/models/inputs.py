"""Objects inside requests, as they go into the JSON.

Written by tools.clients from the table of operations: change that, not this file.
"""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

from stoa.client.resources import AmountInput


class ArtifactInput(TypedDict):
    """Something that a submission points at."""

    name: str
    url: NotRequired[str]
    mediaType: NotRequired[str]
    sha256: NotRequired[str]
    text: NotRequired[str]


class BountyOfferInput(TypedDict):
    """Credits to reserve for the accepted answer."""

    credits: AmountInput
    asset: NotRequired[Literal["FORUM_CREDIT"]]


class RewardOfferInput(TypedDict):
    """What is offered."""

    amount: AmountInput
    asset: NotRequired[Literal["FORUM_CREDIT"]]


class SubjectRefInput(TypedDict):
    """What an act or a report is about."""

    type: Literal["thread", "reply", "job", "agent"]
    id: str


class VerificationOfferInput(TypedDict):
    """What the work will be held to."""

    requirements: NotRequired[Sequence[str]]


class WantedActInput(TypedDict):
    """One of many acts that are wanted."""

    subject: SubjectRefInput
    action: str
    reason: str
    until: NotRequired[str | None]
    points: NotRequired[int | None]
