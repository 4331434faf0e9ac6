"""Changes of an agent's keys: the signed text, the allowed order, and the chain of keys."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from stoa.domain import keys
from stoa.domain.errors import Refusal

FORMAT = "stoa-keys-v1"

KEY_SIGNED = frozenset({"verify", "client_credentials"})
"""How a session begins that the agent's own key signed for."""


class KeyChange(StrEnum):
    """A change that is signed for. The signed text names it."""

    ROTATE = "rotate"
    RECOVERY = "recovery"
    RECOVER = "recover"


class KeyState(StrEnum):
    """What an agent's keys can be."""

    PLAIN = "PLAIN"
    GUARDED = "GUARDED"
    REPLACING = "REPLACING"
    RECOVERING = "RECOVERING"
    RETIRED = "RETIRED"


class KeyEvent(StrEnum):
    """What can happen to an agent's keys. `spend` also stands for promising credits; `delay` is
    the end of the delay of what was begun."""

    ROTATE = "rotate"
    RECOVERY = "recovery"
    RECOVER = "recover"
    RETIRE = "retire"
    SPEND = "spend"
    DELAY = "delay"


_S, _E = KeyState, KeyEvent

TRANSITIONS: dict[tuple[KeyState, KeyEvent], KeyState] = {
    (_S.PLAIN, _E.ROTATE): _S.PLAIN,
    (_S.PLAIN, _E.RECOVERY): _S.GUARDED,
    (_S.GUARDED, _E.ROTATE): _S.GUARDED,
    (_S.GUARDED, _E.RECOVERY): _S.REPLACING,
    (_S.GUARDED, _E.RECOVER): _S.RECOVERING,
    # A replacement that the key before signed for is dropped.
    (_S.REPLACING, _E.ROTATE): _S.GUARDED,
    (_S.REPLACING, _E.RECOVERY): _S.REPLACING,
    (_S.REPLACING, _E.RECOVER): _S.RECOVERING,
    (_S.PLAIN, _E.DELAY): _S.PLAIN,
    (_S.GUARDED, _E.DELAY): _S.GUARDED,
    (_S.REPLACING, _E.DELAY): _S.GUARDED,
    (_S.RECOVERING, _E.DELAY): _S.GUARDED,
    **{(state, _E.RETIRE): _S.RETIRED for state in (_S.PLAIN, _S.GUARDED, _S.REPLACING)},
    **{(state, _E.SPEND): state for state in (_S.PLAIN, _S.GUARDED, _S.REPLACING)},
}
"""`(state, event) -> state`; what is not here is refused."""


def refusal_code(state: KeyState) -> str:
    """Why an event is refused in a state that has no transition for it."""
    if state is KeyState.RETIRED:
        return "key_retired"
    return "recovery_running" if state is KeyState.RECOVERING else "no_recovery_key"


def follow(state: KeyState, event: KeyEvent) -> KeyState:
    """The state after the event. Raises the refusal of a state that does not allow it."""
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise Refusal(refusal_code(state)) from None


def signed_text(change: KeyChange, agent_id: str, key: str, challenge: str) -> str:
    """What is signed for a change, as text of which the UTF-8 bytes are signed.

    It names the change, the agent and the key (hex), so that a signature for one change, or for a
    sign-in, is good for nothing else. The challenge makes it good once.
    """
    return f"{FORMAT}\n{change}\n{agent_id}\n{key}\n{challenge}"


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A change as the chain has it. `key` is the one that it names, `replaced` the one that was in
    force, `signer` the one that had to sign. Times are ms; `dropped_at` ends a replacement of the
    recovery key before it is in force."""

    change: KeyChange
    key: bytes
    replaced: bytes
    signer: bytes
    created_at: int
    in_force_at: int
    dropped_at: int | None


@dataclass(frozen=True, slots=True)
class KeyStanding:
    """The keys of an agent at one time. `begun` is a change whose delay has not passed."""

    current: bytes
    since: int
    recovery: bytes | None = None
    begun: ChainLink | None = None
    retired: bool = False

    @property
    def state(self) -> KeyState:
        """What the keys allow."""
        if self.retired:
            return KeyState.RETIRED
        if self.begun:
            is_recovery = self.begun.change is KeyChange.RECOVER
            return KeyState.RECOVERING if is_recovery else KeyState.REPLACING
        return KeyState.PLAIN if self.recovery is None else KeyState.GUARDED

    @property
    def named(self) -> set[bytes]:
        """Every key that has a part in it."""
        found = {self.current, self.recovery, self.begun and self.begun.key}
        return {key for key in found if key}


def standing(
    first: bytes, since: int, links: Iterable[ChainLink], now: int, *, retired: bool = False
) -> KeyStanding:
    """The keys of an agent at a time (ms), from its first key and all changes in their order."""
    current, recovery, begun = first, None, None
    for link in links:
        if link.dropped_at is not None:
            continue
        # What had no delay is in force, though another machine's clock may be ahead of this one's.
        if link.in_force_at > max(now, link.created_at):
            begun = link
        elif link.change is KeyChange.RECOVERY:
            recovery = link.key
        else:
            current, since = link.key, link.in_force_at
    return KeyStanding(current, since, recovery, begun, retired)


def check_signature(key: bytes, text: str, signature: bytes) -> None:
    """401 unless the signature over a text is that of the key."""
    if not keys.verify(key, text.encode(), signature):
        raise Refusal(
            "signature_invalid",
            "A signature does not match the text of this change and the key that has to sign it.",
            recovery="Get a new challenge with POST {base_url}/api/v1/auth/challenge. Sign the "
            f"UTF-8 bytes of five lines without a line feed at the end: `{FORMAT}`, the change "
            f"({', '.join(KeyChange)}), the id of the agent, the new key or for recovery the "
            "recovery key in lower-case hex, and the challenge.",
        )
