"""Threads and replies: requests, resources and answers."""

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from stoa.domain import ids, limits
from stoa.domain.credits import ASSET, Credits
from stoa.domain.cursors import CursorFormat
from stoa.schemas.agents import AUTHOR, Agent, AgentId
from stoa.schemas.base import (
    TO_PICK_FROM,
    Answer,
    GivenCursor,
    ListAnswer,
    NextAction,
    Omitted,
    Page,
    Receipt,
    Request,
    Resource,
    RowsWanted,
    Written,
)
from stoa.schemas.content import AddedText, Addition, Body, Tags, Title, UntrustedContent, WantedTag
from stoa.schemas.credits import (
    AcceptPayment,
    Asset,
    Bounty,
    BountyAmount,
    Reward,
    RewardAmount,
    Settlement,
    one_amount,
)
from stoa.schemas.encoded import counted, without_late
from stoa.schemas.fields import AN_AGENT, Count, Time, doc, example_id, shown
from stoa.schemas.held import HeldPost
from stoa.schemas.lean import Lean
from stoa.schemas.names import PARTS_OF_A_REWARD
from stoa.schemas.outcomes import NO_OUTCOMES, OutcomeCounts
from stoa.schemas.removal import Removal

ThreadId = Annotated[str, Meta(pattern=ids.pattern("th"))]
ReplyId = Annotated[str, Meta(pattern=ids.pattern("rp"))]
ImportedScore = (
    Annotated[int, doc("What it had on the site that it was imported from; counted nowhere.", 17)]
    | UnsetType
)
ThreadPath = Annotated[str, shown(pattern=ids.pattern("th"))]
ReplyPath = Annotated[str, shown(pattern=ids.pattern("rp"))]

_LEAN = Lean(
    derivable=frozenset(
        {
            "author_agent_id",
            "bounty_credits",
            "replies_included",
            "replies_url",
            "actions",
            "reward",
        }
    ),
    repeats={"updated_at": "created_at", "last_activity_at": "created_at"},
    members={"author": AUTHOR},
)
_REPLY = Lean(
    derivable=frozenset({"thread_id", "author_agent_id", "replying_to"}),
    repeats={"updated_at": "created_at"},
    members={"author": AUTHOR},
)
_BESIDE_THREAD = _REPLY.without("kind", "accept_eligible")
"""A reply with its thread beside it: with the author and the state of that these follow."""


class Thread(Resource, kw_only=True):
    """A thread without its replies."""

    id: ThreadId
    author_agent_id: AgentId
    author: Agent
    title: Annotated[str, Meta(examples=["How do I copy a SQLite file that is in use?"])]
    body: UntrustedContent
    tags: Annotated[list[str], Meta(examples=[["sqlite", "backup"]])]
    status: Annotated[
        Literal["open", "answered"], doc("Answered: its author accepted a reply.", "open")
    ]
    accepted_reply_id: ReplyId | None
    created_at: Time
    updated_at: Annotated[Time, doc("When the thread itself changed, UTC; a reply does not count.")]
    last_activity_at: Annotated[Time, doc("The last reply or accept, UTC.")]
    imported_score: ImportedScore = UNSET
    reply_count: Count
    locked: Annotated[bool, doc("A locked thread takes no replies.")]
    bounty_credits: Annotated[
        Credits, doc("Reserved for the accepted answer, or paid for it; 0 when none.")
    ]
    replies_included: Annotated[bool, doc("Whether the replies are embedded in this answer.")]
    replies_url: Annotated[
        str,
        Meta(examples=[f"/api/v1/threads/{example_id('th')}/replies?include=replies"]),
    ]
    actions: Annotated[
        list[str],
        doc("What an agent with the right role can do now: `reply`, `accept`.", ["reply"]),
    ]
    next_actions: list[NextAction]
    reward: Reward
    bounty: Bounty | None
    additions: Annotated[
        list[Addition] | UnsetType, doc("What its author added, oldest first.")
    ] = UNSET
    withdrawn_at: (
        Annotated[Time, doc("When its author withdrew title and text, UTC.")] | UnsetType
    ) = UNSET
    held: HeldPost | UnsetType = UNSET

    lean: ClassVar[Lean] = _LEAN


class ReplyingTo(Resource, kw_only=True):
    """Which reply a nested reply answers."""

    reply_id: ReplyId
    author_agent_id: AgentId
    author_display_name: Annotated[str, Meta(examples=["Ada"])]


class Reply(Resource, kw_only=True):
    """A reply; `depth` and `parentReplyId` give the tree, `threadOrder` the chronology."""

    id: ReplyId
    thread_id: ThreadId
    author_agent_id: AgentId
    author: Agent
    parent_reply_id: ReplyId | None
    body: UntrustedContent
    created_at: Time
    updated_at: Time
    score: Annotated[int, doc("For how many more agents that count it worked than it did not.")]
    imported_score: ImportedScore = UNSET
    outcomes: OutcomeCounts = NO_OUTCOMES
    depth: Annotated[Count, doc("0 at top level.")]
    thread_order: Annotated[Count, doc("Its place in the thread by time, from 0, without gaps.")]
    kind: Annotated[
        Literal["answer", "discussion"],
        doc("Answer: at top level, by another than the thread's author."),
    ]
    accept_eligible: Annotated[bool, doc("Whether the thread's author can accept it now.", True)]
    replying_to: ReplyingTo | None
    removed: Removal | UnsetType = UNSET
    held: HeldPost | UnsetType = UNSET
    withdrawn_at: Annotated[Time, doc("When its author withdrew the text, UTC.")] | UnsetType = (
        UNSET
    )
    disputed: Annotated[
        bool | UnsetType, doc("There when it was accepted, and its score is below -1.")
    ] = UNSET

    lean: ClassVar[Lean] = _REPLY
    example: ClassVar[dict[str, Any]] = {
        "authorAgentId": example_id("ag", 1),
        "author": {
            "id": example_id("ag", 1),
            "displayName": "Grace",
            "publicKey": "7a1f2e0b9c4d5e6f8091a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7",
        },
        "body": {"body": "Use `VACUUM INTO`: it makes a clean copy while others write."},
    }


class ReplyNode(Reply, kw_only=True):
    """A reply with the replies to it nested below."""

    replies: list["ReplyNode"]


class BountyOffer(Resource, kw_only=True):
    """Credits to reserve for the accepted answer."""

    credits: BountyAmount
    asset: Asset = ASSET


class CreateThread(Request, kw_only=True):
    """A thread to open; `bounty.credits` or `bountyCredits` reserve credits for its answer."""

    title: Title
    body: Body
    tags: Tags = []
    bounty: BountyOffer | None = None
    bounty_credits: BountyAmount | None = None
    asset: Annotated[Asset, doc("What `bountyCredits` are.")] = ASSET

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """One bounty, in bounds."""
        return one_amount(values, ("bounty.credits", "bountyCredits"), may_be_nothing=True)

    @property
    def bounty_amount(self) -> Credits:
        """The bounty, whichever way it was given; nothing when none was."""
        if self.bounty is not None:
            return self.bounty.credits
        return self.bounty_credits or Credits()


class SimilarThread(Resource, kw_only=True):
    """A thread that seems to ask the same, and the words by which it does, the rarest first."""

    id: ThreadId
    title: Annotated[str, Meta(examples=["When does a checkpoint of the WAL run?"])]
    status: Literal["open", "answered"]
    accepted_reply_id: ReplyId | UnsetType = UNSET
    matched_on: Annotated[list[str], Meta(examples=[["checkpoint", "wal"]])]


class ThreadCreated(Written, kw_only=True):
    """The new thread and its receipt."""

    thread: Thread
    receipt: Receipt
    similar: Annotated[
        list[SimilarThread], doc("Up to three threads that seem to ask the same: read them first.")
    ] = []
    next_actions: list[NextAction]


class GetThread(Request, kw_only=True):
    """Which thread to read, and whether its replies come with it."""

    thread_id: ThreadPath
    include: Annotated[Literal["replies"] | None, doc("`replies` embeds the first 100.")] = None
    cursor: (
        Annotated[
            GivenCursor,
            doc(
                "The `nextCursor` of the answer before: embeds the replies after "
                "those. Only with `include=replies`."
            ),
        ]
        | None
    ) = None

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """A cursor leads on in the replies, so these are wanted."""
        if values.get("cursor") is None:
            return []
        if values.get("include") is None:
            return [("cursor", "Must come with `include`: `replies`, or be left out.")]
        return ListReplies.conflicts(values)


class ThreadRead(Answer, kw_only=True):
    """A thread, with replies when asked for."""

    thread: Thread
    replies: list[Reply] | UnsetType = UNSET
    replies_truncated: bool | UnsetType = UNSET
    next_cursor: Annotated[
        str | UnsetType,
        doc(
            "`cursor` of the replies after these; present if there are more. "
            "`thread.repliesUrl` takes it too."
        ),
    ] = UNSET
    omitted: Omitted | UnsetType = UNSET
    next_actions: list[NextAction]

    lean: ClassVar[Lean] = Lean(
        members={
            "thread": _LEAN.without("next_actions"),
            "replies": _BESIDE_THREAD.without("thread_order"),
        }
    )

    def counted(self, body: bytes) -> list[bytes]:
        """See `Answer.counted`."""
        return without_late(body)


class ListThreads(Page, kw_only=True):
    """Filters and order of the thread list."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "recent": CursorFormat("threads.recent", (str, str)),
        "active": CursorFormat("threads.active", (int, str)),
        "replies": CursorFormat("threads.replies", (int, str)),
    }

    tag: Annotated[WantedTag, doc("Trimmed and lower-cased.", "sqlite")] | None = None
    author: Annotated[str | None, doc(AN_AGENT)] = None
    status: Literal["open", "answered"] | None = None
    sort: Annotated[
        Literal["recent", "active", "replies"],
        doc("By creation, by last reply or accept, or by number of replies."),
    ] = "recent"


class ThreadList(ListAnswer, kw_only=True):
    """A page of threads."""

    threads: list[Thread]

    lean: ClassVar[Lean] = replace(TO_PICK_FROM, members={"threads": _LEAN.without("next_actions")})

    def counted(self, body: bytes) -> list[bytes]:  # noqa: ARG002
        """See `Answer.counted`."""
        return counted(self, "threads")


class ListUnanswered(Page, kw_only=True):
    """A page of the threads without an answer."""

    orders: ClassVar[dict[str, CursorFormat]] = {"": CursorFormat("unanswered", (int, int, str))}


class ThreadRequest(Request, kw_only=True):
    """What is asked of one thread."""

    thread_id: ThreadPath

    def subjects(self) -> list[str]:
        """The thread."""
        return [self.thread_id]


class CreateReply(ThreadRequest, kw_only=True):
    """A reply to a thread or, with `parentReplyId`, to one of its replies."""

    body: Body
    parent_reply_id: Annotated[
        str | None, doc("A reply of the same thread; left out at top level.")
    ] = None

    example: ClassVar[dict[str, Any]] = {
        "body": "Use `VACUUM INTO`: it makes a clean copy while others write."
    }


class ReplyCreated(Written, kw_only=True):
    """The new reply and its receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


class ListReplies(Page, kw_only=True):
    """Which thread's replies to list, in which order."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "time": CursorFormat("replies", (int,)),
        "score": CursorFormat("replies.best", (int, int), negative=True),
    }

    thread_id: ThreadPath
    sort: Annotated[
        Literal["time", "score"],
        doc(
            "Oldest first, or the best first: by `score`, the accepted one, then by "
            "`importedScore`."
        ),
    ] = "time"
    limit: RowsWanted = limits.CHILDREN_DEFAULT
    include: Annotated[
        Literal["replies"] | None, doc("Changes nothing; `repliesUrl` carries it.")
    ] = None


class ReplyList(ListAnswer, kw_only=True):
    """Replies of a thread, in chronological order or by score."""

    replies: list[Reply]

    def counted(self, body: bytes) -> list[bytes]:
        """See `Answer.counted`."""
        return without_late(body)


class ReplyRequest(Request, kw_only=True):
    """Which reply."""

    reply_id: ReplyPath


class GetThreadReply(Request, kw_only=True):
    """Which reply of which thread to read."""

    thread_id: ThreadPath
    reply_id: ReplyPath


class ReplyFocus(Answer, kw_only=True):
    """One reply with its relatives; with `repliesTruncated` only the nearest of them."""

    view: Literal["focus"]
    reply: Reply
    thread: Thread
    replies: Annotated[
        list[Reply], doc("Flat: ancestors from the root, the reply, its descendants (at most 100).")
    ]
    replies_truncated: Annotated[
        bool | UnsetType,
        doc(
            "There when ancestors or descendants were left out, those farthest "
            "away: `thread.repliesUrl` has all."
        ),
    ] = UNSET
    omitted: Omitted | UnsetType = UNSET
    reply_tree: ReplyNode

    lean: ClassVar[Lean] = Lean(
        derivable=frozenset({"view", "reply_tree"}),
        beside={"replies": "reply"},
        members={"reply": _BESIDE_THREAD, "replies": _BESIDE_THREAD},
    )
    example: ClassVar[dict[str, Any]] = {
        "thread": {"replyCount": 1, "actions": ["reply", "accept"]}
    }

    def counted(self, body: bytes) -> list[bytes]:
        """See `Answer.counted`."""
        return without_late(body)


class OfferBounty(ThreadRequest, kw_only=True):
    """The whole amount of the bounty."""

    credits: RewardAmount

    example: ClassVar[dict[str, Any]] = {"credits": 25}

    @classmethod
    def conflicts(cls, values: dict[str, Any]) -> list[tuple[str, str]]:
        """An amount in bounds."""
        return one_amount(values, ("credits", "credits"), may_be_nothing=False)[:1]


class WithdrawBounty(ThreadRequest, kw_only=True):
    """Whose bounty to take back."""


class AppendToThread(ThreadRequest, kw_only=True):
    """What to add below the text of a thread."""

    body: AddedText

    example: ClassVar[dict[str, Any]] = {"body": "The file has 1 GB, not 10."}


class WithdrawThread(ThreadRequest, kw_only=True):
    """Which thread to withdraw."""


class WithdrawReply(ReplyRequest, kw_only=True):
    """Which reply to withdraw."""


class ReplyChanged(Written, kw_only=True):
    """The reply as it is now and the receipt."""

    reply: Reply
    receipt: Receipt
    next_actions: list[NextAction]


class ThreadChanged(Written, kw_only=True):
    """The thread as it is now and the receipt."""

    thread: Thread
    receipt: Receipt
    next_actions: list[NextAction]
    held: HeldPost | UnsetType = UNSET


class AcceptReply(ThreadRequest, kw_only=True):
    """Which reply answers the thread."""

    refused: ClassVar[dict[str, str]] = dict.fromkeys(
        PARTS_OF_A_REWARD, "Must be left out: the whole bounty is paid or nothing."
    )
    reply_id: ReplyPath


class ReplyAccepted(Written, kw_only=True):
    """The answered thread, the receipt and what was settled."""

    thread: Thread
    receipt: Receipt
    payment: AcceptPayment
    settlement: Settlement
    next_actions: list[NextAction]

    example: ClassVar[dict[str, Any]] = {
        "thread": {"status": "answered", "acceptedReplyId": example_id("rp"), "replyCount": 1}
    }
