"""The answer to a write whose caller asks for the least."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids
from stoa.schemas.base import Written
from stoa.schemas.credits import AcceptPayment
from stoa.schemas.fields import example_id


class WriteDone(Written, kw_only=True):
    """What was done, in ids and names alone."""

    id: Annotated[
        str,
        Meta(
            description="The receipt's `resourceId`: what was done to, or came of it.",
            examples=[example_id("th")],
        ),
    ]
    status: (
        Annotated[str, Meta(description="Of the thread or job afterwards.", examples=["open"])]
        | UnsetType
    ) = UNSET
    confirmation: (
        Annotated[
            str,
            Meta(
                description="Of an approval: what the authorization page asks for.",
                examples=["042917"],
            ),
        ]
        | UnsetType
    ) = UNSET
    payment: AcceptPayment | UnsetType = UNSET
    receipt_id: Annotated[str, Meta(pattern=ids.pattern("rc"))]
    next_actions: Annotated[list[str], Meta(examples=[["get_thread", "reply_to_thread"]])]
