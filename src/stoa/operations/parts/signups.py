"""Registers a new key as the operator has decided: any, with an invite, with some work, once it is
approved, or none."""

from stoa.domain import credits
from stoa.domain import signups as rules
from stoa.domain.credits import Credits
from stoa.domain.digests import digest_of
from stoa.domain.errors import Refusal
from stoa.domain.events import EventKind
from stoa.domain.signups import Admission
from stoa.operations.call import Services
from stoa.operations.parts import event_log
from stoa.settings import Settings
from stoa.store import agents, invites, ledger, sessions
from stoa.store.tx import Tx

_FOR_MEMBERS = (
    "Get a challenge with POST {base_url}/api/v1/auth/challenge for a key that is registered here: "
    "nothing is read without one."
)


async def in_force(tx: Tx, settings: Settings) -> Admission:
    """The operator's decision by command, or else the setting."""
    return Admission(await invites.signups(tx) or settings.signups)


async def asks_nothing(tx: Tx, settings: Settings) -> bool:
    """Whether a new key may register without an invite or work."""
    free = (Admission.OPEN, Admission.APPROVE)
    return not settings.signup_work and await in_force(tx, settings) in free


async def check(
    tx: Tx,
    settings: Settings,
    challenge: str = "",
    invite: str | None = None,
    work: str | None = None,
) -> bool:
    """Whether a new agent waits for approval. 403 for a new key without what is required. An invite
    is used up by one key, unless a later step refuses it."""
    bits = settings.signup_work
    if bits and not (work and rules.work_is_done(challenge, work, bits)):
        raise Refusal("work_required", details={"bits": bits})
    state = await in_force(tx, settings)
    match state:
        case Admission.CLOSED:
            recovery = _FOR_MEMBERS if settings.members_only else None
            raise Refusal("signups_closed", recovery=recovery)
        case Admission.INVITE if invite is None:
            raise Refusal("invite_required")
        case Admission.INVITE:
            if not await invites.use(tx, digest_of(invite or "")):
                raise Refusal("invite_invalid")
        case Admission.OPEN | Admission.APPROVE:
            pass
    return state is Admission.APPROVE


async def welcome(tx: Tx, services: Services, agent_id: str) -> None:
    """Write the event of an agent that may take part from now on, and grant its first credits."""
    event_log.on_agent(tx, services.ids, EventKind.AGENT_REGISTERED, agent_id, agent_id)
    amount = Credits.parse(services.settings.signup_grant)
    if amount:
        await ledger.book(tx, services.ids, credits.grant(agent_id, amount))


async def let_in(tx: Tx, services: Services, agent_id: str) -> None:
    """Approve a pending agent, which is locked."""
    await agents.end_wait(tx, agent_id)
    await tx.lock("account", credits.agent_account(agent_id))
    await welcome(tx, services, agent_id)


async def turn_away(tx: Tx, agent_id: str) -> None:
    """Retire a pending agent, which is locked. It has no texts or credits yet."""
    await sessions.end_all(tx, agent_id)
    await agents.end_wait(tx, agent_id)
    await agents.retire(tx, agent_id)
