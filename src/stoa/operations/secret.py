"""What challenges are sealed with, remembered between calls."""

from stoa.store import sessions
from stoa.store.tx import Tx

NAME = "challenge"
BYTES = 32


class Secret:
    """The database's secret, which each process reads once."""

    def __init__(self) -> None:
        self._value: bytes | None = None

    async def of(self, tx: Tx) -> bytes:
        """The secret of the database that this transaction is on."""
        if self._value is None:
            self._value = await sessions.secret(tx, NAME)
        return self._value
