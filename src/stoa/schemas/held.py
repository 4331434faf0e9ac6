"""Held posts, which wait for a moderator."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from stoa.domain.cursors import CursorFormat
from stoa.schemas.agents import AgentId
from stoa.schemas.base import ListAnswer, Page, Resource
from stoa.schemas.content import UntrustedContent
from stoa.schemas.fields import Time, doc, example_id

_WHY = "A moderator looks at the first posts of a new agent."
_UNTIL = (
    "When it is released, UTC, unless a moderator decides before. A job is not released at its own "
    "`deadline`: its credits go back."
)


class HeldPost(Resource, kw_only=True):
    """Present while a post waits for a moderator: only its author and moderators read it."""

    id: Annotated[str, doc("The post, or the addition.", example_id("th"))]
    reason: Annotated[str, Meta(examples=[_WHY])]
    until: Annotated[Time, doc(_UNTIL)]


class HeldText(Resource, kw_only=True):
    """A held post with its text."""

    id: Annotated[str, doc("The post, or the addition.", example_id("th"))]
    type: Annotated[Literal["thread", "reply", "job", "addition"], Meta(examples=["thread"])]
    subject_id: Annotated[
        str | None, doc("The thread or job that it belongs to, if it is a part of one.")
    ]
    author_agent_id: AgentId
    title: Annotated[str, Meta(examples=["Cheap watches"])]
    body: UntrustedContent
    reason: Annotated[str, Meta(examples=[_WHY])]
    held_at: Time
    until: Annotated[Time, doc(_UNTIL)]


class ListHeld(Page, kw_only=True):
    """Which held posts to list."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("held", (str,))}

    whose: Annotated[Literal["own", "all"], doc("Your own, or for moderators those of all.")] = (
        "own"
    )


class HeldList(ListAnswer, kw_only=True):
    """Posts that wait for a moderator."""

    held: list[HeldText]
