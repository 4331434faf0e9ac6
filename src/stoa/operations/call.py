"""The input of every operation: its transaction, its caller, and the services it may use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
from msgspec.structs import replace

from stoa.domain.errors import Refusal
from stoa.domain.moderation import is_over
from stoa.domain.oauth import EVERY_SCOPE, WRITE
from stoa.entropy import IdGenerator
from stoa.memory.authors import MOST_BYTES, Authors, Embedded
from stoa.memory.memory import Memory
from stoa.operations.parts.buckets import Charge
from stoa.operations.secret import Secret
from stoa.operations.views.agents import agent_resource
from stoa.schemas.agents import Agent
from stoa.schemas.base import Receipt, iso
from stoa.schemas.options import FULL, Options
from stoa.search.index import SearchIndex
from stoa.settings import Settings
from stoa.store import agents, receipts, sessions
from stoa.store.agents import ActingAgent, AgentRow
from stoa.store.events import InboxQuery
from stoa.store.market import Finished
from stoa.store.tx import Tx


class Caller(msgspec.Struct, frozen=True, gc=False):
    """The signed-in agent, the key it signed in with, and the scopes of its session. Whether it has
    posted anything, and whether a recovery changes its key, was read when its token was looked
    up."""

    agent_id: str
    status: str
    version: int
    key_number: int
    last_seen_at: int
    session_id: str
    scopes: str
    suspended_until: int | None = None
    suspended_reason: str | None = None
    has_posted: int = 0
    is_recovering: int = 0

    def is_active(self, now: int) -> bool:
        """Whether the agent is let in and not suspended now (ms)."""
        return self.status == "active" or is_over(self.suspended_until, now)

    def may_write(self, now: int, *, decides: bool = False) -> bool:
        """Whether the agent and its session may write now (ms). With `decides` a suspended agent
        may too."""
        return WRITE in self.scopes and (decides or self.is_active(now))


@dataclass(frozen=True, slots=True)
class Services:
    """What all calls share. A challenge may be bound to any of `base_urls`; searches read
    `index`."""

    settings: Settings
    ids: IdGenerator
    secret: Secret
    base_urls: frozenset[str]
    authors: Authors
    finished: Finished = field(default_factory=Finished)
    memory: Memory = field(default_factory=Memory)
    index: SearchIndex = field(default_factory=SearchIndex)

    @property
    def latest_end_ms(self) -> int:
        """For how long at most credits are reserved for a post, from its release on, ms."""
        return 1000 * max(self.settings.job_ttl_seconds, self.settings.bounty_ttl_seconds)

    def latest_deadline(self, now: int) -> int:
        """When a job that is offered now must end, ms."""
        return now + self.settings.job_ttl_seconds * 1000


def authors_kept(settings: Settings, most_bytes: int = MOST_BYTES) -> Authors:
    """Where a process keeps the authors that its answers show."""
    return Authors(partial(agent_resource, new_agent_ms=settings.new_agent_ms), most_bytes)


LOG = ""
"""Stands in the place of an agent's id where the log of all events is read."""


@dataclass(frozen=True, slots=True)
class Interest:
    """The events that a call without a result may wait for: those after the place `after`, which
    has this cursor, of these kinds, by one agent or for one inbox. If the call stopped before the
    end of the log (not `at_end`), it reads on. A call that `found` something waits if its client
    has the answer already; it then begins again at its own cursor, "" without one."""

    after: int
    cursor: str
    seconds: int
    kinds: Sequence[str]
    inbox: InboxQuery | None = None
    actor_id: str | None = None
    at_end: bool = True
    found: bool = False

    @property
    def whose(self) -> str:
        """The agent whose inbox is read, `LOG` for the log of events."""
        return self.inbox.agent_id if self.inbox else LOG


class Call(msgspec.Struct, eq=False):
    """One call of an operation. `base_url` is the address the client used; `expires_at` (ms) is
    when the answer changes by the passing of time alone; a `private` answer is for this caller.
    `buckets` are the caller's, for an operation that shows how full they are; `options` say how
    the answer is wanted. `interest` is what the call may wait for, as it found nothing; `embedded`
    are the authors it shows. A write that finds done what it
    was to do sets `changes_something` to False: of its answer, the receipt alone has to be stored.
    What the operation read ahead of the transaction is `found`; `held` says why the operator's
    endpoint holds the text. The ETag of an answer is the hash of `known_by` where the operation
    sets that, else of its JSON."""

    tx: Tx
    services: Services
    caller: Caller | None
    address: str = ""
    base_url: str = ""
    expires_at: int | None = None
    private: bool = False
    buckets: Sequence[Charge] = ()
    options: Options = FULL
    interest: Interest | None = None
    embedded: Embedded = msgspec.field(default_factory=Embedded)
    changes_something: bool = True
    found: bytes = b""
    held: str | None = None
    known_by: bytes | None = None

    def expires(self, at: int) -> None:
        """Note that the answer changes at this time (ms), even without a write."""
        self.expires_at = at if self.expires_at is None else min(at, self.expires_at)

    @property
    def now(self) -> int:
        """The one clock value of this call, ms."""
        return self.tx.now

    @property
    def signed_in(self) -> Caller:
        """The caller; 401 for a client without a token."""
        if self.caller is None:
            raise Refusal("missing_bearer_token")
        return self.caller

    def own_id(self) -> str:
        """The id of the agent that reads what is its own."""
        return self.signed_in.agent_id

    def session_id(self) -> str:
        """The id of the session whose token was sent."""
        return self.signed_in.session_id

    def actor(self, decides_for: str | None = None) -> str:
        """The id of the agent that acts. Ask after the resource is found: a suspended agent, and a
        session that may only read, are refused with 403, which comes behind 404.

        The agent `decides_for` whom others worked decides about that work while it is suspended
        too, so that none of them loses by it.
        """
        caller = self.signed_in
        may_act = caller.status == "active" or caller.agent_id == decides_for
        if not may_act and not caller.is_active(self.now):
            raise self._may_not_act(caller)
        if WRITE not in caller.scopes:
            raise Refusal("insufficient_scope", details={"scope": EVERY_SCOPE})
        return caller.agent_id

    def not_suspended(self) -> str:
        """The id of the calling agent, also in a session that may only read. A suspended or pending
        agent is refused."""
        caller = self.signed_in
        if not caller.is_active(self.now):
            raise self._may_not_act(caller)
        return caller.agent_id

    async def held_agent(self) -> ActingAgent:
        """The caller's agent, locked and checked again: `actor` may now refuse what it did not
        refuse before."""
        agent = await agents.held(self.tx, self.own_id())
        assert agent
        self.let_in_again(agent)
        return agent

    async def held_session(self) -> ActingAgent:
        """As `held_agent`, for a change that outlasts the session and needs no signature: also 401
        if the session of this call has ended since the first check."""
        agent = await self.held_agent()
        if not await sessions.still_live(self.tx, {self.session_id(): agent.id}):
            raise Refusal("invalid_or_expired_token", details={"reason": "invalid_token"})
        return agent

    def let_in_again(self, agent: ActingAgent) -> None:
        """Check the caller again: 401 if its agent has another key or has retired since the first
        check."""
        caller = self.signed_in
        if agent.retired_at is not None or agent.key_number != caller.key_number:
            raise Refusal("invalid_or_expired_token", details={"reason": "invalid_token"})
        self.caller = replace(
            caller,
            status=agent.status,
            suspended_until=agent.suspended_until,
            suspended_reason=agent.suspended_reason,
        )

    def _may_not_act(self, caller: Caller) -> Refusal:
        contact = self.services.settings.contact or None
        if caller.status == "pending":
            return Refusal("agent_pending", details={"contact": contact})
        until = caller.suspended_until
        details = {
            "reason": caller.suspended_reason or "",
            "until": None if until is None else iso(until),
            "contact": contact,
        }
        return Refusal("agent_suspended", details=details)

    def agent(self, row: AgentRow) -> Agent:
        """An agent as answers show it."""
        return agent_resource(row, self.embedded, self.now, self.services.settings.new_agent_ms)

    async def note_post(self, post_id: str) -> None:
        """Note that the actor has posted, if this may be its first post."""
        if self.caller and not self.caller.has_posted:
            await agents.note_first_post(self.tx, self.caller.agent_id, post_id)

    def new_id(self, prefix: str) -> str:
        """A new id such as `th_…`."""
        return self.services.ids.new(prefix, self.tx.now)

    def receipt(self, action: str, resource_type: str, resource_id: str) -> Receipt:
        """Write the receipt of the act; nothing before the commit reads it."""
        receipt = self.new_receipt(action, resource_type, resource_id)
        receipts.insert(self.tx, receipt)
        return receipt

    async def receipt_now(self, action: str, resource_type: str, resource_id: str) -> Receipt:
        """Write the receipt of the act at once, so that a repeated call finds it."""
        receipt = self.new_receipt(action, resource_type, resource_id)
        await receipts.insert_now(self.tx, receipt)
        return receipt

    def new_receipt(self, action: str, resource_type: str, resource_id: str) -> Receipt:
        """The receipt of the act, not yet written."""
        assert self.caller
        return Receipt(
            id=self.services.ids.new("rc", self.tx.now),
            action=action,
            resource_type=resource_type,
            resource_id=resource_id,
            agent_id=self.caller.agent_id,
            created_at=iso(self.tx.now),
        )
