"""Plays the steps of an import through the API, several at a time, and keeps the order of posts.

However many steps run at a time, threads are created in the order of their times, and so are the
replies of each thread; an accept comes after its answer. Replies to different threads that run at
the same time may end in any order.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from stoa.client import Refused, StoaError
from stoa.importers import ImportStopped
from stoa.importers.drafts import PostDraft, Unusable
from stoa.importers.forum import AuthorClient, ForumServer, is_unsure
from stoa.importers.journal import ImportStep, StepAction
from stoa.importers.keyfile import AuthorKeyFile
from stoa.importers.summary import ImportSummary
from stoa.importers.writes import Writes


class Progress(Protocol):
    """Who is told how the import gets on."""

    def start(self, steps: int) -> None:
        """So many steps are to come."""
        ...

    def advance(self) -> None:
        """One more step is over, whatever came of it."""
        ...

    def say(self, line: str) -> None:
        """Something worth a line, such as a wait."""
        ...


Task = asyncio.Task[None]


@dataclass
class Player:
    """One import under way."""

    writes: Writes
    forum: ForumServer
    keys: AuthorKeyFile
    summary: ImportSummary
    progress: Progress
    _last_of: dict[int | None, Task] = field(default_factory=dict[int | None, Task])
    _last_thread: Task | None = None

    async def play(self, steps: Iterable[ImportStep], concurrency: int) -> None:
        """Play all steps. Raises ImportStopped, with everything acknowledged in the journal."""
        slots = asyncio.Semaphore(concurrency)
        try:
            async with asyncio.TaskGroup() as group:
                for step in steps:
                    await slots.acquire()
                    task = group.create_task(self._play(step, self._predecessors(step)))
                    task.add_done_callback(lambda _task: slots.release())
                    self._follow(step, task)
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    def _predecessors(self, step: ImportStep) -> list[Task]:
        before = [self._last_of.get(step.question)]
        if step.action is StepAction.THREAD:
            before.append(self._last_thread)
        return [task for task in before if task]

    def _follow(self, step: ImportStep, task: Task) -> None:
        """Let later steps of the thread wait for this one, and forget it once it is over."""
        self._last_of[step.question] = task
        if step.action is StepAction.THREAD:
            self._last_thread = task

        def forget(over: Task) -> None:
            if self._last_of.get(step.question) is over:
                del self._last_of[step.question]

        task.add_done_callback(forget)

    async def _play(self, step: ImportStep, before: list[Task]) -> None:
        try:
            await self._perform(step, before)
        except Unusable as unusable:
            self.summary.skip(str(unusable), step.post)
            # Who waits for this step counts on those before it, too.
            await _over(before)
        except Refused as refused:
            raise ImportStopped(f"{named(step)}: {refused}") from None
        self.progress.advance()

    async def _perform(self, step: ImportStep, before: list[Task]) -> None:
        # Text and sign-in need no order, so they come before the wait.
        draft = self.writes.draft(step)
        author = await self.forum.author(self.keys[step.author])
        await _over(before)
        try:
            remote, is_new = await self._once(step, draft, author)
        except Refused as refused:
            reason = self.writes.settled(step, refused.code)
            raise Unusable(reason) if reason else refused from None
        self.writes.journal.finish(step, remote)
        self.summary.count(step, draft, is_new=is_new)

    async def _once(
        self, step: ImportStep, draft: PostDraft, author: AuthorClient
    ) -> tuple[str, bool]:
        """Write exactly once: look first whenever an earlier attempt may have got through."""
        sent = False

        async def attempt() -> tuple[str, bool]:
            nonlocal sent
            if sent or step.in_doubt:
                found = await self.writes.find(step, draft, author)
                if found:
                    return found, sent
            try:
                return await self.writes.send(step, draft, author), True
            except StoaError as error:
                sent = sent or is_unsure(error)
                raise

        return await self.forum.patiently(named(step), attempt)


async def _over(tasks: list[Task]) -> None:
    if tasks:
        await asyncio.wait(tasks)


def named(step: ImportStep) -> str:
    """A step, for a person."""
    if step.action is StepAction.ACCEPT:
        return f"accept of answer {step.answer} to question {step.post}"
    return f"question {step.post}" if step.action is StepAction.THREAD else f"answer {step.post}"
