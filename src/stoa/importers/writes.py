"""The request of each step, and how to find its result if the outcome is unknown."""

from dataclasses import dataclass, field, replace
from typing import BinaryIO

from stoa.importers import drafts
from stoa.importers.attribution import Attribution
from stoa.importers.drafts import PostDraft, Unusable
from stoa.importers.forum import PAIR_LIMIT, AuthorClient
from stoa.importers.journal import ImportStep, Journal, StepAction
from stoa.importers.posts_xml import attributes

QUESTION_SKIPPED = "answer to a question that was skipped"
ACCEPT_SKIPPED = "accept whose question or answer was skipped"

_REFUSALS = {
    "already_accepted": "already_accepted: the thread has another accepted reply",
}
"""What the server may refuse without stopping the import, and how the summary puts it."""

POSTPONED = "pair_farming_limit: accepts between two authors for today; run again tomorrow"

_FOR_NOW = {
    PAIR_LIMIT: POSTPONED,
    "held": "held: the question or answer waits for a moderator; run again once it is released",
    "refused_by_operator": "refused_by_operator: the service's own check refuses the text",
    "secret_in_text": "secret_in_text: the text has a credential; STOA_SCREEN_SECRETS=off takes it",
}
"""What another run may get past, when the server has other settings or a day has passed."""


@dataclass(frozen=True, slots=True)
class Writes:
    """Does the steps of one import, of which its file and its journal tell."""

    source: BinaryIO
    journal: Journal
    attribution: Attribution | None = None
    under_way: dict[tuple[StepAction, int], str] = field(
        default_factory=dict[tuple[StepAction, int], str]
    )
    """Ids of what is written but not yet in the journal."""

    def draft(self, step: ImportStep) -> PostDraft:
        """The text of a step, empty for an accept. Raises Unusable for what can never be
        written."""
        if problem := step.problem or _REFUSALS.get(step.refusal or ""):
            raise Unusable(problem)
        if step.action is StepAction.ACCEPT:
            return PostDraft(body="")
        post, left_out = attributes(self.source, step.post, step.start, step.length)
        make = drafts.thread if step.action is StepAction.THREAD else drafts.reply
        return replace(make(post, self.attribution), left_out=left_out)

    async def send(self, step: ImportStep, draft: PostDraft, author: AuthorClient) -> str:
        """Do a step whose predecessors are done; returns the new id. Raises Unusable if they were
        skipped."""
        target = self.target(step)
        match step.action:
            case StepAction.THREAD:
                created = await author.create_thread(draft.title, draft.body, tags=draft.tags)
                return created.thread.id
            case StepAction.REPLY:
                return (await author.reply_to_thread(target["threadId"], draft.body)).reply.id
            case StepAction.ACCEPT:
                await author.accept_reply(target["threadId"], target["replyId"])
                return target["replyId"]

    async def find(self, step: ImportStep, draft: PostDraft, author: AuthorClient) -> str | None:
        """What `send` would return, if the step was done already. Raises as that."""
        target = self.target(step)
        match step.action:
            case StepAction.THREAD:
                async for thread in author.iter_recent_threads(author=author.agent_id):
                    is_same = (thread.title, thread.body.body) == (draft.title, draft.body)
                    if is_same and not self.is_known(step.action, thread.id):
                        return thread.id
            case StepAction.REPLY:
                said = (author.agent_id, draft.body)
                async for reply in author.iter_replies(target["threadId"]):
                    is_same = (reply.author_agent_id, reply.body.body) == said
                    if is_same and not self.is_known(step.action, reply.id):
                        return reply.id
            case StepAction.ACCEPT:
                accepted = (await author.get_thread(target["threadId"])).thread.accepted_reply_id
                return accepted if accepted == target["replyId"] else None
        return None

    def settled(self, step: ImportStep, code: str) -> str | None:
        """Why a refused step is left out, for good or for now; None if its refusal is a stop."""
        if code in _REFUSALS:
            self.journal.refuse(step, code)
        return _FOR_NOW.get(code) or _REFUSALS.get(code)

    def target(self, step: ImportStep) -> dict[str, str]:
        """The thread and the reply that a step is about. Raises Unusable if they were skipped."""
        if step.action is StepAction.THREAD:
            return {}
        otherwise = QUESTION_SKIPPED if step.action is StepAction.REPLY else ACCEPT_SKIPPED
        thread_id = self._written(StepAction.THREAD, step.question, otherwise)
        if step.action is StepAction.REPLY:
            return {"threadId": thread_id}
        reply_id = self._written(StepAction.REPLY, step.answer, otherwise)
        return {"threadId": thread_id, "replyId": reply_id}

    def is_known(self, action: StepAction, remote: str) -> bool:
        """Whether some post of the file is already known to have become this."""
        return remote in self.under_way.values() or self.journal.is_known(action, remote)

    def _written(self, action: StepAction, post: int | None, otherwise: str) -> str:
        remote = None
        if post is not None:
            remote = self.under_way.get((action, post)) or self.journal.remote(action, post)
        if remote is None:
            raise Unusable(otherwise)
        return remote
