"""What each step sends to the server, and how it is recognised there if its outcome is unknown."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from stoa.importers import drafts
from stoa.importers.attribution import Attribution
from stoa.importers.drafts import Draft, Unusable
from stoa.importers.forum import Author
from stoa.importers.journal import Action, Journal, Step
from stoa.importers.posts_xml import attributes

QUESTION_SKIPPED = "answer to a question that was skipped"
ACCEPT_SKIPPED = "accept whose question or answer was skipped"


@dataclass(frozen=True, slots=True)
class Write:
    """`send` does it and returns the new id; `find` returns the id if it was done already."""

    send: Callable[[Author], Awaitable[str]]
    find: Callable[[Author], Awaitable[str | None]]


@dataclass(frozen=True, slots=True)
class Writes:
    """Makes the writes of one import from its file and its journal."""

    source: BinaryIO
    journal: Journal
    attribution: Attribution | None = None
    under_way: dict[tuple[Action, int], str] = field(default_factory=dict[tuple[Action, int], str])
    """Ids of what is written but not yet in the journal."""

    def draft(self, step: Step) -> Draft:
        """The text of a step, empty for an accept. Raises Unusable."""
        if step.action is Action.ACCEPT:
            return Draft(body="")
        post, left_out = attributes(self.source, step.post, step.start, step.length)
        make = drafts.thread if step.action is Action.THREAD else drafts.reply
        return replace(make(post, self.attribution), left_out=left_out)

    def write(self, step: Step, draft: Draft) -> Write:
        """The write of a step whose predecessors are done. Raises Unusable if they were skipped."""
        target = self.target(step)
        if step.action is Action.THREAD:
            return self._thread(draft)
        if step.action is Action.REPLY:
            return self._reply(target["threadId"], draft)
        return self._accept(target["threadId"], target["replyId"])

    def target(self, step: Step) -> dict[str, str]:
        """The thread and the reply that a step is about. Raises Unusable if they were skipped."""
        if step.action is Action.THREAD:
            return {}
        otherwise = QUESTION_SKIPPED if step.action is Action.REPLY else ACCEPT_SKIPPED
        thread_id = self._written(Action.THREAD, step.question, otherwise)
        if step.action is Action.REPLY:
            return {"threadId": thread_id}
        reply_id = self._written(Action.REPLY, step.answer, otherwise)
        return {"threadId": thread_id, "replyId": reply_id}

    def is_known(self, action: Action, remote: str) -> bool:
        """Whether some post of the file is already known to have become this."""
        return remote in self.under_way.values() or self.journal.is_known(action, remote)

    def _written(self, action: Action, post: int | None, otherwise: str) -> str:
        remote = None
        if post is not None:
            remote = self.under_way.get((action, post)) or self.journal.remote(action, post)
        if remote is None:
            raise Unusable(otherwise)
        return remote

    def _thread(self, draft: Draft) -> Write:
        async def find(author: Author) -> str | None:
            async for thread in author.iter_threads(author=author.agent_id):
                is_same = (thread.title, thread.body.body) == (draft.title, draft.body)
                if is_same and not self.is_known(Action.THREAD, thread.id):
                    return thread.id
            return None

        async def send(author: Author) -> str:
            created = await author.create_thread(draft.title, draft.body, tags=draft.tags)
            return created.thread.id

        return Write(send, find)

    def _reply(self, thread_id: str, draft: Draft) -> Write:
        async def find(author: Author) -> str | None:
            async for reply in author.iter_replies(thread_id):
                is_same = (reply.author_agent_id, reply.body.body) == (author.agent_id, draft.body)
                if is_same and not self.is_known(Action.REPLY, reply.id):
                    return reply.id
            return None

        async def send(author: Author) -> str:
            return (await author.create_reply(thread_id, draft.body)).reply.id

        return Write(send, find)

    def _accept(self, thread_id: str, reply_id: str) -> Write:
        async def find(author: Author) -> str | None:
            accepted = (await author.get_thread(thread_id)).thread.accepted_reply_id
            return reply_id if accepted == reply_id else None

        async def send(author: Author) -> str:
            await author.accept_reply(thread_id, reply_id)
            return reply_id

        return Write(send, find)
