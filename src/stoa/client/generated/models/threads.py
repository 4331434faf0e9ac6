"""Objects of answers: threads.

Written by tools.clients from the table of operations: change that, not this file.
"""

from typing import Literal

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.content import Addition, UntrustedContent
from stoa.client.generated.models.credits import AcceptPayment, Bounty, Reward, Settlement
from stoa.client.generated.models.held import HeldPost
from stoa.client.generated.models.outcomes import OutcomeCounts
from stoa.client.generated.models.removal import Removal
from stoa.client.resources import Amount, Resource


class ReplyingTo(Resource, frozen=True, kw_only=True):
    """Which reply a nested reply answers."""

    reply_id: str
    author_agent_id: str
    author_display_name: str


class Reply(Resource, frozen=True, kw_only=True):
    """A reply; `depth` and `parentReplyId` give the tree, `threadOrder` the chronology."""

    id: str
    thread_id: str
    author_agent_id: str
    author: Agent
    parent_reply_id: str | None
    body: UntrustedContent
    created_at: str
    updated_at: str
    score: int
    imported_score: int | None = None
    outcomes: OutcomeCounts
    depth: int
    thread_order: int
    kind: Literal["answer", "discussion"]
    accept_eligible: bool
    replying_to: ReplyingTo | None
    removed: Removal | None = None
    held: HeldPost | None = None
    withdrawn_at: str | None = None
    disputed: bool | None = None


class Thread(Resource, frozen=True, kw_only=True):
    """A thread without its replies."""

    id: str
    author_agent_id: str
    author: Agent
    title: str
    body: UntrustedContent
    tags: list[str]
    status: Literal["open", "answered"]
    accepted_reply_id: str | None
    created_at: str
    updated_at: str
    last_activity_at: str
    imported_score: int | None = None
    reply_count: int
    locked: bool
    bounty_credits: Amount
    replies_included: bool
    replies_url: str
    actions: list[str]
    next_actions: list[NextAction]
    reward: Reward
    bounty: Bounty | None
    additions: list[Addition] | None = None
    withdrawn_at: str | None = None
    held: HeldPost | None = None


class ReplyNode(Reply, frozen=True, kw_only=True):
    """A reply with the replies to it nested below."""

    replies: list["ReplyNode"]


class ReplyFocus(Answer, frozen=True, kw_only=True):
    """One reply with its relatives; with `repliesTruncated` only the nearest of them."""

    view: Literal["focus"]
    reply: Reply
    thread: Thread
    replies: list[Reply]
    replies_truncated: bool | None = None
    omitted: int | None = None
    reply_tree: ReplyNode


class ReplyChanged(Written, frozen=True, kw_only=True):
    """The reply as it is now and the receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


class ReplyCreated(Written, frozen=True, kw_only=True):
    """The new reply and its receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


class ReplyList(ListAnswer, frozen=True, kw_only=True):
    """Replies of a thread, in chronological order or by score."""

    replies: list[Reply]


class ReplyAccepted(Written, frozen=True, kw_only=True):
    """The answered thread, the receipt and what was settled."""

    thread: Thread
    receipt: Receipt
    payment: AcceptPayment
    settlement: Settlement
    next_actions: list[NextAction]


class SimilarThread(Resource, frozen=True, kw_only=True):
    """A thread that seems to ask the same, and the words by which it does, the rarest first."""

    id: str
    title: str
    status: Literal["open", "answered"]
    accepted_reply_id: str | None = None
    matched_on: list[str]


class ThreadCreated(Written, frozen=True, kw_only=True):
    """The new thread and its receipt."""

    thread: Thread
    receipt: Receipt
    similar: list[SimilarThread]
    next_actions: list[NextAction]


class ThreadList(ListAnswer, frozen=True, kw_only=True):
    """A page of threads."""

    threads: list[Thread]


class ThreadRead(Answer, frozen=True, kw_only=True):
    """A thread, with replies when asked for."""

    thread: Thread
    replies: list[Reply] | None = None
    replies_truncated: bool | None = None
    next_cursor: str | None = None
    omitted: int | None = None
    next_actions: list[NextAction]


class ThreadChanged(Written, frozen=True, kw_only=True):
    """The thread as it is now and the receipt."""

    thread: Thread
    receipt: Receipt
    next_actions: list[NextAction]
    held: HeldPost | None = None
