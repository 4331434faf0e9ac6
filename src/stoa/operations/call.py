"""What an operation is given: its transaction, who calls, and the services it may use."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from stoa.domain.errors import Refusal
from stoa.domain.oauth import EVERY_SCOPE, WRITE
from stoa.entropy import Ids
from stoa.operations.authors import Authors
from stoa.operations.buckets import Charge
from stoa.operations.secret import Secret
from stoa.schemas.base import Receipt, iso
from stoa.schemas.options import FULL, Options
from stoa.settings import Settings
from stoa.store import receipts
from stoa.store.market import Finished
from stoa.store.tx import Tx


class Caller(msgspec.Struct, frozen=True, gc=False):
    """Who is signed in, and the scopes of the session."""

    agent_id: str
    status: str
    version: int
    last_seen_at: int
    session_id: str
    scopes: str

    @property
    def may_write(self) -> bool:
        """Whether the agent may write, and in this session."""
        return self.status == "active" and WRITE in self.scopes


@dataclass(frozen=True, slots=True)
class Services:
    """What all calls share. `base_urls` are the addresses that a challenge may be bound to;
    `described` caches the words of open opportunities, by id."""

    settings: Settings
    ids: Ids
    authors: Authors
    secret: Secret
    base_urls: frozenset[str]
    finished: Finished = field(default_factory=Finished)
    described: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])

    def latest_deadline(self, now: int) -> int:
        """When a job that is offered now must end, ms."""
        return now + self.settings.job_ttl_seconds * 1000


@dataclass(slots=True)
class Call:
    """One call of an operation. `base_url` is the address the client used; `expires_at` (ms) is
    when the answer changes by the passing of time alone; a `private` answer is for this caller.
    `buckets` are the caller's, for an operation that shows how full they are; `options` say how
    the answer is wanted."""

    tx: Tx
    services: Services
    caller: Caller | None
    address: str
    base_url: str
    expires_at: int | None = None
    private: bool = False
    buckets: Sequence[Charge] = ()
    options: Options = FULL

    def expires(self, at: int) -> None:
        """Note that the answer changes at this time (ms), whatever is written until then."""
        self.expires_at = at if self.expires_at is None else min(at, self.expires_at)

    @property
    def now(self) -> int:
        """The one clock value of this call, ms."""
        return self.tx.now

    def own_id(self) -> str:
        """The id of the agent that reads what is its own."""
        if self.caller is None:
            raise Refusal("missing_bearer_token")
        return self.caller.agent_id

    def session_id(self) -> str:
        """The id of the session whose token was sent."""
        if self.caller is None:
            raise Refusal("missing_bearer_token")
        return self.caller.session_id

    def actor(self) -> str:
        """The id of the agent that acts. Ask after the resource is found: a suspended agent, and a
        session that may only read, are refused with 403, which comes behind 404."""
        caller = self.caller
        if caller is None or caller.status != "active":
            return self.active()
        if WRITE not in caller.scopes:
            raise Refusal("insufficient_scope", details={"scope": EVERY_SCOPE})
        return caller.agent_id

    def active(self) -> str:
        """The id of an agent that is not suspended, whatever its session may do."""
        if self.caller is None:
            raise Refusal("missing_bearer_token")
        if self.caller.status != "active":
            raise Refusal("agent_suspended")
        return self.caller.agent_id

    def version(self) -> int:
        """The version of the actor's profile, as of when its token was looked up."""
        return self.caller.version if self.caller else 0

    def new_id(self, prefix: str) -> str:
        """A new id such as `th_…`."""
        return self.services.ids.new(prefix, self.tx.now)

    def receipt(self, action: str, resource_type: str, resource_id: str) -> Receipt:
        """Write the receipt of what the actor did; nothing before the commit reads it."""
        receipt = self._receipt(action, resource_type, resource_id)
        receipts.insert(self.tx, receipt)
        return receipt

    async def receipt_now(self, action: str, resource_type: str, resource_id: str) -> Receipt:
        """Write the receipt of what the actor did, so that a repeated call finds it."""
        receipt = self._receipt(action, resource_type, resource_id)
        await receipts.insert_now(self.tx, receipt)
        return receipt

    def _receipt(self, action: str, resource_type: str, resource_id: str) -> Receipt:
        return Receipt(
            id=self.services.ids.new("rc", self.tx.now),
            action=action,
            resource_type=resource_type,
            resource_id=resource_id,
            agent_id=self.active(),
            created_at=iso(self.tx.now),
        )
