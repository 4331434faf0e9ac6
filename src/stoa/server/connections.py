"""Who may be connected: caps on open connections, and a sweep that ends long waits."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stoa.domain import limits
from stoa.domain.addresses import bucket_key
from stoa.domain.errors import Refusal

_RETRY_S = 1
_LOOK_AGAIN_S = 0.1
"""A flood of new connections must not cost a look at all connections for each."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long connections may wait for their clients, in seconds, and how many there may be."""

    header: float = limits.HEADER_TIMEOUT_MS / 1000
    body: float = limits.BODY_TIMEOUT_MS / 1000
    response: float = limits.RESPONSE_TIMEOUT_MS / 1000
    idle: float = limits.IDLE_TIMEOUT_MS / 1000
    linger: float = limits.LINGER_MS / 1000
    undisturbed: float = limits.ROOM_AFTER_MS / 1000
    connections: int = limits.CONNECTIONS
    per_address: int = limits.CONNECTIONS_PER_ADDRESS
    last_request: float = limits.LAST_REQUEST_MS / 1000


class Guest(Protocol):
    """A connection as the house sees it; times are those of the event loop, in seconds."""

    @property
    def address(self) -> str:
        """The peer's address."""
        ...

    def waits_since(self) -> float | None:
        """When it began to wait for its client, or None while the server is at work for it."""
        ...

    def check(self, now: float) -> None:
        """End it if it has waited for its client too long."""
        ...

    def make_room(self) -> None:
        """End it at once."""
        ...


class Connections:
    """All open connections of one server. `exempt` says which peers have no cap of their own.

    Nothing is timed per request: `sweep` looks at every connection, a few times a second. While the
    server is `draining`, the next answer of each connection is its last.
    """

    def __init__(self, exempt: Callable[[str], bool], patience: Patience | None = None) -> None:
        self.patience = patience or Patience()
        self.draining = False
        self._exempt = exempt
        self._open: dict[Guest, str] = {}
        self._per_address: Counter[str] = Counter()
        self._waiting: list[tuple[float, Guest]] = []
        self._looked_at = 0.0

    def admit(self, guest: Guest, now: float) -> Refusal | None:
        """Take in a new connection, or say why not; when all places are taken, one that waits for
        its client loses its own."""
        key = "" if self._exempt(guest.address) else bucket_key(guest.address)
        if key and self._per_address[key] >= self.patience.per_address:
            return Refusal(
                "rate_limited",
                "Too many connections from this address.",
                recovery="Close connections or use the ones you have, then try again.",
                retry_after=_RETRY_S,
            )
        if len(self._open) >= self.patience.connections and not self._room(now):
            return Refusal("temporarily_unavailable", "Too many connections.", retry_after=_RETRY_S)
        self._open[guest] = key
        if key:
            self._per_address[key] += 1
        return None

    def leave(self, guest: Guest) -> None:
        """Forget a connection that is closed; one that was not admitted is no matter."""
        key = self._open.pop(guest, None)
        if key:
            self._per_address[key] -= 1
            if not self._per_address[key]:
                del self._per_address[key]

    def sweep(self, now: float) -> None:
        """End what has waited too long."""
        for guest in list(self._open):
            guest.check(now)

    def _room(self, now: float) -> bool:
        """Whether a place could be freed."""
        if not self._waiting and now - self._looked_at > _LOOK_AGAIN_S:
            self._looked_at = now
            self._waiting = self._longest_waiting_last(now - self.patience.undisturbed)
        while self._waiting:
            since, guest = self._waiting.pop()
            if guest in self._open and guest.waits_since() == since:
                self.leave(guest)
                guest.make_room()
                return True
        return False

    def _longest_waiting_last(self, latest: float) -> list[tuple[float, Guest]]:
        waits = ((guest.waits_since(), guest) for guest in reversed(self._open))
        waiting = [(since, guest) for since, guest in waits if since is not None and since < latest]
        return sorted(waiting, key=lambda wait: wait[0], reverse=True)
