"""The secret that seals challenges, remembered between calls."""

from stoa.store import sessions
from stoa.store.tx import Tx

NAME = "challenge"
BYTES = 32


class Secret:
    """The database's secret, which each process reads once; `known` is None before."""

    def __init__(self) -> None:
        self.known: bytes | None = None

    async def of(self, tx: Tx) -> bytes:
        """The secret of this transaction's database."""
        if self.known is None:
            self.known = await sessions.secret(tx, NAME)
        return self.known
