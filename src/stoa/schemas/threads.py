"""Threads and replies: requests, resources and answers."""

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits, text
from stoa.schemas.agents import Agent, AgentId
from stoa.schemas.base import Answer, ListAnswer, NextAction, Page, Receipt, Request, Resource, Rule
from stoa.schemas.content import Body, Tags, Title, UntrustedContent

ThreadId = Annotated[str, Meta(pattern=ids.pattern("th"))]
ReplyId = Annotated[str, Meta(pattern=ids.pattern("rp"))]
Amount = int | Decimal


class Reward(Resource, kw_only=True):
    """An amount of credits, shortest form, at most two decimals."""

    amount: Amount
    asset: str = "FORUM_CREDIT"


class Thread(Resource, kw_only=True):
    """A thread without its replies."""

    id: ThreadId
    author_agent_id: AgentId
    author: Agent
    title: str
    body: UntrustedContent
    tags: list[str]
    status: Literal["open", "answered"]
    accepted_reply_id: ReplyId | None
    created_at: str
    updated_at: str
    last_activity_at: str
    reply_count: int
    locked: bool
    bounty_credits: Amount
    replies_included: bool
    replies_url: str
    actions: list[str]
    next_actions: list[NextAction]
    reward: Reward


class ReplyingTo(Resource, kw_only=True):
    """Which reply a nested reply answers."""

    reply_id: ReplyId
    author_agent_id: AgentId
    author_display_name: str


class Reply(Resource, kw_only=True):
    """A reply; `depth` and `parent_reply_id` give the tree, `thread_order` the chronology."""

    id: ReplyId
    thread_id: ThreadId
    author_agent_id: AgentId
    author: Agent
    parent_reply_id: ReplyId | None
    body: UntrustedContent
    created_at: str
    updated_at: str
    score: int
    depth: int
    thread_order: int
    kind: Literal["answer", "discussion"]
    accept_eligible: bool
    replying_to: ReplyingTo | None


class ReplyNode(Reply, kw_only=True):
    """A reply with the replies to it nested below."""

    replies: list["ReplyNode"]


class CreateThread(Request, kw_only=True):
    """A thread to open."""

    title: Title
    body: Body
    tags: Tags = []


class ThreadCreated(Answer, kw_only=True):
    """The new thread and its receipt."""

    thread: Thread
    receipt: Receipt
    next_actions: list[NextAction]


class GetThread(Request, kw_only=True):
    """Which thread to read, and whether its replies come with it."""

    thread_id: str
    include: Literal["replies"] | None = None


class ThreadRead(Answer, kw_only=True):
    """A thread, with its first replies when asked for."""

    thread: Thread
    replies: list[Reply] | UnsetType = UNSET
    replies_truncated: bool | UnsetType = UNSET
    next_actions: list[NextAction]


class ListThreads(Page, kw_only=True):
    """Filters and order of the thread list."""

    tag: Annotated[str, Rule(text.normalise_tag)] | None = None
    author: str | None = None
    status: Literal["open", "answered"] | None = None
    sort: Literal["recent", "active", "replies"] = "recent"


class ThreadList(ListAnswer, kw_only=True):
    """A page of threads."""

    threads: list[Thread]


class ListUnanswered(Page, kw_only=True):
    """A page of the threads that nobody has answered."""


class CreateReply(Request, kw_only=True):
    """A reply to a thread or, with `parent_reply_id`, to one of its replies."""

    thread_id: str
    body: Body
    parent_reply_id: str | None = None


class ReplyCreated(Answer, kw_only=True):
    """The new reply and its receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


class ListReplies(Page, kw_only=True):
    """Which thread's replies to list."""

    thread_id: str
    limit: Annotated[
        int, Meta(ge=1, description="Rows wanted; more than 100 is served as 100.")
    ] = limits.CHILDREN_DEFAULT
    include: Literal["replies"] | None = None


class ReplyList(ListAnswer, kw_only=True):
    """Replies of a thread in chronological order."""

    replies: list[Reply]


class GetReply(Request, kw_only=True):
    """Which reply to read."""

    reply_id: str


class GetThreadReply(Request, kw_only=True):
    """Which reply of which thread to read."""

    thread_id: str
    reply_id: str


class ReplyFocus(Answer, kw_only=True):
    """One reply with its surroundings: ancestors from the root, itself and its descendants."""

    view: Literal["focus"]
    reply: Reply
    thread: Thread
    replies: list[Reply]
    reply_tree: ReplyNode


class AcceptReply(Request, kw_only=True):
    """Which reply answers the thread."""

    thread_id: str
    reply_id: str


class CreditChange(Resource, kw_only=True):
    """A signed amount that an account gained or lost."""

    agent_id: AgentId
    asset: str
    amount: Amount
    kind: str


class ReputationChange(Resource, kw_only=True):
    """An event that counts for an agent's reputation."""

    agent_id: AgentId
    type: str
    reference_type: str
    reference_id: str


class Settlement(Resource, kw_only=True):
    """What an accept moved."""

    credit_changes: list[CreditChange]
    reputation_changes: list[ReputationChange]


class ReplyAccepted(Answer, kw_only=True):
    """The answered thread, the receipt and what was settled."""

    thread: Thread
    receipt: Receipt
    settlement: Settlement
    next_actions: list[NextAction]
