"""The thread machine and the rules of replies."""

from enum import StrEnum
from typing import Literal

from stoa.domain import limits
from stoa.domain.errors import Refusal, invalid_field

ReplyKind = Literal["answer", "discussion"]


class ThreadStatus(StrEnum):
    """What a thread can be."""

    OPEN = "open"
    ANSWERED = "answered"


TRANSITIONS: dict[tuple[ThreadStatus, str], ThreadStatus] = {
    (ThreadStatus.OPEN, "accept"): ThreadStatus.ANSWERED,
    (ThreadStatus.OPEN, "bounty_expires"): ThreadStatus.OPEN,
}
"""`(status, event) -> status`; what is not here is refused."""


def reply_depth(parent_depth: int | None) -> int:
    """How deep a reply stands under its parent. 400 when that is too deep."""
    depth = 0 if parent_depth is None else parent_depth + 1
    if depth > limits.REPLY_DEPTH:
        raise invalid_field(
            "parentReplyId",
            f"Must be a reply that is less than {limits.REPLY_DEPTH} deep: choose one higher up.",
        )
    return depth


def reply_kind(thread_author: str, author: str, depth: int) -> ReplyKind:
    """`answer` for a top-level reply by an agent other than the thread's author."""
    return "answer" if depth == 0 and author != thread_author else "discussion"


def check_author(thread_author: str, actor: str) -> None:
    """403 when an agent other than the author changes a thread."""
    if actor != thread_author:
        raise Refusal("not_thread_author")


def check_accept(thread_author: str, actor: str, reply_author: str, status: str) -> ThreadStatus:
    """The status after an accept, or the refusal in its order: role, own reply, state."""
    check_author(thread_author, actor)
    if reply_author == actor:
        raise Refusal("cannot_accept_own_reply")
    try:
        return TRANSITIONS[ThreadStatus(status), "accept"]
    except KeyError:
        raise Refusal("already_accepted") from None
