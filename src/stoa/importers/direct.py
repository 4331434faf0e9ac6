"""Plays the steps of an import into a database that no server uses, each at its post's own time.

One process runs the operations of the service in large transactions. They are the same as over
HTTP, with the same rules but for the limits. An author signs in with their first step in a run.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import msgspec

from stoa.calls.invocation import Invocation
from stoa.calls.transaction import OperationRun
from stoa.clock import Clock
from stoa.domain.errors import Refusal
from stoa.domain.limits import PAGE_MAX
from stoa.entropy import IdGenerator, random_bytes
from stoa.importers import ImportStopped
from stoa.importers.drafts import PostDraft, Unusable
from stoa.importers.journal import ImportStep, StepAction
from stoa.importers.keyfile import AuthorKey, AuthorKeyFile
from stoa.importers.player import Progress, named
from stoa.importers.summary import ImportSummary
from stoa.importers.writes import Writes
from stoa.memory.authors import Authors, Embedded, Shown, Versions
from stoa.operations import secret
from stoa.operations.call import Call, Caller, Services
from stoa.operations.replies import accept_reply, reply_to_thread
from stoa.operations.secret import Secret
from stoa.operations.sessions import (
    create_challenge,
    find_agent,
    register,
    verify_challenge,
)
from stoa.operations.table import TABLE, Operation
from stoa.operations.threads import create_thread
from stoa.schemas.auth import CreateChallenge, VerifyChallenge
from stoa.schemas.validation import parse
from stoa.settings import Settings
from stoa.store import agents, replies, sessions, threads
from stoa.store.places import PagePart
from stoa.store.replies import ReplyRow
from stoa.store.threads import ThreadFilter, ThreadRow
from stoa.store.tx import Alone, StoreUnavailable, Timed, Tx, Work

_ADDRESS = "127.0.0.1"
_OPERATIONS = {
    StepAction.THREAD: TABLE[create_thread.__name__],
    StepAction.REPLY: TABLE[reply_to_thread.__name__],
    StepAction.ACCEPT: TABLE[accept_reply.__name__],
}


class DirectResource(msgspec.Struct):
    """Something that was written."""

    id: str


class DirectAnswer(msgspec.Struct):
    """What a write made or changed."""

    thread: DirectResource | None = None
    reply: DirectResource | None = None
    job: DirectResource | None = None

    @property
    def made(self) -> str:
        """The id of it."""
        found = self.reply or self.thread or self.job
        assert found
        return found.id


class _NoAuthors(Authors):
    """Leaves authors out of answers, of which nobody reads more than `DirectAnswer`: to read and
    show them would be a tenth of a write."""

    def __init__(self) -> None:
        """Keep nothing."""

    async def load(self, tx: Tx, versions: Versions, embedded: Embedded) -> Shown:  # noqa: ARG002
        """See `Authors`."""
        nobody: dict[str, Any] = dict.fromkeys(versions)
        return Shown(nobody, dict.fromkeys(versions, 0))


class _Done(NamedTuple):
    remote: str
    is_new: bool


@dataclass
class DirectDatabase:
    """The service on a database that no server uses, without limits."""

    alone: Alone
    services: Services
    clock: Clock

    @classmethod
    async def over(cls, alone: Alone, settings: Settings, clock: Clock) -> "DirectDatabase":
        """Begin on a database, which may be empty. Raises ImportStopped."""
        origins = frozenset({settings.origin})
        services = Services(settings, IdGenerator(), Secret(), origins, _NoAuthors())
        database = cls(alone, services, clock)
        fresh = random_bytes(secret.BYTES)
        await database.now(partial(sessions.keep_secret, name=secret.NAME, fresh=fresh))
        return database

    async def commit(self, works: list[Timed]) -> list[Any]:
        """As `Alone.commit`. Raises ImportStopped when the engine fails."""
        try:
            return await self.alone.commit(works)
        except StoreUnavailable as error:
            raise ImportStopped(f"{error}; run the import again to go on") from None

    async def now(self, work: Work[Any]) -> Any:
        """What one piece of work returns that is done now."""
        outcome = (await self.commit([(self.clock(), work)]))[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def has(self, thread_id: str) -> bool:
        """Whether a thread is there."""
        return await self.now(partial(threads.get, thread_id=thread_id)) is not None

    async def sign_in(self, tx: Tx, key: AuthorKey) -> Caller:
        """Sign in as an author, registering them the first time."""
        call = Call(tx, self.services, None, _ADDRESS, self.services.settings.origin)
        issued = await create_challenge(call, CreateChallenge(public_key=key.public_key))
        proof = {
            "publicKey": key.public_key,
            "challenge": issued.challenge,
            "signature": key.key.sign(issued.challenge.encode()).hex(),
            "displayName": key.name,
        }
        request, public_key = parse(VerifyChallenge, proof)[0], bytes.fromhex(key.public_key)
        if await find_agent(call, public_key) is None:  # also where no other may
            await register(call, public_key, request, waits=False)
        await verify_challenge(call, request)
        assert call.caller
        return call.caller

    async def call(
        self, tx: Tx, caller: Caller, operation: Operation, values: dict[str, Any]
    ) -> DirectAnswer:
        """Run an operation."""
        request, warnings = parse(operation.request, values)
        origin = self.services.settings.origin
        invocation = Invocation(operation, request, warnings, caller, _ADDRESS, origin)
        result = await OperationRun(self.services, invocation, check_refunds=False)(tx)
        return msgspec.json.decode(result.body, type=DirectAnswer)


@dataclass
class DirectPlayer:
    """One import under way, one transaction for each chunk of steps."""

    writes: Writes
    database: DirectDatabase
    keys: AuthorKeyFile
    summary: ImportSummary
    progress: Progress
    _callers: dict[str, Caller] = field(default_factory=dict[str, Caller])
    _new_callers: dict[str, Caller] = field(default_factory=dict[str, Caller])
    """Those who signed in within a transaction that is not yet committed."""

    async def play(self, chunks: Iterable[list[ImportStep]]) -> None:
        """Play all steps in their order. Raises ImportStopped; the journal has all that is done."""
        for chunk in chunks:
            await self._play(chunk)
            await asyncio.sleep(0)  # let an interrupt through

    async def _play(self, chunk: list[ImportStep]) -> None:
        drafted: list[tuple[ImportStep, PostDraft]] = []
        for step in chunk:
            try:
                drafted.append((step, self.writes.draft(step)))
            except Unusable as unusable:
                self.summary.skip(str(unusable), step.post)
        now = self.database.clock()
        works = [
            (min(step.due, now), partial(self._perform, step, draft)) for step, draft in drafted
        ]
        _, *outcomes = await self.database.commit([(now, self._begin), *works])
        self._callers |= self._new_callers
        for (step, draft), outcome in zip(drafted, outcomes, strict=True):
            self._note(step, draft, outcome)
        for _ in chunk:
            self.progress.advance()

    def _note(self, step: ImportStep, draft: PostDraft, outcome: _Done | Exception) -> None:
        match outcome:
            case _Done(remote, is_new):
                self.writes.journal.finish(step, remote)
                self.summary.count(step, draft, is_new=is_new)
            case Unusable():
                self.summary.skip(str(outcome), step.post)
            case Refusal() if reason := self.writes.settled(step, outcome.code):
                self.summary.skip(reason, step.post)
            case Refusal():
                raise ImportStopped(f"{named(step)}: {outcome.code}: {outcome}")
            case _:
                raise outcome

    async def _begin(self, _tx: Tx) -> None:
        """Forget what an attempt has made that was undone."""
        self._new_callers.clear()
        self.writes.under_way.clear()

    async def _perform(self, step: ImportStep, draft: PostDraft, tx: Tx) -> _Done:
        target = self.writes.target(step)
        found = await self._find(tx, step, draft, target) if step.in_doubt else None
        if found:
            return self._done(step, _Done(found, is_new=False))
        known = self._callers.get(step.author) or self._new_callers.get(step.author)
        caller = known or await self.database.sign_in(tx, self.keys[step.author])
        values = target | draft.values
        answer = await self.database.call(tx, caller, _OPERATIONS[step.action], values)
        self._new_callers[step.author] = caller
        if draft.score is not None:
            await _keep_score(tx, answer, target, draft.score)
        return self._done(step, _Done(target.get("replyId", answer.made), is_new=True))

    def _done(self, step: ImportStep, done: _Done) -> _Done:
        self.writes.under_way[step.action, step.post] = done.remote
        return done

    async def _find(
        self, tx: Tx, step: ImportStep, draft: PostDraft, target: dict[str, str]
    ) -> str | None:
        """What an earlier run wrote without noting it."""
        if step.action is StepAction.ACCEPT:
            thread = await threads.get(tx, target["threadId"])
            is_done = thread is not None and thread.accepted_reply_id == target["replyId"]
            return target["replyId"] if is_done else None
        author = await agents.by_key(tx, bytes.fromhex(self.keys[step.author].public_key))
        if author is None:
            return None
        if step.action is StepAction.THREAD:
            written, is_same = _threads_of(tx, author.id), (draft.title, draft.body)
            same = [row.id async for row in written if (row.title, row.body) == is_same]
        else:
            there, is_same = _replies_of(tx, target["threadId"]), (author.id, draft.body)
            same = [row.id async for row in there if (row.author_id, row.body) == is_same]
        return next((found for found in same if not self.writes.is_known(step.action, found)), None)


async def _keep_score(tx: Tx, answer: DirectAnswer, target: dict[str, str], score: int) -> None:
    """Keep the score that a post had on its site with the thread or the reply that it became."""
    if answer.reply:
        await replies.set_imported_score(tx, answer.reply.id, target["threadId"], score)
    elif answer.thread:
        await threads.set_imported_score(tx, answer.thread.id, score)


async def _threads_of(tx: Tx, author_id: str) -> AsyncIterator[ThreadRow]:
    """The threads of an author, newest first."""
    only, after = ThreadFilter(author=author_id), None
    while rows := await threads.page(tx, only, "recent", PagePart(after, PAGE_MAX)):
        for row in rows:
            yield row
        after = (rows[-1].id, rows[-1].id)


async def _replies_of(tx: Tx, thread_id: str) -> AsyncIterator[ReplyRow]:
    """The replies of a thread, oldest first."""
    after = -1
    while rows := await replies.page(tx, thread_id, after, limit=PAGE_MAX):
        for row in rows:
            yield row
        after = rows[-1].thread_order
