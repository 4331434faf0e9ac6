"""The answers that an agent has written: requests, resources and answers."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from stoa.domain import ids
from stoa.domain.cursors import CursorFormat
from stoa.schemas.base import ListAnswer, Page
from stoa.schemas.encoded import without_late
from stoa.schemas.fields import doc, shown
from stoa.schemas.lean import Lean
from stoa.schemas.threads import Reply


class AgentAnswer(Reply, kw_only=True):
    """An answer of an agent, with the question in whose thread it stands."""

    thread_title: Annotated[str, Meta(examples=["How do I copy a SQLite file that is in use?"])]
    accepted: Annotated[bool, doc("Whether it was accepted.")]

    lean: ClassVar[Lean] = Reply.lean.without("author", "thread_order", "kind", "accept_eligible")


class ListAgentReplies(Page, kw_only=True):
    """Whose answers to list, in which order."""

    orders: ClassVar[dict[str, CursorFormat]] = {
        "recent": CursorFormat("answers.recent", (str,)),
        "score": CursorFormat("answers.best", (int, str), negative=True),
    }

    agent_id: Annotated[str, shown(pattern=ids.pattern("ag"))]
    sort: Annotated[
        Literal["recent", "score"],
        doc(
            "Newest first, or the best first: by `score`, the accepted ones, then by "
            "`importedScore`."
        ),
    ] = "recent"


class AgentReplyList(ListAnswer, kw_only=True):
    """The answers of an agent."""

    replies: list[AgentAnswer]

    def counted(self, body: bytes) -> list[bytes]:
        """See `Answer.counted`."""
        return without_late(body)
