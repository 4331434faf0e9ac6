"""Changing an agent's keys, and reading their history."""

from stoa.domain import challenges
from stoa.domain.challenges import IssuedChallenge
from stoa.domain.errors import Refusal, invalid_field
from stoa.domain.key_changes import ChainLink, KeyChange, KeyEvent, check_signature, signed_text
from stoa.operations import sessions
from stoa.operations.agents import agent_now, found_agent
from stoa.operations.call import Call
from stoa.operations.parts import escrow, key_standing
from stoa.operations.parts.key_standing import AgentKeys
from stoa.operations.table import (
    BEFORE_SIGN_IN,
    Access,
    Caching,
    Charged,
    Effect,
    Mode,
    Toolset,
    Who,
    operation,
)
from stoa.schemas.agents import AgentRequest
from stoa.schemas.base import iso
from stoa.schemas.keys import (
    ChainChange,
    ChainKey,
    KeyChain,
    KeyRotated,
    NameRecoveryKey,
    RecoverKey,
    RecoveryBegun,
    RecoveryKeyNamed,
    RotateKey,
)
from stoa.store import agents, key_changes
from stoa.store.agents import AgentRow
from stoa.store.key_changes import Proof, SignedLink

_PROOF_CODES = ("challenge_invalid", "challenge_expired", "signature_invalid")
_TAKEN = "Must be a key that no agent of this service has or had: make a new key pair."


@operation(
    "POST /api/v1/auth/rotate",
    who=Who(Access.AGENT, Charged.KEYS),
    effect=Effect(final=True),
    errors=("agent_suspended", "key_session_required", *_PROOF_CODES, "recovery_running"),
)
async def rotate_key(call: Call, request: RotateKey) -> KeyRotated:
    """Replace your key by a new one, at once.

    Id, credits, reputation and history stay. Every session ends, and the old key never signs in
    again. A replacement of the recovery key that is not in force yet is dropped.
    """
    agent_id, new_key = call.actor(), bytes.fromhex(request.new_public_key)
    await key_standing.check_key_session(call.tx, call.signed_in)
    challenge = await _checked_challenge(call, new_key, request.challenge)
    await call.tx.lock("key", request.new_public_key)
    keys = await key_standing.locked(call.tx, call.services.ids, agent_id)
    text = signed_text(KeyChange.ROTATE, agent_id, request.new_public_key, request.challenge)
    current = keys.standing.current
    proof = _checked_proof(request, text, current, new_key)
    keys.follow(KeyEvent.ROTATE)
    await _check_unused(call, keys, new_key)
    await sessions.use_challenge(call, challenge, of_change=True)
    link = ChainLink(KeyChange.ROTATE, new_key, current, current, call.now, call.now, None)
    await _record(call, agent_id, link, proof)
    ended = await key_standing.put_in_force(call.tx, agent_id, new_key)
    receipt = call.receipt("rotate_key", "agent", agent_id)
    agent = await agent_now(call, agent_id)
    return KeyRotated(agent=agent, sessions_ended=ended, receipt=receipt)


def _checked_proof(
    request: RotateKey | RecoverKey, signed: str, signer: bytes, new_key: bytes
) -> Proof:
    """The proof that both keys signed for a change; 401 without it."""
    signature = bytes.fromhex(request.signature)
    new_signature = bytes.fromhex(request.new_signature)
    check_signature(signer, signed, signature)
    check_signature(new_key, signed, new_signature)
    return Proof(request.challenge, signature, new_signature)


async def _checked_challenge(call: Call, key: bytes, challenge: str) -> IssuedChallenge:
    """A challenge that this service issued to the key; 401 for any other."""
    secret = await call.services.secret.of(call.tx)
    try:
        return challenges.check(secret, call.services.base_urls, key, challenge, call.now)
    except Refusal as refusal:
        raise Refusal(refusal.code, recovery=sessions.NEW_CHALLENGE) from None


async def _check_unused(call: Call, keys: AgentKeys, key: bytes) -> None:
    """400 for a new key that is or was an agent's, or is a recovery key of this agent."""
    if key in keys.standing.named or await _signs_in(call, key):
        raise invalid_field("newPublicKey", _TAKEN)


async def _signs_in(call: Call, key: bytes) -> bool:
    """Whether an agent signs in with this key, or did, or will."""
    return bool(await agents.by_key(call.tx, key) or await key_changes.owner(call.tx, key))


@operation(
    "POST /api/v1/agents/me/recovery",
    who=Who(Access.AGENT, Charged.KEYS),
    errors=("agent_suspended", *_PROOF_CODES, "recovery_running"),
)
async def name_recovery_key(call: Call, request: NameRecoveryKey) -> RecoveryKeyNamed:
    """Name the key that can recover your agent, and keep that key offline.

    The first one is in force at once. One that replaces another is in force after a delay, in which
    the old key can still recover the agent; a later replacement ends one that waits.
    """
    agent_id, key = call.actor(), bytes.fromhex(request.recovery_public_key)
    keys = await key_standing.locked(call.tx, call.services.ids, agent_id)
    current = keys.standing.current
    challenge = await _checked_challenge(call, current, request.challenge)
    text = signed_text(KeyChange.RECOVERY, agent_id, request.recovery_public_key, request.challenge)
    signature = bytes.fromhex(request.signature)
    check_signature(current, text, signature)
    keys.follow(KeyEvent.RECOVERY)
    if await _signs_in(call, key):
        raise invalid_field("recoveryPublicKey", _TAKEN)
    await sessions.use_challenge(call, challenge, of_change=True)
    in_force_at = call.now if keys.standing.recovery is None else _after_delay(call)
    link = ChainLink(KeyChange.RECOVERY, key, current, current, call.now, in_force_at, None)
    await _record(call, agent_id, link, Proof(request.challenge, signature, None))
    return RecoveryKeyNamed(
        recovery_public_key=request.recovery_public_key,
        in_force_at=iso(in_force_at),
        receipt=call.receipt("name_recovery_key", "agent", agent_id),
    )


async def _record(call: Call, agent_id: str, link: ChainLink, proof: Proof) -> None:
    """Store a change that the agent has signed, and write its event."""
    await key_changes.insert(call.tx, agent_id, link, proof)
    change, at = link.change, link.in_force_at
    key_standing.note_change(call.tx, call.services.ids, change, agent_id, at, actor_id=agent_id)


def _after_delay(call: Call) -> int:
    return call.now + call.services.settings.recovery_seconds * 1000


@operation(
    "POST /api/v1/auth/recover",
    who=BEFORE_SIGN_IN,
    effect=Effect(final=True),
    errors=("not_found", *_PROOF_CODES, "key_retired", "no_recovery_key", "recovery_running"),
)
async def recover_key(call: Call, request: RecoverKey) -> RecoveryBegun:
    """Begin to recover an agent with its recovery key.

    After a delay the new key is in force and the old one retired. Until then the agent can neither
    spend nor promise credits, and nothing stops the recovery.
    """
    agent_id, new_key = request.agent_id, bytes.fromhex(request.new_public_key)
    challenge = await _checked_challenge(call, new_key, request.challenge)
    await call.tx.lock("key", request.new_public_key)
    keys = await key_standing.locked(call.tx, call.services.ids, agent_id)
    text = signed_text(KeyChange.RECOVER, agent_id, request.new_public_key, request.challenge)
    signer = keys.standing.recovery
    proof = _checked_proof(request, text, signer, new_key) if signer else None
    keys.follow(KeyEvent.RECOVER)
    assert signer
    assert proof
    await _check_unused(call, keys, new_key)
    await sessions.use_challenge(call, challenge, of_change=True)
    at = _after_delay(call)
    link = ChainLink(KeyChange.RECOVER, new_key, keys.standing.current, signer, call.now, at, None)
    await _record(call, agent_id, link, proof)
    await key_changes.announce(call.tx, agent_id, at)
    await escrow.postpone_decisions(call.tx, agent_id, at - call.now)
    return RecoveryBegun(agent=await agent_now(call, agent_id), key_change_at=iso(at))


@operation(
    "GET /api/v1/agents/{agentId}/keys",
    toolsets=(Toolset.RECORDS,),
    effect=Effect(Mode.SLOW_READ),
    caching=Caching(cached=True, lagging=True),
    errors=("not_found", "removed"),
)
async def get_keys(call: Call, request: AgentRequest) -> KeyChain:
    """Read all keys of an agent with what was signed for each change.

    With it anyone can check that the current key follows from the first one.
    """
    row = await found_agent(call, request.agent_id)
    signed = await key_changes.of_agent(call.tx, row.id)
    links = [one.link for one in signed]
    standing = key_standing.standing(row, links, call.now)
    if standing.begun:
        call.expires(standing.begun.in_force_at)
    return KeyChain(
        agent_id=row.id,
        keys=_chain_keys(row, links, call.now),
        recovery_key=None if standing.recovery is None else standing.recovery.hex(),
        changes=[_chain_change(row.id, one) for one in signed],
    )


def _chain_keys(row: AgentRow, links: list[ChainLink], now: int) -> list[ChainKey]:
    """Each key with the times from which and until which it is in force."""
    changes = [link for link in links if link.change is not KeyChange.RECOVERY]
    starts = [(key_standing.key_before(row, links), row.created_at)]
    starts += [(link.key, link.in_force_at) for link in changes]
    ends = [link.in_force_at for link in changes]
    return [
        _chain_key(key, since, until, now)
        for (key, since), until in zip(starts, [*ends, row.retired_at], strict=True)
    ]


def _chain_key(key: bytes, since: int, until: int | None, now: int) -> ChainKey:
    ended = until is not None and until <= now
    return ChainKey(
        public_key=key.hex(),
        status="pending" if since > now else "retired" if ended else "current",
        since=iso(since),
        until=None if until is None else iso(until),
    )


def _chain_change(agent_id: str, signed: SignedLink) -> ChainChange:
    link, proof = signed
    key = link.key.hex()
    return ChainChange(
        change=link.change.value,
        public_key=key,
        signed_by=link.signer.hex(),
        signed_text=signed_text(link.change, agent_id, key, proof.challenge),
        signature=proof.signature.hex(),
        new_signature=None if proof.new_signature is None else proof.new_signature.hex(),
        created_at=iso(link.created_at),
        in_force_at=iso(link.in_force_at),
        dropped_at=None if link.dropped_at is None else iso(link.dropped_at),
    )
