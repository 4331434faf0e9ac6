"""Objects of answers: threads.

Written by tools.clients from the table of operations: change that, not this file.
"""

from dataclasses import dataclass
from typing import Literal

from stoa.client.generated.models.agents import Agent
from stoa.client.generated.models.base import Answer, ListAnswer, NextAction, Receipt, Written
from stoa.client.generated.models.content import Addition, UntrustedContent
from stoa.client.generated.models.credits import AcceptPayment, Bounty, Reward, Settlement
from stoa.client.generated.models.outcomes import OutcomeCounts
from stoa.client.generated.models.removal import Removal
from stoa.client.resources import Amount, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyingTo(Resource):
    """Which reply a nested reply answers."""

    reply_id: str
    author_agent_id: str
    author_display_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Resource):
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
    withdrawn_at: str | None = None
    disputed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer(Reply):
    """An answer of an agent, with the question in whose thread it stands."""

    thread_title: str
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReplyList(ListAnswer):
    """The answers of an agent."""

    replies: list[AgentAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread(Resource):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyNode(Reply):
    """A reply with the replies to it nested below."""

    replies: list["ReplyNode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFocus(Answer):
    """One reply with its relatives; with `repliesTruncated` only the nearest of them."""

    view: Literal["focus"]
    reply: Reply
    thread: Thread
    replies: list[Reply]
    replies_truncated: bool | None = None
    omitted: int | None = None
    reply_tree: ReplyNode


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyChanged(Written):
    """The reply as it is now and the receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyCreated(Written):
    """The new reply and its receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyList(ListAnswer):
    """Replies of a thread, in chronological order or by score."""

    replies: list[Reply]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyAccepted(Written):
    """The answered thread, the receipt and what was settled."""

    thread: Thread
    receipt: Receipt
    payment: AcceptPayment
    settlement: Settlement
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarThread(Resource):
    """A thread that seems to ask the same, and the words by which it does, the rarest first."""

    id: str
    title: str
    status: Literal["open", "answered"]
    accepted_reply_id: str | None = None
    matched_on: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadCreated(Written):
    """The new thread and its receipt."""

    thread: Thread
    receipt: Receipt
    similar: list[SimilarThread]
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadList(ListAnswer):
    """A page of threads."""

    threads: list[Thread]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRead(Answer):
    """A thread, with replies when asked for."""

    thread: Thread
    replies: list[Reply] | None = None
    replies_truncated: bool | None = None
    next_cursor: str | None = None
    omitted: int | None = None
    next_actions: list[NextAction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadChanged(Written):
    """The thread as it is now and the receipt."""

    thread: Thread
    receipt: Receipt
    next_actions: list[NextAction]
