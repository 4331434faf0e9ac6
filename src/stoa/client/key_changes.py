"""Changing an agent's keys, and checking the chain of keys of any agent."""

import uuid
from typing import Any

from nacl.exceptions import CryptoError
from nacl.signing import VerifyKey

from stoa.client.errors import StoaError
from stoa.client.generated.models import (
    ChainChange,
    KeyChain,
    KeyRotated,
    RecoveryBegun,
    RecoveryKeyNamed,
)
from stoa.client.generated.operations import (
    CREATE_CHALLENGE,
    GET_KEYS,
    NAME_RECOVERY_KEY,
    RECOVER_KEY,
    ROTATE_KEY,
)
from stoa.client.keys import Signer, check_challenge
from stoa.client.protocol import RETIRED, SessionState, Steps

_FORMAT = "stoa-keys-v1"


class BrokenChain(ValueError):
    """A chain of keys does not hold together; the message says where."""


def signed_text(change: str, agent_id: str, public_key: str, challenge: str) -> str:
    """The text that is signed for a change of keys. It names the change, the agent and the key."""
    return f"{_FORMAT}\n{change}\n{agent_id}\n{public_key.lower()}\n{challenge}"


def rotation(session: SessionState, new_key: Signer, *, dry_run: bool = False) -> Steps[KeyRotated]:
    """Replace the key of the session's agent; the session has the new key afterwards.

    The old key cannot ask for an answer that was lost: the new one does, once it is in force.
    """
    key = session.own_key()
    agent_id = yield from session.own_id()
    challenge = yield from _challenge(session, new_key.public_key)
    text = signed_text("rotate", agent_id, new_key.public_key, challenge)
    proof = _proof(new_key, challenge, text, key)
    values = {**proof, "dryRun": dry_run, "idempotencyKey": str(uuid.uuid4())}
    try:
        rotated = yield from session.call(ROTATE_KEY, values)
    except StoaError as error:
        if error.code != RETIRED or not (yield from _has(session, agent_id, new_key)):
            raise
        session.use_key(new_key)
        return (yield from session.call(ROTATE_KEY, values))
    if not dry_run:
        session.use_key(new_key)
    return rotated


def _has(session: SessionState, agent_id: str, key: Signer) -> Steps[bool]:
    """Whether this is the key of an agent now, if everyone may read that here."""
    try:
        chain = yield from session.anonymous().call(GET_KEYS, {"agentId": agent_id})
    except StoaError:
        return False
    return chain.keys[-1].public_key == key.public_key


def naming(session: SessionState, recovery_public_key: str) -> Steps[RecoveryKeyNamed]:
    """Name the recovery key of the session's agent."""
    key = session.own_key()
    agent_id = yield from session.own_id()
    challenge = yield from _challenge(session, key.public_key)
    text = signed_text("recovery", agent_id, recovery_public_key, challenge)
    values = {"recoveryPublicKey": recovery_public_key, "challenge": challenge}
    signature = {"signature": key.sign(text.encode()).hex()}
    return (yield from session.call(NAME_RECOVERY_KEY, {**values, **signature}))


def recovery(
    session: SessionState, agent_id: str, recovery_key: Signer, new_key: Signer
) -> Steps[RecoveryBegun]:
    """Begin to recover an agent; the session needs no key for it."""
    challenge = yield from _challenge(session, new_key.public_key)
    text = signed_text("recover", agent_id, new_key.public_key, challenge)
    proof = _proof(new_key, challenge, text, recovery_key)
    return (yield from session.call(RECOVER_KEY, {"agentId": agent_id, **proof}))


def _challenge(session: SessionState, public_key: str) -> Steps[str]:
    """A challenge of this service for a key. Raises ForeignChallenge for one of another."""
    issued = yield from session.call(CREATE_CHALLENGE, {"publicKey": public_key})
    check_challenge(issued.challenge, session.url)
    return issued.challenge


def _proof(new_key: Signer, challenge: str, text: str, signer: Signer) -> dict[str, Any]:
    return {
        "newPublicKey": new_key.public_key,
        "challenge": challenge,
        "signature": signer.sign(text.encode()).hex(),
        "newSignature": new_key.sign(text.encode()).hex(),
    }


def check_chain(chain: KeyChain) -> None:
    """Raise BrokenChain unless each key of an agent follows from the one before.

    Nothing is asked of a service: the signatures are checked here, over texts that are put together
    here. The first key and the times are the service's word.

    Example:

        check_chain(stoa.get_keys(agent.id))
    """
    if not chain.keys:
        raise BrokenChain("it has no first key")
    keys = [chain.keys[0].public_key]
    for number, change in enumerate(chain.changes):
        named = "recovery key" if change.change == "recover" else "current key"
        due = _recovery_key(chain, number) if change.change == "recover" else keys[-1]
        if change.signed_by != due:
            raise BrokenChain(f"change {number + 1} is not signed by the {named}")
        _check_signatures(chain.agent_id, change, number)
        _check_times(chain, number)
        if change.change != "recovery":
            keys.append(change.public_key)
    if keys != [key.public_key for key in chain.keys]:
        raise BrokenChain("its keys are not those that the changes lead to")


def _recovery_key(chain: KeyChain, number: int) -> str | None:
    """The recovery key in force when a change was made."""
    at = chain.changes[number].created_at
    named = [
        change.public_key
        for change in chain.changes[:number]
        if change.change == "recovery" and change.in_force_at <= at and change.dropped_at is None
    ]
    return named[-1] if named else None


def _check_signatures(agent_id: str, change: ChainChange, number: int) -> None:
    challenge = change.signed_text.rpartition("\n")[2]
    text = signed_text(change.change, agent_id, change.public_key, challenge)
    if change.signed_text != text:
        raise BrokenChain(f"the signed text of change {number + 1} names something else")
    signatures = [(change.signed_by, change.signature)]
    if change.change != "recovery":
        signatures.append((change.public_key, change.new_signature or ""))
    for public_key, signature in signatures:
        if not _is_signed(public_key, text, signature):
            raise BrokenChain(f"a signature of change {number + 1} is not that of its key")


def _is_signed(public_key: str, text: str, signature: str) -> bool:
    try:
        VerifyKey(bytes.fromhex(public_key)).verify(text.encode(), bytes.fromhex(signature))
    except (CryptoError, ValueError):
        return False
    return True


def _check_times(chain: KeyChain, number: int) -> None:
    """A change is in force when or after it was made, and only a later one drops it."""
    change = chain.changes[number]
    dropped = change.dropped_at
    later = {one.created_at for one in chain.changes[number + 1 :]}
    is_dropped_rightly = dropped is None or (
        change.change == "recovery" and dropped in later and dropped < change.in_force_at
    )
    if change.in_force_at < change.created_at or not is_dropped_rightly:
        raise BrokenChain(f"the times of change {number + 1} do not fit")
