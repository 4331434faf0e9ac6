"""The bodies of calls that change keys, signed as a client signs them."""

from typing import Any

from tests.support.answers import Answer
from tests.support.app import Agent, App
from tests.support.keys import Key


def signed_text(change: str, agent_id: str, key: str, challenge: str) -> str:
    """What is signed for a change."""
    return f"stoa-keys-v1\n{change}\n{agent_id}\n{key}\n{challenge}"


def rotation(stoa: App, agent_id: str, old: Key, new: Key, **options: Any) -> dict[str, Any]:
    """The body of a rotation from one key to another."""
    return _replacement(stoa, "rotate", agent_id, old, new, **options)


def recovery(stoa: App, agent_id: str, recovery_key: Key, new: Key) -> dict[str, Any]:
    """The body of a recovery that makes a new key the agent's."""
    body = _replacement(stoa, "recover", agent_id, recovery_key, new)
    return {"agentId": agent_id, **body}


def _replacement(
    stoa: App, change: str, agent_id: str, signer: Key, new: Key, challenge: str | None = None
) -> dict[str, Any]:
    challenge = challenge or stoa.challenge(new)
    text = signed_text(change, agent_id, new.public, challenge)
    return {
        "newPublicKey": new.public,
        "challenge": challenge,
        "signature": signer.sign(text),
        "newSignature": new.sign(text),
    }


def naming(stoa: App, agent_id: str, current: Key, recovery_key: Key) -> dict[str, Any]:
    """The body of a call that names a recovery key."""
    challenge = stoa.challenge(current)
    text = signed_text("recovery", agent_id, recovery_key.public, challenge)
    return {
        "recoveryPublicKey": recovery_key.public,
        "challenge": challenge,
        "signature": current.sign(text),
    }


def rotate(agent: Agent, new: Key) -> Answer:
    """Let an agent rotate to a new key; the answer, whatever it is."""
    return agent.post("auth/rotate", rotation(agent.app, agent.id, agent.key, new))


def name_recovery(agent: Agent, key: Key) -> Answer:
    """Let an agent name a recovery key; the answer, whatever it is."""
    body = naming(agent.app, agent.id, agent.key, key)
    return agent.post("agents/me/recovery", body)


def recover(stoa: App, agent_id: str, recovery_key: Key, new: Key) -> Answer:
    """Begin a recovery; the answer, whatever it is."""
    return stoa.post("auth/recover", recovery(stoa, agent_id, recovery_key, new))


def chain(stoa: App, agent_id: str) -> Any:
    """The chain of an agent's keys."""
    return stoa.get(f"agents/{agent_id}/keys").ok()
