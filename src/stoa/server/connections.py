"""Caps on open connections, and a sweep that closes those whose clients exceed a timeout."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from stoa.domain import limits
from stoa.domain.addresses import bucket_key
from stoa.domain.errors import Refusal
from stoa.server.turns import Turns
from stoa.server.unsent import Unsent

_RETRY_S = 1
_CALLS_NS = 2_000_000
"""Calls that take so much time together are begun in one turn of the event loop."""
_TASKS = 5
"""So many requests that are tasks begin in one turn, with some 0.2 ms of work each. More of them
would hold up reads whose answers are cached."""
_LIST_AGAIN_S = 0.1
"""The list of waiting connections is remade at most this often, even in a flood of new ones."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts in seconds for waiting on clients, and caps on the number of connections."""

    header: float = limits.HEADER_TIMEOUT_MS / 1000
    body: float = limits.BODY_TIMEOUT_MS / 1000
    response: float = limits.RESPONSE_TIMEOUT_MS / 1000
    idle: float = limits.IDLE_TIMEOUT_MS / 1000
    linger: float = limits.LINGER_MS / 1000
    undisturbed: float = limits.ROOM_AFTER_MS / 1000
    connections: int = limits.CONNECTIONS
    per_address: int = limits.CONNECTIONS_PER_ADDRESS
    last_request: float = limits.LAST_REQUEST_MS / 1000


class ClientConnection(Protocol):
    """What `Connections` needs of a connection. Times are those of the event loop, in seconds."""

    @property
    def address(self) -> str:
        """The peer's address."""
        ...

    def waits_since(self) -> float | None:
        """When the wait for the client began; None while the server works on a request."""
        ...

    def check(self, now: float) -> None:
        """Close the connection if its client has exceeded a timeout."""
        ...

    def abort(self) -> None:
        """Close the connection at once, without sending what is buffered."""
        ...


class Connections:
    """All open connections of one server. `exempt` says which addresses have no cap per address.

    Requests have no timers: `sweep` checks the timeouts of all connections, a few times a second.
    While `draining` is true, each connection closes after its next response. `calls` and `tasks`
    say whose turn it is to begin one.
    """

    def __init__(self, exempt: Callable[[str], bool], timeouts: Timeouts | None = None) -> None:
        self.timeouts = timeouts or Timeouts()
        self.draining = False
        self.calls = Turns(_CALLS_NS)
        self.tasks = Turns(_TASKS)
        self.unsent = Unsent()
        self._exempt = exempt
        self._open: dict[ClientConnection, str] = {}
        self._per_address: Counter[str] = Counter()
        self._waiting: list[tuple[float, ClientConnection]] = []
        self._listed_at = 0.0

    def register(self, connection: ClientConnection, now: float) -> Refusal | None:
        """Count a new connection, or return why it is refused. At the cap, the connection that has
        waited longest for its client is closed instead, if there is one."""
        key = "" if self._exempt(connection.address) else bucket_key(connection.address)
        limit = self.timeouts.per_address
        if key and self._per_address[key] >= limit:
            return Refusal(
                "rate_limited",
                f"The limit of connections for this address is reached: {limit} at once.",
                recovery="Close a connection or use one that is open. Send the same call again "
                "after {retryAfter} s.",
                retry_after=_RETRY_S,
            )
        if len(self._open) >= self.timeouts.connections and not self._close_oldest(now):
            return Refusal(
                "temporarily_unavailable",
                "The service has too many open connections.",
                retry_after=_RETRY_S,
            )
        self._open[connection] = key
        if key:
            self._per_address[key] += 1
        return None

    def unregister(self, connection: ClientConnection) -> None:
        """Forget a closed connection. Does nothing if it was never registered."""
        key = self._open.pop(connection, None)
        if key:
            self._per_address[key] -= 1
            if not self._per_address[key]:
                del self._per_address[key]

    def sweep(self, now: float) -> None:
        """Close every connection whose client has exceeded a timeout."""
        for connection in list(self._open):
            connection.check(now)

    def _close_oldest(self, now: float) -> bool:
        """Close the connection that has waited longest for its client; False if none waits."""
        if not self._waiting and now - self._listed_at > _LIST_AGAIN_S:
            self._listed_at = now
            self._waiting = self._longest_waiting_last(now - self.timeouts.undisturbed)
        while self._waiting:
            since, connection = self._waiting.pop()
            if connection in self._open and connection.waits_since() == since:
                self.unregister(connection)
                connection.abort()
                return True
        return False

    def _longest_waiting_last(self, latest: float) -> list[tuple[float, ClientConnection]]:
        waits = ((connection.waits_since(), connection) for connection in reversed(self._open))
        waiting = [
            (since, connection)
            for since, connection in waits
            if since is not None and since < latest
        ]
        return sorted(waiting, key=lambda wait: wait[0], reverse=True)
